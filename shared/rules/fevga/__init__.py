"""Fevga: the first checker goes alone past the opponent's start; primes are free but for two (rules §2.6)."""

from typing import Final

from shared.rules.fevga.law import FirstCheckerAndPrimes
from shared.rules.nard.board import HEAD, board
from shared.rules.nard.game import Nard
from shared.rules.nard.options import FROM_HEAD_TO_TWO, OPENING_DICE, mode
from shared.rules.nard.parallel import Parallel

__all__ = ["RULES", "START"]

START: Final = board({HEAD: 15})
RULES: Final = Nard(
    "fevga",
    START,
    Parallel(FirstCheckerAndPrimes),
    (mode(draw=False), OPENING_DICE),
    FROM_HEAD_TO_TWO,
    title="Fevga",
    cube=False,
    matches=False,
)
