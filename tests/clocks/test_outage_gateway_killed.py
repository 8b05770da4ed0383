"""The only gateway is killed while a clock runs, and the clock service claims the flag as ever."""

from asyncio import to_thread
from collections.abc import Iterator
from pathlib import Path

import pytest

from services.game.outages import GAP_MS
from shared.events.match import ClockTerms, Seat, Terms
from shared.wire.match import Accepted
from tests.clocks.full_house import now_ms
from tests.clocks.judged import judged
from tests.support.cluster import Cluster
from tests.support.hall import hall
from tests.support.story import PLAYERS
from tests.support.waiting import until

BUDGET_MS = 6_000  # longer than what it takes to find an outage
LIMIT_S = 30


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    with Cluster(tmp_path, services=("game", "clock", "gateway")) as running:
        yield running


async def test_no_flag_falls_while_the_only_gateway_is_down_and_all_of_that_time_is_given_back(
    cluster: Cluster,
) -> None:
    """The claim that is due meanwhile waits, and gives the time back when a gateway is there again."""
    async with hall(cluster.nats) as people:
        terms = Terms(clock=ClockTerms(kind="chess", budget_ms=BUDGET_MS), flag="loss")
        match = await people.opens([Seat(player) for player in PLAYERS], terms)
        n = (await people.state(match)).n
        killed_ms = now_ms()
        cluster.kill("gateway")
        await until(lambda: "no gateway is heard" in cluster.tail("game"), LIMIT_S)
        await until(lambda: "no answer yet, claiming again" in cluster.tail("clock"), LIMIT_S)
        assert (await people.state(match)).n == n, "nothing is written"
        begins_ms = now_ms()
        await to_thread(cluster.start, "gateway")
        ready_ms = now_ms()
        await people.wait(match, lambda state: state.n > n)
        found = judged(await people.log.read(match), await people.outages())
        (returned,) = found.given
        assert killed_ms - GAP_MS <= returned.from_ms <= killed_ms
        assert begins_ms <= returned.to_ms <= ready_ms
        assert found.flags == []
        assert isinstance(await people.moves(match), Accepted)
