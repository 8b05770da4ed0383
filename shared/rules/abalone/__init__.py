"""Abalone (boardgames §5)."""

from shared.rules.abalone.game import RULES, State

__all__ = ["RULES", "State"]
