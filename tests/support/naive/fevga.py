"""Fevga (§2.6), read a second time."""

from typing import Final

from tests.support.naive.common import (
    FAR_QUARTER,
    HEAD,
    OFF,
    Naive,
    Position,
    Side,
    Turn,
    may_bear_off,
    moved,
    parallel,
    pips,
    side,
)

GAMMON_BEHIND: Final = 60
PAST_THEIR_START: Final = range(12)  # own points 11 to 1, and off


def has_first_checker_round(mine: Side) -> bool:
    """Whether one checker has passed the other's start."""
    return any(mine[point] for point in PAST_THEIR_START)


def imprisons_all(holder: Side, other: Side) -> bool:
    """Whether all of the other's checkers are on one point, directly behind six points of ``holder``."""
    stacked = next((point for point in range(1, 25) if other[point] == sum(other)), None)
    if stacked is None or stacked <= 6:
        return False
    return all(holder[parallel(stacked - ahead)] for ahead in range(1, 7))


class Fevga(Naive):
    """One closes a point, nobody is hit; the first checker alone, until it is past the other's start."""

    name = "fevga"
    start = side({24: 15})
    opposite = staticmethod(parallel)
    opening_dice_played = False

    def step(self, now: Position, source: int, die: int, turn: Turn) -> Position | None:
        """Onto any point without one of theirs; never all six points of the own start quarter."""
        del turn
        if not has_first_checker_round(now.mine):
            first_checker = next((point for point in range(1, HEAD) if now.mine[point]), HEAD)
            if source != first_checker:
                return None
        target = source - die
        if target <= 0:
            if not may_bear_off(now.mine, source, die):
                return None
            return Position(moved(now.mine, source, OFF), now.theirs)
        if now.theirs[self.opposite(target)]:
            return None
        after = moved(now.mine, source, target)
        if all(after[point] for point in FAR_QUARTER):
            return None
        return Position(after, now.theirs)

    def preferred(self, plays: set[Position]) -> set[Position]:
        """The six-prime in front of all fifteen must be opened, if a longest play can."""
        opening = {play for play in plays if not imprisons_all(play.mine, play.theirs)}
        return opening or plays

    def points(self, loser: Side) -> int:
        """2 if the loser has borne off none."""
        return self.quitting(loser)

    def resignation(self, mine: Side, theirs: Side) -> int:
        """A gammon iff 60 or more behind and none borne off."""
        return 2 if pips(mine) - pips(theirs) >= GAMMON_BEHIND and not mine[OFF] else 1

    def quitting(self, mine: Side) -> int:
        """The worst that can still happen."""
        return 1 if mine[OFF] else 2
