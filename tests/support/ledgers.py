"""A ledger for tests, on a log in memory that can be killed before or after any append."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field

import msgspec

from services.ledger.bank import Bank
from services.ledger.handlers import Ledger
from services.ledger.settings import Money
from shared import subjects
from shared.adapters.memory_log import MemoryLog
from shared.adapters.nats_connection import Broker
from shared.adapters.nats_log import NatsLog
from shared.events.base import FIRST_PREV, By, Commit
from shared.events.codec import encode
from shared.events.match import (
    GameEnded,
    MatchCancelled,
    MatchCreated,
    MatchEnded,
    MatchEvent,
    Seat,
    Terms,
)
from shared.events.staked import Staked
from shared.wire.ledger import ENCODER, LEDGER_ANSWER, Hold, LedgerAnswer, LedgerRequest, RefusedAnswer
from tests.support.books import Books, read
from tests.support.servers import NatsServer

START = 1_000
JANA, IVAN = "pjana0000", "pivan0000"


class Killed(BaseException):
    """The process ended here: nothing that catches errors catches this."""


@dataclass
class Fate:
    """Kills whoever makes append number ``die_at`` (from 1), before it is stored or just after."""

    appends: int = 0
    die_at: int = 0
    stored_first: bool = False


class MortalLog(MemoryLog):
    """A log whose writers have a fate; several logs may share one."""

    def __init__(self, fate: Fate | None = None) -> None:
        super().__init__()
        self.fate = fate or Fate()

    async def append(self, key: str, n: int, data: bytes) -> None:
        self.fate.appends += 1
        dies = self.fate.appends == self.fate.die_at
        if dies and not self.fate.stored_first:
            raise Killed
        await super().append(key, n, data)
        await asyncio.sleep(0)  # here others have their turn, as on a broker
        if dies:
            raise Killed


@dataclass
class House:
    """The logs that outlive every instance, and instances on them."""

    money: Money = field(default_factory=lambda: Money(start_balance=START))
    matches: MemoryLog = field(default_factory=MemoryLog)
    accounts: MortalLog = field(default_factory=MortalLog)

    def ledger(self) -> Ledger:
        """One more instance, which knows nothing yet."""
        return Ledger(self.matches, self.accounts, Bank(self.accounts, lambda: 1_800_000_000_000), self.money)

    @property
    def books(self) -> Books:
        """What is stored, added up."""
        return read(self.accounts.entries)

    async def until_through(self, work: Callable[[Ledger], Awaitable[object]]) -> None:
        """Do it in instances that may be killed, until one was not."""
        while True:
            try:
                await work(self.ledger())
            except Killed:
                continue
            return

    async def swept(self) -> None:
        """What the durable consumer of LEDGER does, by an instance that knows nothing."""
        ledger = self.ledger()
        seen = 0
        while seen < len(self.accounts.entries):
            entry = self.accounts.entries[seen]
            seen += 1
            await ledger.on_entry(*entry)


async def ask(ledger: Ledger, sender: str, key: str, request: LedgerRequest) -> LedgerAnswer:
    """The answer, over the wire's bytes."""
    data = await ledger.answer(subjects.command(sender, "ledger", key), ENCODER.encode(request))
    return LEDGER_ANSWER.decode(data)


def code(answer: LedgerAnswer) -> str:
    """The code of a refusal, "" for any other answer."""
    return answer.problem.code if isinstance(answer, RefusedAnswer) else ""


def holding(staked: Staked, players: tuple[str, str] = (JANA, IVAN)) -> Hold:
    """What the lobby asks at the start."""
    return Hold(players=players, base=staked.base, worst=staked.worst, fixed=staked.fixed)


def created(staked: Staked, players: tuple[str, str] = (JANA, IVAN)) -> MatchCreated:
    """The first event of a staked match."""
    return MatchCreated(
        rules="backgammon",
        rules_version=1,
        seats=tuple(Seat(player) for player in players),
        secret_hash="0" * 64,
        terms=Terms(target=3 if staked.fixed else None),
        staked=staked,
    )


def ended(winner: int | None, points: int) -> tuple[MatchEvent, ...]:
    """How a match ends: somebody wins, or (None) nobody."""
    game = GameEnded(game=1, winner=winner, kind="single", cause="played", points=points, score=(0, 0))
    return (game, MatchEnded(winner=winner, score=(0, 0), cause="played"))


CANCELLED: tuple[MatchEvent, ...] = (MatchCancelled("left before the start"),)


def commit(match: str, n: int, events: tuple[MatchEvent, ...]) -> bytes:
    """A stored commit; the ledger looks at its events and at nothing else."""
    return encode(
        Commit[MatchEvent](
            match=match,
            n=n,
            at_ms=1,
            arrived_ms=1,
            command=f"c{n}",
            command_hash="",
            by=By(service="lobby"),
            salt="",
            prev=FIRST_PREV,
            events=events,
        )
    )


async def store(
    house: House,
    match: str,
    staked: Staked,
    end: tuple[MatchEvent, ...],
    players: tuple[str, str] = (JANA, IVAN),
) -> bytes:
    """A match of two commits in the log; gives the second, its end."""
    last = commit(match, 2, end)
    await house.matches.append(match, 1, commit(match, 1, (created(staked, players),)))
    await house.matches.append(match, 2, last)
    return last


def single(base: int, worst: int = 3) -> Staked:
    """A single game, with the cube."""
    return Staked(base=base, worst=worst, fixed=False, fee_permille=0)


def duel(base: int, fee_permille: int = 0) -> Staked:
    """A match to points."""
    return Staked(base=base, worst=1, fixed=True, fee_permille=fee_permille)


def with_fee(house: House, fee_permille: int) -> House:
    """The same house with another fee from here on."""
    house.money = msgspec.structs.replace(house.money, fee_permille=fee_permille)
    return house


def ledger_environment(server: NatsServer, fee_permille: int) -> dict[str, str]:
    """What a ledger process is told."""
    return {
        "KRONIKA_NATS_URL": server.url,
        "KRONIKA_NATS_PASSWORD": server.passwords["ledger"],
        "KRONIKA_START_BALANCE": str(START),
        "KRONIKA_FEE_PERMILLE": str(fee_permille),
    }


async def nothing_waits(server: NatsServer) -> int:
    """Return when the ledger has acknowledged all of GAMES and LEDGER; how often GAMES was delivered."""
    waits = (("provision_game", "GAMES"), ("provision_ledger", "LEDGER"))
    deliveries = 0
    async with AsyncExitStack() as stack, asyncio.timeout(60):
        admins = {stream: await stack.enter_async_context(server.broker(user)) for user, stream in waits}
        while True:
            waiting = 0
            for stream, admin in admins.items():
                info = await admin.request(f"$JS.API.CONSUMER.INFO.{stream}.ledger", b"", 2_000)
                told = msgspec.json.decode(info)
                waiting += told["num_ack_pending"] + told["num_pending"]
                if stream == "GAMES":
                    deliveries = told["delivered"]["consumer_seq"]
            if not waiting:
                return deliveries
            await asyncio.sleep(0.05)


async def books_of(ledger: Broker) -> Books:
    """What is stored on a real broker, added up."""
    entries: list[tuple[str, int, bytes]] = []
    await NatsLog(ledger, subjects.LEDGER).scan(lambda key, n, data: entries.append((key, n, data)))
    return read(entries)
