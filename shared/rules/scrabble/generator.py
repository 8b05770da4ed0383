"""All plays of a rack on a board, by anchors and cross-checks (Appel and Jacobson, CACM 31 (1988) 572–578).

Every play has an *anchor*: an empty square beside a tile, the leftmost that it covers. To its left lie tiles
that are there, or some from the rack on squares that are no anchors; from it on the word is built letter by
letter along the automaton. A column is a row of the transposed board.
"""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from shared.rules.scrabble.automaton import NONE, ROOT, child, ends
from shared.rules.scrabble.board import CENTRE, EMPTY, SIZE, SQUARES, START, beside, start_name
from shared.rules.scrabble.tiles import ALPHABET, BLANK, CAPITAL
from shared.rules.scrabble.words import CODES, Lexicon

_ANY: Final = (1 << (len(ALPHABET) + 1)) - 2
"""The set of all letters, one bit for each code."""

_SMALL: Final = ("", *ALPHABET.lower())
_CAPITALS: Final = ("", *ALPHABET)


class Found(NamedTuple):
    """Plays as canonical texts; ``whole`` unless the search was given up at its limit."""

    plays: tuple[str, ...]
    whole: bool


class _Stop(Exception):  # noqa: N818 - the end of a search, no error
    pass


def plays(lexicon: Lexicon, board: str, rack: str, limit: int) -> Found:
    """The plays of ``rack`` on ``board`` with words of ``lexicon``, each once, in a fixed order.

    ``limit`` is how many letters may be tried: with blanks and a long list there are too many plays to be
    listed in time, and then those that are found first stand for all.
    """
    search = _Search(lexicon.nodes, rack, limit)
    found: list[str] = []
    try:
        for across in (True, False):
            for text in search.on(board, across=across):
                found.append(text)  # noqa: PERF402 - what was found before a stop is kept
    except _Stop:
        return Found(tuple(found), whole=False)
    return Found(tuple(found), whole=True)


class _Left(NamedTuple):
    """The beginning of a word, all from the rack: where it leads to and what it leaves of the rack."""

    node: int
    signs: str
    rack: tuple[int, ...]


class _Row(NamedTuple):
    """A row or column: where it begins, its letters' codes (0: empty), what may lie on its empty squares."""

    start: int
    codes: list[int]
    checks: list[int]
    joined: list[bool]
    anchors: list[bool]


class _Search:
    """A rack on its way through the automaton; ``rack`` counts tiles by code, blanks at 0."""

    def __init__(self, nodes: Sequence[int], rack: str, limit: int) -> None:
        self._nodes = nodes
        self._left_to_try = limit
        counts = [0] * (len(ALPHABET) + 1)
        for tile in rack:
            counts[0 if tile == BLANK else CODES[tile]] += 1
        self._rack = tuple(counts)
        self._lefts: list[list[_Left]] = [[_Left(ROOT, "", self._rack)]]

    def on(self, board: str, *, across: bool) -> Iterator[str]:
        """The plays in the rows, or columns, of ``board``; raises ``_Stop`` at the limit."""
        first = board == START
        for number in range(SIZE):
            row = self._row(board, number, across=across, first=first)
            if not any(row.anchors):
                continue
            free = 0  # squares to the left that are empty and no anchors
            for place in range(SIZE):
                if row.anchors[place]:
                    yield from self._at(row, place, free, across=across)
                free = 0 if row.anchors[place] or row.codes[place] else free + 1

    def _row(self, board: str, number: int, *, across: bool, first: bool) -> _Row:
        start, step = (number * SIZE, 1) if across else (number, SIZE)
        squares = range(start, start + SIZE * step, step)
        codes = [CODES[CAPITAL[board[s]]] if board[s] != EMPTY else 0 for s in squares]
        checks, joined = [_ANY] * SIZE, [False] * SIZE
        anchors = [board[s] == EMPTY and (s == CENTRE if first else beside(board, s)) for s in squares]
        side = SIZE if across else 1
        for place, square in enumerate(squares):
            if not anchors[place] or first:
                continue
            before, after = _around(board, square, side)
            if before or after:
                joined[place] = True
                checks[place] = self._check(before, after)
        return _Row(start, codes, checks, joined, anchors)

    def _check(self, before: str, after: str) -> int:
        """The letters that make a word between these."""
        nodes = self._nodes
        node = _along(nodes, ROOT, before)
        if before and node == NONE:
            return 0
        found = 0
        for code in range(1, len(ALPHABET) + 1):
            on = child(nodes, node, code)
            if on != NONE and (not after or (on := _along(nodes, on, after)) != NONE) and ends(nodes, on):
                found |= 1 << code
        return found

    def _at(self, row: _Row, anchor: int, free: int, *, across: bool) -> Iterator[str]:
        """The plays whose leftmost anchor, after ``free`` free squares, is this one."""
        if anchor > 0 and row.codes[anchor - 1]:
            begin = anchor
            while begin > 0 and row.codes[begin - 1]:
                begin -= 1
            node = ROOT
            for code in row.codes[begin:anchor]:
                node = child(self._nodes, node, code)
                if node == NONE:
                    return
            beginnings = iter([(begin, _Left(node, EMPTY * (anchor - begin), self._rack))])
        else:
            most = min(free, sum(self._rack) - 1)
            beginnings = (
                (anchor - length, left) for length in range(most + 1) for left in self._of_length(length)
            )
        for begin, left in beginnings:
            place = row.start + begin * (1 if across else SIZE)
            name = start_name(place, across=across)
            for signs in self._on_from(row, anchor, left, anchor, across=across):
                yield f"{name} {signs}"

    def _of_length(self, length: int) -> list[_Left]:
        """The beginnings of words of so many letters that the rack can lay; made once for all anchors."""
        while len(self._lefts) <= length:
            self._lefts.append(
                [
                    _Left(node, left.signs + sign, rack)
                    for left in self._lefts[-1]
                    for node, sign, rack in self._steps(left.node, left.rack, _ANY)
                ]
            )
        return self._lefts[length]

    def _steps(
        self, node: int, rack: tuple[int, ...], allowed: int
    ) -> Iterator[tuple[int, str, tuple[int, ...]]]:
        """Each tile of the rack that may follow: the node, the sign, the rest of the rack."""
        nodes = self._nodes
        blank = rack[0]
        for code, number in enumerate(rack):
            if not code or not (number or blank) or not allowed >> code & 1:
                continue
            self._left_to_try -= 1
            if self._left_to_try < 0:
                raise _Stop
            on = child(nodes, node, code)
            if on == NONE:
                continue
            if number:
                yield on, _CAPITALS[code], (*rack[:code], number - 1, *rack[code + 1 :])
            if blank:
                yield on, _SMALL[code], (blank - 1, *rack[1:])

    def _on_from(self, row: _Row, place: int, left: _Left, anchor: int, *, across: bool) -> Iterator[str]:
        """The signs of every word that goes on from ``left`` at ``place``."""
        node, signs, rack = left
        code = row.codes[place] if place < SIZE else 0
        if (
            not code
            and place > anchor
            and ends(self._nodes, node)
            and not _twice(row, signs, anchor, across=across)
        ):
            yield signs
        if place == SIZE:
            return
        if code:
            on = child(self._nodes, node, code)
            if on != NONE:
                yield from self._on_from(
                    row, place + 1, _Left(on, signs + EMPTY, rack), anchor, across=across
                )
            return
        for on, sign, rest in self._steps(node, rack, row.checks[place]):
            yield from self._on_from(row, place + 1, _Left(on, signs + sign, rest), anchor, across=across)


def _twice(row: _Row, signs: str, anchor: int, *, across: bool) -> bool:
    """Whether this is no play of its own: one tile that forms a word across too, or no word at all."""
    return len(signs) == 1 or (not across and row.joined[anchor] and len(signs) - signs.count(EMPTY) == 1)


def _around(board: str, square: int, side: int) -> tuple[str, str]:
    """The letters before and after ``square`` the other way, where the next square is ``side`` on."""
    row = square - square % SIZE
    low, high = (0, SQUARES) if side == SIZE else (row, row + SIZE)
    begin = square - side
    while begin >= low and board[begin] != EMPTY:
        begin -= side
    end = square + side
    while end < high and board[end] != EMPTY:
        end += side
    return board[begin + side : square : side], board[square + side : end : side]


def _along(nodes: Sequence[int], node: int, letters: str) -> int:
    """Where these letters lead to from ``node``."""
    for letter in letters:
        node = child(nodes, node, CODES[CAPITAL[letter]])
        if node == NONE:
            return NONE
    return node
