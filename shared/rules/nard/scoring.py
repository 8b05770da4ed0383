"""What a game is worth: single, gammon, backgammon, by how it ended (rules §2.1, §4)."""

from typing import Final

from shared.rules.nard.board import BAR, OFF, Board, pips
from shared.rules.protocol import Result

KINDS: Final = {1: "single", 2: "gammon", 3: "backgammon"}
GAMMON_BEHIND: Final = 60  # pips behind from which a resignation costs a gammon
_START_QUARTER: Final = slice(19, BAR + 1)  # the loser's 24 … 19 are the winner's home; and the bar


def won_by(winner: int, points: int) -> Result:
    """The result of a two-seat game that ``winner`` has won with 1, 2 or 3 ``points``."""
    return Result(places=(1, 2) if winner == 0 else (2, 1), kind=KINDS[points], points=points)


def lost_points(loser: Board) -> int:
    """3 if the loser has none off and a checker on the bar or in the winner's home, 2 if none off, else 1."""
    if loser[OFF]:
        return 1
    return 3 if any(loser[_START_QUARTER]) else 2


def resigned_points(resigner: Board, opponent: Board) -> int:
    """2 iff the resigner is 60 or more pips behind and has no checker on the bar, else 1. Never 3."""
    behind = pips(resigner) - pips(opponent)
    return 2 if behind >= GAMMON_BEHIND and not resigner[BAR] else 1
