"""Prší, the Czech shedding game for two to five (boardgames §8)."""

from shared.rules.prsi.game import RULES
from shared.rules.prsi.state import State

__all__ = ["RULES", "State"]
