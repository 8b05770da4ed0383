"""The ghost service is killed in its turn, again and again: as a bot, and for one who is away."""

import asyncio
from collections.abc import Iterator

import pytest

from services.audit.domain import verify
from shared.commands import ReportAbsent
from shared.events.base import By
from shared.events.match import ClockCharged, ClockTerms, Seat, SeatGhosted, Terms
from shared.ids import new_id
from shared.match import demands
from shared.match.timing import plays_itself
from shared.wire.match import Accepted
from tests.support.cluster import Cluster
from tests.support.hall import Hall, hall
from tests.support.timed import over

MATCHES = 4
KILLS = 3
COMMITS = 15  # between two kills; a game has some hundred
AWAY = Terms(clock=ClockTerms(kind="chess", budget_ms=60_000), flag="loss", absence="ghost", grace_ms=0)


@pytest.fixture
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """Broker, game, clock and ghost."""
    with Cluster(tmp_path_factory.mktemp("ghost"), services=("game", "clock", "ghost")) as running:
        yield running


async def left_alone(people: Hall) -> str:
    """A match against the computer whose only person is away."""
    match = await people.opens((Seat(new_id("p")), Seat(new_id("p"), bot=True)), AWAY)
    state = await people.wait(match, lambda state: state.game == 1)
    assert isinstance(await people.says(match, ReportAbsent(0, state.at_ms)), Accepted)
    return match


@pytest.mark.rule("S7")
async def test_a_ghost_that_is_killed_in_its_turn_plays_on_and_costs_nobody_time(cluster: Cluster) -> None:
    async with hall(cluster.nats) as people:
        matches = [await left_alone(people) for _ in range(MATCHES)]
        reached = (await people.state(matches[0])).n
        for _ in range(KILLS):
            await people.wait(matches[0], lambda s, n=reached + COMMITS: s.n >= n)
            cluster.kill("ghost")
            stopped = await people.state(matches[0])
            assert plays_itself(stopped, demands(stopped)[0].seat)
            reached = stopped.n
            await asyncio.to_thread(cluster.start, "ghost")
        for match in matches:
            await people.wait(match, over)
            log = await people.log.read(match)
            report = verify(log)
            assert report.ok, report.difference
            commits = await people.commits(match)
            assert len({commit.command for commit in commits}) == len(commits), "each command counts once"
            begin = next(
                i for i, c in enumerate(commits) if any(isinstance(e, SeatGhosted) for e in c.events)
            )
            assert {commit.by for commit in commits[begin + 1 :]} <= {
                By(service="ghost", for_seat=seat) for seat in (0, 1)
            }
            charged = [e for c in commits[begin + 1 :] for e in c.events if isinstance(e, ClockCharged)]
            assert not any(event.used_ms for event in charged)
