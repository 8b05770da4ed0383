"""A whole house of real processes, of which one thing or all is killed while clocks are about to run out."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from typing import Final

import aiohttp
import pytest

from services.game.outages import Outage
from shared.events.match import ClockTerms, Seat, Terms
from shared.wire.match import Accepted, RefusedAnswer
from tests.clocks.full_house import LEAST_MS, MOST_MS, FullHouse, full_house, now_ms
from tests.clocks.judged import Judged, judged
from tests.support.cluster import SERVERS, Cluster
from tests.support.hall import hall
from tests.support.servers import wanted_containers
from tests.support.story import PLAYERS

Figures = Callable[[str, object], None]
PLAY_S: Final = 1.5
GAP_MS: Final = 3_000  # less is no outage (docs/adr/0008)
PARTS: Final = ("lobby", "game", "clock", "ghost", "gateway")
OURS: Final = {
    "game": ("game",),
    "gateway": ("gateway",),
    "nats": ("nats",),
    "game+nats": ("game", "nats"),
    "everything": (*SERVERS, *PARTS),
}
"""Without these no move is accepted: the time is given back."""
NOBODYS: Final = ("clock", "ghost", "lobby", "valkey")
"""Without one of these moves are accepted as ever, and time runs."""
BLIND: Final = ("clock", "gateway", "valkey", "everything")
"""Without these nobody can say who is here: afterwards everybody has the whole grace anew."""


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """Everything; each test leaves it running."""
    with Cluster(tmp_path_factory.mktemp("outages"), services=PARTS) as running:
        yield running


class Scenario:
    """An evening on which ``victim`` is killed at ``killed_ms`` and started again from ``begins_ms`` on."""

    def __init__(self, people: FullHouse, victim: str, down_s: float, flags_before_ms: int) -> None:
        self.people = people
        self.victim = victim
        self.parts = OURS.get(victim, (victim,))
        self.down_s = down_s
        self.flags_before_ms = flags_before_ms
        self.killed_ms = self.begins_ms = self.moved_ms = 0
        self.down = False

    async def shown(self) -> None:
        """Let it happen; whatever comes of it, everything runs again."""
        try:
            await (self._outage() if self.victim in OURS else self._no_outage())
        finally:
            if self.down:
                await self._back()

    async def _outage(self) -> None:
        """No move is accepted; all flags are claimed all the time, and moves sent that cannot be judged."""
        claiming = asyncio.create_task(self.people.hall.claims(list(self.people.budgets)))
        self._kill()
        await asyncio.sleep(self.down_s)
        await self.people.the_late_wake()
        await self._back()
        await self.people.the_late_have_moved()
        self.moved_ms = now_ms()
        await self.people.all_go_on()
        await self.people.flags_fall(self.flags_before_ms)
        claiming.cancel()
        await asyncio.wait((claiming,))

    async def _no_outage(self) -> None:
        """Moves are accepted all the time, and flags fall, if only there is a clock service."""
        self._kill()
        await self.people.the_late_wake()
        await self.people.the_late_have_moved()
        await self.people.walkers.go_on(4)
        if self.victim == "clock":
            await asyncio.sleep(self.down_s)
            assert not any(self.people.over(self.flags_before_ms)), "nobody else claims them"
        else:
            await asyncio.gather(self.people.flags_fall(LEAST_MS + 500), asyncio.sleep(self.down_s))
        if self.victim == "ghost":
            await self.people.computers_stand_still()
        await self._back()
        await self.people.all_go_on()
        await self.people.flags_fall(self.flags_before_ms)
        assert not self.people.told.again, self.people.told.figures()
        assert not self.people.told.reconnects

    def _kill(self) -> None:
        self.killed_ms, self.down = now_ms(), True
        self.people.cluster.kill(*self.parts)

    async def _back(self) -> None:
        self.begins_ms, self.down = now_ms(), False
        await asyncio.to_thread(self.people.cluster.bring_back, *self.parts)

    async def is_over(self) -> str:
        """What became of every match is what should; in figures."""
        ends = await self.people.ends()
        outages = [o for o in await self.people.hall.outages() if o.to_ms > self.killed_ms]
        if self.victim in OURS:
            (outage,) = outages
            assert self.killed_ms - GAP_MS <= outage.from_ms <= self.killed_ms
            assert self.begins_ms <= outage.to_ms <= self.moved_ms
        else:
            assert outages == []
        for match, became in ends.items():
            if match in self.people.left_in:
                self._was_away(became, outages)
            else:
                assert became.absent == [], "all others were here, as far as anybody could be"
        claimed = self.people.hall.claimed
        codes = {answer.problem.code for answer in claimed if isinstance(answer, RefusedAnswer)}
        assert codes <= {"too_early", "unavailable", "match_over", "nothing_to_claim"}
        back = [event.ms for became in ends.values() for event in became.given]
        flags = sum(len(became.flags) for became in ends.values())
        returned = f"{len(back)} times {min(back)} to {max(back)} ms" if back else "nothing"
        return (
            f"{self.victim} down for {self.begins_ms - self.killed_ms} ms and starting, {len(ends)} matches:"
            f" {returned} given back, {flags} flags, {len(claimed)} claims of ours;"
            f" {self.people.told.figures()}"
        )

    def _was_away(self, became: Judged, outages: Sequence[Outage]) -> None:
        """No outage counts as absence, and where nobody could see him he had the whole grace anew."""
        ((commit, absent),) = became.absent
        ours_ms = sum(outage.within(absent.since_ms, commit.at_ms) for outage in outages)
        assert commit.at_ms - absent.since_ms - ours_ms >= self.people.grace_ms
        if self.victim in BLIND:
            assert commit.at_ms - self.begins_ms >= self.people.grace_ms


async def play(scenario: Scenario, figures: Figures) -> None:
    """The evening with what is killed in it."""
    await asyncio.sleep(PLAY_S)
    await scenario.people.one_goes()
    await scenario.shown()
    figures("figures", await scenario.is_over())


def needs_its_store(victim: str) -> None:
    """A container of Valkey has another address every time."""
    if wanted_containers() and "valkey" in OURS.get(victim, (victim,)):
        pytest.skip("a container of Valkey does not come back")


@pytest.mark.parametrize(
    "victim",
    [*OURS, *NOBODYS],
)
async def test_no_result_is_decided_by_what_was_down(
    cluster: Cluster, http: aiohttp.ClientSession, victim: str, record_property: Figures
) -> None:
    """Timers are overdue and flags in flight: time is given back by the rule, or falls as if nothing were."""
    needs_its_store(victim)
    async with full_house(cluster, http, matches=20, grace_ms=3_000) as people:
        await play(Scenario(people, victim, down_s=5, flags_before_ms=6_000), record_property)


@pytest.mark.nightly
@pytest.mark.parametrize("victim", [*OURS, *NOBODYS])
async def test_no_result_of_100_matches_is_decided_by_what_was_down_for_40_s(
    cluster: Cluster, http: aiohttp.ClientSession, victim: str, record_property: Figures
) -> None:
    """As above, with the grace that players have by default; every flag is waited for."""
    needs_its_store(victim)
    async with full_house(cluster, http, matches=100, grace_ms=30_000) as people:
        await play(Scenario(people, victim, down_s=40, flags_before_ms=MOST_MS + 1), record_property)


async def test_a_stop_in_order_is_an_outage_too(cluster: Cluster) -> None:
    async with hall(cluster.nats) as people:
        terms = Terms(clock=ClockTerms(kind="chess", budget_ms=LEAST_MS), flag="loss")
        match = await people.opens([Seat(player) for player in PLAYERS], terms)
        assert await asyncio.to_thread(cluster.stop, "game") == 0
        await asyncio.sleep(LEAST_MS / 1000)
        await asyncio.to_thread(cluster.start, "game")
        assert isinstance(await people.moves(match), Accepted)
        (event,) = judged(await people.log.read(match), await people.outages()).given
        assert event.ms > LEAST_MS
