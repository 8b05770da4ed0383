"""The REST half of a client: requests with a token, an idempotency key, and patience where it may help."""

import asyncio
from pathlib import Path
from typing import Final, TypeVar
from uuid import uuid4

import aiohttp
import msgspec

from shared.problems import Problem, Refused, problem
from shared.wire.lobby import Session

T = TypeVar("T")
DEFAULT_URL: Final = "http://127.0.0.1:8480"
_TRIES: Final = 6
_FIRST_PAUSE_S: Final = 0.2
_LONGEST_PAUSE_S: Final = 30.0
_RENEW_BEFORE_MS: Final = 60_000
_TOO_MANY, _UNAVAILABLE, _FIRST_ERROR = 429, 503, 400
_PROBLEM: Final = msgspec.json.Decoder(Problem)
_ENCODER: Final = msgspec.json.Encoder()


class Unreachable(Exception):  # noqa: N818 - says what the server is
    """Nothing answers at the server's address; the text names it."""


def server_url(given: str, data: Path) -> str:
    """The server's address: as ``given``, or what ``kronika up`` wrote under ``data``, or the default."""
    if given:
        return given.rstrip("/")
    try:
        return (data / "address").read_text().strip() or DEFAULT_URL
    except OSError:
        return DEFAULT_URL


def operator_key(file: Path) -> str:
    """The text of an operator's key (``bot.key``, ``audit.key``), or "" where there is none to be read."""
    try:
        return file.read_text().strip()
    except OSError:
        return ""


class Rest:
    """One player's requests. ``session`` holds his tokens once he has registered or logged in."""

    def __init__(self, url: str, http: aiohttp.ClientSession) -> None:
        """``url`` without ``/v1``; ``http`` stays the caller's to close."""
        self.url = url.rstrip("/")
        self.http = http
        self.session: Session | None = None
        self._expires_at = 0.0
        self._renewing = asyncio.Lock()

    async def call(self, method: str, path: str, body: object = None, key: str = "") -> bytes:
        """The answer's body. A changing request carries ``key``, or one of its own, so that a repeat is safe.

        Waits and tries again where the server asks for that (429, 503) and where the connection fails.
        Raises ``Refused`` with the server's problem, or ``Unreachable``.
        """
        if self.session is not None and path != "/v1/sessions":
            await self.renew()
        headers = {"Content-Type": "application/json"}
        if method == "POST":
            headers["Idempotency-Key"] = key or uuid4().hex
        if self.session is not None:
            headers["Authorization"] = f"Bearer {self.session.access_token}"
        data = None if body is None else _ENCODER.encode(body)
        pause = _FIRST_PAUSE_S
        for attempt in range(1, _TRIES + 1):
            try:
                async with self.http.request(
                    method,
                    self.url + path,
                    data=data,
                    headers=headers,
                    skip_auto_headers=("Accept-Encoding",),
                ) as answer:
                    got = await answer.read()
                    if answer.status < _FIRST_ERROR:
                        return got
                    refused = Refused.of(_problem(got, answer.status))
                    if answer.status not in {_TOO_MANY, _UNAVAILABLE} or attempt == _TRIES:
                        raise refused
                    pause = min(float(answer.headers.get("Retry-After", pause)), _LONGEST_PAUSE_S)
            except (aiohttp.ClientConnectionError, aiohttp.ClientPayloadError, TimeoutError) as error:
                if attempt == _TRIES:
                    raise Unreachable(f"{self.url} does not answer ({error})") from error
            await asyncio.sleep(pause)
            pause *= 2
        raise Unreachable(f"{self.url} does not answer")

    async def get(self, path: str, kind: type[T]) -> T:
        """The JSON at ``path`` as ``kind``."""
        return msgspec.json.decode(await self.call("GET", path), type=kind)

    async def post(self, path: str, body: object, kind: type[T]) -> T:
        """The JSON that the server answers to ``body``, as ``kind``."""
        return msgspec.json.decode(await self.call("POST", path, body), type=kind)

    async def register(
        self, *, nickname: str = "", password: str = "", bot_key: str = "", audit_key: str = ""
    ) -> Session:
        """A new player: with nickname and password, or a guest without them; signed in from here on.

        An operator's key gives the session scope ``bot`` or ``audit``.
        """
        body: dict[str, object] = (
            {"nickname": nickname, "password": password} if nickname else {"guest": True}
        )
        body |= {name: key for name, key in (("bot_key", bot_key), ("audit_key", audit_key)) if key}
        return self._signed_in(await self.post("/v1/players", body, Session))

    async def log_in(self, nickname: str, password: str, *, bot_key: str = "") -> Session:
        """A session of a known player."""
        body = {"nickname": nickname, "password": password} | ({"bot_key": bot_key} if bot_key else {})
        return self._signed_in(await self.post("/v1/sessions", body, Session))

    async def renew(self, *, now: bool = False) -> Session:
        """The session with an access token that is still good for a minute; ``now`` renews it in any case."""
        async with self._renewing:
            session = self.session
            if session is None:
                raise Refused("unauthorized", "Register or log in first.")
            left_ms = (self._expires_at - asyncio.get_running_loop().time()) * 1000
            if left_ms > _RENEW_BEFORE_MS and not now:
                return session
            body = {"refresh_token": session.refresh_token}
            return self._signed_in(await self.post("/v1/sessions", body, Session))

    def _signed_in(self, session: Session) -> Session:
        self.session = session
        self._expires_at = asyncio.get_running_loop().time() + session.expires_in_ms / 1000
        return session


def _problem(body: bytes, status: int) -> Problem:
    try:
        return _PROBLEM.decode(body)
    except msgspec.MsgspecError:
        text = body[:200].decode(errors="replace")
        return problem("unavailable" if status >= 500 else "malformed", f"HTTP {status}: {text}")  # noqa: PLR2004
