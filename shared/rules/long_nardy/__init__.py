"""Long nardy: all from the head, one at a time, and no six in a row before the last opponent (rules §2.4)."""

from typing import Final

from shared.rules.long_nardy.law import HeadAndBridge
from shared.rules.nard.board import HEAD, board
from shared.rules.nard.game import Nard
from shared.rules.nard.options import FROM_HEAD, KOKS, OPENING_DICE, mode
from shared.rules.nard.parallel import Parallel

__all__ = ["RULES", "START"]

START: Final = board({HEAD: 15})
RULES: Final = Nard(
    "long_nardy",
    START,
    Parallel(HeadAndBridge, "headed"),
    (mode(draw=True), KOKS, OPENING_DICE),
    FROM_HEAD,
    title="Long nardy",
)
