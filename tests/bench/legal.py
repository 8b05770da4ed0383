"""How long the rules of backgammon take on the positions of the recorded matches.

``python -m tests.bench.legal`` prints microseconds: mean, median and p95 of each call. ``legal`` is measured
without its memo, as on a first push; ``read``, ``play``, ``position`` and ``view`` as the server calls them,
right after ``legal``. The goal is a mean of ``legal`` under 250 µs.
"""

from collections.abc import Callable
from statistics import mean, median
from time import perf_counter_ns
from typing import Final

from shared.rules.backgammon import RULES
from shared.rules.nard import hitting
from tests.support.recorded import all_turns

GOAL_US: Final = 250.0


def _us(call: Callable[[], object]) -> float:
    start = perf_counter_ns()
    call()
    return (perf_counter_ns() - start) / 1000


def _summary(times: list[float]) -> dict[str, float]:
    ordered = sorted(times)
    return {
        "mean_us": round(mean(ordered), 1),
        "p50_us": round(median(ordered), 1),
        "p95_us": round(ordered[int(len(ordered) * 0.95)], 1),
    }


def run() -> dict[str, dict[str, float]]:
    """By call: mean, p50 and p95 in microseconds, over every recorded turn."""
    times: dict[str, list[float]] = {
        name: [] for name in ("legal", "read", "read_written", "play", "position", "view")
    }
    for state, seat, text in all_turns():
        hitting.plays.cache_clear()
        times["legal"].append(_us(lambda: RULES.legal(state, seat)))  # noqa: B023 - called at once
        move = RULES.read(state, seat, text)
        times["read"].append(_us(lambda: RULES.read(state, seat, move)))  # noqa: B023 - as above
        times["read_written"].append(_us(lambda: RULES.read(state, seat, text)))  # noqa: B023 - as above
        times["play"].append(_us(lambda: RULES.play(state, seat, move)))  # noqa: B023 - as above
        times["position"].append(_us(lambda: RULES.position(state)))  # noqa: B023 - as above
        times["view"].append(_us(lambda: RULES.view(state, seat)))  # noqa: B023 - as above
    return {name: _summary(found) for name, found in times.items()}


def main() -> None:
    """Print the figures and the goal."""
    for name, figures in run().items():
        print(f"{name:13}", "  ".join(f"{key} {value:7.1f}" for key, value in figures.items()))  # noqa: T201 - a report
    print(f"goal: mean of legal under {GOAL_US:.0f} us")  # noqa: T201 - a report


if __name__ == "__main__":
    main()
