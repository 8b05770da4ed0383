"""Hypergammon: backgammon with three checkers each (rules §2.2)."""

from typing import Final

from shared.rules.nard.board import board
from shared.rules.nard.game import Nard
from shared.rules.nard.hitting import HITS
from shared.rules.nard.options import RESIGN_NONE_OFF, TRIPLE, mode

__all__ = ["RULES", "START"]

START: Final = board({24: 1, 23: 1, 22: 1})
RULES: Final = Nard(
    "hypergammon",
    START,
    HITS,
    (mode(draw=True), RESIGN_NONE_OFF, TRIPLE),
    title="Hypergammon",
    exports={"mat": "HyperGammon (3)", "sgf": "Hypergammon3"},  # as gnubg writes and reads them
)
