"""3D gomoku, Qubic: four in a row in a cube of 4x4x4 (boardgames §2)."""

from shared.rules.gomoku3d.game import RULES, State

__all__ = ["RULES", "State"]
