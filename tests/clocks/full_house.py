"""An evening in a whole house while something of ours is down: some have little time left, one has gone.

* thinkers never move: their flags fall;
* the late do not move either, until something is down: then each gives one command;
* walkers move all the time, with a pause before each move, some of them against the computer;
* one has gone just before, from a game against one who walks.
"""

import asyncio
import random
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Final

import aiohttp

from shared.events.base import By
from shared.events.match import ClockTerms, Seat, Terms
from shared.ids import new_id
from shared.match import demands
from shared.match.timing import counts_from, plays_itself
from tests.clocks.judged import Judged, judged
from tests.faults.people import Crowd, Person, Seen
from tests.faults.told import Told, bear_out
from tests.support.api import Api
from tests.support.cluster import Cluster
from tests.support.hall import Hall, hall
from tests.support.waiting import until

LEAST_MS, MOST_MS = 5_000, 60_000
LATE_MS: Final = 10_000  # the least that those have who mean to move
AMPLE_MS: Final = 240_000
PAUSE_S: Final = 0.5


def now_ms() -> int:
    """The wall clock of this host, which is the services' as well."""
    return time.time_ns() // 1_000_000


@dataclass(eq=False)
class Walker(Person):
    """Thinks for a moment before each command, one after the other in each match."""

    thinking: set[str] = field(default_factory=set[str])

    async def _act(self, seen: Seen) -> None:
        if seen.match not in self.thinking:
            self.thinking.add(seen.match)
            self.spawn(self._think(seen))

    async def _think(self, seen: Seen) -> None:
        thought_of = -1
        while thought_of != seen.n:  # something may come meanwhile
            await asyncio.sleep(PAUSE_S)
            thought_of = seen.n
            await super()._act(seen)
        self.thinking.discard(seen.match)


@dataclass(eq=False)
class Late(Person):
    """Does nothing before it ``wakes``, and then gives one command in each match."""

    moved: set[str] = field(default_factory=set[str])

    async def wakes(self) -> None:
        """It wants to move, whatever is down."""
        self.resting = False
        for seen in self.matches.values():
            await self._act(seen)

    async def _act(self, seen: Seen) -> None:
        if seen.match not in self.moved:
            await super()._act(seen)
            if seen.pending is not None:
                self.moved.add(seen.match)


@dataclass
class FullHouse:
    """Everybody and their matches."""

    cluster: Cluster
    hall: Hall
    told: Told
    grace_ms: int
    thinkers: Crowd
    late: Crowd
    walkers: Crowd
    alone: Crowd
    gone: Person
    left: Person
    left_in: list[str] = field(default_factory=list[str])
    slept: list[tuple[Seen, int]] = field(default_factory=list[tuple[Seen, int]])
    budgets: dict[str, int] = field(default_factory=dict[str, int])

    async def begins(self, matches: int) -> None:
        """So many matches, most of them with little time: from 5 s on, few with as much as a minute."""
        few = max(1, matches // 20)
        some = max(2, matches // 5)
        little = (matches - some - 2 * few) // 2
        await asyncio.gather(
            *(self._opens(self.thinkers, budget_ms) for budget_ms in mostly_little(LEAST_MS, little)),
            *(self._opens(self.late, budget_ms) for budget_ms in mostly_little(LATE_MS, little)),
            *(self._opens(self.walkers, AMPLE_MS) for _ in range(some)),
            *(self._opens(self.alone, AMPLE_MS, bot=True) for _ in range(few)),
        )
        for _ in range(few):
            self.left_in.append(await self._opens(Crowd([self.gone, self.left], self.told), AMPLE_MS))

    async def _opens(self, crowd: Crowd, budget_ms: int, *, bot: bool = False) -> str:
        """A match of the crowd's first two, or of its only one against the computer; it has begun."""
        absence = "ghost" if self.gone in crowd.persons else ("ghost", "forfeit")[len(self.budgets) % 2]
        clock = ClockTerms(kind="chess", budget_ms=budget_ms)
        terms = Terms(clock=clock, flag="loss", absence=absence, grace_ms=self.grace_ms)
        seats = [Seat(person.api.player) for person in crowd.persons]
        if bot:
            seats.append(Seat(new_id("p"), bot=True))
        match = await self.hall.opens(seats, terms)
        self.budgets[match] = budget_ms
        for number, person in enumerate(crowd.persons):
            await person.sit(match, number)
        return match

    async def one_goes(self) -> None:
        """The one who goes has gone: everybody can see that he is away."""
        await self.gone.stop()
        await self._shown("away")

    async def _shown(self, presence: str) -> None:
        """Everybody can see that the one who goes is so."""
        async with asyncio.timeout(30):
            for match in self.left_in:
                path = f"/v1/matches/{match}"
                while (await self.left.api.get(path)).body["seats"][0]["presence"] != presence:  # noqa: ASYNC110 - it may have been long before
                    await asyncio.sleep(0.05)

    async def the_late_wake(self) -> None:
        """They want to move, whatever is down."""
        self.slept = self.late.stands()
        for person in self.late.persons:
            assert isinstance(person, Late)
            await person.wakes()

    async def the_late_have_moved(self) -> None:
        """What they wanted is accepted, maybe before all services are back: each wants one thing only."""
        await self.late.go_on(1, since=self.slept)
        await self.late.rest()

    async def all_go_on(self) -> None:
        """The walkers do, and the computer as a bot and for the one who has gone; then they rest."""
        for crowd in (self.walkers, self.alone):
            await crowd.go_on(4)
        await self._ghosts_play()
        for crowd in (self.walkers, self.alone, Crowd([self.left], self.told)):
            await crowd.rest()

    def over(self, before_ms: int) -> list[bool]:
        """Of each match of the thinkers with less time than that, whether it is over."""
        seats = self.thinkers.persons[0].matches
        return [seen.over for match, seen in seats.items() if self.budgets[match] < before_ms]

    async def flags_fall(self, before_ms: int) -> None:
        """The flags of all thinkers who had less time than that have fallen."""
        await until(lambda: all(self.over(before_ms)), (before_ms + 40_000) / 1000)

    async def computers_stand_still(self) -> None:
        """It is the computer's turn, as a bot or for the one who has gone, and nobody's clock runs."""
        await self._shown("ghost")
        for match in self.left_in + list(self.alone.persons[0].matches):
            state = await self.hall.wait(match, lambda s: plays_itself(s, demands(s)[0].seat))
            assert counts_from(state) is None

    async def _ghosts_play(self) -> None:
        async with asyncio.timeout(self.grace_ms / 1000 + 30):
            for match in self.left_in:
                while By(service="ghost", for_seat=0) not in await self._by(match):  # noqa: ASYNC110 - as above
                    await asyncio.sleep(0.1)

    async def _by(self, match: str) -> list[By]:
        return [commit.by for commit in await self.hall.commits(match)]

    async def ends(self) -> dict[str, Judged]:
        """What became of every match; nothing that anybody was told is missing in the logs."""
        self.told.sent |= self.hall.sent
        await bear_out(self.hall.brokers["audit"], self.told, self.budgets)
        outages = await self.hall.outages()
        return {match: judged(await self.hall.log.read(match), outages) for match in self.budgets}


def mostly_little(least_ms: int, count: int) -> list[int]:
    """So many budgets from ``least_ms`` to ``MOST_MS``, most of them small."""
    return [int(least_ms + (MOST_MS - least_ms) * (i / max(1, count - 1)) ** 3) for i in range(count)]


@asynccontextmanager
async def full_house(
    cluster: Cluster, http: aiohttp.ClientSession, *, matches: int, grace_ms: int
) -> AsyncGenerator[FullHouse]:
    """Guests on sockets of their own, in ``matches`` matches of which every one has begun."""
    told = Told()
    persons: list[Person] = []

    async def people(kind: type[Person], count: int, *, resting: bool) -> list[Person]:
        new = [
            kind(await Api(http, cluster.address).guest(), told, random.Random(i), lambda: cluster.address)
            for i in range(count)
        ]
        for person in new:
            person.resting = resting
            person.start()
        persons.extend(new)
        return new

    async with hall(cluster.nats) as talking:
        try:
            gone, left = [*await people(Person, 1, resting=True), *await people(Walker, 1, resting=False)]
            held = FullHouse(
                cluster,
                talking,
                told,
                grace_ms,
                thinkers=Crowd(await people(Person, 2, resting=True), told),
                late=Crowd(await people(Late, 2, resting=True), told),
                walkers=Crowd(await people(Walker, 2, resting=False), told),
                alone=Crowd(await people(Walker, 1, resting=False), told),
                gone=gone,
                left=left,
            )
            await held.begins(matches)
            yield held
        finally:
            await asyncio.gather(*(person.stop() for person in persons))
