"""Constructed positions near the edges of the rules, such as playouts seldom reach.

Sides are drawn by kind and thrown away until the pair could stand on a board.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from random import Random
from typing import Final

from tests.support.naive.common import (
    BAR,
    FAR_QUARTER,
    HEAD,
    HOME,
    OFF,
    Game,
    Mode,
    Naive,
    Position,
    Side,
    parallel,
    side,
)
from tests.support.naive.fevga import Fevga, has_first_checker_round
from tests.support.naive.long_nardy import Long, has_forbidden_block
from tests.support.naive.playouts import Rolled, in_order, random_dice
from tests.support.naive.short import Short

DOUBLES: Final = 0.3
LAST_ROLLS: Final = 0.6
WAY: Final = range(1, 25)
Points = dict[int, int]


def scattered(random: Random, checkers: int, points: range | list[int], most_places: int = 10) -> Points:
    """``checkers`` on some of ``points``."""
    places = random.sample(points, random.randint(1, min(len(points), most_places)))
    counts: Points = {}
    for _ in range(checkers):
        place = random.choice(places)
        counts[place] = counts.get(place, 0) + 1
    return counts


def together(*parts: Mapping[int, int]) -> Points:
    """All of ``parts`` on one side."""
    counts: Points = {}
    for part in parts:
        for point, count in part.items():
            counts[point] = counts.get(point, 0) + count
    return counts


One = Callable[[Random, int], Points]
Both = Callable[[Random, int], tuple[Points, Points]]
"""Draws the points of the side on roll and of the other, each in his own numbering; the rest is off."""


def pair(mine: One, theirs: One) -> Both:
    """Two sides drawn without regard to each other."""
    return lambda random, checkers: (mine(random, checkers), theirs(random, checkers))


def anywhere(random: Random, checkers: int) -> Points:
    return scattered(random, checkers, WAY)


def heads_full(random: Random, checkers: int) -> Points:
    on_head = random.randint(checkers // 2, checkers - 1)
    return together({HEAD: on_head}, scattered(random, checkers - on_head, range(1, HEAD)))


def first_out(random: Random, checkers: int) -> Points:
    return {HEAD: checkers - 1, random.randint(1, HEAD - 1): 1}


def all_home(random: Random, checkers: int) -> Points:
    """Bearing off, or about to: some off, or one straggler."""
    if random.random() < 0.4:
        return together(scattered(random, checkers - 1, HOME), {random.randint(7, 12): 1})
    return scattered(random, random.randint(1, checkers), HOME)


def last_ones(random: Random, checkers: int) -> Points:
    return scattered(random, random.randint(1, min(3, checkers)), HOME)


def run_of(random: Random, checkers: int, longest: int = 7) -> Points:
    """Four to seven points in a row, perhaps with a gap, and the rest behind or anywhere."""
    lowest = random.randint(1, 18)
    row = [point for point in range(lowest, lowest + random.randint(4, longest)) if point in WAY]
    if random.random() < 0.7:
        row.remove(random.choice(row))
    behind = [*range(row[-1], min(row[-1] + 8, HEAD) + 1)]
    rest = checkers - len(row)
    spare = scattered(random, rest, random.choice((behind, behind, [*WAY])), most_places=4)
    return together(dict.fromkeys(row, 1), spare)


def blockade(random: Random, checkers: int) -> Points:
    """Many single points all round."""
    return dict.fromkeys(random.sample(WAY, min(checkers, random.randint(8, 12))), 1) | {
        random.choice(WAY): max(1, checkers - 12)
    }


def start_quarter(random: Random, checkers: int) -> Points:
    """Five of the first six points with spare ones behind the gap, and one well on its way."""
    gap = random.choice(FAR_QUARTER[:-1])
    quarter = {point: 1 for point in FAR_QUARTER if point != gap}
    behind = scattered(random, checkers - 6 - 2, range(gap + 1, HEAD + 1), most_places=2)
    return together(quarter, behind, {random.randint(1, 11): 1}, scattered(random, 2, range(1, 19)))


def on_the_bar(random: Random, checkers: int) -> Points:
    away = random.randint(1, min(3, checkers))
    return together({BAR: away}, scattered(random, random.randint(0, checkers - away), WAY))


def strong_home(random: Random, checkers: int) -> Points:
    """Closed points at home, to dance against."""
    points = random.sample(HOME, min(checkers // 2, random.randint(3, 6)))
    rest = checkers - 2 * len(points)
    return together(dict.fromkeys(points, 2), scattered(random, rest, WAY, most_places=4))


def first_turn(rules: Naive) -> Both:
    """The second player's first turn, after any that the starter may have had."""

    def draw(random: Random, checkers: int) -> tuple[Points, Points]:
        start = Position(rules.start, rules.start)
        after = random.choice([*rules.results(start, random_dice(random))])
        return {HEAD: checkers}, {point: after.mine[point] for point in WAY if after.mine[point]}

    return draw


def almost_six(random: Random, checkers: int, highest: int) -> Points:
    """Five or six points in a row up to the other's point ``highest``, and spare ones not far behind."""
    six = [parallel(highest - down) for down in range(6)]
    gap = random.choice(six) if random.random() < 0.8 else None
    row = {point: 1 for point in six if point != gap}
    behind = [point for point in range(min(six), min(min(six) + 13, 25)) if point != gap]
    return together(row, scattered(random, checkers - len(row), behind, most_places=5))


def block_in_front(random: Random, checkers: int) -> tuple[Points, Points]:
    """Long nardy: a six-block may come about; the other has nobody past it, or one or two, or just not."""
    highest = random.randint(6, 23)
    ahead = random.choice((0, 0, 1, 2))
    past = scattered(random, ahead, range(1, highest - 5), most_places=2) if ahead and highest > 6 else {}
    rest = checkers - sum(past.values())
    back = [HEAD, *random.sample(range(highest + 1, 25), min(24 - highest, 3))]
    return almost_six(random, checkers, highest), together(past, scattered(random, rest, back))


def all_fifteen_behind(random: Random, checkers: int) -> tuple[Points, Points]:
    """Fevga: all of the other's on one point, and the six in front of it held or nearly."""
    stack = random.choice((HEAD, *range(7, 12)))
    return almost_six(random, checkers, stack - 1), {stack: checkers}


def mothers(random: Random, checkers: int) -> tuple[Points, Points]:
    """Plakoto: mothers alone, about to be caught, about to leave; or pinned with the game still open."""

    def one() -> Points:
        at_start = {HEAD: random.choice((0, 1, 1, 2))}
        hunters = scattered(random, random.randint(1, 3), range(1, 8), most_places=3)
        rest = checkers - at_start[HEAD] - sum(hunters.values())
        return together(at_start, hunters, scattered(random, rest, range(2, 24), most_places=5))

    return one(), one()


RACES: Final[dict[str, Both]] = {
    "bear-off": pair(all_home, all_home),
    "last checkers": pair(last_ones, last_ones),
    "last ones against stragglers": pair(last_ones, anywhere),
}
KINDS: Final[dict[str, dict[str, Both]]] = {
    "long_nardy": RACES
    | {
        "first turn": first_turn(Long()),
        "heads full": pair(heads_full, heads_full),
        "blocked": pair(anywhere, blockade),
        "rows": pair(run_of, anywhere),
        "against a row": pair(anywhere, run_of),
        "block in front": block_in_front,
        "block in front again": block_in_front,
    },
    "fevga": RACES
    | {
        "first turn": first_turn(Fevga()),
        "first checker": pair(first_out, anywhere),
        "start quarter": pair(start_quarter, anywhere),
        "blocked": pair(anywhere, blockade),
        "against a row": pair(anywhere, run_of),
        "all fifteen behind": all_fifteen_behind,
        "all fifteen behind again": all_fifteen_behind,
    },
    "plakoto": RACES
    | {
        "pins": pair(anywhere, anywhere),
        "mothers": mothers,
        "mothers again": mothers,
        "bear-off under pins": pair(all_home, anywhere),
        "heads full": pair(heads_full, heads_full),
    },
    "backgammon": RACES
    | {
        "contact": pair(anywhere, anywhere),
        "bar": pair(on_the_bar, strong_home),
        "bear-off under fire": pair(all_home, on_the_bar),
        "against a row": pair(anywhere, run_of),
    },
}


def _could_be(rules: Naive, position: Position) -> bool:
    """Whether the side told first could have come to this in a running game, as far as one can see."""
    mine, theirs = position.mine, position.theirs
    pins = position.my_pinned | {rules.opposite(point) for point in position.their_pinned}
    shared = {point for point in WAY if mine[point] and theirs[rules.opposite(point)]}
    unhit_but_not_home = (
        not isinstance(rules, Short) and mine[OFF] and any(mine[point] for point in range(7, 25))
    )
    ended = (
        mine[OFF] == rules.checkers
        or rules.won_at_once(position) is not None
        or (HEAD in position.my_pinned and not theirs[HEAD])
    )
    forbidden = {
        "plakoto": 1 in position.my_pinned,  # nobody comes to his own start
        "long_nardy": has_forbidden_block(mine, theirs),
        "fevga": all(mine[point] for point in FAR_QUARTER)
        or (not has_first_checker_round(mine) and mine[HEAD] < rules.checkers - 1),
    }
    return not (shared - pins or unhit_but_not_home or ended or forbidden.get(rules.name, False))


def _made_way(rules: Naive, random: Random, mine: Side, theirs: Side) -> Position:
    """Where both stand on one point, one of them gives way; in Plakoto one may be pinned instead."""
    own, other = list(mine), list(theirs)
    my_pinned: set[int] = set()
    their_pinned: set[int] = set()
    for point in WAY:
        there = rules.opposite(point)
        if not (own[point] and other[there]):
            continue
        mine_gives = random.random() < 0.5
        loser, place, fixed = (own, point, my_pinned) if mine_gives else (other, there, their_pinned)
        pinned = 1 if rules.name == "plakoto" and random.random() < 0.7 else 0
        if pinned:
            fixed.add(place)
        free = [p for p in WAY if p != place and p not in fixed]
        stack = max(free, key=lambda p, loser=loser: loser[p])
        loser[stack] += loser[place] - pinned
        loser[place] = pinned
    return Position(tuple(own), tuple(other), frozenset(my_pinned), frozenset(their_pinned))


def edges(rules: Naive, random: Random, number: int, mode: Mode = "normal") -> Iterator[tuple[str, Rolled]]:
    """``number`` constructed positions, every kind in turn, each with its kind, a roll and its results."""
    kinds = [*KINDS.get(rules.name, KINDS["backgammon"]).items()]
    made = 0
    while made < number:
        kind, draw = kinds[made % len(kinds)]
        mine, theirs = draw(random, rules.checkers)
        if max(sum(mine.values()), sum(theirs.values())) > rules.checkers:
            continue
        position = _made_way(rules, random, side(mine, rules.checkers), side(theirs, rules.checkers))
        if not (_could_be(rules, position) and _could_be(rules, position.flipped())):
            continue
        made += 1
        one = random.randint(1, 6)
        dice = (one, one) if random.random() < DOUBLES else random_dice(random)
        seat, starter = random.randrange(2), random.randrange(2)
        last_roll = mode == "draw" and seat != starter and random.random() < LAST_ROLLS
        if last_roll:
            position = replace(position, theirs=side({}, rules.checkers))
        game = Game(position, seat, starter, mode, last_roll)
        results = rules.results(position, dice)
        yield kind, Rolled(game, dice, results, min(results, key=in_order))
