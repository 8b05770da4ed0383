"""3D gomoku: four in a row in any direction of the cube win (§2)."""

from collections.abc import Mapping
from typing import Any, Final

from shared.problems import Refused
from shared.rules.alternating import Alternating, Turns
from shared.rules.gomoku3d.board import ALL, CELLS, LINES, THROUGH, board_text, names
from shared.rules.gomoku3d.reading import written
from shared.rules.protocol import Result


class State(Turns, frozen=True, kw_only=True):
    """The circles and the crosses as sets of cells; who began has the circles."""

    symbols: tuple[int, int] = (0, 0)

    @property
    def free(self) -> int:
        """The empty cells."""
        return ALL & ~(self.symbols[0] | self.symbols[1])


class Gomoku3d(Alternating[State]):
    """Rules (see ``shared.rules.protocol``); a move is a cell, ``2b3``.

    A win is of the kind ``four in a row`` or ``forfeit``, a draw ``full board``.
    """

    def setup(self, seats: int, options: Mapping[str, Any], first: int | None) -> State:
        """An empty cube; ``first`` has the circles."""
        self._chosen(options)
        return State(first=self._first(seats, first))

    def legal(self, state: State, seat: int) -> tuple[str, ...]:
        """The free cells, in the order of the alphabet."""
        return tuple(names(state.free)) if state.result is None and seat == state.turn else ()

    def _meant(self, state: State, text: str) -> str:
        move = written(text)
        if not state.free >> CELLS[move] & 1:
            raise Refused("illegal_move", f"{move} is taken.")
        return move

    def play(self, state: State, seat: int, move: str) -> State:
        """The symbol placed."""
        cell = CELLS[move]
        symbols = state.symbols
        mine = symbols[state.side] | 1 << cell
        symbols = (symbols[0], mine) if state.side else (mine, symbols[1])
        result = None
        if any(line & mine == line for line in THROUGH[cell]):
            result = Result.win(seat, "four in a row")
        elif symbols[0] | symbols[1] == ALL:
            result = Result.drawn(kind="full board")
        return State(first=state.first, ply=state.ply + 1, result=result, symbols=symbols)

    def view(self, state: State, seat: int | None) -> dict[str, Any]:  # noqa: ARG002 - nothing is hidden
        """Everything: the cells of ``circles`` and ``crosses``, who has the circles; ``line`` has won.

        ``symbol`` is what is placed next.
        """
        going = state.result is None
        return {
            "circles": names(state.symbols[0]),
            "crosses": names(state.symbols[1]),
            "has_circles": state.first,
            "turn": state.turn if going else None,
            "symbol": ("circle", "cross")[state.side] if going else None,
            "line": names(_line(state)),
        }

    def position(self, state: State) -> str:
        """The levels from 1 to 4, each with its rows from 4 to 1, and the symbol that is placed next.

        ``4/4/4/4|4/1o2/4/4|4/4/4/4|4/4/4/4 x``
        """
        return f"{board_text(*state.symbols)} {'ox'[state.side]}"


def _line(state: State) -> int:
    """The cells of the fours that have won; there are none before the end."""
    if state.result is None:
        return 0
    won = 0
    for line in LINES:
        if any(line & symbols == line for symbols in state.symbols):
            won |= line
    return won


RULES: Final = Gomoku3d("gomoku3d", "3D gomoku", (3, 4, 6), begins="", newcomer=20)
