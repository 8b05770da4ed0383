"""When a game of draughts is drawn by rule (§4, article 6). A ply is one side's move."""

from typing import Final, NamedTuple

from shared.rules.draughts.board import LONG_DIAGONAL

QUIET_PLIES: Final = 30
"""So long without a man's move and without a capture is a draw: fifteen moves of each side (6.2)."""


class Material(NamedTuple):
    """A balance of few pieces that is drawn when it has stood ``plies`` more; ``kind`` is that draw's."""

    name: str
    plies: int
    kind: str


_ONE: Final = (0, 1)
_THREE_ON: Final = Material("three kings against one on the long diagonal", 10, "material")
_THREE_OFF: Final = Material("three kings against one off the long diagonal", 30, "three kings")
_OTHERS: Final = {
    (0, 2): Material("two kings against one", 10, "material"),
    (1, 1): Material("king and man against king", 10, "material"),
    (0, 1): Material("king against king", 10, "material"),
}


def material(men: tuple[int, int], kings: tuple[int, int]) -> Material | None:
    """The balance of articles 6.3 and 6.4 that stands on the board, whichever side is the stronger."""
    for lone, strong in ((0, 1), (1, 0)):
        if men[lone] or kings[lone].bit_count() != 1:
            continue
        force = (men[strong].bit_count(), kings[strong].bit_count())
        if force == (0, 3):
            return _THREE_ON if kings[lone] & LONG_DIAGONAL else _THREE_OFF
        if force in _OTHERS:
            return _OTHERS[force]
    return None
