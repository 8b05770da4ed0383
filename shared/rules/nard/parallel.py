"""Legal plays where both sides go the same way round and one checker closes a point (rules §1.1, §1.4).

The opponent's point for one's own point n is 12 more or 12 less: 24 faces 12, 13 faces 1. Nothing is hit, so
nothing of the opponent's moves in a play. What else a game forbids is its ``Law`` for one turn.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import Final, Protocol

from shared.rules.nard.board import HEAD, HOME, OFF, Board, off_sources, rear, why_not_off
from shared.rules.nard.letters import position_text
from shared.rules.nard.listing import FirstSteps, apply_steps, longest, of_two
from shared.rules.nard.movement import Sides
from shared.rules.nard.reading import Hop, possible_plays
from shared.rules.nard.steps import MOVED, PLAIN

HALF: Final = 12  # so far apart the two sides are


def faced_point(point: int) -> int:
    """What the opponent calls one's own ``point`` (1 … 24), and the other way round."""
    return (point + HALF - 1) % HEAD + 1


FACED_BITS: Final = (0, *(1 << faced_point(point) for point in range(1, HEAD + 1)), 0)
"""By own point (0 off): one bit for the point as the opponent numbers it."""


class Law(Protocol):
    """What a game forbids besides the geometry, to one side in one turn."""

    @property
    def ordered(self) -> frozenset[str]:
        """Those of its reasons that the same steps made in another order could do without."""
        ...

    def why_not(self, mine: Sequence[int], source: int, held: int) -> str:
        """Why no checker may leave ``source`` now, a sentence; ``""`` if one may.

        ``mine`` stands before the step. ``held`` are the points held after it, as ``FACED_BITS``.
        """
        ...

    @property
    def guards_end(self) -> bool:
        """Whether it matters with what position the turn ends; only then ``avoids`` is asked."""
        ...

    def avoids(self, mine: Board) -> bool:
        """Whether the turn may not end so, unless it cannot end otherwise."""
        ...


MakeLaw = Callable[[Board, Board, int, int], Law]
"""The law for a turn: the mover's and the opponent's board, the higher and the lower die."""


def faced(theirs: Board) -> list[int]:
    """The opponent's checkers by the mover's points; what he bore off is nowhere."""
    return [0, *theirs[HALF + 1 : HEAD + 1], *theirs[1 : HALF + 1], 0]


def held_by(mine: Sequence[int]) -> int:
    """The points that ``mine`` holds, as ``FACED_BITS``."""
    return sum(bit for bit, count in zip(FACED_BITS, mine, strict=True) if count)


class _Turn:
    """The mover's checkers while his plays are listed: each step is made on them and taken back."""

    def __init__(self, mine: Board, theirs: Board, law: Law) -> None:
        self.mine = list(mine)
        self.facing = faced(theirs)
        self.law = law
        self.forbidden: set[str] = set()  # the law's reasons against steps that geometry allowed, so far
        self.held = held_by(mine)

    def ways(self, die: int) -> list[int]:
        """The points from which ``die`` lands on the board where no opponent stands, highest first."""
        facing = self.facing
        return [p for p in range(HEAD, die, -1) if not facing[p - die]]

    def movable(self, die: int, ways: list[int]) -> list[int]:
        """The points from which a checker can be moved by ``die`` now, highest first."""
        mine, held, why_not, bits = self.mine, self.held, self.law.why_not, FACED_BITS
        forbidden = self.forbidden
        found: list[int] = []
        for p in ways:
            count = mine[p]
            if count:
                after = (held if count > 1 else held & ~bits[p]) | bits[p - die]
                if reason := why_not(mine, p, after):
                    forbidden.add(reason)
                else:
                    found.append(p)
        if not any(mine[HOME + 1 :]):
            for p in off_sources(mine, die):
                if reason := why_not(mine, p, self.held_after(p, OFF)):
                    forbidden.add(reason)
                else:
                    found.append(p)
        return found

    def held_after(self, source: int, target: int) -> int:
        """The points held after a step from ``source`` to ``target``."""
        left = self.held if self.mine[source] > 1 else self.held & ~FACED_BITS[source]
        return left | FACED_BITS[target]


def _in_order(
    turn: _Turn, ways: dict[int, list[int]], dice: tuple[int, int], pairs: dict[int, str]
) -> FirstSteps:
    """``listing.InOrder``; ``ways`` are the turn's of each die. No step ends the game."""
    first, second = dice
    first_ways, second_ways = ways[first], ways[second]
    mine, held = turn.mine, turn.held
    moved, plain = MOVED[second], PLAIN[second]
    alone: list[str] = []
    for source in turn.movable(first, first_ways):
        target = source - first if source > first else OFF
        change, text = MOVED[first][source], PLAIN[first][source]
        turn.held = turn.held_after(source, target)
        mine[source] -= 1
        mine[target] += 1
        following = turn.movable(second, second_ways)
        for p in following:
            result = change + moved[p]
            if result not in pairs:
                pairs[result] = f"{text} {plain[p]}"
        if not following:
            alone.append(text)
        mine[source] += 1
        mine[target] -= 1
        turn.held = held
    return alone, ()


def _different(turn: _Turn, high: int, low: int) -> tuple[str, ...]:
    return of_two(high, low, partial(_in_order, turn, {die: turn.ways(die) for die in (high, low)}))


class _Doubles:
    """The plays of a double, each once.

    Geometry alone lets its steps be made from the highest point downwards, and then no result comes twice.
    Only where the law has stopped a step on that way all orders are tried, and no position twice.
    """

    def __init__(self, turn: _Turn, die: int, *, any_order: bool) -> None:
        self.turn, self.die, self.ways = turn, die, turn.ways(die)
        self.any_order = any_order
        self.seen: set[int] = set()
        self.by_length: tuple[list[str], ...] = ([], [], [], [], [])

    def walk(self, highest: int, length: int, text: str, change: int) -> None:
        """Go on from here with sources up to ``highest``; what cannot go on is kept by its length."""
        turn, die, mine, held = self.turn, self.die, self.turn.mine, self.turn.held
        stuck = True
        for source in turn.movable(die, self.ways):
            if source > highest:
                continue
            stuck = False
            result = change + MOVED[die][source]
            if self.any_order:
                if result in self.seen:
                    continue
                self.seen.add(result)
            step = PLAIN[die][source]
            longer = f"{text} {step}" if text else step
            if length == 3:  # noqa: PLR2004 - a double is four steps, so this is the last
                self.by_length[4].append(longer)
                continue
            target = source - die if source > die else OFF
            turn.held = turn.held_after(source, target)
            mine[source] -= 1
            mine[target] += 1
            self.walk(HEAD if self.any_order else source, length + 1, longer, result)
            mine[source] += 1
            mine[target] -= 1
            turn.held = held
        if stuck:
            self.by_length[length].append(text)

    def plays(self) -> tuple[str, ...]:
        """The longest plays; empty if there is no step at all."""
        self.walk(HEAD, 0, "", 0)
        return longest(self.by_length)


def _same(turn: _Turn, die: int) -> tuple[str, ...]:
    found = _Doubles(turn, die, any_order=False).plays()
    downwards = turn.law.ordered.isdisjoint(turn.forbidden)
    return found if downwards else _Doubles(turn, die, any_order=True).plays()


@lru_cache(maxsize=256)  # roll, legal, the check of the move and the play ask for the same list in turn
def plays(make_law: MakeLaw, mine: Board, theirs: Board, high: int, low: int) -> tuple[str, ...]:
    """The legal plays, one text for each distinct result, in a fixed order; empty if no step is possible."""
    law = make_law(mine, theirs, high, low)
    turn = _Turn(mine, theirs, law)
    found = _same(turn, high) if high == low else _different(turn, high, low)
    if not law.guards_end:
        return found
    return tuple(play for play in found if not law.avoids(apply_steps(mine, play))) or found


class Parallel:
    """``Movement`` of a game with this ``Law``."""

    geometry: str = "parallel"
    directions: tuple[int, int] = (-1, -1)
    pins: bool = False

    def __init__(self, make_law: MakeLaw, kind: str = "parallel") -> None:
        """The geometry under the law that ``make_law`` gives for each turn; ``kind`` as in ``Movement``."""
        self.kind = kind
        self._law = make_law

    def plays(self, sides: Sides, high: int, low: int) -> tuple[str, ...]:
        """By ``plays``."""
        return plays(self._law, sides.mine, sides.theirs, high, low)

    def meant(self, sides: Sides, written: list[Hop], dice: tuple[int, ...]) -> list[str]:
        """Steps that geometry and law allow one after the other."""
        facing = faced(sides.theirs)
        law = self._law(sides.mine, sides.theirs, max(dice), min(dice))

        def step(mine: Board, source: int, die: int) -> tuple[Board, bool] | str:
            reason = _why_not(mine, facing, law, source, die)
            return reason or (apply_steps(mine, PLAIN[die][source]), False)

        return possible_plays(sides.mine, written, dice, step)

    def played(self, sides: Sides, play: str) -> Sides:
        """By ``apply_steps``."""
        return Sides(apply_steps(sides.mine, play), sides.theirs)

    def decided(self, sides: Sides) -> int | None:
        """The game ends with the last checker, never before."""
        del sides

    def apart(self, sides: Sides) -> bool:
        """Once every checker of both sides is on its own 12 … 1, or one side is off.

        Then nobody lands any more where the other stands or will stand: one's 12 … 1 are the other's 24 … 13,
        which all his checkers have left. A block there has every opposing checker ahead of it, so the law of
        six stops nobody. Earlier each side still has to come through points that the other holds or will.
        """
        behind, ahead = rear(sides.mine), rear(sides.theirs)
        return not behind or not ahead or max(behind, ahead) <= HALF

    def position(self, sides: Sides) -> str:
        """The points from the mover's 24 to his 1, as ``letters`` writes them."""
        return position_text(sides.mine, faced(sides.theirs))


def _why_not(mine: Board, facing: list[int], law: Law, source: int, die: int) -> str:
    if not 0 < source <= HEAD or not mine[source]:
        return f"There is no checker to move on {'the bar' if source > HEAD else source}."
    target = source - die if source > die else OFF
    if target and facing[target]:
        return f"Point {target} is blocked."
    reason = "" if target else why_not_off(mine, source, die)
    return reason or law.why_not(mine, source, held_by(apply_steps(mine, PLAIN[die][source])))
