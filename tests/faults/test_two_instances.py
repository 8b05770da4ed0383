"""Two game instances on the same matches, one of them stopped and resumed; the same command given twice."""

import asyncio
from collections.abc import AsyncIterator, Iterator

import aiohttp
import pytest

from shared import subjects
from shared.adapters.nats_log import NatsLog
from shared.events.codec import decode_match
from tests.faults.people import crowd
from tests.faults.told import Figures, bear_out
from tests.support.api import Api, Frame, Socket, answers, key
from tests.support.cluster import Cluster
from tests.support.player import ready_both
from tests.support.servers import free_port

GATEWAY_PORT = "KRONIKA_PORT"
BROKER_TAKES_ANSWERS_S = 10  # deploy/nats.conf: allow_responses


@pytest.fixture(scope="module")
def two(cluster: Cluster) -> Iterator[Cluster]:
    """The cluster with a second game instance, ``game-2``."""
    cluster.start("game-2", "game")
    yield cluster
    cluster.resume("game-2")
    cluster.stop("game-2")


@pytest.fixture
async def second_gateway(two: Cluster) -> AsyncIterator[str]:
    """The address of a second gateway."""
    port = free_port()
    await asyncio.to_thread(two.start, "gateway-2", "gateway", {GATEWAY_PORT: str(port)})
    yield f"http://127.0.0.1:{port}"
    await asyncio.to_thread(two.stop, "gateway-2")


async def played(two: Cluster, http: aiohttp.ClientSession, *, moves: int, pauses: int, each: int) -> str:
    """Play ``moves`` moves with so many pauses of one instance while the matches go on. Gives the figures."""
    async with crowd(http, two.address, pairs=2) as people:
        await people.open(each, target=13)
        told = people.told
        between = moves // pauses
        for _ in range(pauses):
            await told.more(between * 2 // 3)
            two.pause("game-2")
            await told.more(between // 3)  # by the instance that is left, which hears half of what is asked
            two.resume("game-2")
        await people.go_on(10)
        await people.rest()
        async with two.nats.broker("audit") as audit:
            commits = await bear_out(audit, told, people.matches)
    assert len(told.accepted) >= moves
    for name in ("game", "game-2"):
        assert two.processes[name].running, two.tail(name)
        assert '"command failed"' not in two.tail(name, 1_000_000)
    return f"{pauses} pauses, {2 * each} matches, {commits} commits; {told.figures()}"


async def test_one_instance_is_paused_and_resumed(
    two: Cluster, http: aiohttp.ClientSession, figures: Figures
) -> None:
    figures(await played(two, http, moves=400, pauses=3, each=8))


@pytest.mark.nightly
async def test_one_instance_is_paused_and_resumed_for_5000_moves(
    two: Cluster, http: aiohttp.ClientSession, figures: Figures
) -> None:
    figures(await played(two, http, moves=5_000, pauses=20, each=20))


@pytest.mark.nightly
async def test_one_instance_is_paused_longer_than_the_broker_takes_its_answers(
    two: Cluster, http: aiohttp.ClientSession, figures: Figures
) -> None:
    """It answers what it slept over, is told that it may not, and goes on serving all the same."""
    async with crowd(http, two.address, pairs=2) as people:
        await people.open(8, target=13)
        await people.told.more(100)
        two.pause("game-2")
        await asyncio.sleep(BROKER_TAKES_ANSWERS_S + 3)
        two.resume("game-2")
        await people.go_on(10)
        await people.rest()
        async with two.nats.broker("audit") as audit:
            commits = await bear_out(audit, people.told, people.matches)
    assert two.processes["game-2"].running, two.tail("game-2")
    figures(f"1 long pause, 16 matches, {commits} commits; {people.told.figures()}")


async def test_the_same_command_on_two_sockets_of_two_gateways_is_one_commit(
    two: Cluster, http: aiohttp.ClientSession, second_gateway: str
) -> None:
    one, other = await Api(http, two.address).guest(), await Api(http, two.address).guest()
    match = await one.match_with(other)
    elsewhere = Api(http, second_gateway, one.token, one.player)
    async with one.socket() as here, elsewhere.socket() as there, other.socket() as opponent:
        for socket in (here, there, opponent):
            await socket.watch(match)
        await ready_both(match, here, opponent)
        n = opponent.views(match)[-1]["n"]
        given: list[str] = []
        for round_ in range(20):
            name = key()
            given.append(name)
            command = {"type": "set_auto_roll", "on": round_ % 2 == 0}
            frame = {"type": "command", "id": name, "match": match, "expected": n, "command": command}
            await asyncio.gather(here.send(frame), there.send(frame), here.send(frame))
            told = await asyncio.gather(both(here, name), both_once(there, name))
            assert {n for ns in told for n in ns} == {n + 1}
            n += 1
    async with two.nats.broker("audit") as audit:
        log = [decode_match(stored).command for stored in await NatsLog(audit, subjects.GAMES).read(match)]
    assert [name for name in log if name in given] == given


async def both(socket: Socket, name: str) -> set[int]:
    """What was said to a command that was sent twice."""
    await socket.get(lambda f: answers(f, name))
    await socket.get(lambda f: answers(f, name))
    return said(socket, name, 2)


async def both_once(socket: Socket, name: str) -> set[int]:
    """What was said to a command that was sent once."""
    await socket.get(lambda f: answers(f, name))
    return said(socket, name, 1)


def said(socket: Socket, name: str, times: int) -> set[int]:
    frames: list[Frame] = [f for f in socket.frames if answers(f, name)]
    assert [f["type"] for f in frames if f["type"] == "refused"] == [], frames
    assert len(frames) == times, frames
    return {frame["n"] for frame in frames}
