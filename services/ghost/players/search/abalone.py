"""What a player knows of abalone: hold the middle, hold together, push off what stands on the rim."""

from collections.abc import Hashable, Sequence
from typing import Final

from services.ghost.players.search.alphabeta import Loud
from shared.rules.abalone.board import CELLS, NAMES, NEIGHBOURS, RAYS, cells
from shared.rules.abalone.game import QUIET_PLIES, State

MARBLE: Final = 500  # pushed off; a man's worth of place is about a hundred
_FAR: Final = (0, 6, 14, 26, 60)
"""What a marble loses by its distance from the middle cell; on the rim it can be pushed off."""

_DRAW_IN_SIGHT: Final = QUIET_PLIES - 20
"""From so many quiet plies on a search, which never goes twenty plies deep, may come upon the draw."""

_TOGETHER: Final = 3  # for each neighbour of the own colour


def _rings() -> tuple[int, ...]:
    """The cells by their distance from the middle."""
    rings, inside = [1 << CELLS["e5"]], 1 << CELLS["e5"]
    for _ in _FAR[1:]:
        around = sum({1 << there for cell in cells(inside) for ray in RAYS[cell] for there in ray[:1]})
        rings.append(around & ~inside)
        inside |= around
    return tuple(rings)


_RINGS: Final = _rings()
_DISTANCE: Final = {NAMES[cell]: distance for distance, ring in enumerate(_RINGS) for cell in cells(ring)}


def _place(marbles: int) -> int:
    found = 0
    for far, ring in zip(_FAR, _RINGS, strict=True):
        found -= far * (marbles & ring).bit_count()
    for cell in cells(marbles):
        found += _TOGETHER * (NEIGHBOURS[cell] & marbles).bit_count()
    return found


class AbaloneJudgement:
    """``Judgement``."""

    def value(self, state: State) -> int:
        """Marbles pushed off, then where the others stand."""
        side = state.side
        mine, theirs = state.sides
        lead = state.ejected[side] - state.ejected[1 - side]
        return MARBLE * lead + _place(mine) - _place(theirs)

    def ordered(self, state: State, legal: Sequence[str]) -> Sequence[str]:
        """What pushes off first, then what comes nearest to the middle."""
        theirs = state.sides[1]

        def rank(move: str) -> int:
            end = move[2:]
            if theirs >> CELLS[end] & 1:
                return -100
            return _DISTANCE[end] - 2 * _DISTANCE[move[:2]]

        return sorted(legal, key=rank)

    def loud(self, state: State, legal: Sequence[str]) -> Loud[str]:
        """What pushes off: then the last cell of the move is one of theirs."""
        theirs = state.sides[1]
        return Loud([move for move in legal if theirs >> CELLS[move[2:]] & 1], forced=False)

    def key(self, state: State) -> Hashable:
        """The marbles, and how near the draw by quiet plies is, once a search might reach it.

        What has been pushed off follows from the marbles.
        """
        return state.marbles, max(0, len(state.earlier) - _DRAW_IN_SIGHT)
