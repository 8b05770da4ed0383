"""Long nardy (§2.4), read a second time."""

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
TWO_FROM_THE_HEAD: Final = ((3, 3), (4, 4), (6, 6))


def head_limit(turn: Turn) -> int:
    """How many checkers may leave the head in this turn."""
    first_turn = turn.start.mine[HEAD] == sum(turn.start.mine)
    if not first_turn or turn.dice not in TWO_FROM_THE_HEAD:
        return 1
    second_four_is_blocked = turn.start.theirs[parallel(HEAD - 8)] > 0
    return 1 if turn.dice == (4, 4) and second_four_is_blocked else 2


def has_forbidden_block(holder: Side, other: Side) -> bool:
    """Whether ``holder`` has six points in a row on the other's way and nobody of the other is past them."""
    if other[OFF]:
        return False
    held = [holder[parallel(point)] > 0 for point in range(25)]  # by the other's own points; 0 is none
    held[0] = False
    for lowest in range(1, 20):
        six = range(lowest, lowest + 6)
        if all(held[point] for point in six):
            end = lowest
            while held[end - 1]:
                end -= 1
            if not any(other[point] for point in range(1, end)):
                return True
    return False


class Long(Naive):
    """One closes a point, nobody is hit, one checker a turn leaves the head, no six-block without escape."""

    name = "long_nardy"
    start = side({24: 15})
    opposite = staticmethod(parallel)
    opening_dice_played = False

    def step(self, now: Position, source: int, die: int, turn: Turn) -> Position | None:
        """Onto any point without one of theirs, under the rules of the head and of the six-block."""
        left_head = turn.start.mine[HEAD] - now.mine[HEAD]
        if source == HEAD and left_head >= head_limit(turn):
            return None
        target = source - die
        if target <= 0:
            if not may_bear_off(now.mine, source, die):
                return None
            after = moved(now.mine, source, OFF)
        else:
            if now.theirs[self.opposite(target)]:
                return None
            after = moved(now.mine, source, target)
        if has_forbidden_block(after, now.theirs):
            return None
        return Position(after, now.theirs)

    def points(self, loser: Side) -> int:
        """1 oin, 2 mars, 3 koks: none off and one still in the own first quarter."""
        return self.quitting(loser)

    def resignation(self, mine: Side, theirs: Side) -> int:
        """A gammon iff 60 or more behind and none borne off."""
        return 2 if pips(mine) - pips(theirs) >= GAMMON_BEHIND and not mine[OFF] else 1

    def quitting(self, mine: Side) -> int:
        """The worst that can still happen."""
        if mine[OFF]:
            return 1
        return 3 if any(mine[point] for point in FAR_QUARTER) else 2
