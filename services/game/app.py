"""Wiring of the game service."""

import secrets

from services.game.handlers import UNSTORED, Game
from shared.adapters.nats_bucket import NatsBucket
from shared.adapters.nats_log import NatsLog
from shared.service import Context, Stop
from shared.subjects import GAMES, SECRETS, commands


async def start(context: Context) -> Stop:
    """Serve commands until the returned function is awaited: it finishes what is in flight."""
    game = Game(
        NatsLog(context.broker, GAMES),
        NatsBucket(context.broker, SECRETS),
        context.now,
        secrets.token_bytes,
        context.health,
    )
    # Another connection, another broker perhaps: what the last one could not store says nothing about it.
    context.broker.on_reconnect(lambda: context.health.clear(UNSTORED))
    serving = await context.broker.serve(commands("game"), "game", game.answer)
    return serving.close
