"""Chess: the laws of FIDE 2023 on python-chess (boardgames §3)."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

import chess

from shared.rules.alternating import Alternating, Turns
from shared.rules.chess import endings, reading
from shared.rules.options import Option
from shared.rules.protocol import Result

_SIDE: Final = (chess.WHITE, chess.BLACK)
_FLAG_FALL: Final = Option(
    "flag_fall",
    ("loss", "fide"),
    "loss: who runs out of time loses. fide: he draws where no series of legal moves could mate him (6.9).",
)


class State(Turns, frozen=True, kw_only=True):
    """The position as FEN; White is who began.

    ``earlier`` are the positions (FEN without counters, see ``endings.key``) since the last capture, pawn
    move or loss of a right, oldest first. ``fide`` is the option ``flag_fall``.
    """

    fen: str = chess.STARTING_FEN
    earlier: tuple[str, ...] = ()
    fide: bool = False


@lru_cache(maxsize=256)  # legal, read, write and play ask for the same position in turn
def _parsed(fen: str) -> chess.Board:
    return chess.Board(fen)


def board_of(state: State) -> chess.Board:
    """The position as python-chess has it; the caller's own, but without the moves before it."""
    return _parsed(state.fen).copy(stack=False)


class Chess(Alternating[State]):
    """Rules (see ``shared.rules.protocol``); a move is in UCI, ``e7e8q`` with a promotion.

    A win is of the kind ``checkmate`` or ``forfeit``. A draw is ``stalemate``, ``dead position``, ``fivefold
    repetition`` or ``75 moves`` by itself, ``threefold repetition`` or ``50 moves`` on a claim, or
    ``insufficient material`` when a flag falls (``flag_fall``).
    """

    def setup(self, seats: int, options: Mapping[str, Any], first: int | None) -> State:
        """The usual position; ``first`` has White."""
        fide = self._chosen(options)["flag_fall"] == "fide"
        return State(first=self._first(seats, first), fide=fide)

    def legal(self, state: State, seat: int) -> tuple[str, ...]:
        """The moves in UCI, in the order of the alphabet."""
        if state.result is not None or seat != state.turn:
            return ()
        return tuple(sorted(move.uci() for move in _parsed(state.fen).legal_moves))

    def _meant(self, state: State, text: str) -> str:
        return reading.read(_parsed(state.fen), text)

    def write(self, state: State, seat: int, move: str, viewer: int | None) -> str:  # noqa: ARG002 - nothing is hidden
        """The move in SAN."""
        return board_of(state).san(chess.Move.from_uci(move))

    def play(self, state: State, seat: int, move: str) -> State:  # noqa: ARG002 - it is the seat to move
        """The position after the move, and whether it ends the game."""
        before = board_of(state)
        made = chess.Move.from_uci(move)
        earlier = () if before.is_irreversible(made) else (*state.earlier, endings.key(before))
        before.push(made)
        return State(
            first=state.first,
            ply=state.ply + 1,
            result=_ended(state, before, earlier),
            fen=before.fen(en_passant="legal"),
            earlier=earlier,
            fide=state.fide,
        )

    def claim(self, state: State, seat: int, move: str) -> Result | None:
        """The third occurrence or 50 moves, as it stands or after the announced move (9.2, 9.3)."""
        if state.result is not None or seat != state.turn:
            return None
        kind = endings.claimable(board_of(state), state.earlier, move)
        return None if kind is None else Result.drawn(kind=kind)

    def forfeit(self, state: State, seat: int, cause: str) -> Result:
        """A lost game; a fallen flag draws under ``fide`` where the opponent could never mate (6.9)."""
        other = _SIDE[1 - (seat ^ state.first)]
        if cause == "flag" and state.fide and _parsed(state.fen).has_insufficient_material(other):
            return Result.drawn(kind="insufficient material")
        return super().forfeit(state, seat, cause)

    def view(self, state: State, seat: int | None) -> dict[str, Any]:  # noqa: ARG002 - nothing is hidden
        """Everything: ``pieces`` by square as in FEN (``P`` is White's pawn), who is in ``check``, counters.

        ``occurrences`` is how often the position has stood, ``quiet_plies`` how many were played since a
        capture or a pawn move: a draw may be claimed at 3 and at 100.
        """
        board = _parsed(state.fen)
        pieces = {chess.square_name(at): piece.symbol() for at, piece in sorted(board.piece_map().items())}
        return {
            "pieces": pieces,
            "white": state.first,
            "turn": state.turn if state.result is None else None,
            "check": board.is_check(),
            "occurrences": endings.occurrences(board, state.earlier),
            "quiet_plies": board.halfmove_clock,
        }

    def position(self, state: State) -> str:
        """FEN; the square of an en passant capture stands there only where one is legal."""
        return state.fen


def _ended(state: State, after: chess.Board, earlier: tuple[str, ...]) -> Result | None:
    """How the game ends with the move that led to ``after``; mate comes before all draws (9.6.2)."""
    if after.is_checkmate():
        return Result.win(state.turn, "checkmate")
    kind = endings.automatic(after, earlier)
    return None if kind is None else Result.drawn(kind=kind)


RULES: Final = Chess("chess", "Chess", (7, 10, 15), (_FLAG_FALL,), exports={"pgn": ""}, newcomer=10)
