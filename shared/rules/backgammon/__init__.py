"""Backgammon, also known as Short nardy and Portes (rules §2.1)."""

from typing import Final

from shared.rules.nard.board import board
from shared.rules.nard.opposed import Opposed, State

__all__ = ["RULES", "START", "State"]

START: Final = board({24: 2, 13: 5, 8: 3, 6: 5})
RULES: Final = Opposed("backgammon", START)
