"""What a position of the nard family is worth: ends by the rules, all else by what was learned from playing.

Which network judges does not depend on a game's name but on how its checkers move and on who wins. Each was
learned from games against itself (``tests/bench/learn.py``).
"""

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

import msgspec

from services.ghost.players.network import PINNED, Network
from services.ghost.players.protocol import Seen
from services.ghost.players.score import gammon_counts
from services.ghost.players.tables import board_of, boards
from shared.rules.nard.game import Nard, State
from shared.rules.nard.movement import Pinned
from shared.rules.protocol import Result

LEARNED: Final = Path(__file__).parent / "learned"
MOST_MORE: Final = 2
"""What a game of three points is worth beyond a single one; so much is meant where a network says 1."""

_CHECKERS: Final = 15


def mode(rules: Nard, options: Mapping[str, Any]) -> str:
    """``normal``, ``giveaway`` or ``draw``, as it is played with these options."""
    chosen = rules.setup(2, options, None).chosen
    return "normal" if chosen is None else chosen.mode


def way(rules: Nard) -> str:
    """How checkers move, in a word, and whether there are few of them: what a network is chosen by."""
    few = sum(rules.setup(2, {}, 0).boards[0]) < _CHECKERS
    return f"{rules.movement.kind}{'_few' if few else ''}"


@cache
def network(name: str) -> Network:
    """What was learned under this name."""
    return Network((LEARNED / f"{name}.bin").read_bytes())


def counts(state: State, seat: int) -> list[int]:
    """The position as the networks know it, for ``seat`` that has just moved."""
    mine, theirs = list(state.boards[seat]), list(state.boards[1 - seat])
    if state.pinned is not None:
        for own, pinned in ((mine, state.pinned[seat]), (theirs, state.pinned[1 - seat])):
            for point in pinned:
                own[point] = PINNED
    return mine + theirs


class Worth:
    """What results and chances are worth to a seat, in single games, by score, cube and terms."""

    def __init__(self, seen: Seen) -> None:
        """Of the match as ``seen``."""
        self._seat = seen.seat
        self._gammons = (
            gammon_counts(seen.view, 0),
            gammon_counts(seen.view, 1),
        )

    def result(self, result: Result) -> float:
        """Of a game that has ended so."""
        winner = result.winner
        if winner is None:
            return 0
        points = result.points if self._gammons[winner] else 1
        return points if winner == self._seat else -points

    def chances(self, chances: Sequence[float], moved: int) -> float:
        """Of a position, by what a network says of it for the seat that has ``moved``."""
        value = 2 * chances[0] - 1
        if len(chances) > 1:
            _, won, lost = chances
            value += MOST_MORE * (won * self._gammons[moved] - lost * self._gammons[1 - moved])
        return value if moved == self._seat else -value


class NardEvaluation:
    """``Evaluation`` (see ``greedy``) of one game of the family."""

    def __init__(self, rules: Nard) -> None:
        """Of the game with these ``rules``."""
        self._rules = rules
        self._way = way(rules)

    def after(self, seen: Seen) -> list[float]:
        """By the rules where a move ends the game or brings its last roll, else by the network."""
        rules, seat, worth = self._rules, seen.seat, Worth(seen)
        state = self._state(seen)
        judge = self._network(seen)
        here = judge.position(counts(state, seat))
        values: list[float] = []
        for move in seen.legal:
            then = rules.play(state, seat, move)
            if then.result is not None:
                values.append(worth.result(then.result))
            elif not any(then.boards[seat][1:]):
                values.append(worth.result(rules.forfeit(then, 1 - seat, "left")))
            else:
                values.append(worth.chances(judge.chances(judge.changed(here, counts(then, seat))), seat))
        return values

    def now(self, seen: Seen) -> float:
        """By the network, for the seat that is not to roll."""
        state = self._state(seen)
        judge = self._network(seen)
        moved = 1 - (state.turn or 0)
        return Worth(seen).chances(judge.chances(judge.position(counts(state, moved))), moved)

    def _network(self, seen: Seen) -> Network:
        giveaway = mode(self._rules, seen.view.options) == "giveaway"
        return network(f"{self._way}_giveaway" if giveaway else self._way)

    def _state(self, seen: Seen) -> State:
        """The state of the rules again, out of what the seat sees."""
        shown = board_of(seen)
        mine, theirs = boards(seen)
        pinned: tuple[Pinned, ...] = tuple(tuple(points) for points in shown.get("pinned", ()))
        return msgspec.structs.replace(
            self._rules.setup(2, seen.view.options, seen.view.first),
            boards=(theirs, mine) if seen.seat else (mine, theirs),
            turn=shown["turn"],
            dice=tuple(shown["dice"]),
            pinned=pinned or None,
        )
