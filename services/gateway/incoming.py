"""What a client's frames look like to the socket: ``shared.wire.frames``, with the command left for later.

So a command that cannot be read is refused by its id, with a word about what is wrong with it.
"""

from typing import Final

import msgspec

from shared.wire.frames import Auth, Ping, Unwatch, Watch


class Command(msgspec.Struct, frozen=True, kw_only=True, tag="command"):
    """``frames.Command`` with its command unread."""

    id: str
    match: str
    expected: int | None = None
    command: msgspec.Raw


class Named(msgspec.Struct, frozen=True):
    """What can be named of a frame that was not understood."""

    id: str = ""
    match: str = ""


Frame = Command | Watch | Unwatch | Ping | Auth
UNREADABLE: Final = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)

_FRAME: Final[msgspec.json.Decoder[Frame]] = msgspec.json.Decoder(Frame)
_NAMED: Final = msgspec.json.Decoder(Named)


def read_frame(data: bytes) -> Frame:
    """The frame in ``data``; raises one of ``UNREADABLE``."""
    return _FRAME.decode(data)


def named(data: bytes) -> Named:
    """The ids in a frame, as far as they can be read, cut to what an id may be."""
    try:
        said = _NAMED.decode(data)
    except UNREADABLE:
        return Named()
    return Named(said.id[:64], "" if said.id else said.match[:64])
