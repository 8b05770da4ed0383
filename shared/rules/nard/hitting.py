"""Legal plays where the sides move towards each other and hit blots (rules §1.4, §2.1).

``plays`` runs on every push to the player to move, so it works on plain lists that it changes and puts back.
Names: ``mine`` are the mover's checkers by own point; ``facing`` are the opponent's by the mover's points.
"""

from functools import lru_cache, partial
from typing import Final

from shared.rules.nard.board import BAR, HOME, OFF, Board, is_race, off_sources, position_id, why_not_off
from shared.rules.nard.listing import FirstSteps, longest, of_two
from shared.rules.nard.movement import Sides
from shared.rules.nard.reading import Hop, possible_plays
from shared.rules.nard.steps import HITTING, MOVED, PLAIN, STEPS

BLOCK: Final = 2  # this many opposing checkers close a point

_HIT: Final = tuple(1 << 4 * 26 + point for point in range(26))  # above what ``MOVED`` holds


def faced(theirs: Board) -> list[int]:
    """The opponent's checkers by the mover's points; his bar and what he bore off are nowhere."""
    return [0, *theirs[24:0:-1], 0]


def _open_sources(facing: list[int], die: int) -> list[int]:
    """The points from which ``die`` lands on the board where no block stands, highest first."""
    return [p for p in range(24, die, -1) if facing[p - die] < BLOCK]


def _movable(mine: list[int], facing: list[int], die: int, ways: list[int]) -> list[int]:
    """The points from which a checker can be moved by ``die`` now, highest first."""
    if mine[BAR]:
        return [BAR] if facing[BAR - die] < BLOCK else []
    found = [p for p in ways if mine[p]]
    if not any(mine[HOME + 1 :]):  # asked here as well: most calls end with it
        found += off_sources(mine, die)
    return found


def _in_order(
    mine: list[int],
    facing: list[int],
    ways: dict[int, list[int]],
    dice: tuple[int, int],
    pairs: dict[int, str],
) -> FirstSteps:
    """``listing.InOrder``; ``ways`` are the open sources of each die. No step ends the game."""
    first, second = dice
    first_ways, second_ways = ways[first], ways[second]
    moved, plain, hitting = MOVED[second], PLAIN[second], HITTING[second]
    alone: list[str] = []
    for source in _movable(mine, facing, first, first_ways):
        target = source - first if source > first else OFF
        change = MOVED[first][source]
        hit = facing[target]
        if hit:
            change += _HIT[target]
            text = HITTING[first][source]
            facing[target] = 0
        else:
            text = PLAIN[first][source]
        mine[source] -= 1
        mine[target] += 1
        following = _movable(mine, facing, second, second_ways)
        for p in following:
            if p > second and facing[p - second]:
                result = change + moved[p] + _HIT[p - second]
                if result not in pairs:
                    pairs[result] = f"{text} {hitting[p]}"
            else:
                result = change + moved[p]
                if result not in pairs:
                    pairs[result] = f"{text} {plain[p]}"
        if not following:
            alone.append(text)
        mine[source] += 1
        mine[target] -= 1
        facing[target] = hit
    return alone, ()


class _Doubles:
    """The plays of a double, each once: its steps can always be made from the highest point downwards."""

    def __init__(self, mine: list[int], facing: list[int], die: int) -> None:
        self.mine, self.facing, self.die = mine, facing, die
        self.ways = _open_sources(facing, die)
        self.by_length: tuple[list[str], ...] = ([], [], [], [], [])

    def walk(self, highest: int, length: int, text: str) -> None:
        """Go on from here with sources up to ``highest``; what cannot go on is kept by its length."""
        mine, facing, die = self.mine, self.facing, self.die
        ended = True
        for source in _movable(mine, facing, die, self.ways):
            if source > highest:
                continue
            ended = False
            target = source - die if source > die else OFF
            hit = facing[target]
            step = HITTING[die][source] if hit else PLAIN[die][source]
            longer = f"{text} {step}" if text else step
            if length == 3:  # noqa: PLR2004 - a double is four steps, so this is the last
                self.by_length[4].append(longer)
                continue
            facing[target] = 0
            mine[source] -= 1
            mine[target] += 1
            self.walk(source, length + 1, longer)
            mine[source] += 1
            mine[target] -= 1
            facing[target] = hit
        if ended:
            self.by_length[length].append(text)

    def plays(self) -> tuple[str, ...]:
        """The longest plays; empty if there is no step at all."""
        self.walk(BAR, 0, "")
        return longest(self.by_length)


@lru_cache(maxsize=256)  # roll, legal, the check of the move and the play ask for the same list in turn
def plays(mine: Board, theirs: Board, high: int, low: int) -> tuple[str, ...]:
    """The legal plays, one text for each distinct result, in a fixed order; empty if no step is possible."""
    own, facing = list(mine), faced(theirs)
    if high == low:
        return _Doubles(own, facing, high).plays()
    ways = {die: _open_sources(facing, die) for die in (high, low)}
    return of_two(high, low, partial(_in_order, own, facing, ways))


def played(mine: Board, theirs: Board, play: str) -> tuple[Board, Board]:
    """Both boards after a canonical play; trusts it to be legal."""
    own, other = list(mine), list(theirs)
    for text in play.split(" "):
        source, target, hit = STEPS[text]
        own[source] -= 1
        own[target] += 1
        if hit:
            other[BAR - target] -= 1
            other[BAR] += 1
    return tuple(own), tuple(other)


Boards = tuple[Board, Board]
"""``mine`` and ``theirs``, each in its own points."""


def step(sides: Boards, source: int, die: int) -> tuple[Boards, bool] | str:
    """The sides after one step and whether it hits, or a sentence that says why it cannot be made."""
    mine, theirs = sides
    target = source - die if source > die else OFF
    reason = _why_not(mine, theirs, source, die)
    if reason:
        return reason
    hit = target != OFF and theirs[BAR - target] == 1
    own, other = list(mine), list(theirs)
    own[source] -= 1
    own[target] += 1
    if hit:
        other[BAR - target] -= 1
        other[BAR] += 1
    return (tuple(own), tuple(other)), hit


def _why_not(mine: Board, theirs: Board, source: int, die: int) -> str:
    if not mine[source]:
        return f"There is no checker to move on {'the bar' if source == BAR else source}."
    if mine[BAR] and source != BAR:
        return "The checker on the bar must enter first."
    if source > die:
        blocked = theirs[BAR - (source - die)] >= BLOCK
        return f"Point {source - die} is blocked." if blocked else ""
    return why_not_off(mine, source, die)


class Hitting:
    """``Movement`` of these games."""

    kind: str = "hitting"
    geometry: str = "contrary"
    directions: tuple[int, int] = (-1, 1)
    pins: bool = False

    def plays(self, sides: Sides, high: int, low: int) -> tuple[str, ...]:
        """By ``plays``."""
        return plays(sides.mine, sides.theirs, high, low)

    def meant(self, sides: Sides, written: list[Hop], dice: tuple[int, ...]) -> list[str]:
        """By ``step``."""
        return possible_plays((sides.mine, sides.theirs), written, dice, step)

    def played(self, sides: Sides, play: str) -> Sides:
        """By ``played``."""
        return Sides(*played(sides.mine, sides.theirs, play))

    def decided(self, sides: Sides) -> int | None:
        """The game ends with the last checker, never before."""
        del sides

    def apart(self, sides: Sides) -> bool:
        """Once the sides have passed each other for good (rules §1.5)."""
        return is_race(sides.mine, sides.theirs)

    def position(self, sides: Sides) -> str:
        """Gnubg's position ID."""
        return position_id(sides.mine, sides.theirs)


HITS: Final = Hitting()
