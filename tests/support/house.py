"""A gateway and a game service in this process, over ports in memory: for limits, faults and test games.

Real sockets, real game; only the broker is replaced, so that a test may lose an answer, hold one back, or
store what no game service would.
"""

import asyncio
import secrets
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Final

import aiohttp
import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from services.game.handlers import Game
from services.gateway.app import Running, build
from services.gateway.auth import Tokens
from services.gateway.gateway import Gateway
from services.gateway.limits import Limits
from services.gateway.socket import Socket as GatewaySocket
from shared import subjects, tokens
from shared.adapters.memory_bucket import MemoryBucket
from shared.adapters.memory_bus import MemoryBus
from shared.adapters.memory_log import MemoryLog
from shared.adapters.memory_presence import MemoryPresence, MemoryStore
from shared.commands import CreateMatch
from shared.events.codec import decode_match
from shared.events.match import Seat, Terms
from shared.ids import new_id
from shared.ports.bus import NoAnswer
from shared.service import Now
from shared.wire.match import COMMAND_ANSWER, Accepted, CommandRequest
from tests.support.api import Api

ROOMY: Final = Limits(
    moves_per_minute=1_000_000,
    moves_burst=1_000_000,
    reads_per_minute=1_000_000,
    reads_burst=1_000_000,
    writes_per_minute=1_000_000,
    writes_burst=1_000_000,
    frames_per_minute=1_000_000,
    frames_burst=1_000_000,
)


class Bus(MemoryBus):
    """A bus that can lose answers and hold them back."""

    def __init__(self) -> None:
        """Everything gets through."""
        super().__init__()
        self.requests: list[str] = []
        self.lose_answers = 0
        self.open = asyncio.Event()
        self.open.set()

    async def request(self, subject: str, data: bytes, timeout_ms: int) -> bytes:
        """See ``Bus.request``; the answer to a lost one was given, but nobody hears it."""
        self.requests.append(subject)
        answer = await super().request(subject, data, timeout_ms)
        if self.lose_answers:
            self.lose_answers -= 1
            raise NoAnswer("lost by the test")
        await self.open.wait()
        return answer


class LateLog(MemoryLog):
    """A log whose live hints can be held back, as if the answer were faster than the hint."""

    def __init__(self) -> None:
        """Hints go through."""
        super().__init__()
        self.hold = False
        self._held: list[tuple[Any, int, bytes]] = []

    async def follow(self, key: str, after: int, on_entry: Any) -> Any:
        """See ``EventLog.follow``."""

        def perhaps(n: int, data: bytes) -> None:
            if self.hold:
                self._held.append((on_entry, n, data))
            else:
                on_entry(n, data)

        return await super().follow(key, after, perhaps)

    def release(self) -> None:
        """Let go of all held hints, in order."""
        self.hold = False
        held, self._held = self._held, []
        for on_entry, n, data in held:
            on_entry(n, data)


class Hands:
    """A monotonic clock that tests move on."""

    def __init__(self) -> None:
        """As the real one."""
        self._ahead_ns = 0

    def monotonic_ns(self) -> int:
        """The real one and what was added."""
        return time.monotonic_ns() + self._ahead_ns

    def move_on(self, ms: int) -> None:
        """Let ``ms`` pass at once."""
        self._ahead_ns += ms * 1_000_000


@dataclass
class House:
    """The running parts and what tests do with them."""

    bus: Bus
    log: LateLog
    running: Running
    http: aiohttp.ClientSession
    now: Now
    hands: Hands
    key: Ed25519PrivateKey
    presence: MemoryStore

    @property
    def gateway(self) -> Gateway:
        """The gateway's shared state."""
        return self.running.gateway

    @property
    def sockets(self) -> list[GatewaySocket]:
        """The sockets that are open."""
        return [s for s in self.gateway.sockets if isinstance(s, GatewaySocket)]

    @property
    def api(self) -> Api:
        """The API, as nobody."""
        return Api(self.http, f"http://127.0.0.1:{self.running.port}")

    def token(
        self, player: str, scopes: tuple[str, ...] = (tokens.PLAY, tokens.WATCH), age_ms: int = 0
    ) -> str:
        """An access token of ``player``, ``age_ms`` old."""
        return tokens.issue(self.key, player, scopes, new_id("s"), self.now.own_ms() - age_ms)

    def player(self, scopes: tuple[str, ...] = (tokens.PLAY, tokens.WATCH), name: str = "") -> Api:
        """A player that nobody had to register; ``name`` is his id, a new one if there is none."""
        name = name or new_id("p")
        return Api(self.http, self.api.base, self.token(name, scopes), name)

    async def match(self, players: Sequence[Api], terms: Terms | None = None, **more: Any) -> str:
        """A match of ``players``, as the lobby makes it."""
        match = new_id("m")
        seats = tuple(Seat(p.player) for p in players)
        made = CreateMatch(rules="backgammon", rules_version=1, seats=seats, terms=terms or Terms())
        command = msgspec.structs.replace(made, **more)
        request = CommandRequest(id="create", command=command, arrived_ms=self.now.now_ms())
        subject = subjects.command("lobby", "game", match)
        answer = COMMAND_ANSWER.decode(await self.bus.request(subject, msgspec.json.encode(request), 1_000))
        assert isinstance(answer, Accepted), answer
        return match

    async def store(self, lines: Sequence[bytes]) -> str:
        """Put commits of one match into the log as they are (``golden.stored``); its id."""
        commits = [decode_match(line) for line in lines]
        for commit, line in zip(commits, lines, strict=True):
            await self.log.append(commit.match, commit.n, line)
        return commits[0].match


@asynccontextmanager
async def open_house(limits: Limits = ROOMY, **more: Any) -> AsyncGenerator[House]:
    """A house; ``more`` goes to ``services.gateway.app.build``."""
    bus, log, hands = Bus(), LateLog(), Hands()
    now = Now(monotonic_ns=hands.monotonic_ns)
    key = Ed25519PrivateKey.generate()
    game = Game(log, MemoryBucket(), now, secrets.token_bytes)
    serving = await bus.serve(subjects.commands("game"), "game", game.answer)
    checked = Tokens(key.public_key(), now.own_ms)
    store = MemoryStore(now.now_ms)
    running = Running(
        build(
            bus=bus,
            log=log,
            table_log=MemoryLog(),
            presences=MemoryPresence(store, "g1"),
            tokens=checked,
            now_ms=now.now_ms,
            saw=now.saw,
            limits=limits,
            **more,
        )
    )
    await running.listen("127.0.0.1", 0)
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as http:
        try:
            yield House(bus, log, running, http, now, hands, key, store)
        finally:
            await running.stop()
            await serving.close()
