"""What Long nardy forbids in a turn: to take several from the head, and the bridge of six (rules §2.4)."""

from collections.abc import Sequence
from typing import Final

from shared.rules.nard.board import HEAD, Board
from shared.rules.nard.parallel import faced_point

_TWO_LEAVE: Final = {(3, 3), (4, 4), (6, 6)}  # on one's first turn: the other head stops a single checker
_SECOND_FOUR: Final = faced_point(HEAD - 8)  # where the opponent's 5-5 stands in the way of a first 4-4
_SIX: Final = 6

_MORE_LEAVE: Final = {
    1: "Only one checker may leave the head in this turn.",
    2: "Only two checkers may leave the head in this turn.",
}
_BRIDGE: Final = "Six points in a row need an opposing checker ahead of them."


class HeadAndBridge:
    """The law (``shared.rules.nard.parallel.Law``) of one turn."""

    guards_end: bool = False
    ordered: frozenset[str] = frozenset({_BRIDGE})

    def __init__(self, mine: Board, theirs: Board, high: int, low: int) -> None:
        """For the side of ``mine``, which has rolled these dice."""
        self._leaving = _may_leave(mine, theirs, high, low)
        self._least_on_head = mine[HEAD] - self._leaving
        foremost = next(point for point, count in enumerate(theirs) if count)  # 0 once one is borne off
        self._before_him = (1 << foremost) - 1 if foremost > _SIX else 0

    def why_not(self, mine: Sequence[int], source: int, held: int) -> str:
        """The head's rule, then the bridge's: it is forbidden after every single step."""
        if source == HEAD and mine[HEAD] <= self._least_on_head:
            return _MORE_LEAVE[self._leaving]
        run = held & self._before_him
        if run:
            run &= run >> 1
            run &= run >> 2  # four in a row
            if run & run >> 2:
                return _BRIDGE
        return ""

    def avoids(self, mine: Board) -> bool:
        """Nothing: what is forbidden is so after every step."""
        del mine
        return False


def _may_leave(mine: Board, theirs: Board, high: int, low: int) -> int:
    """One; two on a first turn with 3-3, 4-4 or 6-6, but for a 4-4 whose second four is closed."""
    if mine[HEAD] < sum(mine) or (high, low) not in _TWO_LEAVE:
        return 1
    return 1 if high == 4 and theirs[_SECOND_FOUR] else 2  # noqa: PLR2004 - of 3-3, 4-4 and 6-6
