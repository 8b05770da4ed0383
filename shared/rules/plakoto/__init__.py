"""Plakoto: all from the 24, blots are pinned, a caught mother ends the game (rules §2.5)."""

from typing import Final

from shared.rules.nard.board import HEAD, board
from shared.rules.nard.game import Nard
from shared.rules.nard.options import FROM_HEAD_TO_TWO, OPENING_DICE, mode
from shared.rules.nard.pinning import PINS

__all__ = ["RULES", "START"]

START: Final = board({HEAD: 15})
RULES: Final = Nard(
    "plakoto",
    START,
    PINS,
    (mode(draw=False), OPENING_DICE),
    FROM_HEAD_TO_TWO,
    title="Plakoto",
    cube=False,
    matches=False,
)
