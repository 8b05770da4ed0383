"""Reversi, by the rules of Othello (boardgames §6)."""

from shared.rules.reversi.game import RULES, State

__all__ = ["RULES", "State"]
