"""A plain player for the hitting games of the tables: what every beginner's book says, as numbers.

Each play is judged by the position after it: pips, checkers on the bar, blots and how often they are hit,
made points and primes, anchors, stacks. Once the sides have passed each other, bearing in and off is all.
The unit is one pip; the weights were set by hand and by playing.
"""

from typing import Final

from services.ghost.players.protocol import Seen
from services.ghost.players.tables import Boards, boards
from shared.rules.nard.board import BAR, HOME, OFF, Board, is_race, pips
from shared.rules.nard.race import race_play

_HITS_OF_36: Final = (0, 11, 12, 14, 15, 15, 17, 6, 6, 5, 3, 2, 3, 0, 0, 1, 1, 0, 1, 0, 1, 0, 0, 0, 1)
"""How many of the 36 rolls hit a blot at each distance when nothing stands between."""

_MADE: Final = (0, 1, 3, 5, 9, 10, 8, 9, 4, 2, 2, 1, 1, 0, 0, 0, 2, 1, 3, 2, 7, 8, 4, 3, 2, 0)
"""What holding each own point with two or more is worth."""

_PRIME: Final = (0, 0, 0, 3, 8, 16, 26)  # by the length of a run of made points in front of an opponent
_ON_BAR: Final = 4.0  # an opponent on the bar, and as much again for every closed point he faces
_BLOT: Final = 0.55  # of the pips that a hit would cost
_BLOT_FACING: Final = 2.0  # and for every home point that the opponent has closed
_STACK: Final = 1.2  # each checker beyond the third on one point
_BORNE_OFF: Final = 4.0

_RACE_TAKE: Final = 1.12  # the book's: take up to an eighth behind before the doubler's roll
_CONTACT_TAKE: Final = 1.22
_TRAPPED: Final = 4  # closed points in a row that make a checker behind them a pass
_BEAVERED_LEAD: Final = 1.1  # having doubled, play on at the beaver's value unless this far behind


def judge(after: Boards) -> float:
    """How good the position is for the side that has just moved; higher is better."""
    mine, theirs = after
    score = float(pips(theirs) - pips(mine))
    score += _BORNE_OFF * (mine[OFF] - theirs[OFF])
    score += theirs[BAR] * _ON_BAR * (1 + closed(mine))
    score += sum(worth for worth, count in zip(_MADE, mine, strict=True) if count > 1)
    score += _PRIME[min(blockade(mine, theirs), HOME)]
    score -= _STACK * sum(count - 3 for count in mine[1:BAR] if count > 3)  # noqa: PLR2004 - three are useful
    return score - _danger(mine, theirs)


def closed(mine: Board) -> int:
    """How many of the home points are closed to a checker on the bar."""
    return sum(count > 1 for count in mine[1 : HOME + 1])


def blockade(mine: Board, theirs: Board) -> int:
    """The longest run of made points that an opponent's checker still has to pass."""
    rearmost = next((p for p in range(BAR) if theirs[BAR - p]), BAR)
    longest = run = 0
    for point in range(rearmost + 1, BAR):
        run = run + 1 if mine[point] > 1 else 0
        longest = max(longest, run)
    return longest


def _danger(mine: Board, theirs: Board) -> float:
    """What the own blots may cost on the opponent's next roll."""
    facing = closed(theirs)
    return sum(
        _chance_of_hit(point, theirs) * (_BLOT * (BAR - point) + _BLOT_FACING * (facing + 1))
        for point in range(1, BAR)
        if mine[point] == 1
    )


def _chance_of_hit(point: int, theirs: Board) -> float:
    """How likely the opponent hits a blot on this point; he comes from the lower points and from his bar."""
    missed = 1.0
    for source in range(point):
        if theirs[BAR - source]:
            missed *= 1 - _HITS_OF_36[point - source] / 36
    return 1 - missed


class Heuristic:
    """``Doubling`` by these rules of thumb."""

    def move(self, seen: Seen) -> str:
        """The play with the best position after it; of equal ones the first."""
        sides = boards(seen)
        if is_race(*sides):
            return race_play(seen.legal, lambda play: sides.after(play).mine)
        return max(seen.legal, key=lambda play: judge(sides.after(play)))

    def takes(self, seen: Seen) -> bool:
        """By the race, and whether a checker is caught."""
        mine, theirs = boards(seen)
        if not is_race(mine, theirs) and blockade(theirs, mine) > _TRAPPED:
            return False
        if mine[BAR] and closed(theirs) >= _TRAPPED:
            return False
        limit = _RACE_TAKE if is_race(mine, theirs) else _CONTACT_TAKE
        return pips(mine) <= limit * pips(theirs)

    def accepts_beaver(self, seen: Seen) -> bool:
        """Having thought the double right, play on unless clearly behind in the race."""
        mine, theirs = boards(seen)
        return pips(mine) <= _BEAVERED_LEAD * pips(theirs)
