"""Wiring of the rating service."""

import asyncio
import os
from functools import partial
from typing import Final

from services.rating.handlers import DURABLE, Ratings
from services.rating.settings import halving
from shared import subjects
from shared.adapters import redis_standings
from shared.adapters.nats_facts import NatsFacts
from shared.adapters.nats_log import NatsLog
from shared.adapters.redis_standings import RedisStandings
from shared.events.codec import UnreadableLog
from shared.ports.log import LogUnavailable
from shared.ports.standings import ProjectionUnavailable
from shared.service import Context, Stop

REFRESH_S: Final = 5.0


async def start(context: Context) -> Stop:
    """Rate and answer until the returned function is awaited.

    Nothing is answered before the whole rating log was read once. Raises ``SettingsError``.
    """
    broker = context.broker
    redis = redis_standings.connect(context.settings.redis_url.reveal())
    games = NatsLog(broker, subjects.GAMES, on_consumer=partial(context.health.tell, "consumer"))
    ratings = Ratings(games, NatsFacts(broker, subjects.RATINGS), RedisStandings(redis), halving(os.environ))
    await ratings.caught_up()
    serving = await broker.serve(subjects.commands("rating"), "rating", ratings.answer)
    consuming = await games.consume(DURABLE, ratings.on_commit)
    refreshing = asyncio.create_task(_refresh(context, ratings))

    async def stop() -> None:
        refreshing.cancel()
        await asyncio.wait((refreshing,))
        await consuming.close()
        await serving.close()
        await redis.aclose()

    return stop


async def _refresh(context: Context, ratings: Ratings) -> None:
    """Keep the projection near the log, so that no question has to wait for a whole rebuild."""
    while True:
        try:
            fold = await ratings.caught_up()
            await ratings.projector.reach(fold)
        except (LogUnavailable, ProjectionUnavailable, UnreadableLog) as error:
            context.log.warning("leaderboards are not refreshed", why=str(error))
        except Exception as error:
            context.log.exception("unexpected")
            context.fail(f"the leaderboards cannot be kept: {error}")
            return
        await asyncio.sleep(REFRESH_S)
