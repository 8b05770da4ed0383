"""Wiring of the tournament service."""

import asyncio
from functools import partial
from typing import Final

from services.tournament.board import Board
from services.tournament.handlers import DURABLE, Tournaments
from services.tournament.lobby import Lobby
from services.tournament.office import Office
from shared import subjects
from shared.adapters.nats_facts import NatsFacts
from shared.adapters.nats_log import NatsLog
from shared.ports.log import LogUnavailable
from shared.service import Context, Stop

LOOK_S: Final = 1.0
"""So often it is looked whether another instance, or an earlier run, has left something to be done."""


async def start(context: Context) -> Stop:
    """Hold tournaments until the returned function is awaited."""
    broker, now_ms = context.broker, context.now.now_ms
    board, lobby = Board(NatsFacts(broker, subjects.TOURNAMENTS)), Lobby(broker)
    office = Office(log=NatsLog(broker, subjects.TOURNAMENTS), board=board, lobby=lobby, now_ms=now_ms)
    matches = NatsLog(broker, subjects.GAMES, on_consumer=partial(context.health.tell, "consumer"))
    tournaments = Tournaments(matches=matches, board=board, office=office, lobby=lobby)
    await board.catch_up()
    serving = await broker.serve(subjects.commands("tournament"), "tournament", tournaments.answer)
    consuming = await matches.consume(DURABLE, tournaments.on_commit)
    working = asyncio.create_task(_work(context, tournaments))

    async def stop() -> None:
        working.cancel()
        await asyncio.wait((working,))
        await consuming.close()
        await serving.close()

    return stop


async def _work(context: Context, tournaments: Tournaments) -> None:
    while True:
        tournaments.due.clear()
        try:
            await tournaments.work()
            await tournaments.expire(context.now.now_ms())
        except LogUnavailable as error:
            context.log.warning("rounds are put off", why=str(error))
        except Exception as error:
            context.log.exception("unexpected")
            context.fail(f"the rounds cannot go on: {error}")
            return
        try:
            async with asyncio.timeout(LOOK_S):
                await tournaments.due.wait()
        except TimeoutError:
            pass
