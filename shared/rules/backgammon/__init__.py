"""Backgammon, also known as Short nardy and Portes (rules §2.1)."""

from typing import Final

from shared.rules.nard.board import board
from shared.rules.nard.game import Nard
from shared.rules.nard.hitting import HITS
from shared.rules.nard.options import RESIGN_NONE_OFF, TRIPLE, mode

__all__ = ["RULES", "START"]

START: Final = board({24: 2, 13: 5, 8: 3, 6: 5})
RULES: Final = Nard(
    "backgammon",
    START,
    HITS,
    (mode(draw=True), RESIGN_NONE_OFF, TRIPLE),
    title="Backgammon",
    exports={"mat": "Backgammon", "sgf": ""},
)
