"""The 100 cells, and the straight ships that fit on them (§7).

Rows are a to j from the top, columns 1 to 10 from the left: ``b7`` is the second row, the seventh column.
Cells are numbered row by row, a1 a2 … j10; a set of cells is the bits of one integer.
"""

from collections.abc import Iterable
from functools import cache
from typing import Final, NamedTuple

SIZE: Final = 10
ROWS: Final = "abcdefghij"
NAMES: Final[tuple[str, ...]] = tuple(f"{row}{column + 1}" for row in ROWS for column in range(SIZE))
CELLS: Final[dict[str, int]] = {name: cell for cell, name in enumerate(NAMES)}

Ship = tuple[int, ...]
"""The cells of a ship, ascending."""

Fleet = tuple[Ship, ...]
"""Ships, long ones first, then by their cells: equal fleets are equal values."""


def cells_of(numbers: Iterable[int]) -> int:
    """Cells as a set."""
    found = 0
    for cell in numbers:
        found |= 1 << cell
    return found


def _beside(cell: int) -> int:
    row, column = divmod(cell, SIZE)
    return cells_of(
        r * SIZE + c
        for r in range(max(0, row - 1), min(SIZE, row + 2))
        for c in range(max(0, column - 1), min(SIZE, column + 2))
    )


BESIDE: Final[tuple[int, ...]] = tuple(_beside(cell) for cell in range(len(NAMES)))
"""By cell: itself and the up to eight around it, where no other ship may lie."""


def around(ship: Iterable[int]) -> int:
    """A ship's cells and all that touch them, corners included."""
    found = 0
    for cell in ship:
        found |= BESIDE[cell]
    return found


class Bar(NamedTuple):
    """Where a straight ship can lie: its cells, as numbers and as a set, and the set ``around`` it."""

    ship: Ship
    cells: int
    around: int


@cache
def bars(length: int) -> tuple[Bar, ...]:
    """Every place of a straight ship of ``length`` cells, those along the rows first."""
    found: list[Bar] = []
    for step, rows, columns in ((1, SIZE, SIZE - length + 1), (SIZE, SIZE - length + 1, SIZE)):
        for row in range(rows):
            for column in range(columns):
                begin = row * SIZE + column
                ship = tuple(range(begin, begin + step * length, step))
                found.append(Bar(ship, cells_of(ship), around(ship)))
        if length == 1:
            break
    return tuple(found)
