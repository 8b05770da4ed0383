"""Wiring: ports to adapters, requests to handlers, and the sweep that finishes what was interrupted."""

import asyncio
import os
from collections.abc import Awaitable, Callable
from typing import Final

from services.lobby.accounts import Accounts, Secrets
from services.lobby.feed import Feed, keep_live
from services.lobby.handlers import Handlers
from services.lobby.links import Links
from services.lobby.passwords import Passwords
from services.lobby.sessions import Sessions
from services.lobby.settings import Waits
from services.lobby.standings import RatingStandings
from services.lobby.tables import Tables
from shared import subjects, tokens
from shared.adapters import redis_throttle
from shared.adapters.nats_bucket import NatsBucket
from shared.adapters.nats_log import NatsLog
from shared.adapters.redis_presence import RedisPresence
from shared.adapters.redis_throttle import RedisThrottle
from shared.catalogue import main_game
from shared.ports.log import LogUnavailable
from shared.service import Context
from shared.settings import SettingsError
from shared.stakes import stakes_on

SWEEP_S: Final = 5.0


async def start(context: Context) -> Callable[[], Awaitable[None]]:
    """Start the lobby; the result stops it."""
    settings, broker, now_ms = context.settings, context.broker, context.now.now_ms
    try:
        signing_key = tokens.load_private(settings.token_key())
    except ValueError as error:
        raise SettingsError(f"KRONIKA_TOKEN_KEY_FILE: {error}.") from error
    pepper = settings.pepper()
    redis = redis_throttle.connect(settings.redis_url.reveal())
    refresh = NatsBucket(broker, subjects.REFRESH)
    accounts = Accounts(
        log=NatsLog(broker, subjects.PLAYERS),
        keys=NatsBucket(broker, subjects.KEYS),
        names=NatsBucket(broker, subjects.NAMES),
        sessions=Sessions(refresh, signing_key, pepper, context.now.own_ms),
        passwords=await asyncio.to_thread(Passwords),
        throttle=RedisThrottle(redis),
        secrets=Secrets(pepper, _text(settings.bot_key()), _text(settings.audit_key())),
        now_ms=now_ms,
    )
    log = NatsLog(broker, subjects.TABLES)
    waits = Waits.from_environment(os.environ)
    tables = Tables(
        log=log,
        bus=broker,
        accounts=accounts,
        standings=RatingStandings(broker),
        presences=RedisPresence(redis),
        aims=refresh,  # which forgets by itself, after more than a day
        links=Links(pepper),
        now_ms=now_ms,
        main_game=main_game(os.environ),
        expiry_ms=waits.expiry_ms,
        grace_ms=waits.grace_ms,
        stakes=stakes_on(os.environ),
    )
    stop_feed = await keep_live(broker, Feed(log, tables.listing))
    serving = await broker.serve(subjects.commands("lobby"), "lobby", Handlers(accounts, tables).answer)
    sweeping = asyncio.create_task(_sweep(context, tables))

    async def stop() -> None:
        sweeping.cancel()
        await asyncio.wait((sweeping,))
        await serving.close()
        await stop_feed()
        await redis.aclose()

    return stop


async def _sweep(context: Context, tables: Tables) -> None:
    while True:
        try:
            await tables.sweep()
        except LogUnavailable as error:
            context.log.warning("the sweep is put off", why=str(error))
        except Exception as error:
            context.log.exception("unexpected")
            context.fail(f"the sweep failed: {error}")
            return
        await asyncio.sleep(SWEEP_S)


def _text(key: bytes | None) -> str:
    return "" if key is None else key.decode(errors="replace")
