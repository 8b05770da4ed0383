"""A log that was tampered with, or that a newer version wrote, stops its own match and nothing else."""

import asyncio
from typing import Any

import aiohttp
import msgspec
import pytest

from shared import subjects
from shared.adapters.nats_log import NatsLog
from shared.events.base import chain_hash
from tests.support.api import Api, Socket
from tests.support.cluster import Cluster
from tests.support.player import ready_both

ON = {"type": "set_auto_roll", "on": True}
HEALTHY = ("lobby", "game", "gateway")


async def begun(one: Api, two: Api) -> str:
    """A match that both are ready for."""
    match = await one.match_with(two)
    async with one.socket() as first, two.socket() as second:
        await first.watch(match)
        await second.watch(match)
        await ready_both(match, first, second)
    return match


async def append_from_the_future(cluster: Cluster, match: str) -> None:
    """A commit as a newer version would write it: chained as it must be, with an event unknown here."""
    async with cluster.nats.broker("game") as broker:
        log = NatsLog(broker, subjects.GAMES)
        stored = await log.read(match)
        commit: dict[str, Any] = msgspec.json.decode(stored[-1])
        commit |= {
            "n": len(stored) + 1,
            "prev": chain_hash(stored[-1]),
            "command": "future",
            "events": [{"type": "time_travelled", "seat": 0}],
        }
        await log.append(match, len(stored) + 1, msgspec.json.encode(commit))


async def rewrite(cluster: Cluster, match: str, n: int) -> None:
    """Change one commit in the store, as only somebody with the provisioner's and the game's rights can."""
    async with cluster.nats.broker("provision_game") as provisioner, cluster.nats.broker("game") as game:
        log = NatsLog(game, subjects.GAMES)
        commit: dict[str, Any] = msgspec.json.decode((await log.read(match))[n - 1])
        body = msgspec.json.encode({"filter": subjects.entry(subjects.GAMES, match, n)})
        await provisioner.request("$JS.API.STREAM.PURGE.GAMES", body, 5_000)
        await log.append(match, n, msgspec.json.encode(commit | {"arrived_ms": commit["arrived_ms"] - 1}))


async def is_unreadable(one: Api, socket: Socket, match: str) -> None:
    """Whatever is asked about it is answered with 503 ``unreadable_log``."""
    for path in ("", "/legal"):
        answer = await one.get(f"/v1/matches/{match}{path}")
        assert (answer.status, answer.code) == (503, "unreadable_log"), answer
        assert "Retry-After" in answer.headers
    body = {"expected": 3, "command": ON}
    answer = await one.post(f"/v1/matches/{match}/commands", body)
    assert (answer.status, answer.code) == (503, "unreadable_log"), answer
    refused = await socket.watch(match)
    assert refused["problem"]["code"] == "unreadable_log"
    refused = await socket.command(match, ON, 3)
    assert refused["problem"]["code"] == "unreadable_log"


async def goes_on(socket: Socket, match: str) -> None:
    """The player's other match takes commands and shows views, over the same socket."""
    watching = await socket.watch(match)
    for on in (True, False):
        answer = await socket.command(match, ON | {"on": on}, watching["n"])
        assert answer["type"] == "view", answer


async def test_an_unknown_event_stops_its_match_only(cluster: Cluster, http: aiohttp.ClientSession) -> None:
    api = Api(http, cluster.address)
    one, two = await api.guest(), await api.guest()
    match, other = await begun(one, two), await begun(one, two)
    async with one.socket() as socket:
        n = (await socket.watch(match))["n"]
        await append_from_the_future(cluster, match)
        told = await socket.get(lambda f: f["type"] == "refused" and f.get("match") == match)
        assert (told["problem"]["code"], told["problem"]["n"]) == ("unreadable_log", n)
        await is_unreadable(one, socket, match)
        await goes_on(socket, other)
    for name in HEALTHY:
        assert cluster.processes[name].running


async def test_a_rewritten_commit_stops_its_match_only(cluster: Cluster, http: aiohttp.ClientSession) -> None:
    api = Api(http, cluster.address)
    one, two = await api.guest(), await api.guest()
    match, other = await begun(one, two), await begun(one, two)
    await rewrite(cluster, match, 2)
    await asyncio.to_thread(cluster.restart, "game")  # what is in memory was read before the deed
    async with one.socket() as socket:
        await is_unreadable(one, socket, match)
        await goes_on(socket, other)
    for name in HEALTHY:
        assert cluster.processes[name].running


@pytest.mark.parametrize("n", [1, 2])
async def test_a_lost_commit_is_not_taken_for_the_end(
    cluster: Cluster, http: aiohttp.ClientSession, n: int
) -> None:
    """A hole in the store, as damage leaves it: the match stands still; nothing is written there."""
    api = Api(http, cluster.address)
    one, two = await api.guest(), await api.guest()
    match = await begun(one, two)
    async with cluster.nats.broker("provision_game") as provisioner:
        body = msgspec.json.encode({"filter": subjects.entry(subjects.GAMES, match, n)})
        await provisioner.request("$JS.API.STREAM.PURGE.GAMES", body, 5_000)
    await asyncio.to_thread(cluster.restart, "game")
    for expected in range(1, 4):
        answer = await one.post(f"/v1/matches/{match}/commands", {"expected": expected, "command": ON})
        assert answer.status == 503, answer
    assert (await one.get(f"/v1/matches/{match}")).status == 503
    async with cluster.nats.broker("audit") as audit:
        assert await NatsLog(audit, subjects.GAMES).get(match, n) is None
