"""The load generator: pairs of clients that play whole matches over WebSockets, as a process of its own.

``python -m tests.bench.load`` reads one ``Plan`` as JSON from stdin and writes one ``Figures`` to stdout.
``moves`` are accepted commands that the mover has seen the commit of; latency is from sending a command to
the frame that shows it.
"""

import asyncio
import random
import secrets
import sys
import time
from collections.abc import Awaitable, Callable
from typing import Any

import aiohttp
import msgspec
import uvloop

from tests.bench.floor import PADDING, Echo


class Plan(msgspec.Struct, kw_only=True):
    """What to do: ``target`` is ``kronika`` or ``floor``; ``rate`` moves per second, 0 as fast as it goes."""

    url: str
    target: str
    pairs: int
    seconds: float
    warm_s: float = 2.0
    rate: float = 0.0


class Figures(msgspec.Struct, kw_only=True):
    """What came of it; ``begin`` and ``end`` are ``time.monotonic`` of the measured span."""

    moves: int
    seconds: float
    p50_ms: float
    p99_ms: float
    begin: float
    end: float
    refused: int
    matches_over: int


class Meter:
    """Counts moves in the measured span."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.begin = 0.0
        self.end = 0.0
        self.latencies: list[float] = []
        self.refused = 0
        self.over = 0
        self.random = random.Random(7)

    def start(self) -> None:
        self.begin = time.monotonic() + self.plan.warm_s
        self.end = self.begin + self.plan.seconds

    def moved(self, sent: float) -> None:
        now = time.monotonic()
        if self.begin <= now < self.end:
            self.latencies.append(now - sent)

    async def think(self) -> None:
        """Wait so that all pairs together make ``rate`` moves per second."""
        if self.plan.rate:
            mean = self.plan.pairs / self.plan.rate
            await asyncio.sleep(mean * self.random.uniform(0.5, 1.5))

    def figures(self) -> Figures:
        ordered = sorted(self.latencies) or [0.0]
        return Figures(
            moves=len(self.latencies),
            seconds=self.plan.seconds,
            p50_ms=round(ordered[len(ordered) // 2] * 1000, 2),
            p99_ms=round(ordered[int(len(ordered) * 0.99)] * 1000, 2),
            begin=self.begin,
            end=self.end,
            refused=self.refused,
            matches_over=self.over,
        )


# ---- the floor


class _EchoFrame(msgspec.Struct):
    id: str


_ECHO = msgspec.json.Decoder(_EchoFrame)
_ENCODE = msgspec.json.Encoder().encode


async def floor_pair(meter: Meter, http: aiohttp.ClientSession, pair: int) -> None:
    """Two sockets that take turns in sending a frame."""
    match = f"mfloor{pair:06d}"
    url = f"{meter.plan.url}/socket?match={match}"
    sockets = [await http.ws_connect(url), await http.ws_connect(url)]
    turn = 0
    serial = 0
    async with asyncio.timeout(None):
        while True:
            mover = sockets[turn]
            serial += 1
            name = f"{pair}-{serial}"
            await meter.think()
            sent = time.monotonic()
            if meter.end and sent >= meter.end:
                return
            await mover.send_str(_ENCODE(Echo(name, match, padding=PADDING[:100])).decode())
            while _ECHO.decode(await mover.receive_str()).id != name:
                pass
            meter.moved(sent)
            turn = 1 - turn
            await sockets[turn].receive_str()


# ---- Kronika


class _Demand(msgspec.Struct):
    seat: int
    commands: list[str]


class _View(msgspec.Struct):
    seat: int
    decision: int
    phase: str
    decide: list[_Demand]
    legal: list[str] | None = None
    legal_count: int = 0


class _Frame(msgspec.Struct):
    type: str
    match: str = ""
    n: int = 0
    view: _View | None = None
    command: str = ""
    problem: Any = None


_FRAME = msgspec.json.Decoder(_Frame)


class Player:
    """One guest and his socket."""

    def __init__(self, meter: Meter, http: aiohttp.ClientSession) -> None:
        self.meter = meter
        self.http = http
        self.token = ""
        self.ws: aiohttp.ClientWebSocketResponse
        self.sent: dict[str, float] = {}
        self.serial = 0
        self.answered = 0  # the newest commit that a command of this match was made against

    async def call(self, method: str, path: str, body: Any = None) -> Any:
        headers = {"Idempotency-Key": secrets.token_hex(12)}
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        url = f"{self.meter.plan.url}{path}"
        async with self.http.request(method, url, json=body, headers=headers) as answer:
            text = await answer.read()
            if answer.status >= 400:
                raise RuntimeError(f"{method} {path}: {answer.status} {text.decode()}")
            return msgspec.json.decode(text)

    async def sign_in(self) -> None:
        self.token = (await self.call("POST", "/v1/players", {"guest": True}))["access_token"]
        self.ws = await self.http.ws_connect(f"{self.meter.plan.url}/v1/socket", max_msg_size=1 << 22)
        await self.ws.send_json({"type": "auth", "token": self.token})

    async def play(self, match: str, until: int = 0) -> None:
        """Play one match to its end (or to commit ``until``), answering whatever is demanded of this seat."""
        self.answered = 0
        await self.ws.send_json({"type": "watch", "match": match})
        async for message in self.ws:
            if message.type is not aiohttp.WSMsgType.TEXT:
                return
            frame = _FRAME.decode(message.data)
            if frame.match and frame.match != match:
                continue  # a match that was left to itself
            if frame.type == "view" and frame.view is not None:
                if frame.command and frame.command in self.sent:
                    self.meter.moved(self.sent.pop(frame.command))
                if until and frame.n >= until:
                    return
                await self.act(match, frame.n, frame.view)
            elif frame.type == "refused":
                self.meter.refused += 1
            elif frame.type == "ended":
                self.meter.over += 1
                return
            if self.meter.end and time.monotonic() >= self.meter.end:
                return

    async def act(self, match: str, n: int, view: _View) -> None:
        if view.decision <= self.answered:
            return
        for demand in view.decide:
            if demand.seat == view.seat:
                self.answered = n
                await self.send(match, n, await self.choose(match, view, demand.commands[0]))

    async def choose(self, match: str, view: _View, name: str) -> dict[str, Any]:
        if name != "play":
            return {"type": name}
        legal = view.legal
        if not legal:
            legal = (await self.call("GET", f"/v1/matches/{match}/legal"))["moves"]
        return {"type": "play", "move": self.meter.random.choice(legal)}

    async def send(self, match: str, n: int, command: dict[str, Any]) -> None:
        await self.meter.think()
        self.serial += 1
        name = f"c{self.serial}.{n}"
        self.sent[name] = time.monotonic()
        frame = {"type": "command", "id": name, "match": match, "expected": n, "command": command}
        await self.ws.send_str(msgspec.json.encode(frame).decode())


async def kronika_pair(meter: Meter, http: aiohttp.ClientSession, _pair: int) -> None:
    """Two guests who play one match after the other until the time is over."""
    players = [Player(meter, http), Player(meter, http)]
    for player in players:
        await player.sign_in()
    while not meter.end or time.monotonic() < meter.end:
        table = await players[0].call("POST", "/v1/tables", {"game": "backgammon", "target": 13})
        await players[1].call("POST", f"/v1/tables/{table['id']}/join", {})
        match = ""
        while not match:
            match = (await players[0].call("GET", f"/v1/tables/{table['id']}")).get("match") or ""
        await asyncio.gather(*(player.play(match) for player in players))


async def main() -> None:
    """Run the plan on stdin."""
    plan = msgspec.json.decode(sys.stdin.buffer.read(), type=Plan)
    meter = Meter(plan)
    pair: Callable[[Meter, aiohttp.ClientSession, int], Awaitable[None]]
    pair = floor_pair if plan.target == "floor" else kronika_pair
    connector = aiohttp.TCPConnector(limit=0)
    async with aiohttp.ClientSession(connector=connector) as http:
        running = [asyncio.ensure_future(pair(meter, http, n)) for n in range(plan.pairs)]
        meter.start()
        await asyncio.sleep(plan.warm_s + plan.seconds)
        for task in running:
            if task.done() and (error := task.exception()):
                raise error
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
    sys.stdout.buffer.write(msgspec.json.encode(meter.figures()) + b"\n")


if __name__ == "__main__":
    uvloop.run(main())
