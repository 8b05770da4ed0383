"""Boards of gomoku: the names of their cells, the lines through them, and a board as one text (§1).

Columns are a, b, c … from the left, rows 1, 2, 3 … from the bottom; cells are numbered as one reads, from the
top left. A board is a text with one sign for each cell: ``o`` a circle, ``x`` a cross, ``.`` neither.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple

SIZES: Final = (15, 19, 20)
SIGNS: Final = "ox"
EMPTY: Final = "."
TO_WIN: Final = 5

_COLUMNS: Final = "abcdefghijklmnopqrst"
_AXES: Final = ((1, 0), (0, 1), (1, 1), (1, -1))
_CENTRAL: Final = 2
"""So many cells on each side of the middle one the central square reaches: it is five by five."""

Ray = tuple[int, ...]


class Grid(NamedTuple):
    """A board of one size. ``axes`` are, by cell, the two rays of each line through it, the nearest first.

    Rays end after five cells: what is longer than five is too long however long it is. ``central`` are the
    central five by five, of an even board none.
    """

    size: int
    names: tuple[str, ...]
    cells: dict[str, int]
    axes: tuple[tuple[tuple[Ray, Ray], ...], ...]
    central: frozenset[int]

    @property
    def centre(self) -> int:
        """The middle cell of an odd board."""
        return self.size * self.size // 2


def _ray(size: int, cell: int, right: int, down: int) -> Ray:
    row, column = divmod(cell, size)
    found: list[int] = []
    for distance in range(1, TO_WIN + 1):
        there = row + down * distance, column + right * distance
        if not all(0 <= at < size for at in there):
            break
        found.append(there[0] * size + there[1])
    return tuple(found)


def _grid(size: int) -> Grid:
    names = tuple(f"{_COLUMNS[column]}{size - row}" for row in range(size) for column in range(size))
    middle = range(size // 2 - _CENTRAL, size // 2 + _CENTRAL + 1)
    return Grid(
        size=size,
        names=names,
        cells={name: cell for cell, name in enumerate(names)},
        axes=tuple(
            tuple((_ray(size, cell, *axis), _ray(size, cell, -axis[0], -axis[1])) for axis in _AXES)
            for cell in range(len(names))
        ),
        central=frozenset(row * size + column for row in middle for column in middle if size % 2),
    )


GRIDS: Final[dict[int, Grid]] = {size: _grid(size) for size in SIZES}
"""By size."""

_BY_CELLS: Final[dict[int, Grid]] = {size * size: grid for size, grid in GRIDS.items()}


def grid_of(board: str) -> Grid:
    """The board on which these signs stand."""
    return _BY_CELLS[len(board)]


def names(board: str, sign: str) -> list[str]:
    """The names of the cells with this sign."""
    return [name for name, there in zip(grid_of(board).names, board, strict=True) if there == sign]


@lru_cache(maxsize=256)  # the list of moves and the look whether there is only one ask for the same
def free(board: str) -> tuple[str, ...]:
    """The names of the empty cells."""
    return tuple(names(board, EMPTY))


def fives(board: str, cell: int) -> Iterator[list[int]]:
    """The runs of exactly five through the symbol on ``cell``."""
    sign = board[cell]
    for rays in grid_of(board).axes[cell]:
        run = [cell]
        for ray in rays:
            for there in ray:
                if board[there] != sign:
                    break
                run.append(there)
        if len(run) == TO_WIN:
            yield run


def board_text(board: str) -> str:
    """The rows from the top; a number stands for so many empty cells."""
    size = grid_of(board).size
    rows = "/".join(board[start : start + size] for start in range(0, len(board), size))
    for run in range(size, 0, -1):
        rows = rows.replace(EMPTY * run, str(run))
    return rows
