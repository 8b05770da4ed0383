"""Gomoku, piškvorky: exactly five in a row (boardgames §1)."""

from shared.rules.gomoku.game import RULES, State

__all__ = ["RULES", "State"]
