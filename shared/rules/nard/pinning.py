"""Legal plays where the sides move towards each other and pin blots (rules §1.4, §2.5).

Who lands on a single opposing checker holds it there as long as he stays. Nothing of the opponent's moves in
a play, so what is closed and which of the mover's own checkers are held stays the same from step to step.
Names: ``pinned`` are a player's own points on which his checker is held, highest first: where one checker of
each side shares a point the counts do not tell which of them lies below.

A mother is a player's only checker left on his 24; the opponent catches it on his own 1. It is never let go:
to leave point 1 he would have to bear off, so have left his 24 before, and with that he has won. The end is
looked at after every single step. A play that ends the game is complete, however many dice are left, and is
as legal as the plays that go on; these use as many dice as any play can.
"""

from functools import lru_cache, partial
from typing import Final

from shared.rules.nard.board import BAR, HEAD, OFF, Board, is_race, off_sources, why_not_off
from shared.rules.nard.hitting import BLOCK, faced
from shared.rules.nard.letters import position_text
from shared.rules.nard.listing import FirstSteps, apply_steps, longest, of_two
from shared.rules.nard.movement import Pinned, Sides
from shared.rules.nard.reading import Hop, possible_plays
from shared.rules.nard.steps import HITTING, MOVED, PLAIN

TRAP: Final = BAR - HEAD  # the opponent's head, by the mover's points


class _Turn:
    """The mover's checkers while his plays are listed: each step is made on them and taken back."""

    def __init__(self, mine: Board, theirs: Board, pinned: Pinned) -> None:
        self.mine = list(mine)
        self.facing = faced(theirs)
        self.closed = [n >= BLOCK for n in self.facing]
        for point in pinned:
            self.closed[point] = True
        self.pinned = pinned
        self.can_end = theirs[HEAD] == 1
        self.own_mother_caught = HEAD in pinned

    def ways(self, die: int) -> list[int]:
        """The points from which ``die`` lands on the board where it may, highest first."""
        closed, pinned = self.closed, self.pinned
        return [p for p in range(HEAD, die, -1) if not closed[p - die] and p not in pinned]

    def movable(self, die: int, ways: list[int]) -> list[int]:
        """The points from which a checker can be moved by ``die`` now, highest first."""
        mine = self.mine
        found = [p for p in ways if mine[p]]
        return found if self.pinned else found + off_sources(mine, die)

    def pins(self, target: int) -> bool:
        """Whether a checker that lands on ``target`` (not off) pins one."""
        return self.facing[target] == 1 and not self.mine[target]

    def ended(self) -> bool:
        """Whether the game is ``decided`` as the checkers stand now; asked only where it ``can_end``."""
        return self.mine[TRAP] > 0 and (self.own_mother_caught or not self.mine[HEAD])


def _in_order(
    turn: _Turn, ways: dict[int, list[int]], dice: tuple[int, int], pairs: dict[int, str]
) -> FirstSteps:
    """``listing.InOrder``; ``ways`` are the turn's of each die."""
    first, second = dice
    first_ways, second_ways = ways[first], ways[second]
    mine, facing, moved = turn.mine, turn.facing, MOVED[second]
    alone: list[str] = []
    ending: list[str] = []
    for source in turn.movable(first, first_ways):
        target = source - first if source > first else OFF
        change = MOVED[first][source]
        text = (HITTING if turn.pins(target) else PLAIN)[first][source]
        mine[source] -= 1
        mine[target] += 1
        if turn.can_end and turn.ended():
            ending.append(text)
        else:
            following = turn.movable(second, second_ways)
            for p in following:
                result = change + moved[p]
                if result not in pairs:
                    pins = p > second and facing[p - second] == 1 and not mine[p - second]
                    pairs[result] = f"{text} {(HITTING if pins else PLAIN)[second][p]}"
            if not following:
                alone.append(text)
        mine[source] += 1
        mine[target] -= 1
    return alone, ending


class _Doubles:
    """The plays of a double, each once.

    Its steps can always be made from the highest point downwards, and then no result comes twice. Only where
    the game can end on the way does the order matter: all orders are tried, and no position twice.
    """

    def __init__(self, turn: _Turn, die: int) -> None:
        self.turn, self.die, self.ways = turn, die, turn.ways(die)
        self.seen: set[int] = set()
        self.by_length: tuple[list[str], ...] = ([], [], [], [], [])
        self.ending: tuple[list[str], ...] = ([], [], [], [], [])

    def walk(self, highest: int, length: int, text: str, change: int) -> None:
        """Go on from here with sources up to ``highest``; what cannot go on is kept by its length."""
        turn, die, mine = self.turn, self.die, self.turn.mine
        can_end = turn.can_end
        stuck = True
        for source in turn.movable(die, self.ways):
            if source > highest:
                continue
            stuck = False
            result = change + MOVED[die][source]
            if can_end:
                if result in self.seen:
                    continue
                self.seen.add(result)
            target = source - die if source > die else OFF
            step = (HITTING if turn.pins(target) else PLAIN)[die][source]
            longer = f"{text} {step}" if text else step
            if length == 3:  # noqa: PLR2004 - a double is four steps, so this is the last
                self.by_length[4].append(longer)
                continue
            mine[source] -= 1
            mine[target] += 1
            if can_end and turn.ended():
                self.ending[length + 1].append(longer)
            else:
                self.walk(BAR if can_end else source, length + 1, longer, result)
            mine[source] += 1
            mine[target] -= 1
        if stuck:
            self.by_length[length].append(text)

    def plays(self) -> tuple[str, ...]:
        """The longest plays, and the shorter ones that end the game; empty if there is no step at all."""
        self.walk(BAR, 0, "", 0)
        return longest(self.by_length, self.ending)


@lru_cache(maxsize=256)  # roll, legal, the check of the move and the play ask for the same list in turn
def plays(mine: Board, theirs: Board, pinned: Pinned, high: int, low: int) -> tuple[str, ...]:
    """The legal plays, one text for each distinct result, the longest first; empty if no step is possible."""
    turn = _Turn(mine, theirs, pinned)
    if high == low:
        return _Doubles(turn, high).plays()
    return of_two(high, low, partial(_in_order, turn, {die: turn.ways(die) for die in (high, low)}))


def played(sides: Sides, play: str) -> Sides:
    """The sides after a canonical play; trusts it to be legal. Whom nobody holds any more is free."""
    return _after(sides, apply_steps(sides.mine, play))


def _after(sides: Sides, mine: Board) -> Sides:
    """The sides with these boards; the mover's own pinned checkers stay pinned, whatever he does."""
    theirs, pinned = sides.theirs, _pinned(sides)
    held = tuple(BAR - p for p in range(1, BAR) if mine[p] and theirs[BAR - p] and p not in pinned)
    return Sides(mine, theirs, (pinned, held))


def _pinned(sides: Sides) -> Pinned:
    return sides.pinned[0] if sides.pinned else ()


def step(sides: Sides, source: int, die: int) -> tuple[Sides, bool] | str:
    """The sides after one step and whether it pins, or a sentence that says why it cannot be made."""
    reason = _why_not(sides, source, die)
    if reason:
        return reason
    target = source - die if source > die else OFF
    pins = target != OFF and sides.theirs[BAR - target] == 1 and not sides.mine[target]
    own = list(sides.mine)
    own[source] -= 1
    own[target] += 1
    return _after(sides, tuple(own)), pins


def _why_not(sides: Sides, source: int, die: int) -> str:
    mine, pinned = sides.mine, _pinned(sides)
    if decided(sides) is not None:
        return "The step before ends the game; nothing is played after it."
    if not mine[source]:
        return f"There is no checker to move on {'the bar' if source == BAR else source}."
    if source in pinned:
        return f"The checker on {source} is pinned."
    if source > die:
        target = source - die
        return (
            f"Point {target} is blocked." if sides.theirs[BAR - target] >= BLOCK or target in pinned else ""
        )
    return "No checker is borne off while one is pinned." if pinned else why_not_off(mine, source, die)


def decided(sides: Sides) -> int | None:
    """2 when the mover holds the opponent's mother and his own head is empty, 0 when both mothers are held.

    None while the game goes on.
    """
    mine = sides.mine
    if not mine[TRAP] or sides.theirs[HEAD] != 1:
        return None
    if HEAD in _pinned(sides):
        return 0
    return None if mine[HEAD] else 2


class Pinning:
    """``Movement`` of these games."""

    kind: str = "pinning"
    geometry: str = "contrary"
    directions: tuple[int, int] = (-1, 1)
    pins: bool = True

    def plays(self, sides: Sides, high: int, low: int) -> tuple[str, ...]:
        """By ``plays``."""
        return plays(sides.mine, sides.theirs, _pinned(sides), high, low)

    def meant(self, sides: Sides, written: list[Hop], dice: tuple[int, ...]) -> list[str]:
        """By ``step``."""
        return possible_plays(sides, written, dice, step)

    def played(self, sides: Sides, play: str) -> Sides:
        """By ``played``."""
        return played(sides, play)

    def decided(self, sides: Sides) -> int | None:
        """By the mothers (``decided``)."""
        return decided(sides)

    def apart(self, sides: Sides) -> bool:
        """Once the sides have passed each other for good (rules §1.5); then nothing is pinned."""
        return is_race(sides.mine, sides.theirs)

    def position(self, sides: Sides) -> str:
        """The points from the mover's 24 to his 1, as ``letters`` writes them."""
        return position_text(sides.mine, faced(sides.theirs), _pinned(sides))


PINS: Final = Pinning()
