"""The 32 dark squares, how pieces go over them, and sets of squares as bits of one integer.

Squares are numbered in the order of their names, a1 a3 … h8, so that numbers sort as texts do. Colour 0 is
White, who goes up the board, and 1 is Black.
"""

from typing import Final

from shared.rules.bits import members as squares

FILES: Final = "abcdefgh"
SIZE: Final = 8
NAMES: Final[tuple[str, ...]] = tuple(
    f"{FILES[file]}{row + 1}" for file in range(SIZE) for row in range(SIZE) if (file + row) % 2 == 0
)
SQUARES: Final[dict[str, int]] = {name: square for square, name in enumerate(NAMES)}
ALL: Final = (1 << len(NAMES)) - 1


def _ray(square: int, right: int, up: int) -> tuple[int, ...]:
    """The squares from ``square`` along a diagonal to the edge, the nearest first."""
    file, row = FILES.index(NAMES[square][0]), int(NAMES[square][1]) - 1
    found: list[int] = []
    for distance in range(1, SIZE):
        there = file + right * distance, row + up * distance
        if not all(0 <= at < SIZE for at in there):
            break
        found.append(SQUARES[f"{FILES[there[0]]}{there[1] + 1}"])
    return tuple(found)


def _ahead(square: int, colour: int) -> tuple[tuple[int, ...], ...]:
    return tuple(_ray(square, right, -1 if colour else 1) for right in (-1, 1))


RAYS: Final = tuple(
    tuple(_ray(square, right, up) for right in (-1, 1) for up in (-1, 1)) for square in range(len(NAMES))
)
"""By square, its diagonals in the four directions."""

STEPS: Final = tuple(
    tuple(tuple(ray[0] for ray in _ahead(square, colour) if ray) for square in range(len(NAMES)))
    for colour in (0, 1)
)
"""By colour and square, where a man steps."""

JUMPS: Final = tuple(
    tuple(tuple(ray[:2] for ray in _ahead(square, colour) if len(ray) > 1) for square in range(len(NAMES)))
    for colour in (0, 1)
)
"""By colour and square, what a man jumps over, and where it lands."""

BETWEEN: Final[dict[tuple[int, int], int]] = {
    (square, end): sum(1 << passed for passed in ray[:distance])
    for square in range(len(NAMES))
    for ray in RAYS[square]
    for distance, end in enumerate(ray)
}
"""The squares between two of one diagonal."""


def mask(*names: str) -> int:
    """The set of the squares with these names."""
    return sum(1 << SQUARES[name] for name in names)


CROWNING: Final = (mask("b8", "d8", "f8", "h8"), mask("a1", "c1", "e1", "g1"))
"""By colour, the row on which a man becomes a king."""

LONG_DIAGONAL: Final = mask("a1", "b2", "c3", "d4", "e5", "f6", "g7", "h8")
START: Final = (
    mask("a1", "c1", "e1", "g1", "b2", "d2", "f2", "h2", "a3", "c3", "e3", "g3"),
    mask("b8", "d8", "f8", "h8", "a7", "c7", "e7", "g7", "b6", "d6", "f6", "h6"),
)


def names(pieces: int) -> list[str]:
    """The names of a set of squares."""
    return [NAMES[square] for square in squares(pieces)]


def position_text(men: tuple[int, int], kings: tuple[int, int], colour: int) -> str:
    """The side to move, White's pieces, Black's: ``W:Wc3,Kh8:Bd4,g7`` (K is a king)."""

    def listed(side: int) -> str:
        return ",".join(
            f"K{NAMES[square]}" if kings[side] >> square & 1 else NAMES[square]
            for square in squares(men[side] | kings[side])
        )

    return f"{'B' if colour else 'W'}:W{listed(0)}:B{listed(1)}"
