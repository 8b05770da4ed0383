"""A client of the gateway for tests: REST with problems as values, a socket that keeps what it was sent."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import count
from typing import Any, Final

import aiohttp
import msgspec

Frame = dict[str, Any]
WAIT_S: Final = 10.0
_numbers = count(1)


def key() -> str:
    """A fresh idempotency key."""
    return f"test-key-{next(_numbers):08}-{id(_numbers)}"


async def eventually(condition: Callable[[], object]) -> None:
    """Return when ``condition`` holds; fails if it does not within 10 s."""
    async with asyncio.timeout(WAIT_S):
        while not condition():  # noqa: ASYNC110 - what is waited for sets no event
            await asyncio.sleep(0.005)


async def event(stream: aiohttp.ClientResponse) -> dict[str, str]:
    """The next event of ``GET /v1/stream`` by its fields; signs of life are passed over."""
    while True:
        async with asyncio.timeout(WAIT_S):
            text = (await stream.content.readuntil(b"\n\n")).decode()
        if not text.startswith((":", "retry")):
            return dict(line.split(": ", 1) for line in text.strip().split("\n"))


@dataclass
class Answer:
    """An HTTP answer: its status, its headers, its JSON (None if it is none) and its text."""

    status: int
    headers: dict[str, str]
    body: Any
    text: str

    @property
    def code(self) -> str:
        """The code of a problem, else an empty text."""
        return str(self.body["code"]) if self.status >= 400 else ""


@dataclass
class Api:
    """Requests to one gateway, as one player (or nobody)."""

    http: aiohttp.ClientSession
    base: str
    token: str = ""
    player: str = ""
    refresh_token: str = ""

    async def request(
        self, method: str, path: str, body: Any = None, *, key: str | None = None, **more: Any
    ) -> Answer:
        """One request; ``more`` goes to aiohttp."""
        headers = dict(more.pop("headers", {}))
        if self.token:
            headers.setdefault("Authorization", f"Bearer {self.token}")
        if key is not None:
            headers["Idempotency-Key"] = key
        if body is not None:
            more["data"] = body if isinstance(body, bytes) else msgspec.json.encode(body)
            headers.setdefault("Content-Type", "application/json")
        async with self.http.request(method, self.base + path, headers=headers, **more) as answer:
            raw = await answer.read()
            is_json = "json" in answer.content_type and "ndjson" not in answer.content_type
            return Answer(
                answer.status,
                dict(answer.headers),
                msgspec.json.decode(raw) if is_json and raw else None,
                raw.decode(errors="replace"),
            )

    async def get(self, path: str, **more: Any) -> Answer:
        """GET."""
        return await self.request("GET", path, **more)

    async def post(self, path: str, body: Any = None, **more: Any) -> Answer:
        """POST with a fresh key unless one is given."""
        return await self.request("POST", path, body, key=more.pop("key", key()), **more)

    async def guest(self, **more: Any) -> "Api":
        """A new guest; ``more`` goes into the registration (``bot_key``, ``audit_key``)."""
        answer = await self.post("/v1/players", {"guest": True, **more})
        assert answer.status == 201, answer
        return Api(
            self.http,
            self.base,
            answer.body["access_token"],
            answer.body["player"]["id"],
            answer.body["refresh_token"],
        )

    async def match_with(self, other: "Api", **terms: Any) -> str:
        """Open a table here, let ``other`` join; the id of the match."""
        table = await self.post("/v1/tables", {"game": "backgammon", **terms})
        assert table.status == 201, table
        joined = await other.post(f"/v1/tables/{table.body['id']}/join")
        assert joined.status == 200, joined
        async with asyncio.timeout(WAIT_S):
            while not joined.body["match"]:
                joined = await other.get(f"/v1/tables/{table.body['id']}")
        return str(joined.body["match"])

    @asynccontextmanager
    async def socket(self, **more: Any) -> "AsyncGenerator[Socket]":
        """An authenticated socket."""
        http: Any = self.http  # the type of what ws_connect gives depends on what it is given
        async with http.ws_connect(f"{self.base}/v1/socket", **more) as ws:
            socket = Socket(ws, self)
            await socket.send({"type": "auth", "token": self.token})
            reading = asyncio.create_task(socket.read())
            try:
                await socket.get(lambda f: f["type"] == "hello")
                yield socket
            finally:
                reading.cancel()
                await asyncio.wait((reading,))


@dataclass(eq=False)
class Socket:
    """A socket. ``frames`` keeps everything it was sent, in order."""

    ws: aiohttp.ClientWebSocketResponse[Any]
    api: Api
    frames: list[Frame] = field(default_factory=list[Frame])
    raw: list[str] = field(default_factory=list[str])
    closed: bool = False
    _news: asyncio.Event = field(default_factory=asyncio.Event)
    _taken: int = 0

    async def send(self, frame: Frame | str | bytes) -> None:
        """Send a frame (or any text)."""
        if isinstance(frame, bytes):
            await self.ws.send_bytes(frame)
        else:
            await self.ws.send_str(frame if isinstance(frame, str) else msgspec.json.encode(frame).decode())

    async def read(self) -> None:
        """Keep what comes until the socket closes."""
        try:
            async for message in self.ws:
                if message.type is aiohttp.WSMsgType.TEXT:
                    self.raw.append(message.data)
                    self.frames.append(msgspec.json.decode(message.data))
                    self._news.set()
        finally:
            self.closed = True
            self._news.set()

    async def get(self, wanted: Callable[[Frame], bool], since: int | None = None) -> Frame:
        """The first frame after the last one got (or from index ``since``) that is wanted."""
        at = self._taken if since is None else since
        try:
            async with asyncio.timeout(WAIT_S):
                while True:
                    while at < len(self.frames):
                        at += 1
                        if wanted(self.frames[at - 1]):
                            self._taken = max(at, self._taken)
                            return self.frames[at - 1]
                    if self.closed:
                        raise AssertionError(f"closed with {self.ws.close_code}; got {self._short()}")
                    self._news.clear()
                    await self._news.wait()
        except TimeoutError:
            raise AssertionError(f"that frame did not come; got {self._short()}") from None

    async def close_code(self) -> int | None:
        """The code of the close frame, when it has come."""
        async with asyncio.timeout(WAIT_S):
            while not self.closed:
                self._news.clear()
                await self._news.wait()
        return self.ws.close_code

    async def watch(self, match: str, after: int | None = None) -> Frame:
        """Watch a match; the ``watching`` frame."""
        since = len(self.frames)
        await self.send({"type": "watch", "match": match} | ({} if after is None else {"after": after}))
        return await self.get(
            lambda f: f.get("match") == match and f["type"] in ("watching", "refused"), since
        )

    async def view(self, match: str, n: int) -> dict[str, Any]:
        """The view of ``match`` at commit ``n``, whenever it came."""
        frame = await self.get(lambda f: f["type"] == "view" and f["match"] == match and f["n"] == n, 0)
        view: dict[str, Any] = frame["view"]
        return view

    async def command(
        self, match: str, command: Frame, expected: int | None = None, command_id: str | None = None
    ) -> Frame:
        """Give a command; the one frame that answers it."""
        name = command_id or key()
        since = len(self.frames)
        frame: Frame = {"type": "command", "id": name, "match": match, "command": command}
        await self.send(frame | ({} if expected is None else {"expected": expected}))
        return await self.get(lambda f: answers(f, name), since)

    def views(self, match: str) -> list[Frame]:
        """The ``view`` frames of ``match`` so far."""
        return [f for f in self.frames if f["type"] == "view" and f["match"] == match]

    def _short(self) -> list[Any]:
        return [{k: v for k, v in f.items() if k != "view"} for f in self.frames[-12:]]


def answers(frame: Frame, command: str) -> bool:
    """Whether ``frame`` is the answer to ``command``."""
    if frame["type"] == "view":
        return frame.get("command") == command
    return frame["type"] in ("accepted", "refused") and frame.get("id") == command
