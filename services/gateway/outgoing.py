"""WebSocket frames as finished bytes (RFC 6455 §5.2; from a server they carry no mask).

A view goes to many sockets. aiohttp's ``send_*`` would build its frame once per socket and needs a task, or
an await, for each; the finished bytes are written to the transport instead, whole frames at a time, which is
also how aiohttp writes (compression is off), so its pongs and close frames never fall inside one of ours.
"""

from struct import Struct
from typing import Final

PING: Final = b"\x89\x00"

_TEXT: Final = 0x81  # final fragment, text
_SHORT: Final = 126
_LONG: Final = 1 << 16
_MEDIUM_HEADER: Final = Struct("!BBH").pack
_LONG_HEADER: Final = Struct("!BBQ").pack


def text(payload: bytes) -> bytes:
    """The frame of one text message."""
    length = len(payload)
    if length < _SHORT:
        return bytes((_TEXT, length)) + payload
    if length < _LONG:
        return _MEDIUM_HEADER(_TEXT, 126, length) + payload
    return _LONG_HEADER(_TEXT, 127, length) + payload
