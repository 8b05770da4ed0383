"""The former name of ``endings``, kept only for the computer player's import until that is renamed."""

from shared.rules.chess.endings import CLAIM_PLIES

__all__ = ["CLAIM_PLIES"]
