"""How gomoku is opened where one places for both: fairly, and then takes the better side (§1)."""

import hashlib
from heapq import nsmallest
from typing import Final

from services.ghost.players.protocol import Seen
from services.ghost.players.search.alphabeta import Budget, Search
from services.ghost.players.search.gomoku import GomokuBoard
from shared.rules.gomoku.board import EMPTY, Grid
from shared.rules.gomoku.game import State
from shared.rules.gomoku.reading import CIRCLES, CROSSES

_JUDGING: Final = 400  # positions, for a choice of sides
_GLANCE: Final = 100  # and for a cell on which the last symbol might lie
_A_PART: Final = 4  # of a move's budget a cell costs no more
_LIKELY: Final = 8  # so many cells for the last symbol are looked at closely
_NEAR: Final = 3  # columns and rows: symbols of an opening lie so near to each other
_RIM: Final = 3  # and so far from the rim
_LAST: Final = (2, 4)  # with so many symbols on the board the last one of an opening is placed


def opening_move(seen: Seen, state: State, budget: Budget) -> str | None:
    """The move while sides are open; None once they are chosen.

    A choice goes to the side that a search likes better, and is never put off. The last symbol of an opening
    is placed where neither side is better off; those before it, anywhere near, by a hash of the match. No
    search goes deeper than ``budget``, nor costs more.
    """
    if state.circles is not None:
        return None
    if state.chooses:
        # With three symbols, and with five, the crosses are next.
        return CROSSES if worth(state, _within(budget, _JUDGING)) > 0 else CIRCLES
    near = [name for name in _near(state) if name in set(seen.legal)] or list(seen.legal)
    if state.placed in _LAST:
        return _fairest(state, near, _within(budget, min(_GLANCE, budget.nodes // _A_PART)))
    view = seen.view
    digest = hashlib.sha256(f"{view.match}.{view.game}.{state.placed}".encode()).digest()
    return near[int.from_bytes(digest[:8], "big") % len(near)]


def _within(budget: Budget, nodes: int) -> Budget:
    return Budget(min(nodes, budget.nodes), budget.depth)


def worth(state: State, budget: Budget) -> int:
    """What the position is worth to the symbol that is placed next."""
    board = GomokuBoard(state)
    return Search(board, budget).choose(board.moves()).value


def _fairest(state: State, cells: list[str], glance: Budget) -> str:
    """The cell of these on which the next symbol leaves neither side better off, as far as a glance tells."""
    board, seen = GomokuBoard(state), dict[str, int]()
    for name in cells:
        board.make(name)
        seen[name] = abs(board.judge())
        board.unmake()
    likely = nsmallest(_LIKELY, cells, key=lambda name: (seen[name], name))
    return min(likely, key=lambda name: (abs(_after(state, name, glance)), name))


def _after(state: State, name: str, budget: Budget) -> int:
    """What the position is worth to the symbol that is placed next once one lies on ``name``."""
    board = GomokuBoard(state)
    board.make(name)
    return Search(board, budget).choose(board.moves()).value


def _near(state: State) -> list[str]:
    """The empty cells near all symbols; on an empty board those not too far out."""
    grid = state.grid
    placed = [cell for cell, sign in enumerate(state.board) if sign != EMPTY]
    return [
        name
        for name, cell in grid.cells.items()
        if state.board[cell] == EMPTY
        and _inside(grid, cell)
        and all(_distance(grid, cell, other) <= _NEAR for other in placed)
    ]


def _inside(grid: Grid, cell: int) -> bool:
    return all(_RIM <= at < grid.size - _RIM for at in divmod(cell, grid.size))


def _distance(grid: Grid, one: int, other: int) -> int:
    (row, column), (there, across) = divmod(one, grid.size), divmod(other, grid.size)
    return max(abs(row - there), abs(column - across))
