"""Wiring of the clock service."""

from functools import partial

from services.clock.absence import Absences
from services.clock.handlers import Clock
from shared.adapters.nats_log import NatsLog
from shared.adapters.nats_timers import NatsTimers
from shared.adapters.redis_client import connect
from shared.adapters.redis_presence import RedisPresence
from shared.service import Context, Stop
from shared.subjects import GAMES


async def start(context: Context) -> Stop:
    """Watch deadlines and presence until the returned function is awaited."""
    timers = NatsTimers(context.broker, context.now, partial(context.health.tell, "timers"))
    log = NatsLog(context.broker, GAMES, on_consumer=partial(context.health.tell, "consumer"))
    clock = Clock(log, context.broker, timers, context.now)
    redis = connect(context.settings.redis_url.reveal())
    absences = Absences(RedisPresence(redis), timers, context.broker, context.now, clock.newest)
    clock.absences = absences
    timers.on_set = clock.look_again
    await clock.start()
    absences.start()

    async def stop() -> None:
        await absences.close()
        await clock.close()
        await redis.aclose()

    return stop
