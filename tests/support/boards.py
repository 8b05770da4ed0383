"""Positions of the nard family for tests, written as own points of the side to play and of the other."""

from collections.abc import Mapping
from random import Random

import pytest

from shared.problems import Refused
from shared.rules.backgammon import RULES
from shared.rules.nard.board import Board, board
from shared.rules.nard.game import Nard, State


def side(points: Mapping[int, int], checkers: int = 15) -> Board:
    """A board of so many checkers: these, and the rest off."""
    return board({**points, 0: checkers - sum(points.values())})


def to_play(
    mine: Mapping[int, int],
    theirs: Mapping[int, int],
    dice: tuple[int, int],
    seat: int = 0,
    checkers: int = 15,
) -> State:
    """``seat`` has rolled ``dice``; both sides in their own points."""
    own, other = side(mine, checkers), side(theirs, checkers)
    return State(boards=(other, own) if seat else (own, other), turn=seat, dice=dice)


def refusal(state: State, text: str, rules: Nard = RULES) -> tuple[str, str]:
    """Code and sentence with which ``text`` is refused to the side to play."""
    with pytest.raises(Refused) as refused:
        rules.read(state, state.turn or 0, text)
    return refused.value.problem.code, refused.value.problem.detail


def random_sides(random: Random) -> tuple[Board, Board]:
    """Two boards that can stand against each other: crowded or empty, with bars, homes and bear-offs."""
    reach = random.choice((24, 24, 24, 12, 6))  # the lower it is, the more positions bear off
    taken: set[int] = set()
    sides: list[Board] = []
    for index in range(2):
        free = [p for p in range(1, reach + 1 if index == 0 else 25) if 25 - p not in taken]
        counts = [0] * 26
        counts[0] = random.choice((0, 0, 3, 8, 12, 14))
        counts[25] = random.choice((0, 0, 0, 1, 2)) if counts[0] < 12 else 0
        places = random.sample(free, min(len(free), random.randint(2, 8)))
        for _ in range(15 - counts[0] - counts[25]):
            counts[random.choice(places)] += 1
        taken = {p for p in range(1, 25) if counts[p]}
        sides.append(tuple(counts))
    return sides[0], sides[1]


def random_state(random: Random) -> State:
    """Somebody has rolled something somewhere; far more odd cases than in real games."""
    mine, theirs = random_sides(random)
    seat = random.randrange(2)
    dice = (random.randint(1, 6), random.randint(1, 6))
    return State(boards=(theirs, mine) if seat else (mine, theirs), turn=seat, dice=dice)
