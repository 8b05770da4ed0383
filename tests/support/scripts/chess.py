"""The golden matches of chess: every way in which a game can end (rules of the board games §3)."""

from collections.abc import Callable
from functools import partial
from typing import Any, Final

import chess

from shared.commands import ClaimDraw
from shared.match import MatchState
from shared.rules.chess import State
from shared.rules.chess.endings import CLAIM_PLIES, occurrences
from shared.rules.chess.game import board_of
from tests.support.matches import Choose, MemoryGame, Picker
from tests.support.scripts import boards
from tests.support.scripts.boards import Script, begun, fall, steered, told

OPERA: Final = (
    "e4 e5 Nf3 d6 d4 Bg4 dxe5 Bxf3 Qxf3 dxe5 Bc4 Nf6 Qb3 Qe7 Nc3 c6 Bg5 b5 Nxb5 cxb5 Bxb5 Nbd7 O-O-O Rd8 "
    "Rxd7 Rxd7 Rd1 Qe6 Bxd7 Nxd7 Qb8 Nxb8 Rd8"
)
"""Morphy at the opera, Paris 1858."""

STALEMATE: Final = "e3 a5 Qh5 Ra6 Qxa5 h5 h4 Rah6 Qxc7 f6 Qxd7 Kf7 Qxb7 Qd3 Qxb8 Qh7 Qxc8 Kg6 Qe6"
"""Sam Loyd's shortest way to a stalemate."""

SHUFFLE: Final = " Nf3 Nf6 Ng1 Ng8"


def quiet(pick: Picker) -> Choose:
    """Any moves of pieces that take nothing and repeat nothing, as long as there are such."""

    def keeps(state: State) -> bool:
        board = board_of(state)
        unheard = occurrences(board, state.earlier) == 1
        return state.result is None and board.halfmove_clock > 0 and unheard

    return steered(pick, keeps)


def taking(pick: Picker) -> Choose:
    """Any capture, if there is one; else any move."""

    def choose(state: MatchState, legal: tuple[str, ...]) -> str:
        board = board_of(state.position)
        captures = tuple(move for move in legal if board.is_capture(chess.Move.from_uci(move)))
        return pick.move(state, captures or legal)

    return choose


def claimed(name: str, moves: str, announced: str = "") -> MemoryGame:
    """A draw is claimed after these moves, maybe with one that is only announced."""
    game = told(name, moves)
    game.send(game.demanded()[0], ClaimDraw(announced))
    return game


def fifty_moves() -> MemoryGame:
    """Fifty moves of each side without a capture or a pawn's move, and a claim."""
    game, pick = begun("chess/fifty-moves-claimed")
    game.play_on(quiet(pick), until=lambda state: board_of(state.position).halfmove_clock == CLAIM_PLIES)
    game.send(game.demanded()[0], ClaimDraw())
    return game


def seventy_five_moves() -> MemoryGame:
    """Nobody claims: after 75 moves of each side the game is drawn."""
    game, pick = begun("chess/seventy-five-moves")
    game.play_on(quiet(pick))
    return game


def dead_position() -> MemoryGame:
    """Both take whatever they can, until nothing is left to mate with."""
    game, _ = begun("chess/dead-position")
    game.play_on(taking(Picker("chess/dead-position 5")))
    return game


def _flag(name: str, seed: int, until: Callable[[State], bool], **options: Any) -> MemoryGame:
    """Seat 0 takes what it can from seat 1, and runs out of time when this holds."""
    game, _ = begun(name, terms=boards.chess_clock_terms(7), options=options)
    pick = Picker(f"chess/bare-king {seed}")
    game.play_on(
        taking(pick), pick.move, until=lambda state: state.position.turn == 0 and until(state.position)
    )
    fall(game)
    return game


def _bare(state: State) -> bool:
    return board_of(state).has_insufficient_material(chess.BLACK)


def _six_left(state: State) -> bool:
    return chess.popcount(board_of(state).occupied_co[chess.BLACK]) == 6


_BARE: Final = 17

SCRIPTS: Final[dict[str, Script]] = {
    "checkmate": partial(told, "chess/checkmate", OPERA),
    "stalemate": partial(told, "chess/stalemate", STALEMATE),
    "threefold-claimed": partial(claimed, "chess/threefold-claimed", "e4 e5" + SHUFFLE * 2),
    "threefold-announced": partial(
        claimed, "chess/threefold-announced", "e4 e5" + SHUFFLE + " Nf3 Nf6 Ng1", "Ng8"
    ),
    "fivefold": partial(told, "chess/fivefold", SHUFFLE * 4),
    "fifty-moves-claimed": fifty_moves,
    "seventy-five-moves": seventy_five_moves,
    "dead-position": dead_position,
    "flag": partial(_flag, "chess/flag", _BARE, _six_left),
    "flag-bare-king-wins": partial(_flag, "chess/flag-bare-king-wins", _BARE, _bare),
    "flag-fide": partial(_flag, "chess/flag-fide", _BARE, _six_left, flag_fall="fide"),
    "flag-fide-drawn": partial(_flag, "chess/flag-fide-drawn", _BARE, _bare, flag_fall="fide"),
    "overran": partial(boards.overran, "chess/overran"),
    "resigned": partial(boards.resigned, "chess/resigned"),
    "agreed": partial(boards.agreed, "chess/agreed"),
    "annulled": partial(boards.absent, "chess/annulled", 3),
    "absent": partial(boards.absent, "chess/absent", 4),
    "left-annulled": partial(boards.left, "chess/left-annulled", 3),
    "left": partial(boards.left, "chess/left", 4),
}
