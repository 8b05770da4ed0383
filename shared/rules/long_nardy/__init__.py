"""Long nardy: all from the head, one at a time, and no six in a row before the last opponent (rules §2.4)."""

from typing import Final

from shared.rules.long_nardy.law import HeadAndBridge
from shared.rules.nard.board import board
from shared.rules.nard.game import Nard
from shared.rules.nard.options import KOKS, OPENING_DICE, Chosen, mode
from shared.rules.nard.parallel import HEAD, Parallel

__all__ = ["RULES", "START"]

START: Final = board({HEAD: 15})
_DEFAULT: Final = Chosen(opening_dice_played=False, resign_gammon_requires_none_off=True)
RULES: Final = Nard(
    "long_nardy",
    START,
    Parallel(HeadAndBridge),
    (mode(draw=True), KOKS, OPENING_DICE),
    _DEFAULT,
    title="Long nardy",
)
