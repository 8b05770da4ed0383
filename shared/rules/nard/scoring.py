"""What a game is worth: single, gammon, backgammon or koks, by how it ended (rules §2.1, §2.4, §4).

A third point is lost with a checker still on the loser's own 24 … 19, in either geometry. Where the sides
move towards each other that is the winner's home, and the bar counts as well: a backgammon. Where they go
the same way round it is the loser's own first quarter: koks; there is no bar then, so its place is empty.
"""

from typing import Final

from shared.rules.nard.board import BAR, OFF, Board, pips

GAMMON_BEHIND: Final = 60  # pips behind from which a resignation costs a gammon
_START_QUARTER: Final = slice(19, BAR + 1)  # the loser's 24 … 19, and the bar


def lost_points(loser: Board) -> int:
    """3 if the loser has none off and a checker on the bar or his 24 … 19, 2 if none off, else 1."""
    if loser[OFF]:
        return 1
    return 3 if any(loser[_START_QUARTER]) else 2


def resigned_points(resigner: Board, opponent: Board, *, none_off: bool = False) -> int:
    """2 iff the resigner is 60 or more pips behind and has no checker on the bar, else 1. Never 3.

    With ``none_off`` it is 1 as well as soon as he has borne off a checker.
    """
    if resigner[BAR] or (none_off and resigner[OFF]):
        return 1
    return 2 if pips(resigner) - pips(opponent) >= GAMMON_BEHIND else 1
