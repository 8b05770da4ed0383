"""Who plays, and by which rules: parts of the first commit of a match, and of its table's log."""

import msgspec


class Seat(msgspec.Struct, frozen=True, omit_defaults=True):
    """Who sits here: the player's id, and whether the seat is played by our computer (``bot``).

    ``level`` (see ``Level``): 1 without understanding, 2 by rules of thumb, 3 (and 0) as well as it can.
    """

    player: str
    bot: bool = False
    level: int = 0


class Pinned(msgspec.Struct, frozen=True):
    """A game at the version of its rules that the match keeps to."""

    rules: str
    rules_version: int
