"""Gomoku: exactly five in a row win, in four ways to open (§1).

Symbols are placed in turn in all of them, a circle first, so how many there are says which is next. What an
opening changes is who places it. A turn of several symbols is as many moves, one for each symbol: three at
once could be placed in millions of ways, and nobody could be told them all.
"""

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from shared.problems import Refused
from shared.rules.alternating import Alternating, Turns
from shared.rules.gomoku.board import (
    EMPTY,
    GRIDS,
    SIGNS,
    SIZES,
    Grid,
    board_text,
    fives,
    free,
    grid_of,
    names,
)
from shared.rules.gomoku.reading import CIRCLES, SIDES, written
from shared.rules.options import Option
from shared.rules.protocol import Result

CHOICES: Final[dict[str, tuple[int, ...]]] = {"standard": (), "pro": (), "swap": (3,), "swap2": (3, 5)}
"""By variant: at how many symbols the other player has the move, to choose his own.

Before the last of them he may go on placing instead, and leave the choice to his opponent.
"""

_OUTSIDE: Final = 2
"""With so many symbols on the board PRO's first player places his second one."""

_VARIANT: Final = Option(
    "variant",
    tuple(CHOICES),
    "standard: free placing. pro: the first circle lies in the middle, the second outside the central 5x5. "
    "swap: the first player places two circles and a cross, the second chooses his symbol. swap2: or he "
    "places a cross and a circle more, and the first chooses.",
)
_SIZE: Final = Option("size", SIZES, "So many cells the board has on each side; an odd number for pro.")


class State(Turns, frozen=True, kw_only=True):
    """The symbols on the ``board`` (see there); ``circles`` is the seat that has the circles.

    It is None until that is chosen. ``ply`` counts choices too, and not PRO's first symbol.
    """

    board: str
    variant: str = "standard"
    circles: int | None = None

    @property
    def grid(self) -> Grid:
        """The board without symbols."""
        return grid_of(self.board)

    @property
    def placed(self) -> int:
        """How many symbols there are."""
        return len(self.board) - self.board.count(EMPTY)

    @property
    def symbol(self) -> int:
        """What is placed next: 0 a circle, 1 a cross."""
        return self.placed & 1

    @property
    def side(self) -> int:
        """See ``Turns``."""
        return self.turn ^ self.first

    @property
    def turn(self) -> int:
        """The seat to move; after the end the one that would be."""
        placed = self.placed
        if self.circles is not None:
            return self.circles ^ (placed & 1)
        return self.first ^ (sum(placed >= when for when in CHOICES[self.variant]) & 1)

    @property
    def chooses(self) -> bool:
        """Whether sides may be chosen now."""
        return self.circles is None and self.placed in CHOICES[self.variant]

    @property
    def places(self) -> bool:
        """Whether a symbol may be placed now: always, but at the last choice."""
        return self.circles is not None or self.placed < CHOICES[self.variant][-1]

    @property
    def closed(self) -> frozenset[int]:
        """The cells that may not be taken now though they are empty."""
        if self.variant == "pro" and self.placed == _OUTSIDE:
            central = self.grid.central
            return frozenset(cell for cell in central if self.board[cell] == EMPTY)
        return frozenset()


class Gomoku(Alternating[State]):
    """Rules (see ``shared.rules.protocol``); a move is a cell, ``h8``, or a side, ``circles`` or ``crosses``.

    A win is of the kind ``five in a row`` or ``forfeit``, a draw ``full board``.
    """

    def _chosen(self, given: Mapping[str, Any]) -> dict[str, Any]:
        chosen = super()._chosen(given)
        if chosen["variant"] == "pro" and not GRIDS[chosen["size"]].central:
            raise Refused("invalid_options", "pro needs a cell in the middle: a board of odd size.")
        return chosen

    def setup(self, seats: int, options: Mapping[str, Any], first: int | None) -> State:
        """An empty board; ``first`` places the first symbol. PRO's first circle lies there already."""
        chosen = self._chosen(options)
        where, variant, begins = GRIDS[chosen["size"]], chosen["variant"], self._first(seats, first)
        board = EMPTY * len(where.names)
        if variant == "pro":
            board = _with(board, where.centre, 0)
        return State(first=begins, board=board, variant=variant, circles=None if CHOICES[variant] else begins)

    def legal(self, state: State, seat: int) -> tuple[str, ...]:
        """The sides, where they may be chosen, then the free cells as one reads the board."""
        if state.result is not None or seat != state.turn:
            return ()
        sides = SIDES if state.chooses else ()
        if not state.places:
            return sides
        cells, closed = free(state.board), state.closed
        if closed:
            shut = {state.grid.names[cell] for cell in closed}
            cells = tuple(name for name in cells if name not in shut)
        return (*sides, *cells)

    def _meant(self, state: State, text: str) -> str:
        move = written(text)
        if move in SIDES:
            if not state.chooses:
                raise Refused("illegal_move", "Sides are not chosen now; place a symbol.")
            return move
        cell = state.grid.cells.get(move)
        if cell is None:
            raise Refused("unreadable_move", f"The board has no cell {move}.")
        if not state.places:
            raise Refused("illegal_move", "Choose your symbols first: circles or crosses.")
        if state.board[cell] != EMPTY:
            raise Refused("illegal_move", f"{move} is taken.")
        if cell in state.closed:
            raise Refused("illegal_move", "The second circle lies outside the central five by five.")
        return move

    def play(self, state: State, seat: int, move: str) -> State:
        """The symbol placed, or the sides given out."""
        if move in SIDES:
            circles = seat if move == CIRCLES else 1 - seat
            return msgspec.structs.replace(state, ply=state.ply + 1, circles=circles)
        cell = state.grid.cells[move]
        board = _with(state.board, cell, state.symbol)
        result = None
        if any(fives(board, cell)):
            result = Result.win(seat, "five in a row")
        elif EMPTY not in board:
            result = Result.drawn(kind="full board")
        return State(
            first=state.first,
            ply=state.ply + 1,
            result=result,
            board=board,
            variant=state.variant,
            circles=state.circles,
        )

    def half_moves(self, state: State, move: str) -> int:
        """One for a symbol, none for a choice; PRO's automatic first symbol counts with the answer to it."""
        if move in SIDES:
            return 0
        return 1 if state.ply or state.variant != "pro" else 2

    def view(self, state: State, seat: int | None) -> dict[str, Any]:  # noqa: ARG002 - nothing is hidden
        """Everything: the cells of ``circles`` and ``crosses``, which seat has the circles, what is next.

        ``phase`` is ``opening``, ``choice``, ``extension`` or ``play``; ``choices`` are the sides that may be
        chosen now, ``symbol`` what may be placed, ``closed`` empty cells that may not be taken; ``line`` is
        what has won.
        """
        where, board = state.grid, state.board
        going = state.result is None
        return {
            "size": where.size,
            "circles": names(board, SIGNS[0]),
            "crosses": names(board, SIGNS[1]),
            "has_circles": state.circles,
            "turn": state.turn if going else None,
            "phase": _phase(state),
            "choices": list(SIDES) if state.chooses else [],
            "symbol": ("circle", "cross")[state.symbol] if going and state.places else None,
            "closed": [where.names[cell] for cell in sorted(state.closed)],
            "line": [where.names[cell] for cell in _line(state)],
        }

    def position(self, state: State) -> str:
        """Rows from the top, and the symbol that is placed next, or ``?`` where sides may be chosen.

        ``15/15/15/15/15/15/15/7o7/15/15/15/15/15/15/15 x``
        """
        return f"{board_text(state.board)} {'?' if state.chooses else SIGNS[state.symbol]}"


def _with(board: str, cell: int, symbol: int) -> str:
    """The board with one symbol more."""
    return f"{board[:cell]}{SIGNS[symbol]}{board[cell + 1 :]}"


def _phase(state: State) -> str:
    if state.circles is not None:
        return "play"
    if state.chooses:
        return "choice"
    return "opening" if state.placed < CHOICES[state.variant][0] else "extension"


def _line(state: State) -> list[int]:
    """The cells of the fives that have won; whoever places a symbol wins with it at once or not at all."""
    if state.result is None or state.result.winner is None:
        return []
    last = SIGNS[1 - state.symbol]
    placed = (cell for cell, sign in enumerate(state.board) if sign == last)
    return sorted({member for cell in placed for run in fives(state.board, cell) for member in run})


RULES: Final = Gomoku(
    "gomoku", "Gomoku", (3, 4, 6), (_VARIANT, _SIZE), begins="", exports={"sgf": "Gomoku"}, newcomer=20
)
