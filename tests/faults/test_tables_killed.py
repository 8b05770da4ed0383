"""Gateway and lobby are killed while tables become matches: each becomes one match, and it is played."""

import asyncio
from collections import Counter
from typing import Any, Final

import aiohttp
import pytest
from nats.aio.msg import Msg

from shared import subjects
from shared.adapters.nats_log import NatsLog
from shared.events.codec import decode_match, decode_table
from shared.events.match import MatchCreated
from shared.events.table import MatchOpened
from tests.faults.people import crowd, patiently
from tests.faults.told import Figures
from tests.support.api import Api
from tests.support.cluster import Cluster

FULL: Final = 2  # the entry of a table's log with which the last seat is taken


async def one_table(first: Api, second: Api) -> tuple[str, str]:
    """A table and its match, however often the servers are away."""
    opened = await patiently(first, "POST", "/v1/tables", {"game": "backgammon"})
    assert opened.status == 201, opened
    path = f"/v1/tables/{opened.body['id']}"
    joined = await patiently(second, "POST", f"{path}/join")
    assert joined.status == 200, joined
    body: dict[str, Any] = joined.body
    while not body["match"]:
        body = (await patiently(second, "GET", path)).body
    return body["id"], body["match"]


async def made(cluster: Cluster, http: aiohttp.ClientSession, *, tables: int, kills: int) -> str:
    """Kill lobby and gateway in turn, each just when a table has become full. Gives the figures."""
    every = tables // (kills + 1)
    full = 0
    now_full = asyncio.Event()

    async def on_table(message: Msg) -> None:
        nonlocal full
        if int(message.subject.rpartition(".")[2]) == FULL:
            full += 1
            if full % every == 0:
                now_full.set()

    async with cluster.nats.broker("gateway") as broker, crowd(http, cluster.address, pairs=4) as people:
        await broker.subscribe(f"{subjects.LIVE}.table.>", on_table)
        pairs = list(zip(people.persons[::2], people.persons[1::2], strict=True))

        async def one(i: int) -> str:
            first, second = pairs[i % len(pairs)]
            async with gate:
                table, match = await one_table(first.api, second.api)
            await first.sit(match, 0)
            await second.sit(match, 1)
            found[table] = match
            return table

        gate = asyncio.Semaphore(6)
        found: dict[str, str] = {}
        making = [asyncio.create_task(one(i)) for i in range(tables)]
        for kill in range(kills):
            async with asyncio.timeout(60):
                await now_full.wait()
            name = ("lobby", "gateway")[kill % 2]
            cluster.kill(name)
            await asyncio.to_thread(cluster.start, name)
            now_full.clear()
        await asyncio.gather(*making)
        await people.go_on(5)
        await people.rest()
        assert not people.told.wrong, people.told.wrong
        await each_table_is_one_match(cluster, found)
    return f"{kills} kills, {tables} tables; {people.told.figures()}"


async def each_table_is_one_match(cluster: Cluster, found: dict[str, str]) -> None:
    created: Counter[str] = Counter()
    opened: dict[str, list[str]] = {table: [] for table in found}

    def on_game(_match: str, n: int, stored: bytes) -> None:
        event = decode_match(stored).events[0] if n == 1 else None
        if isinstance(event, MatchCreated) and event.table in found:
            created[event.table] += 1

    def on_table(table: str, _n: int, stored: bytes) -> None:
        events = decode_table(stored).events
        opened.get(table, []).extend(event.match for event in events if isinstance(event, MatchOpened))

    async with cluster.nats.broker("audit") as audit, cluster.nats.broker("lobby") as lobby:
        await NatsLog(audit, subjects.GAMES).scan(on_game)
        await NatsLog(lobby, subjects.TABLES).scan(on_table)
    assert created == dict.fromkeys(found, 1)
    assert opened == {table: [match] for table, match in found.items()}


async def test_every_table_becomes_one_match(
    cluster: Cluster, http: aiohttp.ClientSession, figures: Figures
) -> None:
    figures(await made(cluster, http, tables=24, kills=2))


@pytest.mark.nightly
async def test_every_one_of_300_tables_becomes_one_match(
    cluster: Cluster, http: aiohttp.ClientSession, figures: Figures
) -> None:
    figures(await made(cluster, http, tables=300, kills=10))
