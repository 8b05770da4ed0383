"""The only gateway is gone while a clock runs, and the clock service claims the flag as ever."""

import socket
from asyncio import timeout, to_thread
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest

from services.game.outages import GAP_MS
from shared.events.match import ClockTerms, Seat, Terms
from shared.service import EXIT_PORT_TAKEN
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


def silent(cluster: Cluster) -> bool:
    """Whether game misses a gateway."""
    return "no gateway is heard" in cluster.tail("game")


async def is_killed(cluster: Cluster) -> None:
    cluster.kill("gateway")


async def is_stopped(cluster: Cluster) -> None:
    """In order, as before a new release."""
    assert await to_thread(cluster.stop, "gateway") == 0


async def crashes(cluster: Cluster) -> None:
    """Its supervisor starts it again and again, but its port is taken: it learns the time, and ends."""
    cluster.kill("gateway")
    with socket.socket() as other:
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        other.bind(("127.0.0.1", cluster.port))
        other.listen()
        for _ in range(2):
            await is_started_in_vain(cluster)
        async with timeout(LIMIT_S):
            while not silent(cluster):
                await is_started_in_vain(cluster)


async def is_started_in_vain(cluster: Cluster) -> None:
    gateway = cluster.launch("gateway")
    assert await to_thread(gateway.popen.wait, LIMIT_S) == EXIT_PORT_TAKEN


@pytest.mark.parametrize("goes", [is_killed, is_stopped, crashes])
async def test_no_flag_falls_while_the_only_gateway_is_gone_and_all_of_that_time_is_given_back(
    cluster: Cluster, goes: Callable[[Cluster], Awaitable[None]]
) -> None:
    """The claim that is due meanwhile waits, and gives the time back when a gateway is there again."""
    async with hall(cluster.nats) as people:
        await people.gateway_heard()
        terms = Terms(clock=ClockTerms(kind="chess", budget_ms=BUDGET_MS), flag="loss")
        match = await people.opens([Seat(player) for player in PLAYERS], terms)
        n = (await people.state(match)).n
        goes_ms = now_ms()
        await goes(cluster)
        await until(lambda: silent(cluster), LIMIT_S)
        await until(lambda: "no answer yet, claiming again" in cluster.tail("clock"), LIMIT_S)
        assert (await people.state(match)).n == n, "nothing is written"
        begins_ms = now_ms()
        await to_thread(cluster.start, "gateway")
        await people.wait(match, lambda state: state.n > n)
        seen_ms = now_ms()
        found = judged(await people.log.read(match), await people.outages())
        (returned,) = found.given
        assert abs(returned.from_ms - goes_ms) <= GAP_MS, "its last knock may be heard when it is gone"
        assert begins_ms <= returned.to_ms <= seen_ms
        assert found.flags == []
        assert isinstance(await people.moves(match), Accepted)
