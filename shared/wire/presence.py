"""What is known about whether a player is here."""

from typing import Final

import msgspec

HERE: Final = "here"
AWAY: Final = "away"
UNKNOWN: Final = "unknown"
GHOST: Final = "ghost"
COMPUTER: Final = "computer"


class Presence(msgspec.Struct, frozen=True):
    """``here``: a socket of the player is open and heard. ``away`` since ``since_ms``: the last one closed or
    fell silent then. ``unknown``: there is no evidence of either. Of a seat also ``ghost`` or ``computer``,
    who plays it instead (``since_ms``, with a ghost: since when its player has been away).
    """  # noqa: D205 - three words and what each means

    state: str
    since_ms: int | None = None


IS_HERE: Final = Presence(HERE)
IS_UNKNOWN: Final = Presence(UNKNOWN)
