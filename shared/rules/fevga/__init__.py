"""Fevga: the first checker goes alone past the opponent's start; primes are free but for two (rules §2.6)."""

from typing import Final

from shared.rules.fevga.law import FirstCheckerAndPrimes
from shared.rules.nard.board import board
from shared.rules.nard.game import Nard
from shared.rules.nard.options import OPENING_DICE, Chosen, mode
from shared.rules.nard.parallel import HEAD, Parallel

__all__ = ["RULES", "START"]

START: Final = board({HEAD: 15})
_DEFAULT: Final = Chosen(opening_dice_played=False, resign_gammon_requires_none_off=True, triple=False)
RULES: Final = Nard(
    "fevga",
    START,
    Parallel(FirstCheckerAndPrimes),
    (mode(draw=False), OPENING_DICE),
    _DEFAULT,
    title="Fevga",
    cube=False,
    matches=False,
)
