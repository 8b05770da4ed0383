"""A chess engine that speaks UCI (Stockfish and others): a process of its own, never required.

What makes it answer alike on every machine is a limit in nodes, one thread, and a new game for every move, so
that nothing is remembered. An engine that is told to play at an Elo draws lots by itself.

So it knows nothing of repetitions: where it is ahead and its move brings a position back, it is asked again
for another, lest a won game be drawn.
"""

import subprocess
from collections.abc import Sequence
from pathlib import Path
from threading import Lock
from time import perf_counter
from typing import Final

import chess.engine
import msgspec
import structlog

from services.ghost.players.protocol import Player, Seen
from shared.rules.chess.game import RULES, Chess, State, board_of
from shared.rules.registry import AnyRules

START_S: Final = 5.0
"""In which it must answer to ``uci`` and to every other word but ``go``."""

GUARD_S: Final = 1.5
"""In which it must move, asked again or not; the nodes are used up long before."""

_LEAST_S: Final = 0.1

_FIXED: Final[dict[str, str | int | bool | None]] = {"Threads": 1, "Hash": 16}

_log = structlog.get_logger("ghost")


class Strength(msgspec.Struct, frozen=True):
    """So many ``nodes`` for a move, and the Elo at which the engine holds itself back; None: it does not."""

    nodes: int = 2_000
    elo: int | None = None


class Nonsense(LookupError):  # noqa: N818 - the engine and our rules do not agree; nothing crashed
    """The engine's move is illegal by our rules."""


def uci_answers(rules: AnyRules, seen: Seen, commands: tuple[str, ...]) -> bool:
    """Whether it is asked: for moves of chess; where a draw can be claimed our own player judges."""
    return isinstance(rules, Chess) and isinstance(seen.position, State) and commands == ("play",)


class _Found(msgspec.Struct, frozen=True):
    """The engine's move, and whether it thinks itself ahead with it."""

    move: str
    ahead: bool


def repeats(state: State, move: str) -> bool:
    """Whether the position after ``move`` has stood before; the third time its opponent may claim a draw."""
    after = RULES.play(state, state.turn, move)
    return RULES.view(after, None)["occurrences"] > 1


class Uci:
    """``Player`` by the program at a path. One question at a time; a process that died is started anew."""

    def __init__(self, path: Path, strength: Strength | None = None) -> None:
        """Nothing runs yet."""
        self._path = path
        self._strength = strength or Strength()
        self._engine: chess.engine.SimpleEngine | None = None
        self._closed = False
        self._lock = Lock()

    def load(self) -> Player:
        """Start it; raises ``OSError``, ``TimeoutError`` or ``chess.engine.EngineError`` if that fails."""
        with self._lock:
            self._running()
        return self

    def close(self) -> None:
        """Let it end; it is not started again."""
        self._closed = True
        engine, self._engine = self._engine, None
        if engine is not None:
            engine.close()

    def move(self, seen: Seen) -> str:
        """The engine's move; raises what ``load`` raises, or ``Nonsense``, and starts it anew next time."""
        state = seen.position
        if not isinstance(state, State):
            raise Nonsense("An engine for chess needs a position of chess.")
        until = perf_counter() + GUARD_S
        with self._lock:
            engine = self._running()
            try:
                found = self._asked(engine, seen, state, until)
                if found.ahead and repeats(state, found.move):
                    others = [move for move in seen.legal if not repeats(state, move)]
                    other = self._asked(engine, seen, state, until, others) if others else found
                    found = other if other.ahead else found
            except (chess.engine.EngineError, TimeoutError, OSError):
                self._drop()
                raise
        return found.move

    def _asked(
        self,
        engine: chess.engine.SimpleEngine,
        seen: Seen,
        state: State,
        until: float,
        among: Sequence[str] | None = None,
    ) -> "_Found":
        """Its move (``among`` these, if any are given) by the moment ``until``; raises as ``move`` does."""
        limit = chess.engine.Limit(nodes=self._strength.nodes, time=max(until - perf_counter(), _LEAST_S))
        found = engine.play(
            board_of(state),
            limit,
            game=object(),
            info=chess.engine.INFO_SCORE,
            root_moves=None if among is None else [chess.Move.from_uci(move) for move in among],
        )
        text = "" if found.move is None else found.move.uci()
        if text not in (seen.legal if among is None else among):
            raise Nonsense(f"{text or 'No move'} is not legal in {seen.view.match} at {seen.view.n}.")
        score = found.info.get("score")
        return _Found(text, ahead=score is not None and score.relative > chess.engine.Cp(0))

    def _running(self) -> chess.engine.SimpleEngine:
        if self._closed:
            raise chess.engine.EngineTerminatedError("The engine has been let go.")
        if self._engine is None:
            engine = chess.engine.SimpleEngine.popen_uci(
                str(self._path), timeout=START_S, stderr=subprocess.DEVNULL, setpgrp=True
            )
            try:
                engine.configure(self._options(engine))
            except (chess.engine.EngineError, TimeoutError):
                engine.close()
                raise
            self._engine = engine
        return self._engine

    def _options(self, engine: chess.engine.SimpleEngine) -> dict[str, str | int | bool | None]:
        """What is set, as far as this engine knows it."""
        wanted = dict(_FIXED)
        elo = self._strength.elo
        if elo is not None:
            offered = engine.options.get("UCI_Elo")
            if offered is None or "UCI_LimitStrength" not in engine.options:
                _log.warning("the engine cannot hold itself back; its nodes alone limit it", wanted_elo=elo)
            else:
                low, high = offered.min or elo, offered.max or elo
                wanted |= {"UCI_LimitStrength": True, "UCI_Elo": min(max(elo, low), high)}
        return {name: value for name, value in wanted.items() if name in engine.options}

    def _drop(self) -> None:
        engine, self._engine = self._engine, None
        if engine is not None:
            engine.close()
