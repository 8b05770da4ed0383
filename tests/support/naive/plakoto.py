"""Plakoto (§2.5), read a second time."""

from typing import Final

from tests.support.naive.common import (
    HEAD,
    OFF,
    Ending,
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


class Plakoto(Naive):
    """A checker alone is pinned where the other lands on it, and stays until he leaves."""

    name = "plakoto"
    start = side({24: 15})
    opposite = staticmethod(contrary)
    opening_dice_played = False

    def step(self, now: Position, source: int, die: int, turn: Turn) -> Position | None:
        """Onto any point but one that two free ones of theirs hold, or one of theirs above a pinned one."""
        del turn
        if source in now.my_pinned:
            return None
        target = source - die
        if target <= 0:
            if now.my_pinned or not may_bear_off(now.mine, source, die):
                return None
            mine, pinned = moved(now.mine, source, OFF), now.their_pinned
        else:
            there = self.opposite(target)
            already_pinned = there in now.their_pinned
            if target in now.my_pinned or (now.theirs[there] >= 2 and not already_pinned):
                return None
            mine = moved(now.mine, source, target)
            pinned = now.their_pinned | {there} if now.theirs[there] else now.their_pinned
        if not mine[source]:
            pinned -= {self.opposite(source)}
        return Position(mine, now.theirs, now.my_pinned, pinned)

    def won_at_once(self, now: Position) -> Ending | None:
        """Both mothers pinned is a draw; theirs pinned and nobody on my own start wins two points."""
        their_mother_is_pinned = HEAD in now.their_pinned
        if their_mother_is_pinned and HEAD in now.my_pinned:
            return Ending(None, 0)
        if their_mother_is_pinned and not now.mine[HEAD]:
            return Ending(0, 2)
        return None

    def points(self, loser: Side) -> int:
        """2 if the loser has borne off none."""
        return self.quitting(loser)

    def resignation(self, mine: Side, theirs: Side) -> int:
        """A gammon iff 60 or more behind and none borne off."""
        return 2 if pips(mine) - pips(theirs) >= GAMMON_BEHIND and not mine[OFF] else 1

    def quitting(self, mine: Side) -> int:
        """The worst that can still happen."""
        return 1 if mine[OFF] else 2
