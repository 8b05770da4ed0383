"""Random staked matches with crashes: money is conserved to the unit, whatever dies when."""

import asyncio
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from services.ledger.handlers import Ledger
from services.ledger.settings import Money
from shared.events.match import MatchEvent
from shared.events.staked import Staked
from shared.wire.ledger import LedgerRequest, RaiseStake, Release
from tests.support.books import settled
from tests.support.ledgers import CANCELLED, House, Killed, ask, code, duel, ended, holding, single, store

PLAYERS = tuple(f"pplayer{i:02}" for i in range(24))
AT_ONCE = 6
FEE = 25

End = tuple[tuple[MatchEvent, ...], int | None, int]
"""The events, the winner, the points."""


@dataclass
class Evening:
    """Matches among few players on one log; what each should have in the end is added up beside it."""

    seed: int
    house: House = field(default_factory=lambda: House(money=Money(start_balance=2_000, fee_permille=FEE)))
    won: Counter[str] = field(default_factory=Counter[str])
    fees: int = 0
    said: Counter[str] = field(default_factory=Counter[str])

    def __post_init__(self) -> None:
        """Two instances to begin with."""
        self.chance = random.Random(self.seed)
        self.instances = [self.house.ledger(), self.house.ledger()]

    def instance(self) -> Ledger:
        """One of two; now and then one dies at one of its next appends, before or after it is stored."""
        if self.chance.random() < 0.3:
            self.house.accounts.fate.die_at = self.house.accounts.fate.appends + self.chance.randint(1, 6)
            self.house.accounts.fate.stored_first = self.chance.random() < 0.5
        return self.chance.choice(self.instances)

    async def sent(self, sender: str, match: str, request: LedgerRequest) -> str:
        """Asked until some instance lived to answer; the code, "" if it was granted."""
        while True:
            try:
                answer = await ask(self.instance(), sender, match, request)
            except Killed:
                self.reborn()
                continue
            return code(answer)

    def reborn(self) -> None:
        self.said["killed"] += 1
        self.instances[self.chance.randrange(2)] = self.house.ledger()

    async def delivered(self, match: str, last: bytes) -> None:
        """The end of the match, several times, as after a kill between effect and acknowledgement."""
        for _ in range(self.chance.choice((1, 1, 2, 3))):
            while True:
                try:
                    await self.instance().on_commit(match, 2, last)
                except Killed:
                    self.reborn()
                    continue
                break

    async def match(self, number: int) -> None:
        match = f"mmatch{number:06}"
        players = tuple(self.chance.sample(PLAYERS, 2))
        pair = players[0], players[1]
        staked = self._staked()
        refused = await self.sent("lobby", match, holding(staked, pair))
        if refused:
            assert refused in ("no_cover", "escrow_closed")
            self.said["refused"] += 1
            return
        if self.chance.random() < 0.05:  # game does not make the match after all
            assert not await self.sent("lobby", match, Release())
            return
        cube, passed = (1, None) if staked.fixed else await self._doubled(match, pair)
        end, winner, points = self._end(cube, passed, staked.worst)
        await self.delivered(match, await store(self.house, match, staked, end, pair))
        if winner is not None:
            self._count(staked, pair[winner], pair[1 - winner], points)

    def _staked(self) -> Staked:
        kind = self.chance.random()
        base = self.chance.randint(1, 90)
        if kind < 0.4:
            return duel(10 * base, FEE)
        return single(base, worst=self.chance.choice((1, 3)))

    async def _doubled(self, match: str, pair: tuple[str, str]) -> tuple[int, int | None]:
        """The cube in the end, and who won by a pass."""
        cube, owner = 1, self.chance.randrange(2)
        while cube < 64 and self.chance.random() < 0.6:
            if await self.sent("game", match, RaiseStake(player=pair[owner], cube=2 * cube)):
                self.said["no double"] += 1
                break
            answerer = 1 - owner
            beaver = cube <= 16 and self.chance.random() < 0.2
            if self.chance.random() < 0.2:
                return cube, owner
            wanted = 4 * cube if beaver else 2 * cube
            if await self.sent("game", match, RaiseStake(player=pair[answerer], cube=wanted)):
                self.said["no take"] += 1
                return cube, owner
            if beaver:
                accepted = self.chance.random() < 0.7
                if not accepted or await self.sent(
                    "game", match, RaiseStake(player=pair[owner], cube=wanted)
                ):
                    return 2 * cube, answerer
                cube *= 2
            cube *= 2
            owner = answerer
        return cube, None

    def _end(
        self, cube: int, passed: int | None, worst: int
    ) -> tuple[tuple[MatchEvent, ...], int | None, int]:
        if passed is not None:
            return ended(passed, cube), passed, cube
        how = self.chance.random()
        if how < 0.1:
            return CANCELLED, None, 0
        if how < 0.15:
            return ended(None, 0), None, 0
        winner = self.chance.randrange(2)
        points = cube * self.chance.randint(1, worst)
        return ended(winner, points), winner, points

    def _count(self, staked: Staked, winner: str, loser: str, points: int) -> None:
        amount = staked.base if staked.fixed else staked.base * points
        fee = 2 * staked.base * FEE // 1_000 if staked.fixed else 0
        self.fees += fee
        self.won[winner] += amount - fee
        self.won[loser] -= amount

    async def all(self, matches: int) -> None:
        """So many matches, some of them at a time, and then what the consumer of LEDGER does."""
        numbers = iter(range(matches))

        async def one_after_the_other() -> None:
            for number in numbers:
                await self.match(number)

        await asyncio.gather(*(one_after_the_other() for _ in range(AT_ONCE)))
        self.house.accounts.fate.die_at = 0
        await self.house.swept()


async def _an_evening(seed: int, matches: int) -> Counter[str]:
    evening = Evening(seed)
    await evening.all(matches)
    books = evening.house.books
    settled(books)
    began = -books.of("mint_")
    assert began == 2_000 * len(PLAYERS)
    for player in PLAYERS:
        assert books.balances[player] == 2_000 + evening.won[player], player
    assert books.of("house_") == evening.fees
    return evening.said | Counter(
        {"settled": books.purposes["settle"], "released": books.purposes["release"]}
    )


@pytest.mark.parametrize("seed", [1, 2])
async def test_random_staked_matches_with_crashes_conserve_every_unit(seed: int) -> None:
    said = await _an_evening(seed, 300)
    assert min(said[what] for what in ("killed", "refused", "settled", "released")) > 5, said


@pytest.mark.nightly
async def test_ten_thousand_random_staked_matches_with_crashes_conserve_every_unit(
    record_property: Callable[[str, object], None],
) -> None:
    total: Counter[str] = Counter()
    for seed in range(20):
        total += await _an_evening(1_000 + seed, 500)
    record_property("figures", f"10,000 staked matches: {dict(total)}")
    assert total["killed"] > 1_000
    assert min(total[what] for what in ("no double", "no take", "refused", "released")) > 100, total
