"""People who play many matches over one socket each, whatever happens to the servers.

A person does what a good client does (``services/cli/client.py``): one command at a time per match, the same
id until there is an answer, ``after`` on a new socket. Unlike that client it keeps and checks every frame.
"""

import asyncio
import random
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from itertools import count
from typing import Any, Final

import aiohttp
import msgspec

from tests.faults.told import Told
from tests.support.api import Answer, Api, Frame, key
from tests.support.waiting import until

_AGAIN_S: Final = 0.1
_HEARTBEAT_S: Final = 5.0
_ANSWERS: Final = ("ready", "take", "accept_beaver", "accept_resignation", "roll", "next")
_WILL_PASS: Final = frozenset({"unavailable"})  # all that a fault of ours may tell a client
_SITTING: Final = 8  # matches that are opened at the same time
_ids = count(1)


@dataclass
class Seen:
    """A match as one person sees it."""

    match: str
    seat: int
    n: int = 0
    view: dict[str, Any] | None = None
    due: int = 0  # what is older is not to be acted on: newer views are on their way
    jump: bool = True  # whether the next view may be of any n
    pending: Frame | None = None
    over: bool = False


@dataclass(eq=False)
class Person:
    """One player with one socket. ``resting`` gives no new commands; those given still get their answer."""

    api: Api
    told: Told
    dice: random.Random
    base: Callable[[], str]
    matches: dict[str, Seen] = field(default_factory=dict[str, Seen])
    resting: bool = False
    _ws: "aiohttp.ClientWebSocketResponse[Any] | None" = None
    _tasks: set[asyncio.Task[None]] = field(default_factory=set[asyncio.Task[None]])

    def spawn(self, work: Coroutine[Any, Any, None]) -> None:
        """Do it beside the reading."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            self.told.wrong.append(f"a player of the test fell: {error!r}")

    def start(self) -> None:
        """Connect, and again whenever the connection is lost."""
        self.spawn(self._keep_connected())

    async def stop(self) -> None:
        """Leave."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def drop(self) -> None:
        """Lose the connection."""
        if self._ws is not None:
            await self._ws.close()

    async def sit(self, match: str, seat: int) -> None:
        """Play ``match`` from now on."""
        self.matches[match] = seen = Seen(match, seat)
        await self._watch(seen)

    # ---- the socket

    async def _keep_connected(self) -> None:
        while True:
            with suppress(aiohttp.ClientError, OSError, TimeoutError):
                await self._connection()
            self._ws = None
            self.told.reconnects += 1
            await asyncio.sleep(_AGAIN_S)  # there may be nobody to connect to yet

    async def _connection(self) -> None:
        url = f"{self.base()}/v1/socket"
        async with self.api.http.ws_connect(url, heartbeat=_HEARTBEAT_S, max_msg_size=0) as ws:
            await ws.send_str(msgspec.json.encode({"type": "auth", "token": self.api.token}).decode())
            hello = await ws.receive(timeout=5)
            if hello.type is not aiohttp.WSMsgType.TEXT:
                return
            self._ws = ws
            for seen in self.matches.values():
                await self._watch(seen)
            async for message in ws:
                if message.type is aiohttp.WSMsgType.TEXT:
                    await self._take(msgspec.json.decode(message.data))

    async def _send(self, frame: Frame) -> None:
        if self._ws is not None and not self._ws.closed:
            with suppress(aiohttp.ClientError, ConnectionError):
                await self._ws.send_str(msgspec.json.encode(frame).decode())

    async def _watch(self, seen: Seen) -> None:
        if not seen.over:
            after = {"after": seen.n} if seen.n else {}
            await self._send({"type": "watch", "match": seen.match, **after})
        if seen.pending is not None:
            await self._send(seen.pending)

    async def _again(self, sending: Awaitable[None]) -> None:
        await asyncio.sleep(_AGAIN_S)
        await sending

    # ---- what comes

    async def _take(self, frame: Frame) -> None:
        match frame["type"]:
            case "watching":
                seen = self.matches[frame["match"]]
                seen.due, seen.jump = frame["n"], frame["outcome"] == "reset"
                if frame["outcome"] == "current":
                    await self._act(seen)
            case "view":
                await self._view(self.matches[frame["match"]], frame)
            case "accepted":
                for seen in self.matches.values():
                    if seen.pending is not None and seen.pending["id"] == frame["id"]:
                        await self._accepted(seen, frame["n"])
                        break
                else:
                    self.told.wrong.append(f"accepted, though nothing waits for it: {frame}")
            case "refused":
                await self._refused(frame)
            case "ended":
                self.matches[frame["match"]].over = True
            case _:
                pass

    async def _view(self, seen: Seen, frame: Frame) -> None:
        n = frame["n"]
        if n != seen.n + 1 and not seen.jump:
            self.told.wrong.append(f"{seen.match}: view {n} came after view {seen.n}")
        seen.n, seen.view, seen.jump = n, frame["view"], False
        if "command" in frame:
            if seen.pending is None or seen.pending["id"] != frame["command"]:
                self.told.wrong.append(
                    f"an answer that nobody waits for: {seen.match} {n} {frame['command']}"
                )
                return
            await self._accepted(seen, n)
        else:
            await self._act(seen)

    async def _accepted(self, seen: Seen, n: int) -> None:
        assert seen.pending is not None
        self.told.accept((seen.match, seen.seat, seen.pending["id"]), n)
        seen.pending = None
        seen.due = max(seen.due, n)
        await self._act(seen)

    async def _refused(self, frame: Frame) -> None:
        code = frame["problem"]["code"]
        self.told.again[f"{'command' if frame.get('id') else 'watch'} {code}"] += 1
        if code not in _WILL_PASS:
            self.told.wrong.append(f"refused: {frame}")
            return
        for seen in self.matches.values():
            if seen.pending is not None and seen.pending["id"] == frame.get("id"):
                self.spawn(self._again(self._send(seen.pending)))
                return
        if frame.get("match") in self.matches:
            seen = self.matches[frame["match"]]
            self.spawn(self._again(self._watch(seen)))

    # ---- what is done

    async def _act(self, seen: Seen) -> None:
        view = seen.view
        if self.resting or seen.pending is not None or seen.over or view is None or seen.n < seen.due:
            return
        command = await self._choose(view)
        if command is None:
            return
        name = f"f{next(_ids)}"
        seen.pending = {
            "type": "command",
            "id": name,
            "match": seen.match,
            "expected": seen.n,
            "command": command,
        }
        self.told.sent.add((seen.match, seen.seat, name))
        await self._send(seen.pending)

    async def _choose(self, view: dict[str, Any]) -> Frame | None:
        may = view["may"]
        if "play" in may:
            moves = view["legal"]
            if moves is None:
                moves = (await patiently(self.api, "GET", f"/v1/matches/{view['match']}/legal")).body["moves"]
            return {"type": "play", "move": self.dice.choice(moves)}
        if "double" in may and self.dice.random() < 0.03:
            return {"type": "double"}
        return next(({"type": name} for name in _ANSWERS if name in may), None)


async def patiently(api: Api, method: str, path: str, body: Any = None) -> Answer:
    """As ``Api.request``, under one key again and again while the server is away or says that it is busy."""
    name = key() if method == "POST" else None
    while True:
        with suppress(aiohttp.ClientError, OSError, TimeoutError):
            answer = await api.request(method, path, body, key=name)
            if answer.status not in (429, 503):
                return answer
        await asyncio.sleep(_AGAIN_S)


class Crowd:
    """Pairs of persons and their matches."""

    def __init__(self, persons: list[Person], told: Told) -> None:
        """All of them are connected or about to be."""
        self.persons = persons
        self.told = told

    @property
    def matches(self) -> set[str]:
        """All matches."""
        return {match for person in self.persons for match in person.matches}

    @property
    def in_flight(self) -> int:
        """How many commands wait for their answer."""
        return sum(seen.pending is not None for p in self.persons for seen in p.matches.values())

    async def open(self, each: int, **terms: Any) -> None:
        """Every pair opens so many matches and begins to play them."""
        gate = asyncio.Semaphore(_SITTING)

        async def one(first: Person, second: Person) -> None:
            async with gate:
                match = await first.api.match_with(second.api, **terms)
                await first.sit(match, 0)
                await second.sit(match, 1)

        pairs = zip(self.persons[::2], self.persons[1::2], strict=True)
        await asyncio.gather(*(one(*pair) for pair in pairs for _ in range(each)))

    def stands(self) -> list[tuple[Seen, int]]:
        """How far every match has come, as each of its seats has seen it."""
        return [(seen, seen.n) for person in self.persons for seen in person.matches.values()]

    async def go_on(
        self, moves: int, within_s: float = 60, since: list[tuple[Seen, int]] | None = None
    ) -> None:
        """Return when every match has come so many commits further (``since`` it stood so), or to its end."""
        begin = self.stands() if since is None else since
        try:
            await until(lambda: all(seen.over or seen.n >= n + moves for seen, n in begin), within_s)
        except TimeoutError:
            stuck = [(s, n) for s, n in begin if not s.over and s.n < n + moves]
            where = [
                (s.match, s.seat, n, s.n, s.due, s.pending, s.view and s.view["decide"]) for s, n in stuck
            ]
            raise AssertionError(
                f"{len(stuck)} seats stand still: {where[:4]}; {self.told.figures()}"
            ) from None

    async def rest(self, within_s: float = 40) -> None:
        """No new commands; return when every one given has its answer."""
        for person in self.persons:
            person.resting = True
        seats = [seen for person in self.persons for seen in person.matches.values()]
        try:
            await until(lambda: all(seen.pending is None for seen in seats), within_s)
        except TimeoutError:
            waiting = [s.pending for s in seats if s.pending is not None]
            raise AssertionError(f"without an answer: {waiting[:4]}; {self.told.figures()}") from None


@asynccontextmanager
async def crowd(http: aiohttp.ClientSession, *bases: str, pairs: int = 1) -> AsyncGenerator[Crowd]:
    """Pairs of guests on the gateways at ``bases`` in turn, connected."""
    told = Told()
    persons: list[Person] = []
    for i in range(2 * pairs):
        base = bases[i % len(bases)]
        api = await Api(http, base).guest()
        persons.append(Person(api, told, random.Random(i), lambda base=base: base))
    for person in persons:
        person.start()
    try:
        yield Crowd(persons, told)
    finally:
        await asyncio.gather(*(person.stop() for person in persons))
