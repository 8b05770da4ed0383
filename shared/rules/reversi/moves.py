"""Where a disc may be placed, and which discs it turns over (§6)."""

from functools import lru_cache
from typing import Final

from shared.rules.reversi.board import ALL, SIZE

_INNER_ROWS: Final = sum(1 << (column * SIZE + row) for column in range(SIZE) for row in range(1, SIZE - 1))
_AXES: Final = ((1, _INNER_ROWS), (SIZE - 1, _INNER_ROWS), (SIZE, ALL), (SIZE + 1, _INNER_ROWS))
"""By direction (down; up and right; right; down and right) how far apart neighbours are numbered, and which
squares lie between two rows there; columns need no such care, for they end with the bits."""


@lru_cache(maxsize=256)  # the end of the game, the list of moves and the check of one ask for the same
def moves(mine: int, theirs: int) -> int:
    """The squares on which the side with the discs ``mine`` may place one."""
    found = 0
    for step, inner in _AXES:
        over = theirs & inner
        # Runs of their discs from one of mine on: one long, then two, four and six by doubling the steps.
        pairs_on, pairs_back = over & (over << step), over & (over >> step)
        on = over & (mine << step)
        on |= over & (on << step)
        on |= pairs_on & (on << 2 * step)
        on |= pairs_on & (on << 2 * step)
        back = over & (mine >> step)
        back |= over & (back >> step)
        back |= pairs_back & (back >> 2 * step)
        back |= pairs_back & (back >> 2 * step)
        found |= on << step | back >> step
    return found & ALL & ~(mine | theirs)


def turned(mine: int, theirs: int, square: int) -> int:
    """The discs that one placed on ``square`` by the side of ``mine`` turns over."""
    placed = 1 << square
    found = 0
    for step, inner in _AXES:
        over = theirs & inner
        run, at = 0, placed << step
        while at & over:
            run |= at
            at <<= step
        if at & mine:
            found |= run
        run, at = 0, placed >> step
        while at & over:
            run |= at
            at >>= step
        if at & mine:
            found |= run
    return found
