"""Optional engines: loaded in a thread, asked in a few, in time, and let alone while one is stuck."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Final

import structlog

from services.ghost.players import Player, Seen, answer
from shared.commands import PlayerCommand
from shared.rules.registry import AnyRules

THREADS: Final = 2
LOAD_S: Final = 10.0

_log = structlog.get_logger("ghost")

Load = Callable[[], Player]
Knows = Callable[[AnyRules, Seen, tuple[str, ...]], bool]


class Engine:
    """One engine. While a call of it is overdue nobody else waits for it."""

    def __init__(
        self,
        load: Load,
        knows: Knows,
        limit_s: float,
        threads: int = THREADS,
        end: Callable[[], None] | None = None,
    ) -> None:
        """``load`` makes its player in a thread (``ImportError``: not installed); see ``start``.

        ``knows`` says which questions it can answer, ``limit_s`` how long an answer may take, ``end`` lets
        go of what ``load`` has started.
        """
        self.knows = knows
        self._load = load
        self._limit_s = limit_s
        self._end = end
        self._threads = ThreadPoolExecutor(threads, "engine")
        self._slots = asyncio.Semaphore(threads)
        self._loading: asyncio.Future[Player | None] | None = None
        self._overdue = 0

    def start(self) -> None:
        """Begin to load; returns at once."""
        loop = asyncio.get_running_loop()
        self._loading = loop.run_in_executor(self._threads, self._loaded)

    def close(self) -> None:
        """Let go of the threads; what they still think about is thrown away."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        if self._end is not None:
            self._end()

    async def choose(self, seen: Seen, commands: tuple[str, ...]) -> PlayerCommand | None:
        """The engine's answer; None if it has none in time."""
        player = await self._player()
        if player is None:
            return None
        async with self._slots:
            if self._overdue:
                return None
            thinking = asyncio.get_running_loop().run_in_executor(
                self._threads, partial(answer, player, seen, commands)
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

    async def _player(self) -> Player | None:
        if self._loading is None or self._overdue:
            return None
        try:
            async with asyncio.timeout(LOAD_S):
                return await asyncio.shield(self._loading)
        except TimeoutError:
            return None

    def _loaded(self) -> Player | None:
        try:
            player = self._load()
        except ImportError:
            _log.info("the engine is not installed, our own player plays")
            return None
        except Exception:  # noqa: BLE001 - whatever is wrong with an optional engine, the games go on
            _log.exception("the engine cannot be loaded, our own player plays")
            return None
        _log.info("the engine is loaded")
        return player

    def _came_late(self, thinking: "asyncio.Future[PlayerCommand]") -> None:
        self._overdue -= 1
        if not thinking.cancelled():
            thinking.exception()  # looked at, so that nobody warns of an error that nobody looked at
