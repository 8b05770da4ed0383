"""What the connection promises: answers, no answers, and telling when it is of no more use."""

import asyncio
from typing import Any

import pytest

from shared.adapters.memory_bus import MemoryBus
from shared.adapters.nats_connection import Broker, BrokerUnreachable
from shared.adapters.nats_log import NatsLog
from shared.ids import new_id
from shared.ports.bus import Answer, Bus, NoAnswer
from shared.subjects import GAMES
from tests.conftest import ConnectAs
from tests.support.servers import NatsServer
from tests.support.waiting import until


@pytest.fixture(params=["memory", "nats"])
async def buses(request: pytest.FixtureRequest, connect_as: ConnectAs) -> tuple[Bus, Bus]:
    """The one who asks and the one who answers."""
    if request.param == "memory":
        bus = MemoryBus()
        return bus, bus
    return await connect_as("gateway"), await connect_as("game")


async def test_a_question_gets_its_own_answer(buses: tuple[Bus, Bus]) -> None:
    asker, answerer = buses

    async def answer(subject: str, data: bytes) -> bytes:
        await asyncio.sleep(0.02 if data == b"slow" else 0)
        return f"{subject} {data.decode()}".encode()

    serving = await answerer.serve("cmd.*.game.*", "game", answer)
    subject = f"cmd.gateway.game.{new_id('m')}"
    assert await asker.request(subject, b"hello", 2_000) == f"{subject} hello".encode()
    texts = [b"slow", *(b"%d" % i for i in range(200))]
    answers = await asyncio.gather(*(asker.request(subject, text, 2_000) for text in texts))
    assert answers == [subject.encode() + b" " + text for text in texts]
    await serving.close()


async def test_no_one_there_and_no_answer_in_time_are_told(buses: tuple[Bus, Bus]) -> None:
    asker, answerer = buses
    subject = f"cmd.gateway.game.{new_id('m')}"
    loop = asyncio.get_running_loop()
    before = loop.time()
    with pytest.raises(NoAnswer):
        await asker.request(subject, b"?", 5_000)
    assert loop.time() - before < 1, "that nobody is there is known at once"

    released = asyncio.Event()

    async def never(_subject: str, data: bytes) -> bytes:
        if data == b"fail":
            raise ValueError("no")
        await released.wait()
        return b""

    await answerer.serve("cmd.*.game.*", "game", never)
    for data in (b"hang", b"fail"):
        with pytest.raises(NoAnswer):
            await asker.request(subject, data, 300)
    released.set()


async def test_each_request_goes_to_one_instance_of_the_group(
    connect_as: ConnectAs,
) -> None:
    served = [0, 0]

    def instance(i: int) -> Answer:
        async def answer(_subject: str, _data: bytes) -> bytes:
            served[i] += 1
            return b""

        return answer

    for i in range(2):
        await (await connect_as("game")).serve("cmd.*.game.*", "game", instance(i))
    asker = await connect_as("gateway")
    await asyncio.gather(*(asker.request("cmd.gateway.game.m1", b"", 2_000) for _ in range(100)))
    assert sum(served) == 100
    assert min(served) > 10


async def test_who_serves_is_found_by_the_very_first_request(connect_as: ConnectAs) -> None:
    asker, answerer = await connect_as("gateway"), await connect_as("game")

    async def answer(_subject: str, data: bytes) -> bytes:
        return data

    for _ in range(50):
        subject = f"cmd.gateway.game.{new_id('m')}"
        serving = await answerer.serve(subject, "game", answer)
        assert await asker.request(subject, b"first", 2_000) == b"first"
        await serving.close()


async def test_closing_answers_what_has_arrived(connect_as: ConnectAs) -> None:
    asker, answerer = await connect_as("gateway"), await connect_as("game")
    arrived, closing = 0, asyncio.Event()

    async def answer(_subject: str, data: bytes) -> bytes:
        nonlocal arrived
        arrived += 1
        await closing.wait()
        return data

    await answerer.serve("cmd.*.game.*", "game", answer)
    asking = [asyncio.create_task(asker.request("cmd.gateway.game.m1", b"x", 2_000)) for _ in range(50)]
    await until(lambda: arrived == 50)
    ended = asyncio.create_task(answerer.close())
    await asyncio.sleep(0)  # it has begun
    closing.set()
    await ended
    assert await asyncio.gather(*asking) == [b"x"] * 50


async def test_a_wrong_password_is_told_in_a_sentence(nats_server: NatsServer) -> None:
    with pytest.raises(BrokerUnreachable, match=r"gateway.*Authorization"):
        await Broker(nats_server.url, user="gateway", password="wrong").connect()  # noqa: S106 - it is none


async def test_a_violated_right_ends_the_connection_for_good(nats_server: NatsServer) -> None:
    told: list[str] = []
    broker = Broker(
        nats_server.url,
        user="gateway",
        password=nats_server.passwords["gateway"],
        on_closed=lambda: told.append("closed"),
    )
    await broker.connect()
    with pytest.raises(NoAnswer, match="ermissions"):
        await broker.request("cmd.clock.game.m1", b"", 5_000)
    assert broker.closed is not None
    assert "cmd.clock.game.m1" in await broker.closed
    assert told == ["closed"]
    await broker.close()


async def test_an_answer_that_comes_too_late_for_the_broker_is_lost_and_nothing_else(
    connect_as: ConnectAs,
) -> None:
    answerer = await connect_as("game")
    await answerer.publish("_R_.forgotten.1", b"an answer")  # as the broker names an inbox of another account
    assert await NatsLog(answerer, GAMES).get("m0000000", 1) is None  # the broker's word has come by now
    assert answerer.closed is not None
    assert not answerer.closed.done()


async def test_a_dead_read_loop_is_noticed_and_replaced(connect_as: ConnectAs) -> None:
    asker, answerer = await connect_as("gateway"), await connect_as("game")

    async def answer(_subject: str, data: bytes) -> bytes:
        return data

    await answerer.serve("cmd.*.game.*", "game", answer)
    assert await asker.request("cmd.gateway.game.m1", b"once", 2_000) == b"once"
    client: Any = asker._nats  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - to kill it as a bug would
    reading: asyncio.Task[None] = client._reading_task  # noqa: SLF001 - as above
    reading.cancel()
    await until(reading.done)
    assert asker.is_connected, "nats-py does not notice"
    renewed = asyncio.Event()
    asker.on_reconnect(renewed.set)
    async with asyncio.timeout(8):
        await renewed.wait()
    assert await asker.request("cmd.gateway.game.m1", b"again", 2_000) == b"again"


async def test_closing_does_not_raise_while_reconnecting(own_nats_server: NatsServer) -> None:
    broker = Broker(own_nats_server.url, user="game", password=own_nats_server.passwords["game"])
    await broker.connect()

    async def answer(_subject: str, data: bytes) -> bytes:
        return data

    await broker.serve("cmd.*.game.*", "game", answer)
    own_nats_server.process.kill()
    await until(lambda: not broker.is_connected)
    with pytest.raises(NoAnswer):
        await broker.request("$JS.API.STREAM.INFO.GAMES", b"", 5_000)
    await broker.close()
    own_nats_server.process.start()


@pytest.mark.parametrize("steps", [0, 1, 2, 3, 5, 8, 12, 20, 40, 80, 160])
async def test_who_is_told_to_stop_while_it_connects_leaves_nothing_behind(
    nats_server: NatsServer, steps: int
) -> None:
    broker = Broker(nats_server.url, user="game", password=nats_server.passwords["game"])
    before = asyncio.all_tasks()
    connecting = asyncio.create_task(broker.connect())
    for _ in range(steps):
        await asyncio.sleep(0)
    connecting.cancel()
    await asyncio.wait((connecting,))
    if not connecting.cancelled():  # it was quicker
        await broker.close()
    await until(lambda: asyncio.all_tasks() <= before)
    assert not broker.is_connected
