"""What is too much or too late is dropped and counted; it does not age where nobody sees it."""

import asyncio
import time

import pytest
from nats.aio.client import Client
from nats.aio.msg import Msg
from prometheus_client import REGISTRY
from structlog.testing import capture_logs

from shared.adapters import nats_serving
from shared.adapters.nats_serving import Serving
from shared.ports.bus import NoAnswer
from tests.conftest import ConnectAs
from tests.support.servers import NatsServer
from tests.support.waiting import until

SUBJECT = "cmd.gateway.game.m1"


def dropped(why: str) -> float:
    return REGISTRY.get_sample_value("kronika_requests_dropped_total", {"why": why}) or 0.0


async def test_what_is_too_much_is_dropped_and_found_by_its_repeat(
    connect_as: ConnectAs, monkeypatch: pytest.MonkeyPatch
) -> None:
    asker, answerer = await connect_as("gateway"), await connect_as("game")
    monkeypatch.setattr(nats_serving, "_CONCURRENT", 5)
    before, seen, released = dropped("full"), list[bytes](), asyncio.Event()

    async def answer(_subject: str, data: bytes) -> bytes:
        seen.append(data)
        await released.wait()
        return data

    await answerer.serve("cmd.*.game.*", "game", answer)
    texts = [b"%d" % i for i in range(5)]
    asking = [asyncio.create_task(asker.request(SUBJECT, text, 5_000)) for text in texts]
    await until(lambda: len(seen) == 5)
    with pytest.raises(NoAnswer):
        await asker.request(SUBJECT, b"too much", 200)
    released.set()
    assert await asyncio.gather(*asking) == texts
    assert seen == texts, "it was not kept to be done later"
    assert dropped("full") == before + 1
    assert await asker.request(SUBJECT, b"too much", 2_000) == b"too much"


async def test_answers_whose_connection_broke_meanwhile_are_lost_in_one_calm_line(
    own_nats_server: NatsServer,
) -> None:
    before, inside, released = dropped("lost"), list[bytes](), asyncio.Event()

    async def answer(_subject: str, data: bytes) -> bytes:
        inside.append(data)
        if data == b"slow":
            await released.wait()
        return data

    async with own_nats_server.broker("game") as answerer, own_nats_server.broker("gateway") as asker:
        renewed = [asyncio.Event(), asyncio.Event()]
        for broker, event in zip((answerer, asker), renewed, strict=True):
            broker.on_reconnect(event.set)
        await answerer.serve("cmd.*.game.*", "game", answer)
        asking = [asyncio.create_task(asker.request(SUBJECT, b"slow", 8_000)) for _ in range(20)]
        await until(lambda: len(inside) == 20)
        with capture_logs() as logs:
            await asyncio.to_thread(own_nats_server.kill_and_restart)
            for event in renewed:
                await event.wait()
            released.set()
            assert await asker.request(SUBJECT, b"next", 5_000) == b"next"
            assert await answerer.ask("$JS.API.STREAM.INFO.GAMES", b"", 5_000), "no word about rights since"
        assert all(isinstance(e, NoAnswer) for e in await asyncio.gather(*asking, return_exceptions=True))
        told = [line for line in logs if line.get("user") == "game" and line["event"] != "broker"]
        assert [(line["event"], line["log_level"]) for line in told] == [
            ("disconnected", "info"),
            ("reconnected", "info"),
        ]
        assert told[0]["answers_lost"] == 20
        assert {line["log_level"] for line in logs} == {"info"}
        assert dropped("lost") == before + 20


async def test_what_waited_longer_than_an_answer_may_take_is_not_begun(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(nats_serving, "_ANSWER_S", 0.05)
    before, seen, answers = dropped("late"), list[bytes](), list[bytes]()

    async def answer(_subject: str, data: bytes) -> bytes:
        seen.append(data)
        return data

    async def publish(_subject: str, data: bytes) -> None:
        answers.append(data)

    serving = Serving(publish, answer, lambda _serving: None)
    await serving.on_request(Msg(Client(), SUBJECT, "_INBOX_gateway.1", b"late"))
    time.sleep(0.06)  # noqa: ASYNC251 - the process stands still, as it may
    await serving.on_request(Msg(Client(), SUBJECT, "_INBOX_gateway.2", b"in time"))
    await serving.close()
    assert seen == answers == [b"in time"]
    assert dropped("late") == before + 1
