"""The 64 cells of the cube and its 76 lines, as bits of one integer (§2).

A cell is named by its level, from 1 at the bottom to 4, and its square there: ``2b3`` is b3 of the second
level. Cells are numbered in the order of their names, 1a1 1a2 … 4d4.
"""

from collections.abc import Iterator
from itertools import product
from typing import Final

from shared.rules.bits import members as cells

COLUMNS: Final = "abcd"
SIZE: Final = 4
NAMES: Final[tuple[str, ...]] = tuple(
    f"{level + 1}{column}{row + 1}" for level in range(SIZE) for column in COLUMNS for row in range(SIZE)
)
CELLS: Final[dict[str, int]] = {name: cell for cell, name in enumerate(NAMES)}
ALL: Final = (1 << len(NAMES)) - 1

_STRIDES: Final = (SIZE * SIZE, SIZE, 1)


def _lines() -> Iterator[int]:
    """Four cells in a row: on each axis they stay at one place, or go through all four, up or down."""
    on_axis = [*((at,) * SIZE for at in range(SIZE)), tuple(range(SIZE)), tuple(reversed(range(SIZE)))]
    for line in product(on_axis, repeat=len(_STRIDES)):
        row = [sum(map(int.__mul__, _STRIDES, place)) for place in zip(*line, strict=True)]
        if row[0] < row[-1]:  # every line once, and no four times the same cell
            yield sum(1 << cell for cell in row)


LINES: Final = tuple(_lines())
THROUGH: Final = tuple(tuple(line for line in LINES if line >> cell & 1) for cell in range(len(NAMES)))
"""By cell, the lines that it lies on."""


def names(symbols: int) -> list[str]:
    """The names of a set of cells."""
    return [NAMES[cell] for cell in cells(symbols)]


def board_text(circles: int, crosses: int) -> str:
    """The levels from 1 to 4 with a bar between, each its rows from 4 to 1; a number: so many empty cells."""
    signs = ["."] * len(NAMES)
    for symbols, sign in ((circles, "o"), (crosses, "x")):
        for cell in cells(symbols):
            signs[cell] = sign
    text = "|".join(
        "/".join("".join(signs[level + row : level + _STRIDES[0] : SIZE]) for row in reversed(range(SIZE)))
        for level in range(0, len(NAMES), _STRIDES[0])
    )
    for run in range(SIZE, 0, -1):
        text = text.replace("." * run, str(run))
    return text
