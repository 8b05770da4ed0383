"""The 61 cells, their lines, and sets of cells as bits of one integer (boardgames §5).

Cells are numbered in the order of their names, a1 a2 … i9. Rows go from a at the bottom to i at the top; the
numbers lead up to the right. Side 0 is Black and 1 is White.
"""

from typing import Final

from shared.rules.bits import members as cells

ROWS: Final = "abcdefghi"
_MIDDLE: Final = 4  # row e, the longest
_WIDEST: Final = 9


def _numbers(row: int) -> range:
    """The numbers of a row's cells."""
    return range(max(1, row - _MIDDLE + 1), min(_WIDEST, row + _MIDDLE + 1) + 1)


NAMES: Final[tuple[str, ...]] = tuple(
    f"{ROWS[row]}{number}" for row in range(len(ROWS)) for number in _numbers(row)
)
CELLS: Final[dict[str, int]] = {name: cell for cell, name in enumerate(NAMES)}
ALL: Final = (1 << len(NAMES)) - 1

_DIRECTIONS: Final = ((0, 1), (1, 1), (1, 0), (0, -1), (-1, -1), (-1, 0))
"""By row and number, going round: neighbours in the list differ by 60 degrees."""


def _ray(cell: int, direction: int) -> tuple[int, ...]:
    row, number = ROWS.index(NAMES[cell][0]), int(NAMES[cell][1])
    up, right = _DIRECTIONS[direction]
    found: list[int] = []
    for distance in range(1, len(ROWS)):
        there = row + up * distance, number + right * distance
        if not (0 <= there[0] < len(ROWS) and there[1] in _numbers(there[0])):
            break
        found.append(CELLS[f"{ROWS[there[0]]}{there[1]}"])
    return tuple(found)


RAYS: Final = tuple(tuple(_ray(cell, turn) for turn in range(len(_DIRECTIONS))) for cell in range(len(NAMES)))
"""By cell and direction, the cells from the next one to the edge."""

RAY_BITS: Final = tuple(tuple(tuple(1 << there for there in ray) for ray in rays) for rays in RAYS)
"""The same as sets of one cell each."""

NEIGHBOURS: Final = tuple(sum(1 << ray[0] for ray in rays if ray) for rays in RAYS)
"""By cell, the set of those beside it."""

DIRECTION: Final[dict[tuple[int, int], int]] = {
    (cell, there): turn for cell in range(len(NAMES)) for turn, ray in enumerate(RAYS[cell]) for there in ray
}
"""In which direction the second of two cells of one line lies from the first."""


def names(marbles: int) -> list[str]:
    """The names of a set of cells."""
    return [NAMES[cell] for cell in cells(marbles)]


def board_text(black: int, white: int) -> str:
    """The rows from i down to a: S a black marble, s a white one, a number so many empty cells."""
    rows: list[str] = []
    for row in reversed(range(len(ROWS))):
        text, empty = "", 0
        for number in _numbers(row):
            bit = 1 << CELLS[f"{ROWS[row]}{number}"]
            if (black | white) & bit:
                text += (str(empty) if empty else "") + ("S" if black & bit else "s")
                empty = 0
            else:
                empty += 1
        rows.append(text + (str(empty) if empty else ""))
    return "/".join(rows)


def from_text(board: str) -> tuple[int, int]:
    """The black and the white marbles of a ``board_text``."""
    found = [0, 0]
    for row, text in zip(reversed(range(len(ROWS))), board.split("/"), strict=True):
        number = _numbers(row).start
        for sign in text:
            if sign.isdigit():
                number += int(sign)
                continue
            found["Ss".index(sign)] |= 1 << CELLS[f"{ROWS[row]}{number}"]
            number += 1
    return found[0], found[1]
