"""Plakoto positions for tests, written as own points of the side to play and of the other."""

from collections.abc import Mapping
from random import Random

from shared.rules.nard.board import Board
from shared.rules.nard.game import State
from shared.rules.nard.movement import Sides
from tests.support.boards import side


def held(mine: Board, theirs: Board, pinned: tuple[int, ...]) -> tuple[int, ...]:
    """The other side's pinned points: those shared where the own checker is not the pinned one."""
    return tuple(q for q in range(24, 0, -1) if theirs[q] and mine[25 - q] and 25 - q not in pinned)


def to_pin(
    mine: Mapping[int, int],
    theirs: Mapping[int, int],
    dice: tuple[int, ...],
    seat: int = 0,
    pinned: tuple[int, ...] = (),
) -> State:
    """``seat`` has rolled ``dice``; his checkers on ``pinned`` are held, on other shared points he holds."""
    return _state(side(mine), side(theirs), dice, seat, pinned)


def _state(mine: Board, theirs: Board, dice: tuple[int, ...], seat: int, pinned: tuple[int, ...]) -> State:
    sides = Sides(mine, theirs, (pinned, held(mine, theirs, pinned)))
    by_seat = sides.swapped() if seat else sides
    return State(boards=by_seat[:2], turn=seat, dice=dice, pinned=by_seat.pinned)


def random_pins(random: Random) -> State:
    """Somebody has rolled something somewhere: many pins, lone mothers, homes; never an ended game."""
    while True:
        reach = random.choice((24, 24, 24, 12, 6))
        counts = _spread(random, random.sample(range(1, reach + 1), random.randint(2, min(reach, 8))))
        others, pinned = _against(random, counts)
        mother_is_held = others[24] == 1 and counts[1] > 0
        if not mother_is_held or (counts[24] and 24 not in pinned):
            dice = (random.randint(1, 6), random.randint(1, 6))
            return _state(tuple(counts), tuple(others), dice, random.randrange(2), pinned)


def _spread(random: Random, points: list[int]) -> list[int]:
    """15 checkers on some of ``points``, the head and the trap among them more often than others."""
    points += [point for point in (24, 1) if random.random() < 0.3 and max(points) > 12]
    counts = [0] * 26
    counts[0] = random.choice((0, 3, 8)) if max(points) <= 6 else 0
    for _ in range(15 - counts[0]):
        counts[random.choice(points)] += 1
    return counts


def _against(random: Random, counts: list[int]) -> tuple[list[int], tuple[int, ...]]:
    """15 checkers of the other side where they can stand against ``counts``, and which of those they hold."""
    others = [0] * 26
    if random.random() < 0.4 or counts[1]:
        others[24] = 1
    free = [q for q in range(1, 24) if counts[25 - q] <= 1]
    single = [q for q in range(1, 24) if counts[25 - q] > 1]
    for q in random.sample(single, min(len(single), random.randrange(3))):
        others[q] = 1
    while sum(others) < 15:
        others[random.choice(free)] += 1
    shared = [p for p in range(24, 1, -1) if counts[p] == 1 and others[25 - p]]
    held_there = [p for p in shared if p == 24 or others[25 - p] > 1 or random.random() < 0.5]
    return others, tuple(held_there)
