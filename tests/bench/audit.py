"""How fast logs are verified: matches of 60 plies a second of one core, for each game; the goal is 20.

``python -m tests.bench.audit``. The matches are made in memory and played at random, with two minutes a move,
in the tables family with auto-roll: so a ply is a commit with its charge. A game that ends before 60 plies is
verified whole, and counts by its plies.
"""

import sys
from time import process_time
from typing import Any, Final

from services.audit.domain import verify
from shared.clocks import PER_MOVE
from shared.commands import Resign, SetAutoRoll
from shared.events.match import Terms
from shared.match import MatchState, Phase
from shared.rules.registry import CURRENT
from tests.support.matches import MemoryGame, Picker

GOAL_PER_S: Final = 20.0
PLIES: Final = 60
MATCHES: Final = 24
_TERMS: Final = Terms(cube=False, clock=PER_MOVE)


def _long_enough(state: MatchState) -> bool:
    return state.half_moves >= PLIES


def played(name: str, seed: int) -> list[bytes]:
    """The log of a random match of ``name`` that is resigned after 60 plies, if it lasts so long."""
    game = MemoryGame(f"audit {name} {seed}", _TERMS, rules=name)
    if game.state.rules.traits.rolled_start:
        for seat in range(game.state.seats):
            game.send(seat, SetAutoRoll(on=True))
    game.start()
    game.play_on(Picker(f"{name} {seed}").move, until=_long_enough)
    if game.state.phase is Phase.PLAYING:
        game.send(game.demanded()[0], Resign(confirm=True))
    return game.lines


def measured(name: str) -> dict[str, float]:
    """Plies and matches of 60 plies that were verified each second of this core, and one match's time."""
    logs = [played(name, seed) for seed in range(MATCHES)]
    begin = process_time()
    reports = [verify(log) for log in logs]
    spent = process_time() - begin
    assert all(report.ok for report in reports)
    plies = sum(report.plies for report in reports)
    return {
        "plies_per_s": round(plies / spent),
        "matches_per_s": round(plies / spent / PLIES, 1),
        "ms_per_match": round(1000 * spent / plies * PLIES, 1),
    }


def run() -> dict[str, Any]:
    """By game."""
    return {name: measured(name) for name in CURRENT}


def main() -> None:
    """Print the figures and the goal."""
    for name, figures in run().items():
        told = "  ".join(f"{key} {value}" for key, value in figures.items())
        sys.stdout.write(f"{name:12} {told}\n")
    sys.stdout.write(f"goal: {GOAL_PER_S:.0f} matches of {PLIES} plies per second and core in every game\n")


if __name__ == "__main__":
    main()
