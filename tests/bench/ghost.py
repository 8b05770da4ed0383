"""How long the computer players think, asked as the service asks them: in threads, beside the event loop.

``python -m tests.bench.ghost`` prints milliseconds over positions of the recorded matches: mean, median, p95
and the longest; moves by the engine and by our own player, answers of the engine to a double, and moves of
sixteen matches at once. The goal is a p95 under 50 ms for a move.
"""

import asyncio
from collections.abc import Awaitable, Callable
from statistics import mean, median
from time import perf_counter
from typing import Final

from services.ghost.players import Sage, Seen
from services.ghost.thinking import Thinker
from shared.commands import PlayerCommand
from shared.cube import Cube
from shared.rules.backgammon import RULES, State
from tests.support.ghosts import not_installed, seen
from tests.support.recorded import all_turns

GOAL_MS: Final = 50.0
_EVERY: Final = 7  # every seventh recorded turn is asked
_DOUBLES: Final = 60
_AT_ONCE: Final = 16

Choose = Callable[[Seen], Awaitable[PlayerCommand]]


def _summary(times: list[float]) -> dict[str, float]:
    ordered = sorted(times)
    return {
        "mean_ms": round(mean(ordered), 2),
        "p50_ms": round(median(ordered), 2),
        "p95_ms": round(ordered[int(len(ordered) * 0.95)], 2),
        "max_ms": round(ordered[-1], 2),
        "asked": len(ordered),
    }


async def _timed(questions: list[Seen], choose: Choose, at_once: int = 1) -> dict[str, float]:
    times: list[float] = []
    waiting = iter(questions)

    async def one_after_the_other() -> None:
        for question in waiting:
            begin = perf_counter()
            await choose(question)
            times.append((perf_counter() - begin) * 1000)

    await asyncio.gather(*(one_after_the_other() for _ in range(at_once)))
    return _summary(times)


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

    def asking(thinker: Thinker, *commands: str) -> Choose:
        return lambda question: thinker.choose(RULES, question, commands)

    await asking(engine, "play")(moves[0])  # the first waits for the weights
    found = {
        "own_move": await _timed(moves, asking(own, "play")),
        "engine_move": await _timed(moves, asking(engine, "play")),
        "engine_move_16_at_once": await _timed(moves, asking(engine, "play"), _AT_ONCE),
        "engine_take": await _timed(doubles, asking(engine, "take", "pass")),
    }
    own.close()
    engine.close()
    return found


def run() -> dict[str, dict[str, float]]:
    """By question: mean, p50, p95 and the longest in ms, and how many were asked."""
    return asyncio.run(_run())


def main() -> None:
    """Print the figures and the goal."""
    for name, figures in run().items():
        print(f"{name:24}", "  ".join(f"{key} {value:8.2f}" for key, value in figures.items()))  # noqa: T201 - a report
    print(f"goal: p95 of a move under {GOAL_MS:.0f} ms")  # noqa: T201 - a report


if __name__ == "__main__":
    main()
