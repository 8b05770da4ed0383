"""Reversi (§6), read a second time: from each empty square a walk in each direction.

Written from the rules page alone, without a look at ``shared.rules``. A square is (column, row), both from 1;
a board maps it to its side, 0 or 1.
"""

from collections.abc import Mapping
from itertools import product

Square = tuple[int, int]
Board = Mapping[Square, int]

SQUARES: frozenset[Square] = frozenset(product(range(1, 9), range(1, 9)))
DIRECTIONS = tuple((right, down) for right, down in product((-1, 0, 1), repeat=2) if right or down)


def enclosed(board: Board, square: Square, side: int) -> set[Square]:
    """The discs of the other side that one on ``square`` encloses, in all directions."""
    found: set[Square] = set()
    for right, down in DIRECTIONS:
        line: list[Square] = []
        at = (square[0] + right, square[1] + down)
        while board.get(at) == 1 - side:
            line.append(at)
            at = (at[0] + right, at[1] + down)
        if board.get(at) == side:
            found.update(line)
    return found


def results(board: Board, side: int) -> dict[Square, Board]:
    """The board after each move that there is, by its square."""
    found: dict[Square, Board] = {}
    for square in SQUARES - board.keys():
        if turned := enclosed(board, square, side):
            found[square] = {**board, **dict.fromkeys(turned, side), square: side}
    return found
