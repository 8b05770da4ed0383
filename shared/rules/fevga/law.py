"""What Fevga forbids in a turn: to move others before the first checker has passed, and two primes (§2.6)."""

from collections.abc import Sequence
from typing import Final

from shared.rules.nard.board import HEAD, Board
from shared.rules.nard.parallel import FACED_BITS, HALF, held_by

_SIX: Final = 6
_QUARTER: Final = sum(FACED_BITS[HEAD - _SIX + 1 : HEAD + 1])  # one's own 24 … 19

_FIRST: Final = "Until the first checker has passed the opponent's start no other may move."
_WHOLE_QUARTER: Final = "All six points of the own start quarter may not be held at the same time."


class FirstCheckerAndPrimes:
    """The law (``shared.rules.nard.parallel.Law``) of one turn."""

    ordered: frozenset[str] = frozenset({_FIRST, _WHOLE_QUARTER})

    def __init__(self, mine: Board, theirs: Board, high: int, low: int) -> None:
        """For the side of ``mine``, whatever it has rolled."""
        del high, low
        self._passed = _has_passed(mine)
        self._prime = _prime_before_all(theirs)

    @property
    def guards_end(self) -> bool:
        """Whether all that the opponent has stand on one point with six in front of it."""
        return self._prime > 0

    def why_not(self, mine: Sequence[int], source: int, held: int) -> str:
        """The first checker's rule, then that of the own start quarter; both for every single step."""
        if not self._passed and not _has_passed(mine) and source != _foremost(mine):
            return _FIRST
        if held & _QUARTER == _QUARTER:
            return _WHOLE_QUARTER
        return ""

    def avoids(self, mine: Board) -> bool:
        """A prime of six directly in front of all the opponent's checkers: it must be opened."""
        return held_by(mine) & self._prime == self._prime


def _has_passed(mine: Sequence[int]) -> bool:
    """Whether a checker is off, or further on than where the opponent starts."""
    return any(mine[:HALF])


def _foremost(mine: Sequence[int]) -> int:
    return next(point for point, count in enumerate(mine) if count)


def _prime_before_all(theirs: Board) -> int:
    """The six points in front of the one on which all the opponent's checkers stand; 0 without such a one."""
    stack = _foremost(theirs)
    if stack <= _SIX or theirs[stack] < sum(theirs):
        return 0
    return sum(1 << point for point in range(stack - _SIX, stack))
