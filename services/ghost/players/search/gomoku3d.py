"""What a player knows of 3D gomoku: lines that are still open, and what a three forces."""

from collections.abc import Hashable, Sequence
from typing import Final

from services.ghost.players.search.alphabeta import Loud
from shared.rules.gomoku3d.board import CELLS, LINES, THROUGH, names
from shared.rules.gomoku3d.game import State

_WORTH: Final = (0, 4, 20, 90, 0)
"""By symbols in a line that the other side is not in; a four has ended the game."""

_BRANCHES: Final = 14  # of the quiet moves so many are looked at
_THREE: Final = 3
_STILL: Final[Loud[str]] = Loud((), forced=False)


def _completing(symbols: int, free: int) -> int:
    """The cells on which one more symbol makes four."""
    found = 0
    for line in LINES:
        if (line & symbols).bit_count() == _THREE:
            found |= line & free
    return found


def _both(state: State) -> tuple[int, int]:
    """The symbols of the side to move and of the other."""
    side = state.side
    return state.symbols[side], state.symbols[1 - side]


class Gomoku3dJudgement:
    """``Judgement``."""

    def value(self, state: State) -> int:
        """Open lines by how many symbols they hold."""
        mine, theirs = _both(state)
        found = 0
        for line in LINES:
            own, other = line & mine, line & theirs
            if not other:
                found += _WORTH[own.bit_count()]
            elif not own:
                found -= _WORTH[other.bit_count()]
        return found

    def ordered(self, state: State, legal: Sequence[str]) -> Sequence[str]:
        """A four if there is one, else the cells that keep the other's away, else the busiest cells."""
        mine, theirs = _both(state)
        must = _completing(mine, state.free) or _completing(theirs, state.free)
        if must:
            return names(must)
        return sorted(legal, key=lambda move: _busy(CELLS[move], mine, theirs), reverse=True)[:_BRANCHES]

    def loud(self, state: State, legal: Sequence[str]) -> Loud[str]:
        """Fours, what keeps them away, and two threes at once: one of them becomes a four."""
        del legal
        mine, theirs = _both(state)
        free = state.free
        must = _completing(mine, free) or _completing(theirs, free)
        if must:
            return Loud(names(must)[:2], forced=True)
        once = twice = 0
        for line in LINES:
            if not line & theirs and (line & mine).bit_count() == _THREE - 1:
                twice |= once & line & free
                once |= line & free
        return Loud(names(twice)[:1], forced=False) if twice else _STILL

    def key(self, state: State) -> Hashable:
        """The symbols."""
        return state.symbols


def _busy(cell: int, mine: int, theirs: int) -> int:
    """How much a symbol on ``cell`` makes of the own lines and spoils of the other's."""
    found = 0
    for line in THROUGH[cell]:
        own, other = line & mine, line & theirs
        if not other:
            found += 1 + 2 * _WORTH[own.bit_count()]
        elif not own:
            found += 2 * _WORTH[other.bit_count()] - 1
    return found
