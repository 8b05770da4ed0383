"""Reversi: Othello's start and laws (§6)."""

from collections.abc import Mapping
from typing import Any, Final

from shared.problems import Refused
from shared.rules.alternating import Alternating, Turns
from shared.rules.protocol import PASS, Result
from shared.rules.reversi.board import ALL, NAMES, SQUARES, from_text, names, position_text
from shared.rules.reversi.moves import moves, turned
from shared.rules.reversi.reading import written

START: Final = "---------------------------OX------XO--------------------------- X"
_BLACK, _WHITE, _ = from_text(START)


class State(Turns, frozen=True, kw_only=True):
    """The discs of Black and White as sets of squares; Black is who began. ``ply`` counts passes too."""

    discs: tuple[int, int]

    @property
    def sides(self) -> tuple[int, int]:
        """The discs of the side to move and of the other."""
        return (self.discs[1], self.discs[0]) if self.ply & 1 else self.discs


class Reversi(Alternating[State]):
    """Rules (see ``shared.rules.protocol``); a move is a square, ``f5``, or ``PASS``.

    The kind of a win or a draw says how the game ended: ``full board``, ``wiped out`` (a colour has no disc
    left), ``mutual block`` (nobody can move); or ``forfeit``.
    """

    def setup(self, seats: int, options: Mapping[str, Any], first: int | None) -> State:
        """Two discs each in the middle; ``first`` has Black."""
        self._chosen(options)
        return State(first=self._first(seats, first), discs=(_BLACK, _WHITE))

    def legal(self, state: State, seat: int) -> tuple[str, ...]:
        """The squares in the order of the alphabet; ``PASS`` where there is none."""
        if state.result is not None or seat != state.turn:
            return ()
        return tuple(names(moves(*state.sides))) or (PASS,)

    def _meant(self, state: State, text: str) -> str:
        move, possible = written(text), moves(*state.sides)
        if move == PASS:
            if possible:
                raise Refused("illegal_move", f"You can place a disc, so you must: {names(possible)[0]}.")
            return move
        if not possible >> SQUARES[move] & 1:
            raise Refused("illegal_move", _why_not(state, move))
        return move

    def play(self, state: State, seat: int, move: str) -> State:  # noqa: ARG002 - it is the seat to move
        """The disc placed and all that it encloses turned over; or the turn passed."""
        if move == PASS:
            return State(first=state.first, ply=state.ply + 1, discs=state.discs)
        mine, theirs = state.sides
        square = SQUARES[move]
        over = turned(mine, theirs, square)
        mine, theirs = mine | over | 1 << square, theirs & ~over
        discs = (theirs, mine) if state.side else (mine, theirs)
        ended = not moves(theirs, mine) and not moves(mine, theirs)
        return State(
            first=state.first,
            ply=state.ply + 1,
            result=_result(state.first, discs) if ended else None,
            discs=discs,
        )

    def half_moves(self, state: State, move: str) -> int:  # noqa: ARG002 - a disc is a disc
        """One for a disc, none for a pass."""
        return 0 if move == PASS else 1

    def view(self, state: State, seat: int | None) -> dict[str, Any]:  # noqa: ARG002 - nothing is hidden
        """Everything: ``discs`` and their ``count`` by seat, who has ``black``.

        At the end ``score``, by seat, gives the empty squares to the winner (to each half of them in a
        draw), and ``margin`` is the difference.
        """
        score = None if state.result is None else _score(state.discs)
        return {
            "discs": state.by_seat((names(state.discs[0]), names(state.discs[1]))),
            "count": state.by_seat((state.discs[0].bit_count(), state.discs[1].bit_count())),
            "black": state.first,
            "turn": state.turn if state.result is None else None,
            "score": None if score is None else state.by_seat(score),
            "margin": None if score is None else abs(score[0] - score[1]),
        }

    def position(self, state: State) -> str:
        """64 signs row by row from a1 to h8, X for Black and O for White, and who is to move: ``START``."""
        return position_text(*state.discs, state.side)


def _why_not(state: State, move: str) -> str:
    """Why no disc is placed on this square."""
    mine, theirs = state.sides
    if (mine | theirs) >> SQUARES[move] & 1:
        return f"{move} is taken."
    if not moves(mine, theirs):
        return "You can place no disc anywhere: you pass."
    return f"A disc on {move} would enclose none of your opponent's."


def _score(discs: tuple[int, int]) -> tuple[int, int]:
    """The discs of each side at the end, with the empty squares given to the winner, or halved in a draw."""
    black, white = (side.bit_count() for side in discs)
    empty = len(NAMES) - black - white
    if black == white:
        return black + empty // 2, white + empty // 2
    return (black + empty, white) if black > white else (black, white + empty)


def _result(first: int, discs: tuple[int, int]) -> Result:
    """How a game ends in which neither side can move."""
    black, white = discs
    kind = "mutual block"
    if not black or not white:
        kind = "wiped out"
    elif black | white == ALL:
        kind = "full board"
    difference = black.bit_count() - white.bit_count()
    if not difference:
        return Result.drawn(kind=kind)
    return Result.win(first if difference > 0 else 1 - first, kind)


RULES: Final = Reversi(
    "reversi", "Reversi", (4, 5, 8), begins="black", exports={"sgf": "Othello", "txt": "Othello"}, newcomer=20
)
