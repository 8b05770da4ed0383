"""Chess by the FIDE laws of 2023, on the library ``chess`` (python-chess)."""

from shared.rules.chess.game import RULES, State

__all__ = ["RULES", "State"]
