"""One player's checkers by his own points, and what can be read off them (rules §1.1, §1.2, §1.5)."""

import base64
from collections.abc import Mapping
from operator import mul
from typing import Final

OFF: Final = 0
BAR: Final = 25
HOME: Final = 6  # points 6 … 1 are home
HEAD: Final = 24  # the farthest point, where in some games every checker starts

Board = tuple[int, ...]
"""26 counts by own point: 0 is off, 1 … 24 are the points, 25 is the bar."""

_POINTS: Final = range(26)
_UNARY: Final = tuple("1" * n + "0" for n in range(16))  # gnubg's form of one point: its checkers, then a 0


def board(points: Mapping[int, int]) -> Board:
    """The board with these numbers of checkers on these own points, and none elsewhere."""
    return tuple(points.get(point, 0) for point in range(26))


def pips(mine: Board) -> int:
    """How many pips it takes to bear off everything; a checker on the bar counts 25."""
    return sum(map(mul, _POINTS, mine))


def rear(mine: Board) -> int:
    """The highest own point (25 is the bar) that holds a checker; 0 if all are off."""
    for point in range(BAR, 0, -1):
        if mine[point]:
            return point
    return 0


def is_race(one: Board, other: Board) -> bool:
    """Whether the two sides, moving towards each other, have passed for good (rules §1.5)."""
    return not one[BAR] and not other[BAR] and rear(one) + rear(other) < BAR


def is_home(mine: Board) -> bool:
    """Whether every checker that is not off stands on a home point."""
    return not any(mine[HOME + 1 :])


def off_sources(mine: Board | list[int], die: int) -> list[int]:
    """The point from which ``die`` bears a checker off; none until all are home, or while one is higher."""
    if any(mine[HOME + 1 :]):
        return []
    if mine[die]:
        return [die]
    if any(mine[die + 1 :]):
        return []
    return [p for p in range(die - 1, 0, -1) if mine[p]][:1]


def why_not_off(mine: Board, source: int, die: int) -> str:
    """Why ``die``, which reaches beyond the last point, does not bear off from ``source``; or ``""``."""
    if any(mine[HOME + 1 :]):
        return "Bearing off begins when all checkers are home."
    if source < die and any(mine[source + 1 : BAR]):
        return f"{source}/off with a {die} is possible only with no checker on a higher point."
    return ""


def position_id(on_roll: Board, opponent: Board) -> str:
    """Gnubg's position ID: 14 characters for the checkers of both, without cube, score and dice."""
    unary = _UNARY
    bits = "".join([unary[n] for n in opponent[1:]] + [unary[n] for n in on_roll[1:]])
    return base64.b64encode(int(bits[::-1], 2).to_bytes(10, "little"))[:14].decode("ascii")
