"""One request on its way through its route: who asks, what was sent, how to answer."""

import asyncio
from dataclasses import dataclass
from typing import Any, Final, TypeVar

import msgspec
from aiohttp import web

from services.gateway.gateway import Gateway
from services.gateway.limits import Purse
from shared.ids import is_command_id
from shared.pregame import chosen
from shared.problems import Refused
from shared.tokens import Token

T = TypeVar("T")
JSON: Final = "application/json"
KEY_HEADER: Final = "Idempotency-Key"
_ENCODER: Final = msgspec.json.Encoder()
_MOST: Final = 2**53
_LONGEST: Final = len(str(_MOST))


@dataclass(frozen=True)
class Call:
    """A matched, admitted and authorised request; without ``needs_body`` an absent body is an empty one.

    ``purse`` pays for what turns out to be more than one request's work.
    """

    gateway: Gateway
    request: web.BaseRequest
    needs_body: bool
    variables: dict[str, str]
    who: Token | None
    address: str
    key: str
    sent: bytes
    headers: dict[str, str]
    purse: Purse

    @property
    def player(self) -> str:
        """The id of the player who asks, empty without a token."""
        return self.who.player if self.who else ""

    @property
    def scopes(self) -> tuple[str, ...]:
        """What his token allows."""
        return self.who.scopes if self.who else ()

    def body(self, kind: type[T]) -> T:
        """The request's JSON as ``kind``; raises ``Refused`` ``malformed`` (no JSON) or ``invalid``."""
        return read(self.sent or (b"" if self.needs_body else b"{}"), kind)

    @property
    def language(self) -> str:
        """In which of our languages he wants to be spoken to (``Accept-Language``)."""
        return chosen(self.request.headers.get("Accept-Language", ""))

    def text(self, name: str, default: str = "") -> str:
        """A parameter of the address."""
        return self.request.query.get(name, default)

    def number(self, name: str) -> int | None:
        """A whole number among the address's parameters, None if absent; raises ``Refused("invalid")``."""
        text = self.request.query.get(name)
        if text is None:
            return None
        # The length first: Python refuses to read a number of thousands of digits, were they all zeros.
        if not (text.isascii() and text.isdigit() and len(text) <= _LONGEST) or int(text) >= _MOST:
            raise Refused("invalid", f"{name}: {text[:40]!r} is no whole number from 0.")
        return int(text)

    def flag(self, name: str) -> bool | None:
        """``true`` or ``false`` among the address's parameters, None if absent."""
        text = self.request.query.get(name)
        if text is None:
            return None
        if text not in ("true", "false"):
            raise Refused("invalid", f"{name}: write true or false.")
        return text == "true"

    def json(self, value: Any, status: int = 200) -> web.Response:
        """``value`` as the answer."""
        return self.raw(_ENCODER.encode(value), JSON, status)

    def raw(self, data: bytes, media: str, status: int = 200) -> web.Response:
        """Finished bytes as the answer."""
        return web.Response(body=data, status=status, headers={"Content-Type": media})


def read(sent: bytes, kind: type[T]) -> T:
    """JSON bytes as ``kind``; raises ``Refused`` ``malformed``, ``unknown_command`` or ``invalid``."""
    try:
        got = msgspec.json.decode(sent, type=kind)
    except msgspec.ValidationError as error:
        if "`$.command.type`" in str(error) or ("`$.command`" in str(error) and "`type`" in str(error)):
            raise Refused("unknown_command", str(error)) from error
        raise Refused("invalid", str(error)) from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Refused("malformed", str(error)) from error
    _refuse_unknown(msgspec.json.decode(sent), got)
    return got


def _refuse_unknown(sent: Any, got: object) -> None:
    """A misspelt wish is no wish: it must not be passed over in silence.

    Not left to the types: services of an older version go on reading what newer ones add.
    """
    if not isinstance(got, msgspec.Struct):
        return
    fields = dict(zip(got.__struct_encode_fields__, got.__struct_fields__, strict=True))
    for name, value in sent.items():
        if name in fields:
            _refuse_unknown(value, getattr(got, fields[name]))
        elif name != got.__struct_config__.tag_field:
            known = ", ".join(sorted(fields))
            raise Refused("invalid", f"There is no field {name[:40]!r} here; there are {known}.")


async def read_body(request: web.BaseRequest, most: int, within_ms: int) -> bytes:
    """The request's body; raises ``Refused`` ``too_large``, or ``malformed`` if compressed or too slow."""
    if request.headers.get("Content-Encoding", "identity").lower() != "identity":
        raise Refused("malformed", "Send the body as it is, without a Content-Encoding.")
    if (request.content_length or 0) > most:
        raise Refused("too_large", f"At most {most} bytes.")
    parts: list[bytes] = []
    size = 0
    try:
        async with asyncio.timeout(within_ms / 1000):
            async for part in request.content.iter_any():
                size += len(part)
                if size > most:
                    raise Refused("too_large", f"At most {most} bytes.")
                parts.append(part)
    except TimeoutError as error:
        raise Refused("malformed", f"The body did not arrive within {within_ms} ms.") from error
    except (web.RequestPayloadError, ConnectionError, ValueError) as error:
        raise Refused("malformed", "The body ends too early.") from error
    return b"".join(parts)


def idempotency_key(request: web.BaseRequest) -> str:
    """The ``Idempotency-Key`` of a changing request; raises ``Refused("invalid")`` without a good one."""
    key = request.headers.get(KEY_HEADER, "").strip().strip('"')
    if not is_command_id(key):
        raise Refused("invalid", f"{KEY_HEADER}: 1 to 64 of A-Z a-z 0-9 _ . : - are needed.")
    return key
