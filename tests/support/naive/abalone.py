"""Abalone (§5), read a second time: every group of marbles, every direction, as the page describes a move.

Written from the rules page alone, without a look at ``shared.rules``. A cell is (row, number), both from 1;
a board maps it to its side, 0 or 1.
"""

from collections.abc import Iterator, Mapping
from itertools import product

Cell = tuple[int, int]
Board = Mapping[Cell, int]

LENGTHS = (5, 6, 7, 8, 9, 8, 7, 6, 5)
FIRST = (1, 1, 1, 1, 1, 2, 3, 4, 5)
CELLS = frozenset(
    (row, number)
    for row, (first, length) in enumerate(zip(FIRST, LENGTHS, strict=True), start=1)
    for number in range(first, first + length)
)
DIRECTIONS = ((0, 1), (0, -1), (1, 0), (-1, 0), (1, 1), (-1, -1))


def next_to(cell: Cell, direction: tuple[int, int], times: int = 1) -> Cell:
    """The cell so many steps away, on the board or not."""
    return cell[0] + times * direction[0], cell[1] + times * direction[1]


def groups(board: Board, side: int) -> set[frozenset[Cell]]:
    """Every one, two or three marbles of a side that lie in one straight line, each beside the next."""
    found: set[frozenset[Cell]] = set()
    mine = [cell for cell, who in board.items() if who == side]
    for cell, direction, length in product(mine, DIRECTIONS, (1, 2, 3)):
        line = [next_to(cell, direction, step) for step in range(length)]
        if all(board.get(member) == side for member in line):
            found.add(frozenset(line))
    return found


def results(board: Board, side: int) -> Iterator[tuple[frozenset[tuple[Cell, int]], bool]]:
    """The board after each legal move, and whether a marble of the other side went off it."""
    for group, direction in product(groups(board, side), DIRECTIONS):
        reached = {next_to(cell, direction) for cell in group}
        others = {cell: who for cell, who in board.items() if cell not in group}
        if not reached <= CELLS:
            continue
        ahead = reached - group
        pushed: list[Cell] = []
        if len(ahead) == 1:  # in line: one cell is new, and what stands there in a row is pushed
            (cell,) = ahead
            while others.get(cell) == 1 - side:
                pushed.append(cell)
                cell = next_to(cell, direction)
            if cell in others or len(pushed) >= len(group):
                continue
        elif ahead & others.keys():
            continue
        for cell in pushed:
            del others[cell]
        moved = {there: 1 - side for cell in pushed if (there := next_to(cell, direction)) in CELLS}
        after = others | moved | dict.fromkeys(reached, side)
        yield frozenset(after.items()), len(moved) < len(pushed)
