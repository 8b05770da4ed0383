"""Czech scrabble (boardgames §9)."""

from shared.rules.scrabble.game import RULES
from shared.rules.scrabble.state import State

__all__ = ["RULES", "State"]
