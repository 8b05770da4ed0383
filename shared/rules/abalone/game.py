"""Abalone: six marbles pushed off the board win (§5)."""

from collections.abc import Mapping
from typing import Any, Final

from shared.rules.abalone import reading
from shared.rules.abalone.board import board_text, from_text, names
from shared.rules.abalone.moves import applied, can_move, moves
from shared.rules.alternating import Alternating, Turns, occurrences
from shared.rules.options import Option
from shared.rules.protocol import Result

STARTS: Final = {
    "standard": "sssss/ssssss/2sss2/8/9/8/2SSS2/SSSSSS/SSSSS",
    "belgian_daisy": "ss1SS/sssSSS/1ss1SS1/8/9/8/1SS1ss1/SSSsss/SS1ss",
}
TO_WIN: Final = 6
"""So many marbles of the other's, pushed off, win the game."""

QUIET_PLIES: Final = 200
"""So many plies without a marble pushed off are a draw."""

_THRICE: Final = 3
_START: Final = Option(
    "start",
    tuple(STARTS),
    "standard: each side's marbles fill its two rows and three more cells. belgian_daisy: two flowers each.",
)


class State(Turns, frozen=True, kw_only=True):
    """The marbles of Black and White as sets of cells; Black is who began.

    ``ejected`` is how many each has pushed off, Black first. ``earlier`` are the marbles of each position
    since the last one was pushed off, oldest first.
    """

    marbles: tuple[int, int]
    ejected: tuple[int, int] = (0, 0)
    earlier: tuple[tuple[int, int], ...] = ()

    @property
    def sides(self) -> tuple[int, int]:
        """The marbles of the side to move and of the other."""
        return (self.marbles[1], self.marbles[0]) if self.ply & 1 else self.marbles


class Abalone(Alternating[State]):
    """Rules (see ``shared.rules.protocol``).

    A win is of the kind ``six marbles``, ``blocked`` or ``forfeit``, a draw ``repetition`` or
    ``no ejection``.
    """

    def setup(self, seats: int, options: Mapping[str, Any], first: int | None) -> State:
        """The start that is chosen; ``first`` has Black."""
        start = self._chosen(options)["start"]
        return State(first=self._first(seats, first), marbles=from_text(STARTS[start]))

    def legal(self, state: State, seat: int) -> tuple[str, ...]:
        """The moves in the order of the alphabet; ``moves`` says how they are written."""
        return moves(*state.sides) if state.result is None and seat == state.turn else ()

    def _meant(self, state: State, text: str) -> str:
        return reading.read(*state.sides, text)

    def play(self, state: State, seat: int, move: str) -> State:  # noqa: ARG002 - it is the seat to move
        """The line one step on, with what it pushes."""
        side = state.side
        mine, theirs, off = applied(*state.sides, move)
        marbles = (theirs, mine) if side else (mine, theirs)
        ejected = state.ejected
        if off:
            ejected = (ejected[0], ejected[1] + 1) if side else (ejected[0] + 1, ejected[1])
        earlier = () if off else (*state.earlier, state.marbles)
        result = None
        if ejected[side] >= TO_WIN:
            result = Result.win(state.turn, "six marbles")
        elif not can_move(theirs, mine):
            result = Result.win(state.turn, "blocked")
        elif occurrences(earlier, marbles) >= _THRICE:
            result = Result.drawn(kind="repetition")
        elif len(earlier) >= QUIET_PLIES:
            result = Result.drawn(kind="no ejection")
        return State(
            first=state.first,
            ply=state.ply + 1,
            result=result,
            marbles=marbles,
            ejected=ejected,
            earlier=earlier,
        )

    def view(self, state: State, seat: int | None) -> dict[str, Any]:  # noqa: ARG002 - nothing is hidden
        """Everything: ``marbles`` and how many each has ``ejected`` by seat, who has ``black``, draws.

        ``occurrences`` is how often the position has stood with this side to move, ``quiet_plies`` how many
        were played since a marble was pushed off, ``draw_in`` after how many more the game is drawn.
        """
        quiet = len(state.earlier)
        return {
            "marbles": state.by_seat((names(state.marbles[0]), names(state.marbles[1]))),
            "ejected": state.by_seat(state.ejected),
            "black": state.first,
            "turn": state.turn if state.result is None else None,
            "occurrences": occurrences(state.earlier, state.marbles),
            "quiet_plies": quiet,
            "draw_in": QUIET_PLIES - quiet,
        }

    def position(self, state: State) -> str:
        """Rows from i down, marbles pushed off by Black and by White, side to move, plies since, full move.

        ``sssss/ssssss/2sss2/8/9/8/2SSS2/SSSSSS/SSSSS 0 0 b 0 1``
        """
        black, white = state.ejected
        turn = f"{'bw'[state.side]} {len(state.earlier)} {state.ply // 2 + 1}"
        return f"{board_text(*state.marbles)} {black} {white} {turn}"


RULES: Final = Abalone(
    "abalone", "Abalone", (7, 10, 15), (_START,), begins="black", exports={"json": "Abalone"}, newcomer=5
)
