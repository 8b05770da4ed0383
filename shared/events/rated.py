"""What a rated match begins with; a part of its first commit, and of the log of the table it came from."""

import msgspec


class RatedSeat(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A seat of a rated match as it stood before: ``rating`` and ``changes`` in the match's units.

    ``games`` counts what it had finished rated in the pool (in a pool by the formula of FIBS: the points that
    those matches were played to). ``changes`` by seat: how this one's rating changes when that seat wins.
    """

    rating: int
    games: int
    newcomer: bool = False
    changes: tuple[int, ...]


class Rated(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The ratings before a match and what it can change, settled exactly so when it ends; a draw is nothing.

    ``unit``: so many units make one point of rating (2: half points). ``halving`` says whose changes are
    halved when a newcomer plays: his ``own``, or ``both``.
    """

    pool: str
    system: str
    unit: int
    seats: tuple[RatedSeat, ...]
    halving: str = "own"
