"""What a player knows of reversi: corners, what gives them away, freedom to move, the rim of the mass."""

from collections.abc import Hashable, Sequence
from typing import Final

from services.ghost.players.search.alphabeta import Loud
from shared.rules.reversi.board import ALL, NAMES, SIZE, SQUARES
from shared.rules.reversi.game import State
from shared.rules.reversi.moves import moves


def _mask(*names: str) -> int:
    return sum(1 << SQUARES[name] for name in names)


_CORNERS: Final = _mask("a1", "a8", "h1", "h8")
_NEAR: Final = tuple(
    (_mask(corner), _mask(diagonal), _mask(*beside))
    for corner, diagonal, beside in (
        ("a1", "b2", ("a2", "b1")),
        ("a8", "b7", ("a7", "b8")),
        ("h1", "g2", ("h2", "g1")),
        ("h8", "g7", ("h7", "g8")),
    )
)
_EDGES: Final = _mask(*(name for name in NAMES if name[0] in "ah" or name[1] in "18")) & ~_CORNERS

_CORNER, _DIAGONAL, _BESIDE, _EDGE = 800, 250, 80, 10
_MOVE, _RIM, _DISC = 30, 12, 10
_LATE: Final = 14  # with so few empty squares discs begin to count

_FIRST: Final = {"corner": 0, "edge": 1, "plain": 2, "beside": 3, "diagonal": 4}


def _kind(square: int) -> str:
    bit = 1 << square
    if bit & _CORNERS:
        return "corner"
    if any(bit & diagonal for _, diagonal, _ in _NEAR):
        return "diagonal"
    if any(bit & beside for _, _, beside in _NEAR):
        return "beside"
    return "edge" if bit & _EDGES else "plain"


_ORDER: Final = {name: _FIRST[_kind(square)] for name, square in SQUARES.items()}


class ReversiJudgement:
    """``Judgement``."""

    def value(self, state: State) -> int:
        """Corners first, then freedom; discs only near the end."""
        mine, theirs = state.sides
        empty = ALL & ~(mine | theirs)
        found = _CORNER * ((mine & _CORNERS).bit_count() - (theirs & _CORNERS).bit_count())
        for corner, diagonal, beside in _NEAR:
            if empty & corner:
                found -= _DIAGONAL * (bool(mine & diagonal) - bool(theirs & diagonal))
                found -= _BESIDE * ((mine & beside).bit_count() - (theirs & beside).bit_count())
        found += _EDGE * ((mine & _EDGES).bit_count() - (theirs & _EDGES).bit_count())
        found += _MOVE * (moves(mine, theirs).bit_count() - moves(theirs, mine).bit_count())
        near = _around(empty)
        found -= _RIM * ((mine & near).bit_count() - (theirs & near).bit_count())
        if empty.bit_count() <= _LATE:
            found += _DISC * (mine.bit_count() - theirs.bit_count())
        return found

    def ordered(self, state: State, legal: Sequence[str]) -> Sequence[str]:
        """Corners first, the squares beside an empty corner last; many choices of the other's are bad."""
        del state
        return sorted(legal, key=lambda move: _ORDER.get(move, 0))

    def loud(self, state: State, legal: Sequence[str]) -> Loud[str]:
        """Corners that can be taken."""
        del state
        return Loud([move for move in legal if _ORDER.get(move) == 0], forced=False)

    def key(self, state: State) -> Hashable:
        """The discs."""
        return state.discs


def _around(squares: int) -> int:
    """All squares beside these."""
    column = squares | (squares & ~_TOP) >> 1 | (squares & ~_BOTTOM) << 1
    return (column | column << SIZE | column >> SIZE) & ALL


_TOP: Final = sum(1 << column * SIZE for column in range(SIZE))
_BOTTOM: Final = _TOP << (SIZE - 1)
