"""A lobby for tests: on memory ports or on a real broker, with cheap password hashes and a clock to turn."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from argon2 import PasswordHasher
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from services.lobby.accounts import Accounts, Limits, Secrets
from services.lobby.admission import Standing
from services.lobby.feed import Feed, keep_live
from services.lobby.handlers import Handlers
from services.lobby.links import Links
from services.lobby.passwords import Passwords
from services.lobby.sessions import Sessions
from services.lobby.standings import Standings
from services.lobby.tables import Tables
from services.rating.handlers import Ratings
from shared import subjects
from shared.adapters.memory_bucket import MemoryBucket
from shared.adapters.memory_bus import MemoryBus
from shared.adapters.memory_facts import MemoryFacts
from shared.adapters.memory_log import MemoryLog
from shared.adapters.memory_presence import MemoryPresence, MemoryStore
from shared.adapters.memory_standings import MemoryStandings
from shared.adapters.memory_throttle import MemoryThrottle
from shared.adapters.nats_bucket import NatsBucket
from shared.adapters.nats_connection import Broker
from shared.adapters.nats_log import NatsLog
from shared.ids import new_id
from shared.ports.bus import Bus
from shared.ports.log import EventLog
from shared.ports.presence import Presences
from shared.ports.secrets import Bucket
from shared.ports.throttle import Throttle
from shared.problems import Refused, problem
from shared.wire.lobby import (
    ENCODER,
    LOBBY_ANSWER,
    LobbyAnswer,
    LobbyCommand,
    LobbyRequest,
    RefusedAnswer,
    Register,
    Session,
    TableView,
    subject_key,
)
from shared.wire.match import COMMAND_REQUEST, Accepted, CommandRequest
from shared.wire.match import RefusedAnswer as MatchRefused

PEPPER = b"pepper of the tests"
BOT_KEY = "the operator's key for bots"
AUDIT_KEY = "the operator's key for auditors"
PASSWORD = "correct horse"  # noqa: S105 - a test's


class Clock:
    """A time that tests turn."""

    def __init__(self) -> None:
        self.ms = 1_800_000_000_000

    def now_ms(self) -> int:
        return self.ms


class FakeGame:
    """A game service that creates whatever it is asked to, once; or is away; or refuses."""

    def __init__(self) -> None:
        self.created: dict[str, CommandRequest] = {}
        self.asked = 0
        self.refuses = ""

    async def answer(self, subject: str, data: bytes) -> bytes:
        self.asked += 1
        if self.refuses:
            return ENCODER.encode(MatchRefused(problem(self.refuses)))
        _, match = subjects.sender_and_key(subject)
        request = COMMAND_REQUEST.decode(data)
        known = self.created.setdefault(match, request)
        if (known.id, known.command) != (request.id, request.command):
            return ENCODER.encode(MatchRefused(problem("id_reused")))
        return ENCODER.encode(Accepted(1))


class FakeStandings:
    """A rating service: players of whom nothing was said have played nothing; or it is away."""

    def __init__(self) -> None:
        self.known: dict[tuple[str, str], Standing] = {}
        self.away = False
        self.asked = 0

    def say(self, who: Session, game: str, rating: int | None, experience: int) -> None:
        """From now on ``who`` stands so in ``game``; ``rating`` in points."""
        self.known[game, who.player.id] = Standing(experience=experience, rating=rating)

    async def of(self, game: str, players: Sequence[str]) -> dict[str, Standing]:
        """See ``Standings.of``."""
        self.asked += 1
        if self.away:
            raise Refused("unavailable")
        return {p: self.known.get((game, p), Standing(experience=0, rating=1200)) for p in players}


@dataclass
class Stores:
    """What outlives a lobby instance."""

    players: EventLog = field(default_factory=MemoryLog)
    tables: EventLog = field(default_factory=MemoryLog)
    keys: Bucket = field(default_factory=MemoryBucket)
    names: Bucket = field(default_factory=MemoryBucket)
    refresh: Bucket = field(default_factory=MemoryBucket)
    throttle: Throttle = field(default_factory=MemoryThrottle)
    signing_key: Ed25519PrivateKey = field(default_factory=Ed25519PrivateKey.generate)

    @classmethod
    def on(cls, broker: Broker, signing_key: Ed25519PrivateKey) -> "Stores":
        """The real ones, through one connection."""
        return cls(
            players=NatsLog(broker, subjects.PLAYERS),
            tables=NatsLog(broker, subjects.TABLES),
            keys=NatsBucket(broker, subjects.KEYS),
            names=NatsBucket(broker, subjects.NAMES),
            refresh=NatsBucket(broker, subjects.REFRESH),
            signing_key=signing_key,
        )


class Lobby:
    """One instance, asked as the gateway asks."""

    def __init__(
        self,
        stores: Stores,
        bus: Bus,
        clock: Clock,
        *,
        limits: Limits | None = None,
        main_game: str = "",
        standings: Standings | None = None,
        presences: Presences | None = None,
        stakes: bool = True,
    ) -> None:
        self.stores = stores
        self.clock = clock
        cheap = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
        self.passwords = Passwords(cheap)
        self.accounts = Accounts(
            log=stores.players,
            keys=stores.keys,
            names=stores.names,
            sessions=Sessions(stores.refresh, stores.signing_key, PEPPER, clock.now_ms),
            passwords=self.passwords,
            throttle=stores.throttle,
            secrets=Secrets(PEPPER, BOT_KEY, AUDIT_KEY),
            now_ms=clock.now_ms,
            limits=limits,
        )
        self.tables = Tables(
            log=stores.tables,
            bus=bus,
            accounts=self.accounts,
            standings=standings or FakeStandings(),
            presences=presences or MemoryPresence(MemoryStore(clock.now_ms), "g0"),
            aims=stores.refresh,
            links=Links(PEPPER),
            now_ms=clock.now_ms,
            main_game=main_game,
            stakes=stakes,
        )
        self.handlers = Handlers(self.accounts, self.tables)

    @property
    def public_key(self) -> Ed25519PublicKey:
        return self.stores.signing_key.public_key()

    async def ask(
        self,
        request: LobbyCommand,
        who: Session | None = None,
        *,
        key: str = "",
        address: str = "192.0.2.1",
        sender: str = "gateway",
    ) -> LobbyAnswer:
        """Its answer to ``request`` from ``who``."""
        asked = LobbyRequest(
            request=request,
            player="" if who is None else who.player.id,
            scopes=() if who is None else who.scopes,
            address=address,
            key=key,
        )
        subject = subjects.command(sender, "lobby", subject_key(request))
        return LOBBY_ANSWER.decode(await self.handlers.answer(subject, ENCODER.encode(asked)))

    async def player(self, nickname: str = "") -> Session:
        """Somebody new."""
        request = Register(nickname=nickname, password=PASSWORD) if nickname else Register(guest=True)
        return session(await self.ask(request))

    async def bot(self) -> Session:
        """Somebody new with scope bot."""
        return session(await self.ask(Register(guest=True, bot_key=BOT_KEY)))


@dataclass
class MemoryHouse:
    """Stores, bus and game in memory; any number of lobbies on them."""

    stores: Stores = field(default_factory=Stores)
    bus: MemoryBus = field(default_factory=MemoryBus)
    clock: Clock = field(default_factory=Clock)
    game: FakeGame = field(default_factory=FakeGame)
    ratings: Ratings = field(default_factory=lambda: Ratings(MemoryLog(), MemoryFacts(), MemoryStandings()))
    standings: FakeStandings = field(default_factory=FakeStandings)
    presence: MemoryStore = field(init=False)

    def __post_init__(self) -> None:
        """A gateway is alive, where nobody is yet."""
        self.presence = MemoryStore(self.clock.now_ms)

    async def start_game(self) -> None:
        """From here on the services game and rating answer."""
        await self.bus.serve(subjects.commands("rating"), "rating", self.ratings.answer)
        await self.bus.serve(subjects.commands("game"), "game", self.game.answer)

    def lobby(self, *, limits: Limits | None = None, main_game: str = "") -> Lobby:
        """One more instance."""
        return Lobby(
            self.stores,
            self.bus,
            self.clock,
            limits=limits,
            main_game=main_game,
            standings=self.standings,
            presences=MemoryPresence(self.presence, "g0"),
        )


@asynccontextmanager
async def real_lobby(broker: Broker, signing_key: Ed25519PrivateKey, clock: Clock) -> AsyncGenerator[Lobby]:
    """An instance on a real broker, with its list kept live."""
    lobby = Lobby(Stores.on(broker, signing_key), broker, clock)
    stop = await keep_live(broker, Feed(lobby.stores.tables, lobby.tables.listing))
    try:
        yield lobby
    finally:
        await stop()


def session(answer: LobbyAnswer) -> Session:
    """The answer as a session, or a failed test."""
    assert isinstance(answer, Session), answer
    return answer


def table(answer: LobbyAnswer) -> TableView:
    """The answer as a table, or a failed test."""
    assert isinstance(answer, TableView), answer
    return answer


def code(answer: LobbyAnswer) -> str:
    """The code of a refusal, or a failed test."""
    assert isinstance(answer, RefusedAnswer), answer
    return answer.problem.code


def names(view: TableView) -> list[str]:
    """The players' ids by seat, empty for a free one."""
    return ["" if seat.player is None else seat.player.id for seat in view.seats]


def unique_nickname() -> str:
    """A nickname that no other test uses."""
    return "N" + new_id("x")[1:16]


async def until(true: Callable[[], Awaitable[bool]], within_s: float = 10) -> None:
    """Wait for what another process does; a failed test if it does not in time."""
    async with asyncio.timeout(within_s):
        while not await true():  # noqa: ASYNC110 - another process tells nobody when it is through
            await asyncio.sleep(0.01)
