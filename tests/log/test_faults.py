"""What the log promises when messages, answers, connections, the broker or the process are lost."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest
from nats.aio.msg import Msg

from shared import subjects
from shared.adapters.nats_connection import Broker
from shared.adapters.nats_log import NatsLog
from shared.ids import new_id
from shared.ports.log import Conflict, LogUnavailable
from tests.conftest import ConnectAs
from tests.support.proxy import Proxy
from tests.support.servers import NatsServer
from tests.support.waiting import until


@asynccontextmanager
async def through_proxy(server: NatsServer, user: str) -> AsyncGenerator[tuple[Proxy, Broker]]:
    async with Proxy(int(server.url.rpartition(":")[2])) as proxy:
        broker = Broker(proxy.url, user=user, password=server.passwords[user])
        await broker.connect()
        try:
            yield proxy, broker
        finally:
            await broker.close()


def lose_answers(subject: str) -> bool:
    return subject.startswith("_INBOX_")


async def test_an_append_whose_answer_is_lost_is_found_stored(
    nats_server: NatsServer, connect_as: ConnectAs
) -> None:
    key = new_id("m")
    elsewhere = NatsLog(await connect_as("gateway"), subjects.GAMES)
    async with through_proxy(nats_server, "game") as (proxy, broker):
        proxy.lose = lose_answers
        appending = asyncio.create_task(NatsLog(broker, subjects.GAMES).append(key, 1, b"mine"))
        while await elsewhere.get(key, 1) is None:
            assert not appending.done()
        proxy.lose = lambda _subject: False
        proxy.cut()
        await appending
    assert await elsewhere.read(key) == [b"mine"]


async def test_an_append_whose_answer_is_lost_and_that_lost_the_race_is_a_conflict(
    nats_server: NatsServer, connect_as: ConnectAs
) -> None:
    key = new_id("m")
    await NatsLog(await connect_as("game"), subjects.GAMES).append(key, 1, b"theirs")
    async with through_proxy(nats_server, "game") as (proxy, broker):
        lost = asyncio.Event()

        def lose(payload: bytes) -> bool:
            if b"wrong last sequence" not in payload:
                return False
            lost.set()
            return True

        proxy.lose_payload = lose
        log = NatsLog(broker, subjects.GAMES)
        appending = asyncio.create_task(log.append(key, 1, b"mine"))
        await lost.wait()
        proxy.lose_payload = lambda _payload: False
        proxy.cut()
        with pytest.raises(Conflict):
            await appending
        assert await log.read(key) == [b"theirs"]


async def test_an_append_while_the_broker_stands_still_succeeds_once(
    own_nats_server: NatsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = new_id("m")
    async with own_nats_server.broker("game") as broker:
        log = NatsLog(broker, subjects.GAMES)
        await log.append(key, 1, b"before")
        asks = 0
        ask = broker.ask

        async def counted(
            subject: str, data: bytes, timeout_ms: int, headers: dict[str, str] | None = None
        ) -> Msg:
            nonlocal asks
            asks += 1
            return await ask(subject, data, timeout_ms, headers)

        monkeypatch.setattr(broker, "ask", counted)
        own_nats_server.process.pause()
        appending = asyncio.create_task(log.append(key, 2, b"during"))
        await until(lambda: asks > 1)  # without an answer the log is asked what became of the append
        own_nats_server.process.resume()
        await appending
        assert await log.read(key) == [b"before", b"during"]


async def test_an_append_without_a_broker_says_that_the_log_is_unavailable(
    own_nats_server: NatsServer,
) -> None:
    key = new_id("m")
    async with own_nats_server.broker("game") as broker:
        log = NatsLog(broker, subjects.GAMES)
        own_nats_server.process.kill()
        with pytest.raises(LogUnavailable):
            await log.append(key, 1, b"lost")
        own_nats_server.process.start()
        await log.append(key, 1, b"kept")
        assert await log.read(key) == [b"kept"]


async def test_acknowledged_appends_survive_kill_9(own_nats_server: NatsServer) -> None:
    acknowledged: dict[str, int] = {}
    async with own_nats_server.broker("game") as broker:
        log = NatsLog(broker, subjects.GAMES)
        ending = asyncio.Event()

        async def write(key: str) -> None:
            n = 0
            while not ending.is_set():
                n += 1
                await log.append(key, n, b"%s %d" % (key.encode(), n))
                acknowledged[key] = n

        keys = [new_id("m") for _ in range(32)]
        writing = [asyncio.create_task(write(key)) for key in keys]
        for _ in range(3):
            so_far = sum(acknowledged.values())
            await until(lambda least=so_far + 500: sum(acknowledged.values()) > least)
            await asyncio.to_thread(own_nats_server.kill_and_restart)
        ending.set()
        await asyncio.gather(*writing)
        for key in keys:
            entries = await log.read(key)
            assert entries == [b"%s %d" % (key.encode(), n) for n in range(1, acknowledged[key] + 1)]


async def test_lost_live_messages_are_repaired_in_order(
    nats_server: NatsServer, connect_as: ConnectAs
) -> None:
    key = new_id("m")
    writer = NatsLog(await connect_as("game"), subjects.GAMES)
    got: list[bytes] = []
    async with through_proxy(nats_server, "gateway") as (proxy, broker):
        lost = {f"live.game.{key}.{n}" for n in (3, 4, 8)}
        proxy.lose = lost.__contains__
        await NatsLog(broker, subjects.GAMES).follow(key, 0, lambda _n, data: got.append(data))
        for n in range(1, 8):
            await writer.append(key, n, b"%d" % n)
        await until(lambda: len(got) == 7, 1)  # the gap shows with the next message
        await writer.append(key, 8, b"8")
        await until(lambda: len(got) == 8, 4)  # the last one is missed by nobody but the probe
    assert got == [b"%d" % n for n in range(1, 9)]


async def test_a_follower_lives_through_a_restart_of_the_broker(own_nats_server: NatsServer) -> None:
    key = new_id("m")
    got: list[int] = []
    async with own_nats_server.broker("gateway") as reader, own_nats_server.broker("game") as game:
        writer = NatsLog(game, subjects.GAMES)
        await NatsLog(reader, subjects.GAMES).follow(key, 0, lambda n, _data: got.append(n))
        await writer.append(key, 1, b"1")
        await asyncio.to_thread(own_nats_server.kill_and_restart)
        for n in range(2, 20):
            await writer.append(key, n, b"%d" % n)
        await until(lambda: len(got) == 19)
    assert got == list(range(1, 20))


async def test_an_entry_comes_again_when_the_process_dies_in_its_handler(own_nats_server: NatsServer) -> None:
    key = new_id("m")
    started = asyncio.Event()
    seen: list[int] = []

    async def die(_key: str, _n: int, _data: bytes) -> None:
        started.set()
        await asyncio.Event().wait()

    async def handle(_key: str, n: int, _data: bytes) -> None:
        seen.append(n)

    async with own_nats_server.broker("game") as game, own_nats_server.broker("ghost") as survivor:
        async with Proxy(int(own_nats_server.url.rpartition(":")[2])) as proxy:
            dying = Broker(proxy.url, user="ghost", password=own_nats_server.passwords["ghost"])
            await dying.connect()
            await NatsLog(dying, subjects.GAMES).consume("ghost", die)
            await NatsLog(game, subjects.GAMES).append(key, 1, b"1")
            await started.wait()
        # the proxy is gone: neither an acknowledgement nor "still working" reaches the broker any more
        consuming = await NatsLog(survivor, subjects.GAMES).consume("ghost", handle)
        await until(lambda: seen == [1], 12)
        await consuming.close()


async def test_a_consumer_lives_through_a_restart_of_the_broker(own_nats_server: NatsServer) -> None:
    key = new_id("m")
    seen: set[int] = set()

    async def handle(_key: str, n: int, _data: bytes) -> None:
        seen.add(n)

    async with own_nats_server.broker("game") as game, own_nats_server.broker("ghost") as ghost:
        writer = NatsLog(game, subjects.GAMES)
        consuming = await NatsLog(ghost, subjects.GAMES).consume("ghost", handle)
        for n in range(1, 10):
            await writer.append(key, n, b"%d" % n)
        await asyncio.to_thread(own_nats_server.kill_and_restart)
        for n in range(10, 20):
            await writer.append(key, n, b"%d" % n)
        await until(lambda: seen == set(range(1, 20)))
        await consuming.close()
