"""Wiring of the game service."""

import secrets

from services.game.cover import LedgerCovers
from services.game.handlers import UNSTORED, Game
from services.game.pulse import ATTEMPT_MS, Pulse
from shared.adapters.nats_bucket import NatsBucket
from shared.adapters.nats_log import NatsLog
from shared.adapters.nats_register import NatsRegister
from shared.service import Context, Stop
from shared.subjects import GAMES, PULSE, PULSE_OF_GAME, SECRETS, TIME_OF_GAME, commands


async def start(context: Context) -> Stop:
    """Serve commands until the returned function is awaited: it finishes what is in flight."""
    register = NatsRegister(context.broker, PULSE, PULSE_OF_GAME, ATTEMPT_MS)
    pulse = Pulse(register, context.now, context.health)
    game = Game(
        NatsLog(context.broker, GAMES),
        NatsBucket(context.broker, SECRETS),
        context.now,
        secrets.token_bytes,
        context.health,
        pulse=pulse,
        covers=LedgerCovers(context.broker),
    )
    # Another connection, another broker perhaps: what the last one could not store says nothing about it.
    context.broker.on_reconnect(lambda: context.health.clear(UNSTORED))
    await pulse.start()  # nobody is served before it is known how long nobody was
    serving = await context.broker.serve(commands("game"), "game", game.answer)
    telling = await context.broker.serve(TIME_OF_GAME, "", pulse.on_question)  # all instances hear each knock

    async def stop() -> None:
        await serving.close()
        await telling.close()
        await pulse.close()

    return stop
