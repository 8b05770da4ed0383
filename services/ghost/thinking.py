"""Letting players choose beside the event loop: in a few threads, in time, our own player behind them."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from time import perf_counter
from typing import Final

import structlog
from prometheus_client import Histogram

from services.ghost.players import Player, Sage, Seen, answer, own_player, sage_answers
from shared.commands import PlayerCommand
from shared.rules.registry import AnyRules

ENGINE_THREADS: Final = 2
LIMIT_S: Final = 2.0
"""The engine needs 2 to 60 ms, on a busy machine a few times that; one that needs so much longer is stuck."""
LOAD_S: Final = 10.0
WITHOUT_ENGINE: Final = (1, 2)
"""The levels at which our own players play, whatever is installed."""

THINK_SECONDS: Final = Histogram(
    "kronika_ghost_think_seconds",
    "From the question to the computer player's choice, waiting for a thread included.",
    ["player"],
    buckets=(0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0),
)

_log = structlog.get_logger("ghost")

Load = Callable[[], Player]


class Thinker:
    """Asks the engine where there is one that knows the game, else our own player.

    Answers are the same for the same question, whatever else is thought about at the time; only an engine
    that fails or is stuck changes them. While a call of the engine is overdue nobody else waits for it.
    """

    def __init__(self, load: Load = Sage.load, limit_s: float = LIMIT_S) -> None:
        """``load`` makes the engine's player in a thread (``ImportError``: not installed); see ``start``."""
        self._load = load
        self._limit_s = limit_s
        self._engine_threads = ThreadPoolExecutor(ENGINE_THREADS, "engine")
        self._own_thread = ThreadPoolExecutor(1, "own-player")
        self._slots = asyncio.Semaphore(ENGINE_THREADS)
        self._loading: asyncio.Future[Player | None] | None = None
        self._overdue = 0

    def start(self) -> None:
        """Begin to load the engine; returns at once."""
        loop = asyncio.get_running_loop()
        self._loading = loop.run_in_executor(self._engine_threads, self._loaded)

    def close(self) -> None:
        """Let go of the threads; what they still think about is thrown away."""
        self._engine_threads.shutdown(wait=False, cancel_futures=True)
        self._own_thread.shutdown(wait=False, cancel_futures=True)

    async def choose(
        self, rules: AnyRules, seen: Seen, commands: tuple[str, ...], level: int = 0
    ) -> PlayerCommand:
        """The answer to what ``seen`` asks, one of ``commands``, at a ``level`` of ``Seat``."""
        begin = perf_counter()
        ask = level not in WITHOUT_ENGINE and sage_answers(rules, seen)
        engine = await self._engine() if ask else None
        command = None if engine is None else await self._by_engine(engine, seen, commands)
        by = "own" if command is None else "engine"
        if command is None:
            command = await self._by_our_own(own_player(rules, seen.options, level), seen, commands)
        THINK_SECONDS.labels(by).observe(perf_counter() - begin)
        return command

    def _loaded(self) -> Player | None:
        try:
            engine = self._load()
        except ImportError:
            _log.info("the engine is not installed, our own player plays")
            return None
        except Exception:  # noqa: BLE001 - whatever is wrong with an optional engine, the games go on
            _log.exception("the engine cannot be loaded, our own player plays")
            return None
        _log.info("the engine is loaded")
        return engine

    async def _engine(self) -> Player | None:
        if self._loading is None or self._overdue:
            return None
        try:
            async with asyncio.timeout(LOAD_S):
                return await asyncio.shield(self._loading)
        except TimeoutError:
            return None

    async def _by_engine(self, engine: Player, seen: Seen, commands: tuple[str, ...]) -> PlayerCommand | None:
        """The engine's answer; None if it has none in time."""
        async with self._slots:
            if self._overdue:
                return None
            thinking = asyncio.get_running_loop().run_in_executor(
                self._engine_threads, partial(answer, engine, seen, commands)
            )
            await asyncio.wait((thinking,), timeout=self._limit_s)
        if not thinking.done():
            self._overdue += 1
            thinking.add_done_callback(self._came_late)
            _log.warning("the engine is stuck", match=seen.view.match, n=seen.view.n)
            return None
        error = thinking.exception()
        if error is not None:
            _log.warning("the engine failed", match=seen.view.match, n=seen.view.n, exc_info=error)
            return None
        return thinking.result()

    def _came_late(self, thinking: "asyncio.Future[PlayerCommand]") -> None:
        self._overdue -= 1
        if not thinking.cancelled():
            thinking.exception()  # looked at, so that nobody warns of an error that nobody looked at

    async def _by_our_own(self, player: Player, seen: Seen, commands: tuple[str, ...]) -> PlayerCommand:
        return await asyncio.get_running_loop().run_in_executor(
            self._own_thread, partial(answer, player, seen, commands)
        )
