"""A board of gomoku to search on: for every empty cell what each symbol would make there, kept up to date.

What a symbol makes of its lines is judged by exactly five, as the rules do (see ``shapes``). Only few cells
are looked at: what wins, what must be answered, else the best by what both sides would make there.
"""

from collections.abc import Hashable, Iterable, Sequence
from functools import cache
from heapq import nlargest
from typing import Final, NamedTuple

from services.ghost.players.search.alphabeta import WIN, Loud
from services.ghost.players.search.shapes import FIVE, FOUR, OPEN_FOUR, OPEN_THREE, REACH, WALL, worths
from shared.rules.gomoku.board import EMPTY, SIGNS, Grid
from shared.rules.gomoku.game import State

_BRANCHES: Final = 10  # of the cells that nothing forces so many are looked at
_DEFENCES: Final = 8  # against a three
_FOURS: Final = 2  # in quiescence so many fours are tried
_DOUBLE: Final = 2 * FOUR
_TAKEN: Final = -1_000_000
_TEMPO: Final = 600
_GREAT: Final = 50
_AXES: Final = ((0, 1), (1, 0), (1, 1), (1, -1))


class _Place(NamedTuple):
    """A cell in one of its lines: which line, where in it, and which cells see it there, and from where."""

    line: int
    at: int
    around: tuple[tuple[int, int], ...]


class _Lines(NamedTuple):
    """All lines of a board: how long they are with their walls, and by axis and cell where a cell lies."""

    lengths: tuple[int, ...]
    places: tuple[tuple[_Place, ...], ...]
    central: tuple[int, ...]


@cache
def _lines(size: int) -> _Lines:
    lengths: list[int] = []
    places: list[tuple[_Place, ...]] = []
    for down, right in _AXES:
        on_axis: dict[int, _Place] = {}
        for start in range(size * size):
            row, column = divmod(start, size)
            if 0 <= row - down < size and 0 <= column - right < size:
                continue
            members: list[int] = []
            while 0 <= row < size and 0 <= column < size:
                members.append(row * size + column)
                row, column = row + down, column + right
            for at, cell in enumerate(members):
                near = range(max(0, at - REACH), min(len(members), at + REACH + 1))
                around = tuple((members[there], there) for there in near if there != at)
                on_axis[cell] = _Place(len(lengths), at, around)
            lengths.append(len(members))
        places.append(tuple(on_axis[cell] for cell in range(size * size)))
    half = size - 1
    central = tuple(
        size - max(abs(2 * row - half), abs(2 * column - half)) // 2
        for row in range(size)
        for column in range(size)
    )
    return _Lines(tuple(lengths), tuple(places), central)


class _Made(NamedTuple):
    """What ``unmake`` puts back."""

    cell: int
    worth: tuple[list[int], list[int]]
    made: tuple[list[tuple[int, int]], ...]
    total: tuple[int, int]
    won: bool


class GomokuBoard:
    """``Board``; a move is a cell's name. Symbols alternate, whoever places them."""

    def __init__(self, state: State) -> None:
        """Begin at ``state``; cells that it closes are closed to the first move only."""
        self._grid: Grid = state.grid
        self._lines = _lines(self._grid.size)
        self._closed = state.closed
        self._signs = list(state.board)
        self._left = state.board.count(EMPTY)
        self._symbol = state.symbol
        self._rows = [
            bytearray(WALL * REACH + EMPTY * n + WALL * REACH, "ascii") for n in self._lines.lengths
        ]
        self._path: list[_Made] = []
        self._won = False
        for cell, sign in enumerate(state.board):
            if sign != EMPTY:
                self._write(cell, sign)
        self._made = tuple([self._look(axis, cell) for cell in range(len(self._signs))] for axis in range(4))
        self._worth: tuple[list[int], list[int]] = ([], [])
        for side in (0, 1):
            for cell, sign in enumerate(self._signs):
                there = sum(made[cell][side] for made in self._made)
                self._worth[side].append(there if sign == EMPTY else _TAKEN)
        self._total = _total(self._worth[0]), _total(self._worth[1])

    def make(self, move: str) -> None:
        """See ``Board``."""
        cell, symbol = self._grid.cells[move], self._symbol
        self._path.append(_Made(cell, self._worth, self._made, self._total, self._won))
        circles, crosses = self._worth[0].copy(), self._worth[1].copy()
        self._won = self._worth[symbol][cell] >= FIVE
        total = [self._total[0] - _clipped(circles[cell]), self._total[1] - _clipped(crosses[cell])]
        circles[cell] = crosses[cell] = _TAKEN
        self._write(cell, SIGNS[symbol])
        self._made = tuple(made.copy() for made in self._made)
        for axis, made in enumerate(self._made):
            place = self._lines.places[axis][cell]
            row = self._rows[place.line]
            for near, at in place.around:
                if circles[near] < 0:
                    continue
                was, now = made[near], worths(bytes(row[at : at + 2 * REACH + 1]))
                if was == now:
                    continue
                made[near] = now
                for side, worth in enumerate((circles, crosses)):
                    if was[side] != now[side]:
                        total[side] -= _clipped(worth[near])
                        worth[near] += now[side] - was[side]
                        total[side] += _clipped(worth[near])
        self._worth = circles, crosses
        self._total = total[0], total[1]
        self._left -= 1
        self._symbol = 1 - symbol

    def unmake(self) -> None:
        """See ``Board``."""
        cell, self._worth, self._made, self._total, self._won = self._path.pop()
        self._write(cell, EMPTY)
        self._left += 1
        self._symbol = 1 - self._symbol

    def ended(self) -> int | None:
        """See ``Board``."""
        if self._won:
            return -WIN
        return None if self._left else 0

    def stuck(self) -> int:
        """A full board."""
        return 0

    def moves(self) -> Sequence[str]:
        """What wins; else what must be answered, with fours in between; else the best cells."""
        mine, theirs = self._sides()
        names = self._grid.names
        if forced := self._forced(mine, theirs):
            return [names[cell] for cell in forced]
        ranks = [
            6 * own + 5 * other + near
            for own, other, near in zip(mine, theirs, self._lines.central, strict=True)
        ]
        closed = self._closed if not self._path else frozenset[int]()
        cells: Iterable[int] = range(len(ranks))
        branches = _BRANCHES + len(closed)
        if max(theirs) >= OPEN_FOUR:
            cells = [cell for cell in cells if theirs[cell] >= FOUR or mine[cell] >= FOUR]
            branches = _DEFENCES + len(closed)
        best = nlargest(branches, cells, ranks.__getitem__)
        return [names[cell] for cell in best if ranks[cell] >= 0 and cell not in closed]

    def loud(self) -> Loud[str]:
        """Wins, forced answers, and fours of the own that may go on to win."""
        mine, theirs = self._sides()
        names = self._grid.names
        if forced := self._forced(mine, theirs):
            return Loud([names[cell] for cell in forced[:2]], forced=True)
        fours = [cell for cell, worth in enumerate(mine) if worth >= FOUR]
        tried = nlargest(_FOURS, fours, mine.__getitem__) if fours else ()
        return Loud([names[cell] for cell in tried], forced=False)

    def judge(self) -> int:
        """What both sides could make all over the board; the side to move makes it first."""
        mine, theirs = self._symbol, 1 - self._symbol
        threat = OPEN_THREE if max(self._worth[theirs]) >= OPEN_FOUR else 0
        return self._total[mine] - self._total[theirs] + _TEMPO - threat

    def key(self) -> Hashable:
        """The signs on the board; they say whose move it is."""
        return "".join(self._signs)

    def _sides(self) -> tuple[list[int], list[int]]:
        return self._worth[self._symbol], self._worth[1 - self._symbol]

    def _forced(self, mine: list[int], theirs: list[int]) -> list[int]:
        """The cells beside which none counts: a five, else what keeps one away, else what cannot be met."""
        best = max(mine)
        if best >= FIVE:
            return [mine.index(best)]
        if max(theirs) >= FIVE:
            return [cell for cell, worth in enumerate(theirs) if worth >= FIVE]
        return [mine.index(best)] if best >= _DOUBLE else []

    def _write(self, cell: int, sign: str) -> None:
        self._signs[cell] = sign
        code = ord(sign)
        for places in self._lines.places:
            place = places[cell]
            self._rows[place.line][place.at + REACH] = code

    def _look(self, axis: int, cell: int) -> tuple[int, int]:
        if self._signs[cell] != EMPTY:
            return 0, 0
        place = self._lines.places[axis][cell]
        return worths(bytes(self._rows[place.line][place.at : place.at + 2 * REACH + 1]))


def _clipped(worth: int) -> int:
    """What a cell counts in a sum: a great threat is worth a few small ones, not all that there are."""
    return worth if worth <= OPEN_THREE else OPEN_THREE + worth // _GREAT


def _total(worths_: list[int]) -> int:
    return sum(_clipped(worth) for worth in worths_ if worth > 0)
