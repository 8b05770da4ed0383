"""Nackgammon: backgammon from another start, with four checkers far back (rules §2.3)."""

from typing import Final

from shared.rules.nard.board import board
from shared.rules.nard.game import Nard
from shared.rules.nard.hitting import HITS
from shared.rules.nard.options import RESIGN_NONE_OFF, TRIPLE, mode

__all__ = ["RULES", "START"]

START: Final = board({24: 2, 23: 2, 13: 4, 8: 3, 6: 4})
RULES: Final = Nard(
    "nackgammon",
    START,
    HITS,
    (mode(draw=False), RESIGN_NONE_OFF, TRIPLE),
    title="Nackgammon",
    exports={"mat": "NackGammon", "sgf": "Nackgammon"},  # as gnubg writes and reads them
)
