"""The board of 15 × 15: squares by number, premium squares, rows and columns (§9).

A board is a text of 225 signs row by row from A1 (above, at the left): ``.`` for an empty square, else the
letter, small where a blank stands for it.
"""

from collections.abc import Mapping, Sequence
from typing import Final

SIZE: Final = 15
SQUARES: Final = SIZE * SIZE
EMPTY: Final = "."
START: Final = EMPTY * SQUARES
CENTRE: Final = SQUARES // 2

_UPPER_ROWS: Final = (
    "T..d...T...d..T",
    ".D...t...t...D.",
    "..D...d.d...D..",
    "d..D...d...D..d",
    "....D.....D....",
    ".t...t...t...t.",
    "..d...d.d...d..",
    "T..d...D...d..T",
)
PREMIUMS: Final = "".join((*_UPPER_ROWS, *_UPPER_ROWS[-2::-1]))
"""By square: ``T`` and ``D`` treble and double the word, ``t`` and ``d`` the letter."""

LETTER_TIMES: Final = tuple({"d": 2, "t": 3}.get(sign, 1) for sign in PREMIUMS)
WORD_TIMES: Final = tuple({"D": 2, "T": 3}.get(sign, 1) for sign in PREMIUMS)


def name(square: int) -> str:
    """A square as its column and its row, ``H8``."""
    return f"{chr(ord('A') + square % SIZE)}{square // SIZE + 1}"


def start_name(square: int, *, across: bool) -> str:
    """Where a word begins, as GCG has it: ``8H`` for one that goes across, ``H8`` for one that goes down."""
    column, row = chr(ord("A") + square % SIZE), str(square // SIZE + 1)
    return row + column if across else column + row


def line(square: int, *, across: bool) -> range:
    """The squares of the row (``across``) or column through ``square``."""
    if across:
        begin = square - square % SIZE
        return range(begin, begin + SIZE)
    return range(square % SIZE, SQUARES, SIZE)


def run(cells: Sequence[str], square: int, *, across: bool) -> range:
    """The squares of the word through ``square``, which counts as covered, across or down."""
    squares = line(square, across=across)
    first = last = squares.index(square)
    while first > 0 and cells[squares[first - 1]] != EMPTY:
        first -= 1
    while last < SIZE - 1 and cells[squares[last + 1]] != EMPTY:
        last += 1
    return squares[first : last + 1]


def laid(board: str, tiles: Mapping[int, str]) -> str:
    """The board with these signs laid on these squares."""
    cells = list(board)
    for square, sign in tiles.items():
        cells[square] = sign
    return "".join(cells)


def beside(board: str, square: int) -> bool:
    """Whether a tile lies next to ``square``."""
    row, column = divmod(square, SIZE)
    return (
        (column > 0 and board[square - 1] != EMPTY)
        or (column < SIZE - 1 and board[square + 1] != EMPTY)
        or (row > 0 and board[square - SIZE] != EMPTY)
        or (row < SIZE - 1 and board[square + SIZE] != EMPTY)
    )
