"""A client of the gateway: one player, one socket, as many matches as he likes.

This is the example for client authors. What a good client does, and where it is done here:

* Every command has an id of its own and names the commit it was made against; after a lost connection it
  is sent again under the same id, so that it acts once (``Client.command``).
* A new socket goes on with ``after``: views that were missed come, nothing is shown twice (``_resume``).
* Hash first: it commits to 32 random bytes with ``ready`` and reveals them when all are ready, so that
  nobody else can have chosen the dice (``Client.ready``, DESIGN §3).
* It keeps what it shows of the others' presence right between two views (``Watched.present``).
* It comes back when its socket closes, but not where a newer socket of the same player has its place: the two
  would push each other out for ever (``_one_connection``).
* It ignores fields and frames that it does not know.
"""

import asyncio
import hashlib
import secrets
from collections.abc import Callable, Coroutine
from contextlib import suppress
from types import TracebackType
from typing import Any, Final, Self
from uuid import uuid4

import aiohttp
import msgspec

from services.cli.client_rest import Rest, Unreachable
from shared.commands import PlayerCommand, Ready, Reveal
from shared.match import MatchView
from shared.problems import Problem, Refused, problem
from shared.wire.frames import (
    CLOSE_DRAINING,
    CLOSE_REPLACED,
    CLOSE_TOO_MANY,
    CLOSE_UNAUTHORIZED,
    Auth,
    ClientFrame,
    Command,
    Watch,
)
from shared.wire.lobby import OpenTable, TableView

_HEARTBEAT_S: Final = 15.0
_HELLO_S: Final = 10.0
_PAUSES_S: Final = (0.0, 0.2, 0.5, 1.0, 2.0, 5.0)  # before connecting again; the last one for ever
_RENEW_EVERY_S: Final = 600.0  # tokens live 15 minutes
_RETRIES: Final = 20
_RETRY_S: Final = 0.25
_MAX_FRAME: Final = 4 << 20
_ENCODER: Final = msgspec.json.Encoder()
_VIEW: Final = msgspec.json.Decoder(MatchView)
_replace: Final = msgspec.structs.replace


class _Frame(msgspec.Struct, frozen=True):
    """Any frame from the server; what a type does not have is absent, what is not known is ignored."""

    type: str
    id: str = ""
    match: str = ""
    n: int = 0
    command: str = ""
    view: msgspec.Raw = msgspec.Raw()
    problem: Problem | None = None
    result: Any = None
    seat: int = 0
    state: str = ""
    since_ms: int | None = None


_FRAME: Final = msgspec.json.Decoder(_Frame)


class Watched:
    """A match as this player sees it; ``view`` is the newest, None until the first has come."""

    def __init__(self, match: str) -> None:
        """Nothing is known yet."""
        self.match = match
        self.view: MatchView | None = None
        self.n = 0
        self.over = False
        self.luck = b""
        self._refused: Refused | None = None
        self._waiting: list[tuple[Callable[[MatchView], bool], asyncio.Future[MatchView]]] = []

    async def until(self, wanted: Callable[[MatchView], bool]) -> MatchView:
        """The first view, from the present one on, for which ``wanted`` holds.

        Raises ``Refused`` once no more views can come.
        """
        if self._refused is not None:
            raise self._refused
        if self.view is not None and wanted(self.view):
            return self.view
        future: asyncio.Future[MatchView] = asyncio.get_running_loop().create_future()
        self._waiting.append((wanted, future))
        return await future

    def take(self, view: MatchView) -> None:
        """The server sent a newer view."""
        if view.n < self.n:
            return
        self.view, self.n = view, view.n
        for wanted, future in self._waiting:
            if not future.done() and wanted(view):
                future.set_result(view)
        self._waiting = [(wanted, future) for wanted, future in self._waiting if not future.done()]

    def present(self, seat: int, state: str, since_ms: int | None) -> None:
        """The server says, between two views, whether the player of ``seat`` is there."""
        if self.view is not None:
            seats = list(self.view.seats)
            seats[seat] = _replace(seats[seat], presence=state, since_ms=since_ms)
            self.take(_replace(self.view, seats=tuple(seats)))

    def fail(self, refused: Refused) -> None:
        """No more views will come."""
        self._refused = refused
        for _, future in self._waiting:
            if not future.done():
                future.set_exception(refused)
        self._waiting = []


class Client:
    """``async with Client(url) as client``; then ``await client.rest.register()`` or ``log_in``."""

    def __init__(self, url: str) -> None:
        """``url`` is the server's address as ``kronika up`` prints it."""
        self._url = url.rstrip("/")
        self._watched: dict[str, Watched] = {}
        self._pending: dict[str, tuple[Command, asyncio.Future[int]]] = {}
        self._ws: aiohttp.ClientWebSocketResponse | None = None
        self._connected = asyncio.Event()
        self._failed: Refused | Unreachable | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._delay_s = 0.0
        self._running = False

    async def __aenter__(self) -> Self:
        """Open the HTTP session; the socket opens with the first watched match."""
        self._http = aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=30))
        self.rest = Rest(self._url, self._http)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close everything."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._http.close()

    @property
    def player(self) -> str:
        """This player's id, "" before he is signed in."""
        return self.rest.session.player.id if self.rest.session else ""

    # --- tables

    async def open_table(self, wish: OpenTable) -> TableView:
        """Open a table; what is left out comes from its ``house``, and the answer's ``terms`` tell all.

        With a clock: ``OpenTable(game=…, clock="blitz", flag="kick", absence="ghost", grace_ms=30_000)``.
        """
        return await self.rest.post("/v1/tables", wish, TableView)

    async def join(self, table: str) -> TableView:
        """Take a free seat; with the last one the match exists."""
        return await self.rest.post(f"/v1/tables/{table}/join", {}, TableView)

    async def match_of(self, table: str) -> str:
        """The match that a full table became."""
        while True:
            found = await self.rest.get(f"/v1/tables/{table}", TableView)
            if found.match:
                return found.match
            if found.state == "closed":
                raise Refused("table_closed", found.cause)
            await asyncio.sleep(_RETRY_S)  # a frame `watch{table}` would tell as well; here it is a moment

    # --- matches

    async def watch(self, match: str) -> Watched:
        """Follow ``match``; its first view has come when this returns. Raises as ``command`` does."""
        if self._failed is not None:
            raise self._failed
        watched = self._watched.get(match)
        if watched is None:
            watched = self._watched[match] = Watched(match)
            if self._running:
                await self._send(Watch(match=match))
            else:
                self._running = True
                self._start(self._keep_connected())
                self._start(self._keep_signed_in())
        await watched.until(lambda _: True)
        return watched

    async def command(self, match: str, command: PlayerCommand, expected: int | None = None) -> int:
        """Give ``command``; the n of its commit. ``expected`` is by default the newest commit that came.

        Waits through lost connections and tries again, under the same id, where the server is only busy.
        Raises ``Refused``, or ``Unreachable`` once the server will not have this player back.
        """
        if expected is None:
            expected = self._watched[match].n
        frame = Command(id=uuid4().hex, match=match, expected=expected, command=command)
        for attempt in range(1, _RETRIES + 1):
            try:
                return await self._ask(frame)
            except Refused as refused:
                expired = refused.problem.code == "token_expired"
                if not (refused.problem.retryable or expired) or attempt == _RETRIES:
                    raise
                if expired:
                    await self._sign_in_again()
            await asyncio.sleep(_RETRY_S)
        raise Refused("unavailable")

    async def ready(self, match: str) -> int:
        """Be ready, with luck of one's own: the hash now; the bytes follow unasked when all are ready."""
        watched = self._watched[match]
        watched.luck = watched.luck or secrets.token_bytes(32)
        return await self.command(match, Ready(hash=hashlib.sha256(watched.luck).hexdigest()))

    async def _ask(self, frame: Command) -> int:
        if self._failed is not None:
            raise self._failed
        answer: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._pending[frame.id] = frame, answer
        try:
            await self._send(frame)
            return await answer
        finally:
            del self._pending[frame.id]

    # --- the socket

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            self._give_up(Unreachable(f"the client stopped: {error!r}"))  # nobody may wait for ever

    async def _send(self, frame: ClientFrame) -> None:
        """Send, if there is a connection; a new one sends again whatever waits for an answer."""
        if self._ws is not None and self._connected.is_set():
            with suppress(aiohttp.ClientError, ConnectionError):
                await self._ws.send_str(_ENCODER.encode(frame).decode())

    async def _keep_connected(self) -> None:
        failures = 0
        while True:
            try:
                if await self._one_connection():
                    failures = 0
            except (aiohttp.ClientError, OSError, TimeoutError):
                pass  # there is nothing to connect to yet: the pause below, and again
            except (Refused, Unreachable) as error:
                self._give_up(error)
                return
            finally:
                self._ws = None
                self._connected.clear()
            await asyncio.sleep(max(_PAUSES_S[min(failures, len(_PAUSES_S) - 1)], self._delay_s))
            failures += 1
            self._delay_s = 0.0

    async def _one_connection(self) -> bool:
        """Serve one socket to its end; whether it got as far as ``hello``."""
        session = await self.rest.renew()
        url = f"{self._url}/v1/socket"
        async with self._http.ws_connect(url, heartbeat=_HEARTBEAT_S, max_msg_size=_MAX_FRAME) as ws:
            await ws.send_str(_ENCODER.encode(Auth(token=session.access_token)).decode())
            async with asyncio.timeout(_HELLO_S):
                first = await ws.receive()
            greeted = first.type is aiohttp.WSMsgType.TEXT and _FRAME.decode(first.data).type == "hello"
            if greeted:
                self._ws = ws
                self._connected.set()
                await self._resume()
                async for message in ws:
                    if message.type is aiohttp.WSMsgType.TEXT:
                        self._take(_FRAME.decode(message.data))
            if ws.close_code == CLOSE_UNAUTHORIZED:
                await self.rest.renew(now=True)
            elif ws.close_code == CLOSE_DRAINING:
                self._delay_s = 1.0
            elif ws.close_code == CLOSE_REPLACED:
                raise Refused("replaced")
            elif ws.close_code == CLOSE_TOO_MANY:
                raise Refused("rate_limited", "All places of this player are taken by sockets that live.")
            return greeted

    async def _resume(self) -> None:
        """Go on where the last socket stopped: watch after the last n, ask again what has no answer."""
        for watched in self._watched.values():
            if not watched.over:
                await self._send(Watch(match=watched.match, after=watched.n or None))
        for frame, _ in list(self._pending.values()):
            await self._send(frame)

    async def _keep_signed_in(self) -> None:
        while True:
            await asyncio.sleep(_RENEW_EVERY_S)
            with suppress(Refused, Unreachable):  # the next connection finds out
                await self._sign_in_again()

    async def _sign_in_again(self) -> None:
        session = await self.rest.renew(now=True)
        await self._send(Auth(token=session.access_token))

    def _give_up(self, error: Refused | Unreachable) -> None:
        self._failed = error
        for _, answer in self._pending.values():
            if not answer.done():
                answer.set_exception(error)
        refused = error if isinstance(error, Refused) else Refused("unavailable", str(error))
        for watched in self._watched.values():
            watched.fail(refused)

    def _take(self, frame: _Frame) -> None:
        match frame.type:
            case "view":
                self._viewed(frame)
            case "accepted":
                self._answered(frame.id, frame.n)
            case "refused":
                self._refused(frame)
            case "presence" if frame.match in self._watched:
                self._watched[frame.match].present(frame.seat, frame.state, frame.since_ms)
            case "ended" if frame.match in self._watched:
                self._watched[frame.match].over = True
            case _:
                pass  # hello again, watching, pong, and what later servers may say

    def _viewed(self, frame: _Frame) -> None:
        watched = self._watched.get(frame.match)
        if watched is not None:
            view = _VIEW.decode(frame.view)
            watched.take(view)
            if watched.luck and "reveal" in view.may:
                luck, watched.luck = watched.luck, b""
                self._start(self._reveal(watched.match, luck))
        if frame.command:
            self._answered(frame.command, frame.n)

    async def _reveal(self, match: str, luck: bytes) -> None:
        with suppress(Refused):  # another socket of ours has revealed it, or the match was cancelled
            await self.command(match, Reveal(string=luck.hex()))

    def _answered(self, command: str, n: int) -> None:
        if command in self._pending and not (answer := self._pending[command][1]).done():
            answer.set_result(n)

    def _refused(self, frame: _Frame) -> None:
        refused = Refused.of(frame.problem or problem("internal"))
        if frame.id in self._pending:
            answer = self._pending[frame.id][1]
            if not answer.done():
                answer.set_exception(refused)
        elif frame.match in self._watched and not frame.id:
            watched = self._watched[frame.match]
            if refused.problem.retryable:
                self._start(self._watch_again(watched))
            else:
                watched.fail(refused)

    async def _watch_again(self, watched: Watched) -> None:
        await asyncio.sleep(_RETRY_S)
        await self._send(Watch(match=watched.match, after=watched.n or None))
