"""The golden matches of gomoku and of 3D gomoku: every opening and every way to end (§1, §2)."""

from functools import partial
from typing import Final

from tests.support.gomoku import filling
from tests.support.gomoku3d import DRAWN, in_turn
from tests.support.scripts import boards
from tests.support.scripts.boards import Script, told

FIVE: Final = "h8 h9 i8 h10 j8 j10 k8 k10 l8"

OVERLINE: Final = "h8 a1 i8 b1 j8 c1 l8 a15 m8 d1 k8 e1"
"""k8 makes six circles in a row, and the crosses win with a1 to e1."""

BESIDE: Final = "h8 a1 i8 c1 j8 e1 l8 g1 m8 a15 k9 c15 k10 e15 k11 g15 k7 i15 k8"
"""k8 makes six in the row and five in the column."""

PRO: Final = "h9 k8 i9 h7 j9 a1 k9 b1 l9"
OPENING: Final = "h8 i9 a1"
EXTENSION: Final = "o15 c3"
REST: Final = "j9 b1 k9 c2 l9 d1 m9"
"""Crosses make i9 to m9."""


def _opened(name: str, variant: str, opening: str) -> Script:
    return partial(told, f"gomoku/{name}", f"{opening} {REST}", {"variant": variant})


GOMOKU: Final[dict[str, Script]] = {
    "five": partial(told, "gomoku/five", FIVE),
    "overline": partial(told, "gomoku/overline", OVERLINE),
    "five-and-overline": partial(told, "gomoku/five-and-overline", BESIDE),
    "full-board": partial(told, "gomoku/full-board", filling(15)),
    "pro": partial(told, "gomoku/pro", PRO, {"variant": "pro"}),
    "swap-circles": _opened("swap-circles", "swap", f"{OPENING} circles"),
    "swap-crosses": _opened("swap-crosses", "swap", f"{OPENING} crosses"),
    "swap2-circles": _opened("swap2-circles", "swap2", f"{OPENING} circles"),
    "swap2-crosses": _opened("swap2-crosses", "swap2", f"{OPENING} crosses"),
    "swap2-extended-circles": _opened("swap2-extended-circles", "swap2", f"{OPENING} {EXTENSION} circles"),
    "swap2-extended-crosses": _opened("swap2-extended-crosses", "swap2", f"{OPENING} {EXTENSION} crosses"),
    "flag": partial(boards.flagged, "gomoku/flag", 3),
    "overran": partial(boards.overran, "gomoku/overran"),
    "resigned": partial(boards.resigned, "gomoku/resigned"),
    "agreed": partial(boards.agreed, "gomoku/agreed"),
}

GOMOKU3D: Final[dict[str, Script]] = {
    "four": partial(told, "gomoku3d/four", "1a1 1a2 2b2 1a3 3c3 1b1 4d4"),
    "full-board": partial(told, "gomoku3d/full-board", in_turn(DRAWN, "4d4")),
    "flag": partial(boards.flagged, "gomoku3d/flag", 6),
    "resigned": partial(boards.resigned, "gomoku3d/resigned"),
    "agreed": partial(boards.agreed, "gomoku3d/agreed"),
}
