"""A ledger for tests, on a log in memory that can be killed before or after any append."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

import msgspec

from services.ledger.bank import Bank
from services.ledger.handlers import Ledger
from services.ledger.settings import Money
from shared import subjects
from shared.adapters.memory_log import MemoryLog
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

START = 1_000
JANA, IVAN = "pjana0000", "pivan0000"


class Killed(BaseException):
    """The process ended here: nothing that catches errors catches this."""


class MortalLog(MemoryLog):
    """Kills whoever makes append number ``die_at`` (from 1), before it is stored or just after."""

    def __init__(self) -> None:
        super().__init__()
        self.appends = 0
        self.die_at = 0
        self.stored_first = False

    async def append(self, key: str, n: int, data: bytes) -> None:
        self.appends += 1
        dies = self.appends == self.die_at
        if dies and not self.stored_first:
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
