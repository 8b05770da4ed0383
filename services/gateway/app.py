"""Wiring of the gateway: ports, limits, routes, the server, the heartbeat, the end."""

import asyncio
import contextlib
import os
import random
from collections.abc import Callable
from typing import Final, Protocol

from aiohttp import web

from services.gateway import asyncapi, openapi, page
from services.gateway.auth import Tokens
from services.gateway.dispatch import Dispatch
from services.gateway.gametime import GameTime
from services.gateway.gateway import Documents, Gateway
from services.gateway.invitations import Invitations
from services.gateway.limits import Limits
from services.gateway.router import Router
from services.gateway.routes import ROUTES
from services.gateway.server import Server
from shared import catalogue, subjects, telemetry
from shared.adapters.nats_connection import Broker
from shared.adapters.nats_log import NatsLog
from shared.adapters.redis_client import connect
from shared.adapters.redis_presence import RedisPresence
from shared.ids import new_id
from shared.ports.bus import Bus
from shared.ports.log import EventLog
from shared.ports.presence import Presences, PresenceUnavailable
from shared.service import Context, Stop
from shared.settings import SettingsError, integer
from shared.subjects import GAMES, TABLES
from shared.tokens import load_public

TICK_S: Final = 1.0
DRAIN_SPREAD_MS: Final = 5_000  # clients of a stopping instance come back over so long, not all at once
DRAIN_S: Final = 3.0  # for close frames and answers under way


def build(
    *,
    bus: Bus,
    log: EventLog,
    table_log: EventLog,
    presences: Presences,
    tokens: Tokens,
    now_ms: Callable[[], int],
    saw: Callable[[int], None],
    limits: Limits,
    origins: tuple[str, ...] = (),
    proxies: int = 0,
    main_game: str = "",
) -> Gateway:
    """A gateway over these ports."""
    documents = Documents(openapi.document(ROUTES, limits), asyncapi.document(limits), page.document(ROUTES))
    return Gateway(
        bus=bus,
        log=log,
        table_log=table_log,
        presences=presences,
        tokens=tokens,
        now_ms=now_ms,
        saw=saw,
        limits=limits,
        documents=documents,
        origins=origins,
        proxies=proxies,
        main_game=main_game,
    )


class Running:
    """A gateway that listens."""

    def __init__(self, gateway: Gateway) -> None:
        """Nothing listens before ``listen``."""
        self.gateway = gateway
        self.port = 0
        self._server: Server | None = None
        self._runner: web.ServerRunner | None = None
        self._tasks: list[asyncio.Task[None]] = []

    async def listen(self, host: str, port: int) -> None:
        """Take connections on ``host``:``port`` (0: any free one); raises ``OSError`` if it is taken."""
        gateway = self.gateway
        self._server = Server(Dispatch(gateway, Router(ROUTES)), gateway)
        self._runner = web.ServerRunner(self._server, shutdown_timeout=DRAIN_S)
        await self._runner.setup()
        site = web.TCPSite(self._runner, host, port, backlog=1_024)
        try:
            await site.start()
        except OSError:
            await self._runner.cleanup()
            raise
        self.port = int(self._runner.addresses[0][1])
        self._tasks = [asyncio.create_task(self._tick()), asyncio.create_task(gateway.showing.run())]

    async def stop(self) -> None:
        """Announce it, send everybody away, each with another hint when to come back, then close."""
        gateway = self.gateway
        gateway.draining = True
        await self._announce()
        for socket in list(gateway.sockets):
            socket.drain(random.randrange(DRAIN_SPREAD_MS))  # noqa: S311 - spreads clients, decides nothing
        for stream in list(gateway.streams):
            stream.finish()
        if gateway.sockets:
            await asyncio.wait([s.ended for s in gateway.sockets], timeout=DRAIN_S)
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)
            with contextlib.suppress(PresenceUnavailable):
                await gateway.showing.say()  # who was sent away by us was here until now
        if self._runner is not None:
            await self._runner.cleanup()
        await gateway.watches.close()

    async def _announce(self) -> None:
        """Who is connected has ``notice_ms`` to finish; nobody is waited for once all are gone."""
        sockets = list(self.gateway.sockets)
        notice_ms = self.gateway.limits.notice_ms
        for socket in sockets:
            socket.announce(notice_ms)
        if sockets:
            await asyncio.wait([socket.ended for socket in sockets], timeout=notice_ms / 1000)

    async def _tick(self) -> None:
        loop = asyncio.get_running_loop()
        pause_s = min(TICK_S, self.gateway.limits.heartbeat_ms / 4_000)
        while True:
            await asyncio.sleep(pause_s)
            now = loop.time()
            telemetry.SOCKETS.set(len(self.gateway.sockets))
            telemetry.WATCHED.set(len(self.gateway.watches))
            for socket in list(self.gateway.sockets):
                socket.tick(now)


class StoredMessage(Protocol):
    """What the broker hands on of a stored entry."""

    subject: str
    data: bytes


async def _follow_invitations(broker: Broker, invitations: Invitations) -> Stop:
    """Tell ``invitations`` of every table that is opened; the result stops it."""

    async def on_message(message: StoredMessage) -> None:
        _live, _table, key, n = message.subject.split(".")
        if invited := invitations.invited(int(n), message.data):
            broker.spawn(invitations.show(key, invited))

    following = await broker.subscribe(subjects.live(TABLES, "*"), on_message)

    def again() -> None:
        broker.spawn(invitations.again())

    forget = broker.on_reconnect(again)

    async def stop() -> None:
        forget()
        await following.close()

    return stop


async def start(context: Context) -> Stop:
    """Serve clients until the returned function is awaited."""
    settings = context.settings
    try:
        public_key = load_public(settings.token_public_key())
    except ValueError as error:
        raise SettingsError(f"KRONIKA_TOKEN_PUBLIC_KEY_FILE: {error}.") from error
    game_time = GameTime(context.broker, context.now, context.health)
    asking = context.broker.spawn(game_time.run())
    redis = connect(settings.redis_url.reveal())
    running = Running(
        build(
            bus=context.broker,
            log=NatsLog(context.broker, GAMES),
            table_log=NatsLog(context.broker, TABLES),
            presences=RedisPresence(redis, new_id("g")),
            tokens=Tokens(public_key, context.now.own_ms),
            now_ms=game_time.now_ms,
            saw=game_time.saw,
            limits=Limits.from_environment(os.environ),
            origins=settings.origins,
            proxies=integer(os.environ, "KRONIKA_PROXIES", 0, 0, 10),
            main_game=catalogue.main_game(os.environ),
        )
    )
    following = await _follow_invitations(context.broker, running.gateway.invitations)
    await game_time.known.wait()  # nobody is served before it is known what a stamp is worth
    await running.listen(settings.host, settings.port)
    context.log.info("listening", address=f"http://{settings.host}:{running.port}")

    async def stop() -> None:
        await running.stop()
        await following()
        asking.cancel()
        await redis.aclose()

    return stop
