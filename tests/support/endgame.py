"""Who is sure to win a race whatever falls: so that a test may choose who vanishes, with real dice."""

from collections.abc import Sequence
from typing import Final

from shared.rules.nard.board import OFF, Board, is_race, pips

_MOST_OFF: Final = 4  # checkers that a double takes off
_MOST_PIPS: Final = 24  # that a double moves
_LEAST_PIPS: Final = 2  # that any roll moves where nothing stands in the way: one with either die


def sure_winner(boards: Sequence[Board], on_roll: int) -> int | None:
    """The seat that bears off first however the dice fall and whatever both play; None if that is open.

    ``on_roll`` is to roll, or has rolled and is to play.
    """
    one, two = boards
    if not is_race(one, two):
        return None
    for seat in (0, 1):
        mine, theirs = boards[seat], boards[1 - seat]
        needs, has = -(-pips(mine) // _LEAST_PIPS), _turns_at_least(theirs)
        if needs < has or (needs == has and seat == on_roll):
            return seat
    return None


def _turns_at_least(mine: Board) -> int:
    left = sum(mine) - mine[OFF]
    return max(-(-left // _MOST_OFF), -(-pips(mine) // _MOST_PIPS))
