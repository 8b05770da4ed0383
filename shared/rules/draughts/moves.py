"""Moves and captures of Czech draughts (§4; numbers in brackets are articles of the federation's rules)."""

from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import pairwise
from typing import Final, NamedTuple

from shared.rules.draughts.board import ALL, BETWEEN, JUMPS, NAMES, RAYS, SQUARES, STEPS, squares

CAPTURES: Final = ":"  # stands between the squares of a capture; a move has a hyphen


class Mover(NamedTuple):
    """What decides how a side may move: its men and kings, the other's pieces, its colour."""

    men: int
    kings: int
    theirs: int
    colour: int

    @property
    def free(self) -> int:
        """The empty squares."""
        return ALL & ~(self.men | self.kings | self.theirs)


class Capture(NamedTuple):
    """A whole capture: the squares on which the piece stands, first to last, and the set that it takes."""

    path: tuple[int, ...]
    taken: int


Onward = Callable[[int, int], list[tuple[int, int]]]
"""From a square and the set taken so far: every landing of the next jump, with the set taken by then.

Nothing where the capture is over: then no jump is possible, for a capture is always finished (4.13).
"""


def _man(mover: Mover) -> Onward:
    """A man jumps forward only, over the next square to the one behind (4.2, 4.5)."""
    free, theirs, jumps = mover.free, mover.theirs, JUMPS[mover.colour]

    def onward(square: int, taken: int) -> list[tuple[int, int]]:
        return [
            (landing, taken | 1 << over)
            for over, landing in jumps[square]
            if theirs >> over & 1 and free >> landing & 1
        ]

    return onward


def _king(mover: Mover, start: int) -> Onward:
    """A king jumps over a piece at any distance and must land where it can go on, if it can (4.3, 4.6).

    What it has taken still stands and is not jumped again (4.8, 4.11); its own square is left.
    """
    free, theirs = mover.free | 1 << start, mover.theirs

    def jumps(square: int, taken: int) -> Iterator[tuple[int, list[int]]]:
        for ray in RAYS[square]:
            over, landings = 0, list[int]()
            for target in ray:
                bit = 1 << target
                if free & bit:
                    if over:
                        landings.append(target)
                elif over or not theirs & ~taken & bit:
                    break
                else:
                    over = bit
            if landings:
                yield taken | over, landings

    def onward(square: int, taken: int) -> list[tuple[int, int]]:
        found: list[tuple[int, int]] = []
        for by_then, landings in jumps(square, taken):
            going_on = [there for there in landings if any(jumps(there, by_then))]
            found += [(there, by_then) for there in going_on or landings]
        return found

    return onward


def _captures_from(start: int, onward: Onward) -> Iterator[Capture]:
    """Every capture from ``start``, one for each end and set taken: the way whose text sorts last."""
    seen: set[tuple[int, int]] = set()

    def go_on(path: tuple[int, ...], taken: int) -> Iterator[Capture]:
        ahead = onward(path[-1], taken)
        if not ahead and taken:
            yield Capture(path, taken)
        for there in sorted(ahead, reverse=True):
            if there not in seen:
                seen.add(there)
                yield from go_on((*path, there[0]), there[1])

    return go_on((start,), 0)


def capturing(mover: Mover) -> dict[int, Onward]:
    """How the pieces that may capture do it, by square: kings, or men if no king can (4.14)."""
    kings = {square: _king(mover, square) for square in squares(mover.kings)}
    found = {square: onward for square, onward in kings.items() if onward(square, 0)}
    if found:
        return found
    man = _man(mover)
    return {square: man for square in squares(mover.men) if man(square, 0)}


def captures(mover: Mover) -> list[Capture]:
    """The captures that are possible, each distinct in its first square, its last or the set it takes."""
    return [
        capture for start, onward in capturing(mover).items() for capture in _captures_from(start, onward)
    ]


def capture_text(capture: Capture) -> str:
    """Every square on which the piece stands: ``c3:e5:g7``."""
    return CAPTURES.join(NAMES[square] for square in capture.path)


def _quiet(mover: Mover) -> Iterator[str]:
    """Moves without a capture: a man one step forward, a king over free squares (3.4, 3.9)."""
    free = mover.free
    for start in squares(mover.men):
        for target in STEPS[mover.colour][start]:
            if free >> target & 1:
                yield f"{NAMES[start]}-{NAMES[target]}"
    for start in squares(mover.kings):
        for ray in RAYS[start]:
            for target in ray:
                if not free >> target & 1:
                    break
                yield f"{NAMES[start]}-{NAMES[target]}"


@lru_cache(maxsize=256)  # the end of the game, the list of moves and the check of one ask for the same
def moves(mover: Mover) -> tuple[str, ...]:
    """The legal moves, sorted; a capture is compulsory (4.1)."""
    texts = [capture_text(capture) for capture in captures(mover)] or list(_quiet(mover))
    return tuple(sorted(texts))


def applied(mover: Mover, move: str) -> tuple[int, int, int]:
    """The squares that a legal ``move`` leaves and reaches, and the set that it takes."""
    path = [SQUARES[name] for name in move.replace("-", CAPTURES).split(CAPTURES)]
    taken = 0
    if CAPTURES in move:
        for start, end in pairwise(path):
            taken |= BETWEEN[start, end] & mover.theirs
    return path[0], path[-1], taken
