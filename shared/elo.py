"""What a result is worth: the house's table (boardgames §0.4, §0.5) and the formula of FIBS. Pure integers.

Ratings and changes are integers: half points by the table, hundredths of a point by the formula. Nothing here
is a float: the formula is computed to 40 decimal digits, so every machine rounds alike.
"""

from bisect import bisect_right
from decimal import ROUND_HALF_UP, Context, Decimal
from typing import Final

import msgspec

from shared.rules.protocol import FIBS, TABLE

OWN: Final = "own"
BOTH: Final = "both"
HALVINGS: Final = (OWN, BOTH)
"""Whose changes are halved when a newcomer plays (§0.5): only his own, or both."""

UNITS: Final = {TABLE: 2, FIBS: 100}
"""So many units of each system make one point."""

STARTS: Final = {TABLE: 2 * 1200, FIBS: 100 * 1500}
"""The rating that everybody begins with, in units."""

# §0.4: (least difference in points, points won), the weaker player's column and the stronger one's.
_WEAKER: Final = (
    (0, 16), (40, 17), (80, 18), (120, 19), (160, 20), (200, 21), (240, 22), (290, 23), (330, 24), (380, 25),
    (430, 26), (470, 27), (520, 28), (570, 29), (630, 30), (700, 31), (760, 32), (830, 33), (900, 34),
    (980, 35),
)  # fmt: skip
_STRONGER: Final = (
    (0, 16), (40, 15), (80, 14), (120, 13), (160, 12), (200, 11), (240, 10), (290, 9), (340, 8), (400, 7),
    (470, 6), (550, 5), (640, 4), (730, 3), (830, 2), (930, 1),
)  # fmt: skip
_FIBS_RAMP: Final = 400  # points of matches, until which changes are larger
_DIGITS: Final = Context(prec=40)
_LN10: Final = _DIGITS.ln(Decimal(10))


class Before(msgspec.Struct, frozen=True):
    """A player before the match: rating in units, what he has finished rated, whether he is a newcomer."""

    rating: int
    games: int = 0
    newcomer: bool = False


def won(difference: int, *, weaker: bool) -> int:
    """The points that the winner gains whose rating is ``difference`` (at least 0) away from the loser's."""
    column = _WEAKER if weaker else _STRONGER
    return column[bisect_right(column, difference, key=_least) - 1][1]


def _least(row: tuple[int, int]) -> int:
    return row[0]


def by_table(winner: Before, loser: Before, halving: str = OWN) -> tuple[int, int]:
    """(winner's change, loser's change) in half points, by the table; newcomers play for half."""
    difference = abs(winner.rating - loser.rating) // 2  # thresholds are whole: halves never change the row
    points = won(difference, weaker=winner.rating < loser.rating)
    either = halving == BOTH and (winner.newcomer or loser.newcomer)
    gain = points if winner.newcomer or either else 2 * points
    loss = points if loser.newcomer or either else 2 * points
    return gain, -loss


def by_formula(winner: Before, loser: Before, length: int) -> tuple[int, int]:
    """(winner's change, loser's change) in hundredths, by the formula of FIBS for a match to ``length``.

    With D the difference in points and P = 1 / (10^(D·√length / 2000) + 1) the weaker one's chance, the
    winner gains and the loser loses 4·K·√length times what the winner lacked for certainty: 1 - P if he is
    the weaker, P if the stronger. K is each one's own: 5 falling to 1 with the first 400 points of matches.
    Rounded to the nearest hundredth, halves away from zero.
    """
    root = _DIGITS.sqrt(Decimal(length))
    apart = Decimal(abs(winner.rating - loser.rating)) / UNITS[FIBS]
    power = _DIGITS.exp(_DIGITS.multiply(_LN10, _DIGITS.divide(_DIGITS.multiply(apart, root), Decimal(2000))))
    weaker = _DIGITS.divide(Decimal(1), power + 1)
    surprise = weaker if winner.rating > loser.rating else _DIGITS.subtract(Decimal(1), weaker)
    worth = _DIGITS.multiply(_DIGITS.multiply(Decimal(4), root), surprise)
    return _hundredths(worth, winner.games), -_hundredths(worth, loser.games)


def _hundredths(worth: Decimal, games: int) -> int:
    """``worth`` times K, where K is 5 - games / 100 and at least 1; so the product is already hundredths."""
    k_hundredths = max(100, 500 - min(games, _FIBS_RAMP))
    return int(_DIGITS.multiply(worth, Decimal(k_hundredths)).quantize(Decimal(1), ROUND_HALF_UP, _DIGITS))


def change(system: str, winner: Before, loser: Before, *, halving: str, length: int) -> tuple[int, int]:
    """(winner's change, loser's change) in the units of ``system``; ``length`` is the match's target."""
    return by_formula(winner, loser, length) if system == FIBS else by_table(winner, loser, halving)
