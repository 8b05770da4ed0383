"""What every event log promises, over the one in memory and the one on a real broker."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass

import pytest

from shared import subjects
from shared.adapters import nats_log
from shared.adapters.memory_log import MemoryLog
from shared.adapters.nats_connection import Reply
from shared.adapters.nats_log import NatsLog
from shared.ids import new_id
from shared.ports.log import Conflict, EventLog
from tests.conftest import ConnectAs
from tests.support.servers import NatsServer
from tests.support.waiting import until


@dataclass
class Logs:
    """The same log as its writer, two more writers, a reader and a consumer see it."""

    writers: list[EventLog]
    reader: EventLog
    consumer: EventLog
    durable: str = "ghost"

    @property
    def writer(self) -> EventLog:
        return self.writers[0]


@pytest.fixture(params=["memory", "nats"])
async def logs(request: pytest.FixtureRequest, connect_as: ConnectAs) -> AsyncIterator[Logs]:
    if request.param == "memory":
        log = MemoryLog()
        yield Logs([log] * 4, log, log)
        return
    writers: list[EventLog] = [NatsLog(await connect_as("game"), subjects.GAMES) for _ in range(4)]
    reader = NatsLog(await connect_as("gateway"), subjects.GAMES)
    yield Logs(writers, reader, NatsLog(await connect_as("ghost"), subjects.GAMES))


@pytest.fixture
def key() -> str:
    return new_id("m")


async def fill(log: EventLog, key: str, first: int, last: int) -> list[bytes]:
    entries = [b'{"n":%d}' % n for n in range(first, last + 1)]
    for n, data in enumerate(entries, first):
        await log.append(key, n, data)
    return entries


async def test_what_was_appended_is_read_in_order(logs: Logs, key: str) -> None:
    entries = await fill(logs.writer, key, 1, 60)
    assert await logs.reader.read(key) == entries
    assert await logs.reader.read(key, 57) == entries[57:]
    assert await logs.reader.read(key, 60) == []
    assert await logs.reader.get(key, 3) == entries[2]
    assert await logs.reader.get(key, 61) is None
    assert await logs.reader.read(new_id("m")) == []


async def test_the_second_entry_at_the_same_n_is_a_conflict(logs: Logs, key: str) -> None:
    await logs.writer.append(key, 1, b"first")
    with pytest.raises(Conflict):
        await logs.writers[1].append(key, 1, b"second")
    assert await logs.reader.read(key) == [b"first"]


async def test_repeating_the_very_same_entry_is_no_conflict(logs: Logs, key: str) -> None:
    await logs.writer.append(key, 1, b"first")
    await logs.writers[1].append(key, 1, b"first")
    assert await logs.reader.read(key) == [b"first"]


async def test_four_racing_writers_never_share_or_skip_a_number(logs: Logs, key: str) -> None:
    async def write(log: EventLog, name: str) -> list[bytes]:
        mine: list[bytes] = []
        while len(mine) < 25:
            n = len(await log.read(key)) + 1
            data = f"{name} {len(mine)}".encode()
            try:
                await log.append(key, n, data)
            except Conflict:
                assert len(await log.read(key, n - 1)) > 0, "the one that won can be seen"
                continue
            mine.append(data)
        return mine

    written = await asyncio.gather(*(write(log, str(i)) for i, log in enumerate(logs.writers)))
    entries = await logs.reader.read(key)
    assert sorted(entries) == sorted(data for mine in written for data in mine)
    assert len(entries) == 100


async def test_a_log_longer_than_one_page_is_read_whole(logs: Logs, key: str) -> None:
    entries = [str(n).encode() for n in range(1, 2_101)]
    for start in range(0, len(entries), 100):
        part = range(start, start + 100)
        await asyncio.gather(*(logs.writer.append(key, i + 1, entries[i]) for i in part))
    assert await logs.reader.read(key) == entries
    assert await logs.reader.read(key, 1_000) == entries[1_000:]
    assert await logs.reader.read(key, 2_090) == entries[2_090:]


async def test_a_follower_gets_what_was_there_and_what_comes(logs: Logs, key: str) -> None:
    entries = await fill(logs.writer, key, 1, 3)
    got: list[tuple[int, bytes]] = []
    late: list[tuple[int, bytes]] = []
    following = await logs.reader.follow(key, 1, lambda n, data: got.append((n, data)))
    assert got == [(2, entries[1]), (3, entries[2])]
    await logs.reader.follow(key, 3, lambda n, data: late.append((n, data)))
    entries += await fill(logs.writer, key, 4, 40)
    await until(lambda: len(got) == 39 and len(late) == 37)
    assert [n for n, _ in got] == list(range(2, 41))
    assert [data for _, data in got] == entries[1:]
    await following.close()
    await fill(logs.writer, key, 41, 42)
    await until(lambda: len(late) == 39)
    assert len(got) == 39


async def test_a_follower_of_a_log_that_does_not_exist_yet_gets_its_first_entry(logs: Logs, key: str) -> None:
    got: list[int] = []
    await logs.reader.follow(key, 0, lambda n, _data: got.append(n))
    await fill(logs.writer, key, 1, 1)
    await until(lambda: got == [1])


async def test_a_follower_that_fails_on_an_entry_gets_the_next_one(logs: Logs, key: str) -> None:
    got: list[int] = []

    def on_entry(n: int, _data: bytes) -> None:
        got.append(n)
        if n == 1:
            raise ValueError("cannot draw this")

    await logs.reader.follow(key, 0, on_entry)
    await fill(logs.writer, key, 1, 2)
    await until(lambda: got == [1, 2])


async def test_a_consumer_gets_every_entry_of_every_log_in_order_per_log(logs: Logs) -> None:
    keys = [new_id("m") for _ in range(20)]
    seen: dict[str, list[int]] = {key: [] for key in keys}

    async def handle(key: str, n: int, _data: bytes) -> None:
        await asyncio.sleep(0)
        if key in seen:
            seen[key].append(n)

    await asyncio.gather(*(fill(logs.writer, key, 1, 10) for key in keys))
    consuming = await logs.consumer.consume(logs.durable, handle)
    await asyncio.gather(*(fill(logs.writer, key, 11, 15) for key in keys))
    await until(lambda: all(numbers == list(range(1, 16)) for numbers in seen.values()))
    await consuming.close()


async def test_an_entry_whose_handler_failed_comes_again_before_the_next_of_its_log(
    logs: Logs, key: str
) -> None:
    seen: list[int] = []

    async def handle(of: str, n: int, _data: bytes) -> None:
        if of == key:
            seen.append(n)
            if seen.count(1) < 3:
                raise ValueError("not today")

    consuming = await logs.consumer.consume(logs.durable, handle)
    await fill(logs.writer, key, 1, 3)
    await until(lambda: len(seen) == 5)
    await consuming.close()
    assert seen == [1, 1, 1, 2, 3]


async def test_a_consumer_that_was_closed_goes_on_where_it_was(logs: Logs, key: str) -> None:
    seen: list[int] = []

    async def handle(of: str, n: int, _data: bytes) -> None:
        if of == key:
            seen.append(n)

    consuming = await logs.consumer.consume(logs.durable, handle)
    await fill(logs.writer, key, 1, 3)
    await until(lambda: len(seen) == 3)
    await consuming.close()
    await fill(logs.writer, key, 4, 5)
    consuming = await logs.consumer.consume(logs.durable, handle)
    await until(lambda: len(seen) == 5)
    await consuming.close()
    assert seen == [1, 2, 3, 4, 5]


async def test_a_scan_gives_everything_in_stored_order(logs: Logs) -> None:
    keys = [new_id("m") for _ in range(30)]
    await asyncio.gather(*(fill(logs.writer, key, 1, 20) for key in keys))
    found: dict[str, list[int]] = {}
    await logs.reader.scan(lambda key, n, _data: found.setdefault(key, []).append(n))
    assert all(found[key] == list(range(1, 21)) for key in keys)


async def test_a_scan_ends_where_the_log_ended_when_it_began(
    connect_as: ConnectAs, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As much is stored as it reads: a scan that chased the end would never be through."""
    broker, batch = await connect_as("lobby"), 16
    log, before, later = NatsLog(broker, subjects.PLAYERS), new_id("p"), new_id("p")
    await fill(log, before, 1, 40)
    monkeypatch.setattr(nats_log, "_SCAN_BATCH", batch)
    ask_many, stored = broker.ask_many, 0

    async def store_and_ask(subject: str, data: bytes, timeout_ms: int) -> list[Reply]:
        nonlocal stored
        await asyncio.gather(*(log.append(later, stored + i, b"{}") for i in range(1, batch + 1)))
        stored += batch
        return await ask_many(subject, data, timeout_ms)

    monkeypatch.setattr(broker, "ask_many", store_and_ask)
    found: list[tuple[str, int]] = []
    async with asyncio.timeout(10):
        await log.scan(lambda key, n, _data: found.append((key, n)))
    assert [n for key, n in found if key == before] == list(range(1, 41))
    assert stored > 0
    assert later not in {key for key, _ in found}


async def test_a_scan_of_an_empty_log_is_through_at_once(own_nats_server: NatsServer) -> None:
    async with own_nats_server.broker("lobby") as broker:
        await NatsLog(broker, subjects.TABLES).scan(print)


@pytest.mark.parametrize("bad", ["", "*", ">", "m.1", "m 1", "m\r\nPUB x 0"])
async def test_a_key_that_would_be_another_subject_is_refused(connect_as: ConnectAs, bad: str) -> None:
    log = NatsLog(await connect_as("game"), subjects.GAMES)
    for call in (log.append(bad, 1, b"x"), log.read(bad), log.get(bad, 1), log.follow(bad, 0, print)):
        with pytest.raises(ValueError, match="not the key"):
            await call
