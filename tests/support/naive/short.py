"""Short nardy, Hypergammon and Nackgammon (§2.1 to §2.3), read a second time."""

from typing import Final

from tests.support.naive.common import (
    BAR,
    FAR_QUARTER,
    OFF,
    Naive,
    Position,
    Side,
    Turn,
    contrary,
    may_bear_off,
    moved,
    pips,
    side,
)

GAMMON_BEHIND: Final = 60


class Short(Naive):
    """Two close a point, one is hit; 1 point, 2 if the loser has none off, 3 if one is far or on the bar."""

    name = "backgammon"
    start = side({24: 2, 13: 5, 8: 3, 6: 5})
    opposite = staticmethod(contrary)
    opening_dice_played = True

    def step(self, now: Position, source: int, die: int, turn: Turn) -> Position | None:
        """From the bar first; onto any point that two of them do not hold."""
        del turn
        if now.mine[BAR] and source != BAR:
            return None
        target = source - die
        if target <= 0:
            if not may_bear_off(now.mine, source, die):
                return None
            return Position(moved(now.mine, source, OFF), now.theirs)
        there = self.opposite(target)
        if now.theirs[there] >= 2:
            return None
        theirs = moved(now.theirs, there, BAR) if now.theirs[there] == 1 else now.theirs
        return Position(moved(now.mine, source, target), theirs)

    def points(self, loser: Side) -> int:
        """1 oin, 2 mars, 3 koks."""
        return self.quitting(loser)

    def resignation(self, mine: Side, theirs: Side) -> int:
        """The house's words: a gammon iff 60 or more behind and nobody on the bar."""
        return 2 if pips(mine) - pips(theirs) >= GAMMON_BEHIND and not mine[BAR] else 1

    def quitting(self, mine: Side) -> int:
        """The worst that can still happen."""
        if mine[OFF]:
            return 1
        return 3 if mine[BAR] or any(mine[point] for point in FAR_QUARTER) else 2


class Hyper(Short):
    """Three checkers each."""

    name = "hypergammon"
    start = side({24: 1, 23: 1, 22: 1})


class Nack(Short):
    """Another start."""

    name = "nackgammon"
    start = side({24: 2, 23: 2, 13: 4, 8: 3, 6: 4})
