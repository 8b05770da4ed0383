"""The end of a match is delivered again and again, to instances that die when they have paid: paid once."""

import asyncio
import signal

import msgspec
import pytest

from shared import subjects
from shared.adapters.nats_log import NatsLog
from shared.ids import new_id
from shared.wire.ledger import ENCODER, LEDGER_ANSWER, Held
from tests.support.books import settled
from tests.support.ledgers import (
    START,
    books_of,
    commit,
    created,
    duel,
    ended,
    holding,
    ledger_environment,
    nothing_waits,
)
from tests.support.running import program
from tests.support.servers import NatsServer

ACK_WAIT_NS = 1_000_000_000


async def redelivered_soon(server: NatsServer) -> None:
    """What nobody has acknowledged comes again after a second instead of six."""
    async with server.broker("provision_game") as admin:
        info = await admin.request("$JS.API.CONSUMER.INFO.GAMES.ledger", b"", 2_000)
        config = msgspec.json.decode(info)["config"] | {"ack_wait": ACK_WAIT_NS}
        body = msgspec.json.encode({"stream_name": "GAMES", "config": config})
        answer = await admin.request("$JS.API.CONSUMER.DURABLE.CREATE.GAMES.ledger", body, 2_000)
        assert b'"error"' not in answer, answer


@pytest.mark.parametrize("deliveries", [3, pytest.param(7, marks=pytest.mark.nightly)])
async def test_an_end_delivered_again_and_again_to_instances_that_are_killed_is_paid_once(
    own_nats_server: NatsServer, deliveries: int
) -> None:
    server = own_nats_server
    match, players = new_id("m"), (new_id("p"), new_id("p"))
    staked = duel(100, 25)
    async with server.broker("lobby") as lobby, server.broker("game") as game:
        async with program("-m", "services.ledger", **ledger_environment(server, 25)) as running:
            await running.says('"ready"')
            asked = ENCODER.encode(holding(staked, players))
            answer = await lobby.request(f"cmd.lobby.ledger.{match}", asked, 10_000)
            assert LEDGER_ANSWER.decode(answer) == Held(staked)
        await redelivered_soon(server)
        log = NatsLog(game, subjects.GAMES)
        await log.append(match, 1, commit(match, 1, (created(staked, players),)))
        await log.append(match, 2, commit(match, 2, ended(1, 3)))
        deaths = 0
        while deaths < deliveries - 1:
            async with (
                program("-m", "tests.support.mortal_ledger", **ledger_environment(server, 25)) as one,
                program("-m", "tests.support.mortal_ledger", **ledger_environment(server, 25)) as two,
            ):
                for status in await asyncio.gather(one.ends(), two.ends()):
                    assert status == -signal.SIGKILL
                    deaths += 1
        async with program("-m", "services.ledger", **ledger_environment(server, 25)) as survivor:
            await survivor.says('"ready"')
            assert await nothing_waits(server) >= 1 + deliveries
    async with server.broker("ledger") as ledger:
        books = await books_of(ledger)
    settled(books)
    assert [books.balances[player] for player in players] == [START - 100, START + 95]
    assert books.of("house_") == 5
    assert books.purposes["settle"] == 1
