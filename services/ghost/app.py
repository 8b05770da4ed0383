"""Wiring of the ghost service."""

from functools import partial

from services.ghost.handlers import Ghost
from services.ghost.thinking import Thinker
from shared.adapters.nats_log import NatsLog
from shared.service import Context, Stop
from shared.subjects import GAMES


async def start(context: Context) -> Stop:
    """Play until the returned function is awaited: it lets every command that was sent have its answer.

    Without its consumer it is not ready.
    """
    log = NatsLog(context.broker, GAMES, on_consumer=partial(context.health.tell, "consumer"))
    ghost = Ghost(log, context.broker, Thinker())
    await ghost.start()
    return ghost.close
