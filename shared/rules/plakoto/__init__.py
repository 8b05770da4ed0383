"""Plakoto: all from the 24, blots are pinned, a caught mother ends the game (rules §2.5)."""

from typing import Final

from shared.rules.nard.board import board
from shared.rules.nard.game import Nard
from shared.rules.nard.options import OPENING_DICE, Chosen, mode
from shared.rules.nard.pinning import PINS

__all__ = ["RULES", "START"]

START: Final = board({24: 15})
_DEFAULT: Final = Chosen(opening_dice_played=False, resign_gammon_requires_none_off=True, triple=False)
RULES: Final = Nard(
    "plakoto",
    START,
    PINS,
    (mode(draw=False), OPENING_DICE),
    _DEFAULT,
    title="Plakoto",
    cube=False,
    matches=False,
)
