"""The game service is killed between the append and its answer: the command counts once, and is said so once.

The service reaches the broker through a proxy that loses the broker's word that the commit is stored. So the
commit is in the log and seen live, the service does not know it, and nobody has been answered: then it dies.
"""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any, Final

import aiohttp
import pytest
from nats.aio.msg import Msg

from shared import subjects
from shared.adapters.nats_log import NatsLog
from shared.events.codec import decode_match
from tests.support.api import Api, Socket, answers
from tests.support.cluster import Cluster
from tests.support.player import ready_both
from tests.support.proxy import Proxy

ON: Final[dict[str, Any]] = {"type": "set_auto_roll", "on": True}
OFF: Final[dict[str, Any]] = {"type": "set_auto_roll", "on": False}


STORED_IN_GAMES: Final = b'"stream":"GAMES"'


def says_that_a_commit_is_stored(payload: bytes) -> bool:
    return STORED_IN_GAMES in payload and b'"seq"' in payload


@asynccontextmanager
async def dying_at_the_next_commit(cluster: Cluster) -> AsyncGenerator["asyncio.Future[str]"]:
    """Inside, the next commit of any match is stored, and the game service killed before it knows.

    Gives the match. Afterwards the service runs again, without the proxy.
    """
    stored: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    async def on_live(message: Msg) -> None:
        if not stored.done():
            stored.set_result(message.subject.split(".")[2])

    async with (
        Proxy(int(cluster.nats.url.rpartition(":")[2])) as proxy,
        cluster.nats.broker("audit") as audit,
    ):
        await asyncio.to_thread(cluster.stop, "game")
        await asyncio.to_thread(cluster.start, "game", "", {"KRONIKA_NATS_URL": proxy.url})
        live = await audit.subscribe(f"{subjects.LIVE}.game.>", on_live)
        await NatsLog(audit, subjects.GAMES).get("m0000000", 1)  # an answer: the subscription stands, too
        proxy.lose_payload = says_that_a_commit_is_stored
        yield stored
        async with asyncio.timeout(10):
            await stored
        await asyncio.to_thread(cluster.kill, "game")
        await live.close()
    await asyncio.to_thread(cluster.start, "game")


async def commits(cluster: Cluster, match: str) -> list[str]:
    """The command ids in the log, in order; the log must verify."""
    async with cluster.nats.broker("audit") as audit:
        log = await NatsLog(audit, subjects.GAMES).read(match)
    return [decode_match(stored).command for stored in log]


async def both_ready(one: Api, two: Api, match: str) -> int:
    """Begin the match; the newest n."""
    async with one.socket() as first, two.socket() as second:
        await first.watch(match)
        await second.watch(match)
        await ready_both(match, first, second)
        return int(second.views(match)[-1]["n"])  # whose command was the last


async def accepted_once(cluster: Cluster, socket: Socket, match: str, name: str) -> int:
    """The n of the one acceptance of command ``name``, once there could have been a second one."""
    answer = await socket.get(lambda f: answers(f, name), 0)
    assert answer["type"] in ("view", "accepted"), answer
    # The same socket's next command of this match is sent after the first has its answer from the service.
    later = await socket.command(match, OFF, answer["n"], f"{name}-later")
    assert later["n"] == answer["n"] + 1
    assert [f["n"] for f in socket.frames if answers(f, name)] == [answer["n"]]
    log = await commits(cluster, match)
    assert log.count(name) == 1
    assert log[answer["n"] - 1] == name
    return int(later["n"])


@pytest.mark.parametrize("watching", [True, False], ids=["watching", "not-watching"])
async def test_over_a_socket(cluster: Cluster, http: aiohttp.ClientSession, *, watching: bool) -> None:
    api = Api(http, cluster.address)
    one, two = await api.guest(), await api.guest()
    match = await one.match_with(two)
    await both_ready(one, two, match)
    n = (await one.get(f"/v1/matches/{match}")).body["n"]
    async with one.socket() as socket:
        if watching:
            await socket.watch(match)
        frame = {"type": "command", "id": "torn", "match": match, "expected": n, "command": ON}
        async with dying_at_the_next_commit(cluster):
            await socket.send(frame)
        assert await accepted_once(cluster, socket, match, "torn") == n + 2


async def test_over_rest(cluster: Cluster, http: aiohttp.ClientSession) -> None:
    api = Api(http, cluster.address)
    one, two = await api.guest(), await api.guest()
    match = await one.match_with(two)
    n = await both_ready(one, two, match)
    path, body = f"/v1/matches/{match}/commands", {"expected": n, "command": ON}
    async with dying_at_the_next_commit(cluster):
        asking = asyncio.create_task(one.post(path, body, key="torn"))
    answer = await asking
    assert (answer.status, answer.body["n"]) == (200, n + 1)
    assert (await one.post(path, body, key="torn")).body["n"] == n + 1
    assert (await one.post(path, {**body, "command": OFF}, key="torn")).code == "id_reused"
    assert (await commits(cluster, match)).count("torn") == 1


async def test_a_match_is_created_once(cluster: Cluster, http: aiohttp.ClientSession) -> None:
    """The same with the first commit of all: the lobby asks again, and the match has the same dice."""
    api = Api(http, cluster.address)
    one, two = await api.guest(), await api.guest()
    table = (await one.post("/v1/tables", {"game": "backgammon"})).body["id"]
    async with dying_at_the_next_commit(cluster) as stored:
        joining = asyncio.create_task(two.post(f"/v1/tables/{table}/join"))
    joined = await joining
    assert joined.status == 200, joined
    async with asyncio.timeout(10):
        while not joined.body["match"]:
            joined = await two.get(f"/v1/tables/{table}")
    match = joined.body["match"]
    assert match == stored.result()
    assert await commits(cluster, match) == ["create"]
    await both_ready(one, two, match)
