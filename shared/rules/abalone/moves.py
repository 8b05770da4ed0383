"""Moves of abalone: in line, with or without a push, and broadside (§5).

A move is ``<from><to>``. In line: the rearmost own marble, and the cell that is taken at the front (where a
marble is pushed off, the last cell on the board). Broadside: the end of the line from which the way along it
and the way of the move differ by 60 degrees, and where the other end arrives.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from shared.rules.abalone.board import ALL, CELLS, DIRECTION, NAMES, NEIGHBOURS, RAY_BITS, RAYS, cells

MOST: Final = 3
"""So many marbles move at once at most."""


def front(ray: tuple[int, ...], mine: int, theirs: int) -> int:
    """Where in ``ray`` the line ends that the own marble behind ``ray`` moves one step; -1 if it cannot move.

    It moves up to three of the own, and pushes fewer of theirs that stand before them.
    """
    reach, at = len(ray), 0
    while at < reach and mine & ray[at]:
        at += 1
    own = at + 1
    if own > MOST or at == reach:
        return -1
    while at < reach and theirs & ray[at]:
        at += 1
    if at - own + 1 >= own:
        return -1
    if at == reach:
        return at - 1
    return -1 if mine & ray[at] else at


def _broadsides() -> Iterator[tuple[int, int, str]]:
    """Every two or three cells in line, the cells beside them where they go, and the text of that."""
    for start, rays in enumerate(RAYS):
        for direction, ray in enumerate(rays):
            for others in range(1, min(MOST, len(ray) + 1)):
                group = (start, *ray[:others])
                for motion in ((direction - 1) % len(rays), (direction + 1) % len(rays)):
                    there = [cell for one in group for cell in RAYS[one][motion][:1]]
                    if len(there) == len(group):
                        yield _set(group), _set(there), NAMES[start] + NAMES[there[-1]]


def _set(members: Iterator[int] | tuple[int, ...] | list[int]) -> int:
    return sum(1 << cell for cell in members)


BROADSIDES: Final = tuple(_broadsides())
BY_TEXT: Final[dict[str, list[tuple[int, int]]]] = {}
"""By text, the cells that are left and those that are reached: of two such pairs one at most is possible."""

_BY_GROUP: Final[dict[int, list[tuple[int, str]]]] = {}
for _group, _there, _text in BROADSIDES:
    BY_TEXT.setdefault(_text, []).append((_group, _there))
    _BY_GROUP.setdefault(_group, []).append((_there, _text))


@lru_cache(maxsize=256)  # the list of moves and the check of one ask for the same
def moves(mine: int, theirs: int) -> tuple[str, ...]:
    """The legal moves of the side that has the marbles ``mine``, in the order of the alphabet."""
    free = ALL & ~(mine | theirs)
    found: list[str] = []
    for start in cells(mine):
        for direction, ray in enumerate(RAY_BITS[start]):
            end = front(ray, mine, theirs)
            if end >= 0:
                found.append(NAMES[start] + NAMES[RAYS[start][direction][end]])
    for group, ways in _BY_GROUP.items():
        if group & mine == group:
            found += [text for there, text in ways if there & free == there]
    return tuple(sorted(found))


def can_move(mine: int, theirs: int) -> bool:
    """Whether there is any legal move."""
    free = ALL & ~(mine | theirs)
    return any(NEIGHBOURS[cell] & free for cell in cells(mine)) or bool(moves(mine, theirs))


def applied(mine: int, theirs: int, move: str) -> tuple[int, int, bool]:
    """What both have on the board after the legal ``move`` of ``mine``, and whether it pushed one off."""
    for group, there in BY_TEXT.get(move, ()):
        if group & mine == group:
            return mine & ~group | there, theirs, False
    start, end = CELLS[move[:2]], CELLS[move[2:]]
    ray = RAY_BITS[start][DIRECTION[start, end]]
    step = next(bit for bit in ray if not mine & bit)
    off = bool(theirs >> end & 1)
    pushed = theirs if off or not theirs & step else theirs | 1 << end
    return mine & ~(1 << start) | step, pushed & ~step, off
