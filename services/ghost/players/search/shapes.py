"""What a symbol of gomoku would make in one line: a five, fours, threes, twos (exactly five wins, §1).

A window is eleven cells of a line, the symbol's own in the middle: whatever is further off neither helps nor
spoils a five through it. Signs are those of the rules' boards, and ``#`` where the board has ended.
"""

from functools import cache, lru_cache
from typing import Final

from shared.rules.gomoku.board import EMPTY, TO_WIN

REACH: Final = TO_WIN
"""So many cells on each side of its middle a window shows."""

WALL: Final = "#"

FIVE: Final = 100_000
OPEN_FOUR: Final = 10_000  # two cells make it a five: one of them stays
FOUR: Final = 1_000  # one cell does
OPEN_THREE: Final = 200  # one symbol more makes an open four
THREE: Final = 30  # one more makes a four
TWO: Final = 20  # one more makes an open three
_CLOSED_TWO: Final = 4
_ONE: Final = 2
"""What a symbol in one line is worth; sums over four lines still tell the greatest."""

_OWN: Final = "o"
_AS_OWN: Final = (str.maketrans("x", WALL), str.maketrans("ox", WALL + _OWN))
"""By symbol: a window as its side sees it, everything else a wall."""

_NEAR: Final = tuple(at for at in range(REACH - TO_WIN + 1, REACH + TO_WIN) if at != REACH)


@cache
def worths(window: bytes) -> tuple[int, int]:
    """What a circle, and what a cross, in the middle of ``window`` would be worth."""
    text = window.decode()
    circle, cross = (_worth(_with(text.translate(table), REACH)) for table in _AS_OWN)
    return circle, cross


def _with(line: str, at: int) -> str:
    return f"{line[:at]}{_OWN}{line[at + 1 :]}"


def _run(line: str) -> tuple[int, int]:
    """From where to where (exclusive) own symbols stand through the middle."""
    start, end = REACH, REACH + 1
    while start and line[start - 1] == _OWN:
        start -= 1
    while end < len(line) and line[end] == _OWN:
        end += 1
    return start, end


def _is_five(line: str) -> bool:
    start, end = _run(line)
    return end - start == TO_WIN


@lru_cache(maxsize=100_000)
def _fives(line: str) -> int:
    """How many cells would make a five of exactly the middle's run."""
    return sum(line[at] == EMPTY and _is_five(_with(line, at)) for at in _NEAR)


@lru_cache(maxsize=100_000)
def _fours(line: str) -> int:
    """The most cells that would make a five after one symbol more."""
    return max((_fives(_with(line, at)) for at in _NEAR if line[at] == EMPTY), default=0)


@lru_cache(maxsize=100_000)
def _worth(line: str) -> int:
    """What the symbol in the middle of ``line`` is worth to its side; it stands there already."""
    start, end = _run(line)
    if end - start >= TO_WIN:
        return FIVE if end - start == TO_WIN else 0
    own = line.count(_OWN, REACH - TO_WIN + 1, REACH + TO_WIN)
    fives = _fives(line) if own >= TO_WIN - 1 else 0
    if fives:
        return OPEN_FOUR if fives > 1 else FOUR
    fours = _fours(line) if own >= TO_WIN - 2 else 0
    if fours:
        return OPEN_THREE if fours > 1 else THREE
    if not _room(line):
        return 0
    if own < 2:  # noqa: PLR2004 - alone
        return _ONE
    opens = any(line[at] == EMPTY and _fours(_with(line, at)) > 1 for at in _NEAR)
    return TWO if opens else _CLOSED_TWO


def _room(line: str) -> bool:
    """Whether a five through the middle is possible at all."""
    start = end = REACH
    while start and line[start - 1] != WALL:
        start -= 1
    while end + 1 < len(line) and line[end + 1] != WALL:
        end += 1
    return end - start + 1 >= TO_WIN
