"""Games of 3D gomoku for tests, and a filling of the cube without four in a row."""

from typing import Final

from shared.rules.gomoku3d import RULES
from tests.support.duels import Played

PLAYED = Played(RULES)
after, legal, refusal = PLAYED.after, PLAYED.legal, PLAYED.refusal

DRAWN: Final = "ooxx/xxoo/xoxx/xxox|oxoo/oxxx/xxxo/ooxo|xoxo/oxoo/xooo/xoxx|ooox/xooo/oxxo/xoxx"
"""Level by level from 1 to 4, each its rows from 4 to 1: nobody has four in a row."""

WON: Final = "oxox/xoxx/ooxo/oxox|oxxo/oxxx/xxoo/ooxo|xxox/oxoo/xooo/xoxx|ooxx/ooox/xxxx/ooxo"
"""Likewise, but for the crosses on the second row of level 4."""


def in_turn(filling: str, last: str) -> list[str]:
    """The cells of a filling, circle and cross in turn, each in the order of their names but for ``last``."""
    cells: dict[str, list[str]] = {"o": [], "x": []}
    for level, rows in enumerate(filling.split("|"), 1):
        for row, signs in zip((4, 3, 2, 1), rows.split("/"), strict=True):
            for column, sign in zip("abcd", signs, strict=True):
                cells[sign].append(f"{level}{column}{row}")
    circles, crosses = (sorted(kind, key=lambda cell: (cell == last, cell)) for kind in cells.values())
    return [cell for pair in zip(circles, crosses, strict=True) for cell in pair]
