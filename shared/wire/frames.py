"""The frames of a client's socket (``GET /v1/socket``) and the bodies of ``POST /v1/matches/{id}/commands``.

A frame is one JSON text message whose first field is ``type``. Readers ignore unknown fields and frames.
"""

from typing import Any, Final

import msgspec

from shared.commands import PlayerCommand
from shared.problems import Problem
from shared.wire.lobby import TableView

VERSION: Final = 1

CLOSE_REFUSED: Final = 1008  # malformed input again and again, or no ``auth`` frame in time
CLOSE_TOO_BIG: Final = 1009  # a frame above the limit
CLOSE_DRAINING: Final = 1012  # this instance goes away: come back after the hint in the reason
CLOSE_UNAUTHORIZED: Final = 4001  # the token is not valid, or ran out and no new one came
CLOSE_SILENT: Final = 4002  # nothing was heard from the client, not even a pong
CLOSE_TOO_SLOW: Final = 4003  # the client does not read what its seat is sent
CLOSE_TOO_MANY: Final = 4004  # the player's sockets push each other out again and again
CLOSE_REPLACED: Final = 4005  # the player has no place for one more: a newer socket has this one's


# from the client


class Auth(msgspec.Struct, frozen=True, tag="auth"):
    """First frame, within 5 s; again at any time with a fresh token of the same player."""

    token: str


class Watch(msgspec.Struct, frozen=True, omit_defaults=True, tag="watch"):
    """Send me the views of ``match`` from now on; ``after`` is the last n that I have seen.

    With ``table`` instead: send me that table now and whenever it changes, until its match begins; ``token``
    is that of its link. With ``invitations`` instead: send me every table that keeps a seat for me, and
    whenever it changes, and those to come.
    """

    match: str = ""
    after: int | None = None
    table: str = ""
    token: str = ""
    invitations: bool = False


class Unwatch(msgspec.Struct, frozen=True, omit_defaults=True, tag="unwatch"):
    """No more views of ``match``, or of ``table``, or no more ``invitations``."""

    match: str = ""
    table: str = ""
    invitations: bool = False


class Command(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag="command"):
    """A command of a match. ``id`` is mine and names it for ever; ``expected`` is the n I made it against."""

    id: str
    match: str
    expected: int | None = None
    command: PlayerCommand


class Ping(msgspec.Struct, frozen=True, tag="ping"):
    """Are you there? Any frame keeps a socket alive; this one is for clients that cannot send pongs."""


ClientFrame = Auth | Watch | Unwatch | Command | Ping


# from the server


class Hello(msgspec.Struct, frozen=True, kw_only=True, tag="hello"):
    """The answer to ``auth``: who I take you for, and how long the token is good.

    The server pings after a quarter of ``heartbeat_ms`` of silence. After ``heartbeat_ms`` the player counts
    as away since he was last heard (unless another of his sockets is heard); after twice that the socket is
    closed (4002).
    """

    version: int
    server_time: int
    heartbeat_ms: int
    player: str
    expires_ms: int


class Watching(msgspec.Struct, frozen=True, tag="watching"):
    """The answer to ``watch``. ``outcome`` says what follows at once; ``n`` is the newest commit.

    ``current``: nothing was missed, no view follows. ``newer``: one ``view`` for each missed commit; only
    the one at ``n`` is still to be answered, a command against an earlier decision is ``stale``.
    ``reset``: one ``view``, the newest; forget what you had. So it is after more than 50 missed commits, and
    where you ask for missed ones faster than the limit of reads allows.
    """

    match: str
    n: int
    outcome: str


class View(msgspec.Struct, frozen=True, omit_defaults=True, tag="view"):
    """The match as your seat (or a spectator) sees it at commit ``n``.

    With ``command`` it is also the answer to that command of yours: accepted, as this commit.
    """

    match: str
    n: int
    view: msgspec.Raw
    command: str = ""


class Presence(msgspec.Struct, frozen=True, omit_defaults=True, tag="presence"):
    """Whether the player of ``seat`` is there has changed since the last view of ``match``.

    ``state`` and ``since_ms`` as in the view's seats: here, away (since when), unknown, ghost, computer. It
    also follows a ``watching`` that is not ``reset``, for each seat.
    """

    match: str
    seat: int
    state: str
    since_ms: int | None = None


class Accepted(msgspec.Struct, frozen=True, tag="accepted"):
    """Command ``id`` is in the log as commit ``n``; sent where no ``view`` of that commit will answer it."""

    id: str
    n: int


class Refused(msgspec.Struct, frozen=True, omit_defaults=True, tag="refused"):
    """A frame was refused and nothing was changed.

    ``id`` names the command, ``match`` or ``table`` the watch that is concerned.
    """

    problem: Problem
    id: str = ""
    match: str = ""
    table: str = ""


class Ended(msgspec.Struct, frozen=True, tag="ended"):
    """The match is over at commit ``n``; follows the last view. No more views will come."""

    match: str
    n: int
    result: Any


class Pong(msgspec.Struct, frozen=True, tag="pong"):
    """The answer to ``ping``, with the server's time in ms."""

    server_time: int


class Maintenance(msgspec.Struct, frozen=True, tag="maintenance"):
    """A planned restart: this instance goes away in ``in_ms``.

    Send what you have begun; nothing that is stored is lost and no clock of a match suffers. The close frame
    (1012) says after how long to come back.
    """

    in_ms: int


ServerFrame = Hello | Watching | View | Presence | Accepted | Refused | Ended | TableView | Maintenance | Pong
"""``TableView`` is the ``table`` frame."""


# the same command over REST


class CommandBody(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The body of a command over REST; its id is the ``Idempotency-Key``.

    ``dry_run`` only asks whether it would be accepted.
    """

    command: PlayerCommand
    expected: int | None = None
    dry_run: bool = False


class CommandAccepted(msgspec.Struct, frozen=True):
    """The command is in the log as commit ``n`` (for a dry run: would be)."""

    n: int


ENCODER: Final = msgspec.json.Encoder()
SERVER_FRAME: Final = msgspec.json.Decoder(ServerFrame)
