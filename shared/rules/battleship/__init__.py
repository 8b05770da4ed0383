"""Battleship: fleets placed in secret at the same time, then shots (boardgames §7)."""

from shared.rules.battleship.game import RULES, State

__all__ = ["RULES", "State"]
