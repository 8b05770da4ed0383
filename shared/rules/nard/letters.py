"""Positions as short text where gnubg has no position ID: one letter for every point that is held."""

from collections.abc import Sequence
from itertools import groupby
from typing import Final

from shared.rules.nard.board import Board
from shared.rules.nard.movement import Pinned

_MINE: Final = "-ABCDEFGHIJKLMNO"  # by number of checkers
_THEIRS: Final = _MINE.lower()
_EMPTY: Final = _MINE[0]


def position_text(mine: Board, facing: Sequence[int], pinned: Pinned = ()) -> str:
    """The points from the mover's 24 down to his 1; what does not stand on them is borne off.

    ``A`` … ``O`` are 1 … 15 checkers of the mover, ``a`` … ``o`` of the opponent (``facing``, by the mover's
    points), with ``*`` where they hold one of the other side: on ``pinned`` it is the mover's. A number says
    how many empty points follow: Plakoto starts from ``O22o``, Long nardy from ``O11o11``.
    """
    points = [_point_text(mine[p], facing[p], pinned=p in pinned) for p in range(24, 0, -1)]
    runs = [(text == _EMPTY, list(run)) for text, run in groupby(points)]
    return "".join(str(len(run)) if empty else "".join(run) for empty, run in runs)


def _point_text(mine: int, theirs: int, *, pinned: bool) -> str:
    if mine and theirs:
        return f"{_THEIRS[theirs] if pinned else _MINE[mine]}*"
    return _THEIRS[theirs] if theirs else _MINE[mine]
