"""What a match is played for, as its first commit and its escrow say it."""

import msgspec


class Staked(msgspec.Struct, frozen=True, kw_only=True):
    """What each seat has staked, in the smallest unit, and how it settles (rules §8).

    ``fixed``: a match; each staked ``base``, the winner gets the pot less ``fee_permille`` of it (S4). Else
    a single game: the loser pays ``base`` for each of its points, and ``base`` times ``worst``, the most
    points that a win is worth before the cube, times the cube is held of both.
    """

    base: int
    worst: int
    fixed: bool
    fee_permille: int
