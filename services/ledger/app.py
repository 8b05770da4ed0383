"""Wiring of the ledger service."""

import os
from functools import partial

from services.ledger.bank import Bank
from services.ledger.handlers import Ledger
from services.ledger.settings import money
from shared.adapters.nats_log import NatsLog
from shared.service import Context, Stop
from shared.subjects import GAMES, LEDGER, commands


async def start(context: Context) -> Stop:
    """Keep accounts until the returned function is awaited. Raises ``SettingsError``."""
    settings = money(os.environ)
    accounts = NatsLog(context.broker, LEDGER, on_consumer=partial(context.health.tell, "accounts"))
    matches = NatsLog(context.broker, GAMES, on_consumer=partial(context.health.tell, "matches"))
    ledger = Ledger(matches, accounts, Bank(accounts, context.now.now_ms), settings)
    await ledger.start()
    serving = await context.broker.serve(commands("ledger"), "ledger", ledger.answer)

    async def stop() -> None:
        await serving.close()
        await ledger.close()

    return stop
