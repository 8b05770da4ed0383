"""Draws of chess against python-chess's own account of a game: claims, automatic ends, counts (§3)."""

from random import Random
from typing import Final

import chess
import pytest

from shared.rules.chess import RULES, State
from shared.rules.protocol import Over

GAMES: Final = 24
NIGHTLY: Final = 320
LOOKED_AT: Final = 0.1
"""In so many positions each move is announced; python-chess takes its time over that."""

NEAR: Final = range(97, 101)
"""And in all with so many plies since a capture or a pawn's move."""

STARTS: Final = (
    chess.STARTING_FEN,
    "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
    "4k3/8/8/8/8/8/4P3/4K2R w K - 60 40",
    "8/8/4k3/8/8/3QK3/8/8 w - - 92 90",
    "7k/8/5K2/8/8/8/8/R7 w - - 96 90",
    "8/8/4k3/8/3n4/4K3/5N2/8 b - - 140 120",
    "4k3/p7/8/1P6/8/8/8/4K3 b - - 0 1",
    "7k/8/5K2/6Q1/8/8/8/8 w - - 80 80",
)
"""The usual one, and some from which every draw is near."""

KINDS: Final = {
    chess.Termination.CHECKMATE: "checkmate",
    chess.Termination.STALEMATE: "stalemate",
    chess.Termination.INSUFFICIENT_MATERIAL: "dead position",
    chess.Termination.SEVENTYFIVE_MOVES: "75 moves",
    chess.Termination.FIVEFOLD_REPETITION: "fivefold repetition",
}


def claims(state: State) -> set[str]:
    """The moves with which the side to move may claim a draw, "" where it needs none."""
    moves = ("", *RULES.legal(state, state.turn))
    return {move for move in moves if RULES.claim(state, state.turn, move) is not None}


def claims_of(board: chess.Board) -> set[str]:
    """The same by python-chess, which says only of a board whether one might be claimed there."""
    moves = {move.uci() for move in board.legal_moves}
    if board.is_fifty_moves() or board.is_repetition(3):
        return {"", *moves}
    found: set[str] = set()
    for move in moves:
        board.push_uci(move)
        if board.is_fifty_moves() or board.is_repetition(3):
            found.add(move)
        board.pop()
    assert bool(found) == board.can_claim_draw()
    return found


def ends_alike(state: State, board: chess.Board) -> bool:
    """Whether the game is over in both, and for the same reason."""
    outcome = board.outcome()
    if outcome is None:
        assert state.result is None
        return False
    assert state.result is not None
    kinds = {KINDS[outcome.termination]}
    if board.is_seventyfive_moves() and board.is_fivefold_repetition():
        kinds = {"75 moves", "fivefold repetition"}
    assert state.result.kind in kinds
    winner = None if outcome.winner is None else (state.first if outcome.winner else 1 - state.first)
    assert state.result.winner == winner
    assert isinstance(RULES.waiting(state), Over)
    return True


def played(seed: int, kinds: set[str]) -> None:
    """A game of moves that often take the last one back; all that is asked of it is asked in both."""
    random = Random(seed)
    fen = STARTS[seed % len(STARTS)]
    board = chess.Board(fen)
    state = State(first=random.randrange(2), ply=0 if board.turn else 1, fen=fen)
    while not ends_alike(state, board):
        view = RULES.view(state, None)
        assert (view["occurrences"] >= 3) == board.is_repetition(3)
        assert view["quiet_plies"] == board.halfmove_clock
        if random.random() < LOOKED_AT or board.halfmove_clock in NEAR:
            found = claims(state)
            assert found == claims_of(board)
            kinds |= {result.kind for move in found if (result := RULES.claim(state, state.turn, move))}
        legal = RULES.legal(state, state.turn)
        last = board.move_stack[-2].uci() if len(board.move_stack) > 1 else ""
        back = last[2:4] + last[:2]
        move = back if back in legal and random.random() < 0.6 else random.choice(legal)
        state = RULES.play(state, state.turn, move)
        board.push_uci(move)
        assert RULES.position(state) == board.fen(en_passant="legal")
    assert state.result is not None
    kinds.add(state.result.kind)


def agrees(games: int) -> set[str]:
    """What so many games met, which agree."""
    kinds: set[str] = set()
    for seed in range(games):
        played(seed, kinds)
    return kinds


def test_claims_and_ends_are_those_of_python_chess() -> None:
    assert agrees(GAMES) >= {"threefold repetition", "50 moves", "fivefold repetition"}


@pytest.mark.nightly
def test_claims_and_ends_are_those_of_python_chess_in_many_games() -> None:
    assert agrees(NIGHTLY) == {"threefold repetition", "50 moves", *KINDS.values()}


def test_a_move_that_mates_ends_the_game_and_is_no_claim_of_fifty_moves() -> None:
    state = State(first=0, ply=0, fen="7k/8/6K1/8/8/8/8/R7 w - - 99 90")
    assert RULES.claim(state, 0, "a1a2") is not None
    assert RULES.claim(state, 0, "a1a8") is None
