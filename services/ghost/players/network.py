"""A small neural network that judges two boards, quick enough in plain Python for hundreds of plays a move.

One layer of hidden units, each silent below zero, then the outputs as chances. Every checker on a point adds
a row of weights to the hidden sums: the first, the second and the third one of their own, all further ones
the same, and one more for being pinned. A play moves few checkers, so the sums of the position before it are
only corrected (as chess engines do in their efficiently updatable networks).
"""

from collections.abc import Sequence
from math import exp
from operator import add, mul, sub
from struct import calcsize, unpack_from
from typing import Final, NamedTuple

PINNED: Final = 16
"""The count that stands for a player's only checker on a point, held there by the other side."""

CELLS: Final = 2 * 26
"""A position is so many counts: the boards of both sides with what is off and on the bar."""

ROWS: Final[tuple[tuple[int, ...], ...]] = (*((0, 1, 2, *(3,) * 12)[:n] for n in range(PINNED)), (0, 4))
"""By count: which rows of its point are added. Counts between which a play can change share a beginning."""

HEADER: Final = "<3H"  # rows for each point, hidden units, outputs; what follows are weights of two bytes

Vector = Sequence[float]


class Position(NamedTuple):
    """Counts, and the hidden sums that they make."""

    counts: Sequence[int]
    sums: Vector


class Network:
    """The weights, and what they say."""

    def __init__(self, stored: bytes) -> None:
        """Read what ``tests/bench/learn.py`` has written."""
        rows, hidden, outputs = unpack_from(HEADER, stored)
        count = (CELLS * rows + 1) * hidden + outputs * (hidden + 1)
        weights: tuple[float, ...] = unpack_from(f"<{count}e", stored, calcsize(HEADER))
        vectors = [weights[at : at + hidden] for at in range(0, CELLS * rows * hidden, hidden)]
        rest = weights[CELLS * rows * hidden :]
        self._rows = [vectors[at : at + rows] for at in range(0, CELLS * rows, rows)]
        self._begin = rest[:hidden]
        self._outputs = [
            (rest[at : at + hidden], rest[at + hidden])
            for at in range(hidden, hidden + outputs * (hidden + 1), hidden + 1)
        ]

    def position(self, counts: Sequence[int]) -> Position:
        """These counts with their sums, made from nothing."""
        sums: Vector = self._begin
        for rows, count in zip(self._rows, counts, strict=True):
            for row in ROWS[count]:
                sums = list(map(add, sums, rows[row]))
        return Position(counts, sums)

    def changed(self, before: Position, counts: Sequence[int]) -> Position:
        """The same from a position that differs from it in few counts."""
        sums = before.sums
        for cell, (was, now) in enumerate(zip(before.counts, counts, strict=True)):
            if was != now:
                less, more, change = ROWS[was], ROWS[now], add
                if len(less) > len(more):
                    less, more, change = more, less, sub
                for row in more[len(less) :]:
                    sums = list(map(change, sums, self._rows[cell][row]))
        return Position(counts, sums)

    def chances(self, position: Position) -> list[float]:
        """The outputs, each between 0 and 1."""
        heard = [x if x > 0 else 0.0 for x in position.sums]
        return [1 / (1 + exp(-sum(map(mul, weights, heard), bias))) for weights, bias in self._outputs]
