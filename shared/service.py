"""The one shape of a process: settings, logs, broker, probes, metrics, one notion of now, an orderly end.

``run(name, start)`` is the whole ``__main__`` of a service. It ends with status 0 after a signal, and with
another one when the process cannot go on (wrong settings, wrong streams, a broker connection that is closed
for good), so that whoever supervises it starts it anew.
"""

import asyncio
import errno
import gc
import os
import signal
import sys
import threading
import time
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from aiohttp import web
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from structlog.typing import FilteringBoundLogger

from shared import telemetry
from shared.adapters import word_lists
from shared.adapters.nats_connection import Broker, BrokerUnreachable
from shared.adapters.nats_provision import WrongServer, check_streams
from shared.adapters.nats_reading import Reading
from shared.settings import Settings, SettingsError, from_environment

EXIT_SETTINGS: Final = 2  # as a shell's usage error: starting again cannot help
EXIT_LOST: Final = 70  # the connection is closed for good, or a part of the service died
EXIT_PORT_TAKEN: Final = 98  # as errno EADDRINUSE
MOST_OFFSET_MS: Final = 100  # between our clock and a faster one's commits
_CLOSE_S: Final = 2.0
_RETRY_S: Final = 0.5

T = TypeVar("T")
Stop = Callable[[], Awaitable[None]]


class Now:
    """The one notion of now: wall clock at start plus monotonic clock, never behind a commit it saw.

    A stepped host clock changes nothing. When a commit from a faster instance is seen, this clock moves on
    to it and runs on from there, so time neither goes back nor stands still. ``own_ms`` is the same without
    what others' clocks have pushed it on.
    """

    __slots__ = ("_base_ns", "_monotonic_ns", "_pushed_ns", "far")

    def __init__(
        self,
        wall_ns: Callable[[], int] = time.time_ns,
        monotonic_ns: Callable[[], int] = time.monotonic_ns,
    ) -> None:
        """Read the wall clock once; from here on only the monotonic clock counts."""
        self._monotonic_ns = monotonic_ns
        self._base_ns = wall_ns() - monotonic_ns()
        self._pushed_ns = 0
        self.far: Callable[[int], None] | None = None
        """Called once, with the ms, when this clock was pushed on by more than ``MOST_OFFSET_MS``."""

    def now_ms(self) -> int:
        """Milliseconds since 1970, never less than before and never behind a commit that was seen."""
        return (self._base_ns + self._monotonic_ns() + self._pushed_ns) // 1_000_000

    def own_ms(self) -> int:
        """Milliseconds since 1970 by our own clock alone: for what another's wrong clock must not end."""
        return (self._base_ns + self._monotonic_ns()) // 1_000_000

    def pushed_ms(self) -> float:
        """How far commits that were seen have pushed this clock on."""
        return self._pushed_ns / 1_000_000

    def saw(self, at_ms: int) -> None:
        """A commit with this time was seen."""
        ahead_ns = at_ms * 1_000_000 - (self._base_ns + self._monotonic_ns())
        if ahead_ns <= self._pushed_ns:
            return
        self._pushed_ns = ahead_ns
        if self.far is not None and ahead_ns > MOST_OFFSET_MS * 1_000_000:
            far, self.far = self.far, None
            far(ahead_ns // 1_000_000)


def _collect_seldom() -> None:
    """Let the garbage collector leave alone what lives as long as the process, and look less often.

    Commits, states and views hold no cycles, so reference counts free them; collecting at Python's usual
    pace only adds pauses (measured in ``make bench``).
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)


class Health:
    """Whether this process may get work. Liveness is only whether its event loop still answers."""

    def __init__(self) -> None:
        """Not started, not connected, nothing else in the way."""
        self.connected: Callable[[], bool] = lambda: False
        self.started = False
        self.draining = False
        self._in_the_way: dict[str, str] = {}

    def hinder(self, what: str, why: str) -> None:
        """Not ready until ``clear(what)``: for instance ("clock", "offset 140 ms")."""
        self._in_the_way[what] = why

    def clear(self, what: str) -> None:
        """``what`` no longer keeps this process from being ready."""
        self._in_the_way.pop(what, None)

    def tell(self, what: str, why: str) -> None:
        """``hinder``, or ``clear`` when ``why`` is empty."""
        if why:
            self.hinder(what, why)
        else:
            self.clear(what)

    def why_not_ready(self) -> dict[str, str]:
        """What keeps this process from work, by name; empty when it is ready."""
        reasons = dict(self._in_the_way)
        if not self.started:
            reasons["start"] = "not through yet"
        if not self.connected():
            reasons["broker"] = "no connection"
        if self.draining:
            reasons["draining"] = "this process is stopping"
        return reasons


@dataclass(frozen=True)
class Context:
    """What a service's ``start`` gets. ``fail(why)`` ends the process so that it is started anew."""

    name: str
    settings: Settings
    broker: Broker
    log: FilteringBoundLogger
    fail: Callable[[str], None]
    now: Now = field(default_factory=Now)
    health: Health = field(default_factory=Health)


Start = Callable[[Context], Awaitable[Stop]]


def run(name: str, start: Start) -> None:
    """Run the service ``name`` until a signal, then leave the process.

    ``start`` wires the service and gives the function that stops it. It is called once the broker is
    connected and its streams are as this service needs them.
    """
    try:
        settings = from_environment(os.environ, name)
    except SettingsError as error:
        sys.stderr.write(f"{name}: {error}\n")
        sys.exit(EXIT_SETTINGS)
    log = telemetry.configure(name, settings.log_level)
    process = _Process(name, settings, log)
    with asyncio.Runner(loop_factory=_loop_factory()) as runner:
        runner.run(process.live(start))
    sys.exit(process.status)


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    try:
        import uvloop  # noqa: PLC0415 - there is none for Windows
    except ImportError:
        return None
    return uvloop.new_event_loop


class _Process:
    """One life of a service: what it is told (signals, lost connections) and what it does about it."""

    def __init__(self, name: str, settings: Settings, log: FilteringBoundLogger) -> None:
        self.status = 0
        self._name = name
        self._settings = settings
        self._log = log
        self._health = Health()
        self._now = Now()
        self._now.far = self._clock_is_off
        telemetry.CLOCK_PUSHED_MS.set_function(self._now.pushed_ms)
        self._leaving = asyncio.Event()

    async def live(self, start: Start) -> None:
        """Start, wait for a reason to leave, drain. ``status`` is the exit status afterwards."""
        self._listen_for_the_end()
        probes = await self._probes()
        if probes is None:
            return
        broker: Broker | None = None
        try:
            broker = connected = await self._before_leaving(self._connect())
            if connected is not None:
                self._health.connected = lambda: connected.is_connected
            stop = await self._before_leaving(self._start(start, broker)) if broker else None
            if stop is not None:
                _collect_seldom()
                self._health.started = True
                self._log.info("ready", nats=self._settings.nats_url)
                await self._leaving.wait()
                await self._drain(stop)
        except Exception:  # noqa: BLE001 - the last line of defence: logged, and started anew
            self._log.exception("unexpected")
            self.status = EXIT_LOST
        finally:
            self._health.draining = True
            if broker is not None:
                with suppress(TimeoutError):
                    async with asyncio.timeout(_CLOSE_S):
                        await broker.close()
            await probes.cleanup()
            self._log.info("stopped", status=self.status)

    async def _connect(self) -> Broker:
        """A connected broker, however long that takes: the broker may come up after us."""
        while True:
            broker = Broker(
                self._settings.nats_url,
                user=self._settings.nats_user,
                password=self._settings.nats_password.reveal(),
                on_closed=lambda: self._fail("the broker connection is closed for good"),
            )
            try:
                await broker.connect()
            except BrokerUnreachable as error:
                self._log.warning("waiting for the broker", why=str(error))
                await asyncio.sleep(_RETRY_S)
            else:
                return broker

    async def _start(self, start: Start, broker: Broker) -> Stop | None:
        """Check, wire; None and a status if it cannot be."""
        try:
            await check_streams(broker)
            reading = Reading(broker, self._health.tell)
            await reading.look()
            broker.spawn(reading.keep())
            await word_lists.provide(os.environ, self._settings.data, self._log)
            return await start(
                Context(self._name, self._settings, broker, self._log, self._fail, self._now, self._health)
            )
        except (SettingsError, WrongServer) as error:
            self._log.error("cannot start", why=str(error))
            self.status = EXIT_SETTINGS
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise
            self._log.error("cannot start", why=f"a port is taken: {error.strerror}")
            self.status = EXIT_PORT_TAKEN
        return None

    async def _before_leaving(self, work: Coroutine[Any, Any, T]) -> T | None:
        """The result of ``work``, or None if this process was told to leave first."""
        working = asyncio.ensure_future(work)
        leaving = asyncio.ensure_future(self._leaving.wait())
        await asyncio.wait((working, leaving), return_when=asyncio.FIRST_COMPLETED)
        leaving.cancel()
        if working.done():
            return working.result()
        working.cancel()
        await asyncio.wait((working,))
        return None

    async def _drain(self, stop: Stop) -> None:
        self._health.draining = True
        self._log.info("draining")
        try:
            async with asyncio.timeout(self._settings.drain_ms / 1000):
                await stop()
        except TimeoutError:
            self._log.warning("did not drain in time", drain_ms=self._settings.drain_ms)
            self.status = self.status or EXIT_LOST

    def _fail(self, why: str) -> None:
        if not self._health.draining:
            self._log.error("this process cannot go on", why=why)
            self.status = EXIT_LOST
        self._leaving.set()

    def _clock_is_off(self, pushed_ms: int) -> None:
        """Said once; not ready any more, until somebody sets the clocks right and starts this anew."""
        why = f"a commit's time was {pushed_ms} ms ahead of ours: one of the hosts' clocks is wrong"
        self._log.error("the clocks differ", why=why, limit_ms=MOST_OFFSET_MS)
        self._health.hinder("clock", why)

    def _listen_for_the_end(self) -> None:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self._told_to_stop, number.name)
        if self._settings.parent_fd is not None:
            args = (self._settings.parent_fd, self._settings.drain_ms / 1000 + 2 * _CLOSE_S)
            threading.Thread(target=_outlive_nobody, args=args, daemon=True).start()

    def _told_to_stop(self, by: str) -> None:
        self._log.info("told to stop", by=by)
        self._leaving.set()

    async def _probes(self) -> web.AppRunner | None:
        runner = web.AppRunner(probes(self._health), access_log=None, handle_signals=False)
        await runner.setup()
        site = web.TCPSite(runner, self._settings.probe_host, self._settings.probe_port, shutdown_timeout=1)
        try:
            await site.start()
        except OSError as error:
            await runner.cleanup()
            where = f"{self._settings.probe_host}:{self._settings.probe_port}"
            self._log.error("cannot start", why=f"the probe address {where}: {error.strerror}")
            self.status = EXIT_PORT_TAKEN if error.errno == errno.EADDRINUSE else EXIT_SETTINGS
            return None
        self._log.info("probes", address=site.name)
        return runner


def _outlive_nobody(parent_fd: int, limit_s: float) -> None:
    """Stop when the supervisor is gone, however it went; a thread, so that a stuck event loop goes too."""
    while os.read(parent_fd, 1):
        pass  # nothing is ever sent; the end of the pipe is the message
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(limit_s)
    os._exit(EXIT_LOST)


def probes(health: Health) -> web.Application:
    """Health for whoever supervises, metrics for Prometheus. ``/health/live`` never depends on the broker."""

    async def live(_request: web.Request) -> web.Response:
        return web.json_response({"live": True})

    async def startup(_request: web.Request) -> web.Response:
        return web.json_response({"started": health.started}, status=200 if health.started else 503)

    async def ready(_request: web.Request) -> web.Response:
        reasons = health.why_not_ready()
        return web.json_response({"ready": not reasons, "why": reasons}, status=503 if reasons else 200)

    async def metrics(_request: web.Request) -> web.Response:
        telemetry.READY.set(0 if health.why_not_ready() else 1)
        return web.Response(body=generate_latest(), headers={"Content-Type": CONTENT_TYPE_LATEST})

    app = web.Application()
    app.router.add_get("/health/live", live)
    app.router.add_get("/health/startup", startup)
    app.router.add_get("/health/ready", ready)
    app.router.add_get("/metrics", metrics)
    return app
