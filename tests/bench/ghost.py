"""How long the computer players think, asked as the service asks them: in threads, beside the event loop.

``python -m tests.bench.ghost`` prints milliseconds: mean, median, p95 and the longest, and the p95 of the
processor's own time, which a busy machine does not change. In backgammon it asks for positions of recorded
matches: moves by the engine and by our own player, answers to a double, and moves of sixteen matches at once.
Then every game in every mode, over games of our own player against one who moves at random. The goal is a p95
under 50 ms for a move of any; in the games of ``HEAVY``, where a search goes deep, 300 ms.
"""

import asyncio
from collections.abc import Awaitable, Callable
from statistics import mean, median
from time import perf_counter, process_time
from typing import Any, Final

from services.ghost.players import Player, Sage, Seen, own_player, sage_answers
from services.ghost.thinking import Thinker
from shared.commands import PlayerCommand
from shared.cube import Cube
from shared.rules.backgammon import RULES
from shared.rules.nard.game import State
from shared.rules.registry import AnyRules
from tests.support.ghosts import BOARD_GAMES, VARIANTS, RandomPlayer, game, not_installed, seen
from tests.support.recorded import all_turns

GOAL_MS: Final = 50.0
HEAVY: Final = ("abalone", "chess", "draughts")
HEAVY_GOAL_MS: Final = 300.0
_EVERY: Final = 7  # every seventh recorded turn is asked
_DOUBLES: Final = 60
_AT_ONCE: Final = 16
_GAMES: Final = 8  # of each variant
_BOARD_GAMES: Final = 2  # of each board game

Choose = Callable[[Seen], Awaitable[PlayerCommand]]


def _p95(times: list[float]) -> float:
    return round(sorted(times)[int(len(times) * 0.95)], 2)


def _summary(times: list[float], worked: list[float]) -> dict[str, float]:
    """By wall time; ``cpu_p95_ms`` is what the processor worked, where one question was asked at a time."""
    ordered = sorted(times)
    return {
        "mean_ms": round(mean(ordered), 2),
        "p50_ms": round(median(ordered), 2),
        "p95_ms": _p95(times),
        **({"cpu_p95_ms": _p95(worked)} if worked else {}),
        "max_ms": round(ordered[-1], 2),
        "asked": len(ordered),
    }


async def _timed(questions: list[Seen], choose: Choose, at_once: int = 1) -> dict[str, float]:
    times, worked = list[float](), list[float]()
    waiting = iter(questions)

    async def one_after_the_other() -> None:
        for question in waiting:
            begin, idle = perf_counter(), process_time()
            await choose(question)
            times.append((perf_counter() - begin) * 1000)
            if at_once == 1:
                worked.append((process_time() - idle) * 1000)

    await asyncio.gather(*(one_after_the_other() for _ in range(at_once)))
    return _summary(times, worked)


class _Asked:
    """A player that remembers what it was asked. ``Player``."""

    def __init__(self, player: Player, asked: list[Seen]) -> None:
        self._player, self._asked = player, asked

    def move(self, seen: Seen) -> str:
        """As the player does."""
        self._asked.append(seen)
        return self._player.move(seen)


def _met(rules: AnyRules, options: dict[str, Any], games: int = _GAMES) -> list[Seen]:
    """What is asked in games of our own player against one who moves at random."""
    asked: list[Seen] = []
    ours = _Asked(own_player(rules, options), asked)
    for seed in range(games):
        game((ours, _Asked(RandomPlayer(seed), asked)), seed, rules, options)
    return asked


async def _run() -> dict[str, dict[str, float]]:
    turns = all_turns()[::_EVERY]
    moves = [q for q in (seen(t.state, t.seat) for t in turns) if len(q.legal) > 1]
    doubles = [
        seen(State(boards=t.state.boards, turn=t.seat), 1 - t.seat, cube=Cube(offered=2, by=t.seat))
        for t in turns[:_DOUBLES]
    ]
    own, engine = Thinker(not_installed), Thinker(Sage.load)
    own.start()
    engine.start()

    def asking(thinker: Thinker, *commands: str, rules: AnyRules = RULES) -> Choose:
        return lambda question: thinker.choose(rules, question, commands)

    await asking(engine, "play")(moves[0])  # the first waits for the weights
    found = {
        "own_move": await _timed(moves, asking(own, "play")),
        "engine_move": await _timed(moves, asking(engine, "play")),
        "engine_move_16_at_once": await _timed(moves, asking(engine, "play"), _AT_ONCE),
        "own_take": await _timed(doubles, asking(own, "take", "pass")),
        "engine_take": await _timed(doubles, asking(engine, "take", "pass")),
    }
    for name, (rules, options) in VARIANTS.items():
        questions = _met(rules, options)
        found[f"own_move {name}"] = await _timed(questions, asking(own, "play", rules=rules))
        if sage_answers(rules, questions[0]):
            found[f"engine_move {name}"] = await _timed(questions, asking(engine, "play", rules=rules))
    for name, (board_rules, options) in BOARD_GAMES.items():
        questions = _met(board_rules, options, _BOARD_GAMES)
        found[f"own_move {name}"] = await _timed(questions, asking(own, "play", rules=board_rules))
    own.close()
    engine.close()
    return found


def run() -> dict[str, dict[str, float]]:
    """By question: mean, p50, p95 and the longest in ms, and how many were asked."""
    return asyncio.run(_run())


def main() -> None:
    """Print the figures and the goal."""
    for name, figures in run().items():
        print(f"{name:32}", "  ".join(f"{key} {value:8.2f}" for key, value in figures.items()))  # noqa: T201 - a report
    print(  # noqa: T201 - a report
        f"goal: p95 of a move under {GOAL_MS:.0f} ms, in {', '.join(HEAVY)} under {HEAVY_GOAL_MS:.0f} ms"
    )


if __name__ == "__main__":
    main()
