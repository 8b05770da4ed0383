"""Czech draughts, dáma (boardgames §4)."""

from shared.rules.draughts.game import RULES, State

__all__ = ["RULES", "State"]
