"""The ghost on the real broker with the rights that we ship: it plays, and may not do more than that."""

import asyncio
import os
import secrets
import sys
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager

import pytest
from structlog import get_logger

from services.game.handlers import Game
from services.ghost.app import start
from services.ghost.handlers import Ghost
from services.ghost.thinking import Thinker
from shared.adapters.nats_bucket import NatsBucket
from shared.adapters.nats_connection import Broker
from shared.adapters.nats_log import NatsLog
from shared.commands import MatchCommand, Next, Play, Ready, Roll, Take
from shared.events.codec import decode_match
from shared.events.match import Terms
from shared.match import MatchState, Phase, demands
from shared.service import Context, Now
from shared.settings import Settings
from shared.subjects import GAMES, SECRETS, commands
from shared.wire.match import RefusedAnswer
from tests.conftest import ConnectAs
from tests.support.ghosts import COMPUTER, PERSON, Table, new_table, not_installed
from tests.support.servers import NatsServer


@pytest.fixture
async def game(connect_as: ConnectAs) -> AsyncIterator[None]:
    """A game service with its own rights."""
    broker = await connect_as("game")
    log = NatsLog(broker, GAMES)
    service = Game(log, NatsBucket(broker, SECRETS), Now(), secrets.token_bytes)
    serving = await broker.serve(commands("game"), "game", service.answer)
    await log.get("mnothere", 1)  # whoever has an answer to this is heard of by the broker
    yield
    await serving.close()


def ghost_of(broker: Broker) -> Ghost:
    return Ghost(NatsLog(broker, GAMES), broker, Thinker(not_installed))


async def table_of(connect_as: ConnectAs, *sitting: str, terms: Terms | None = None) -> Table:
    """A match made by the lobby, played and watched by the gateway."""
    gateway, lobby = await connect_as("gateway"), await connect_as("lobby")
    return await new_table(NatsLog(gateway, GAMES), gateway, sitting, terms=terms, creator=lobby)


def first_choice(state: MatchState, seat: int) -> MatchCommand:
    asked = next(d.commands for d in demands(state) if d.seat == seat)
    if "play" in asked:
        return Play(state.rules.legal(state.position, seat)[0])
    answers: dict[str, MatchCommand] = {"ready": Ready(), "next": Next(), "roll": Roll(), "take": Take()}
    return next(command for name, command in answers.items() if name in asked)


@pytest.mark.usefixtures("game")
async def test_a_person_and_the_computer_play_a_match_to_its_end(connect_as: ConnectAs) -> None:
    ghost = ghost_of(await connect_as("ghost"))
    await ghost.start()
    table = await table_of(connect_as, PERSON, COMPUTER, terms=Terms(target=2))
    state = await table.play(first_choice)
    assert max(state.score) >= 2
    await ghost.close()


@pytest.mark.usefixtures("game")
async def test_two_ghosts_share_the_work_and_a_third_goes_on_after_them(connect_as: ConnectAs) -> None:
    first, second = ghost_of(await connect_as("ghost")), ghost_of(await connect_as("ghost"))
    await first.start()
    await second.start()
    tables = [await table_of(connect_as, COMPUTER, COMPUTER, terms=Terms(target=3)) for _ in range(3)]
    await tables[0].wait(lambda s: s.n >= 10)
    await first.close()
    await second.close()
    third = ghost_of(await connect_as("ghost"))
    await third.start()
    log = NatsLog(await connect_as("gateway"), GAMES)
    for table in tables:
        await table.wait(lambda s: s.phase is Phase.OVER)
        ids = [decode_match(stored).command for stored in await log.read(table.match)]
        assert len(ids) == len(set(ids)), "what two of them sent twice counts once"
    await third.close()


async def test_who_thinks_lets_the_event_loop_have_its_turn_soon(connect_as: ConnectAs) -> None:
    usual = sys.getswitchinterval()
    context = Context("ghost", Settings(), await connect_as("ghost"), get_logger(), pytest.fail)
    try:
        stop = await start(context)
        assert sys.getswitchinterval() <= 0.001
        await stop()
    finally:
        sys.setswitchinterval(usual)


@pytest.mark.usefixtures("game")
async def test_the_ghost_may_not_answer_for_a_person(connect_as: ConnectAs) -> None:
    broker = await connect_as("ghost")
    table = await table_of(connect_as, PERSON, COMPUTER)
    as_ghost = Table(NatsLog(broker, GAMES), broker, table.match, table.seats)
    answer = await as_ghost.command(0, Ready(), sender="ghost")
    assert isinstance(answer, RefusedAnswer)
    assert answer.problem.code == "command_not_allowed"
    assert (await table.state()).n == 1


@asynccontextmanager
async def process(server: NatsServer) -> AsyncGenerator[asyncio.subprocess.Process]:
    """The service as it is run."""
    environment = {
        **os.environ,
        "KRONIKA_NATS_URL": server.url,
        "KRONIKA_NATS_PASSWORD": server.passwords["ghost"],
        "KRONIKA_PROBE_PORT": "0",
    }
    running = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "services.ghost", env=environment, stderr=asyncio.subprocess.DEVNULL
    )
    try:
        yield running
    finally:
        if running.returncode is None:
            running.kill()
            await running.wait()


@pytest.mark.usefixtures("game")
async def test_a_killed_process_is_followed_by_one_that_plays_on_and_stops_when_told(
    connect_as: ConnectAs, nats_server: NatsServer
) -> None:
    table = await table_of(connect_as, COMPUTER, COMPUTER, terms=Terms(target=2))
    async with process(nats_server) as killed:
        await table.wait(lambda s: s.n >= 30)
        killed.kill()
        await killed.wait()
    async with process(nats_server) as running:
        await table.wait(lambda s: s.phase is Phase.OVER)
        running.terminate()
        assert await running.wait() == 0
