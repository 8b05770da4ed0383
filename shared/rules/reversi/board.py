"""The 64 squares, and sets of squares as bits of one integer (§6).

Squares are numbered in the order of their names, a1 a2 … h8, so that numbers sort as texts do. Columns are a
to h from the left, rows 1 to 8 from the top. Side 0 is Black and 1 is White.
"""

from typing import Final

from shared.rules.bits import members as squares

COLUMNS: Final = "abcdefgh"
SIZE: Final = 8
NAMES: Final[tuple[str, ...]] = tuple(f"{column}{row + 1}" for column in COLUMNS for row in range(SIZE))
SQUARES: Final[dict[str, int]] = {name: square for square, name in enumerate(NAMES)}
ALL: Final = (1 << len(NAMES)) - 1
SIGNS: Final = "XO"  # Black and White in a position's text
EMPTY: Final = "-"


def names(discs: int) -> list[str]:
    """The names of a set of squares."""
    return [NAMES[square] for square in squares(discs)]


def position_text(black: int, white: int, side: int) -> str:
    """64 signs, a1 b1 … h8: X is Black, O is White, - is empty; then the side to move."""
    signs = [EMPTY] * len(NAMES)
    for discs, sign in ((black, SIGNS[0]), (white, SIGNS[1])):
        for square in squares(discs):
            signs[square] = sign
    rows = ("".join(signs[row::SIZE]) for row in range(SIZE))
    return f"{''.join(rows)} {SIGNS[side]}"


def from_text(position: str) -> tuple[int, int, int]:
    """The black discs, the white ones and the side to move of a ``position_text``."""
    board, to_move = position.split()
    found = [0, 0]
    for at, sign in enumerate(board):
        if sign != EMPTY:
            row, column = divmod(at, SIZE)
            found[SIGNS.index(sign)] |= 1 << (column * SIZE + row)
    return found[0], found[1], SIGNS.index(to_move)
