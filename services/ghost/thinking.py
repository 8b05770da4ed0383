"""Letting players choose beside the event loop: in a few threads, in time, our own player behind them."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from time import perf_counter
from typing import Final

from prometheus_client import Histogram

from services.ghost.engines import Engine, Load
from services.ghost.players import (
    Player,
    Sage,
    Searcher,
    Seen,
    Uci,
    answer,
    own_player,
    sage_answers,
    uci_answers,
)
from shared.commands import PlayerCommand
from shared.events.match import Level
from shared.rules.registry import AnyRules

LIMIT_S: Final = 2.0
"""An engine needs 2 to 60 ms, on a busy machine a few times that; one that needs so much longer is stuck."""
WITHOUT_ENGINE: Final = (Level.UNTHINKING, Level.BY_THUMB)
"""The levels at which our own players play, whatever is installed."""

THINK_SECONDS: Final = Histogram(
    "kronika_ghost_think_seconds",
    "From the question to the computer player's choice, waiting for a thread included.",
    ["player"],
    buckets=(0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0),
)


class Thinker:
    """Asks the engine where there is one that knows the game, else our own player.

    Answers are the same for the same question, whatever else is thought about at the time; only an engine
    that fails or is stuck, or draws lots by itself (``Uci``), changes them.
    """

    def __init__(self, load: Load = Sage.load, limit_s: float = LIMIT_S, uci: Uci | None = None) -> None:
        """``load`` makes the tables' engine (see ``Engine``); ``uci`` is the one for chess, if any."""
        self._engines = [Engine(load, _asks_sage, limit_s)]
        if uci is not None:
            self._engines.append(Engine(uci.load, uci_answers, limit_s, threads=1, end=uci.close))
        self._own_thread = ThreadPoolExecutor(1, "own-player")
        self._search_thread = ThreadPoolExecutor(1, "own-search")

    def start(self) -> None:
        """Begin to load the engines; returns at once."""
        for engine in self._engines:
            engine.start()

    def close(self) -> None:
        """Let go of the threads; what they still think about is thrown away."""
        for engine in self._engines:
            engine.close()
        for thread in (self._own_thread, self._search_thread):
            thread.shutdown(wait=False, cancel_futures=True)

    async def choose(
        self, rules: AnyRules, seen: Seen, commands: tuple[str, ...], level: int = Level.UNSAID
    ) -> PlayerCommand:
        """The answer to what ``seen`` asks, one of ``commands``, at a ``Level``."""
        begin = perf_counter()
        command = None
        if level not in WITHOUT_ENGINE:
            engine = next((engine for engine in self._engines if engine.knows(rules, seen, commands)), None)
            command = None if engine is None else await engine.choose(seen, commands)
        by = "own" if command is None else "engine"
        if command is None:
            command = await self._by_our_own(own_player(rules, seen.view.options, level), seen, commands)
        THINK_SECONDS.labels(by).observe(perf_counter() - begin)
        return command

    async def _by_our_own(self, player: Player, seen: Seen, commands: tuple[str, ...]) -> PlayerCommand:
        # Searches have a thread of their own: a quick answer elsewhere does not queue behind a slow one.
        thread = self._search_thread if isinstance(player, Searcher) else self._own_thread
        return await asyncio.get_running_loop().run_in_executor(
            thread, partial(answer, player, seen, commands)
        )


def _asks_sage(rules: AnyRules, seen: Seen, commands: tuple[str, ...]) -> bool:
    del commands
    return sage_answers(rules, seen)
