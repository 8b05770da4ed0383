"""Gomoku positions for tests, told by the cells of the circles and of the crosses."""

from typing import Any, Final

from shared.rules.gomoku import RULES, State
from shared.rules.gomoku.board import GRIDS
from tests.support.duels import Played

PLAYED = Played(RULES)
after, legal, refusal = PLAYED.after, PLAYED.legal, PLAYED.refusal

SPARE: Final = ("a1", "c1", "e1", "g1", "i1", "k1", "m1", "o1", "a15", "c15", "e15", "g15", "i15")
"""Cells at the edges, no two of them beside each other: for the symbols that do not matter."""


def start(first: int = 0, **options: Any) -> State:
    """The start of a game under these options."""
    return RULES.setup(2, options, first)


def at(
    circles: str, crosses: str = "", *, symbol: str = "o", size: int = 15, first: int = 0, **more: Any
) -> State:
    """The state with these cells taken, ``symbol`` to be placed next; what lacks is placed on ``SPARE``.

    ``first`` is the seat that began and has the circles.
    """
    taken = [circles.split(), crosses.split()]
    spare = iter(name for name in SPARE if name not in taken[0] + taken[1])
    ahead = 1 if symbol == "x" else 0
    while len(taken[0]) - len(taken[1]) != ahead:
        taken[len(taken[0]) - len(taken[1]) > ahead].append(next(spare))
    signs = ["."] * size * size
    for sign, names in zip("ox", taken, strict=True):
        for name in names:
            signs[GRIDS[size].cells[name]] = sign
    return State(first=first, ply=len(taken[0] + taken[1]), board="".join(signs), circles=first, **more)


def filling(size: int) -> list[str]:
    """Every cell of a board in an order in which no three symbols of a kind ever lie beside each other.

    Circle and cross alternate; filled up, a row reads ``ooxx`` again and again and each next one is shifted
    by two.
    """
    kinds: tuple[list[str], list[str]] = ([], [])
    for cell, name in enumerate(GRIDS[size].names):
        row, column = divmod(cell, size)
        kinds[(column + 2 * row) % 4 // 2].append(name)
    circles, crosses = sorted(kinds, key=len, reverse=True)
    order = [name for pair in zip(circles, crosses, strict=False) for name in pair]
    return order + circles[len(crosses) :]
