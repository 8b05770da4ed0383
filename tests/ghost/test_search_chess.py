"""The computer at chess: mates that can be forced, what hangs, draws by repetition and their claims."""

from typing import Any

import chess
import pytest

from services.ghost.players import Drawing, Seen, own_player
from services.ghost.players.search.chess import ChessBoard
from shared.commands import ClaimDraw, Play
from shared.events.match import Level
from shared.rules.chess import RULES, State
from shared.rules.chess.endings import key
from shared.rules.chess.game import board_of
from tests.support.ghosts import seen
from tests.support.playing import some_states

OURS = own_player(RULES, {})

MATES_IN_TWO = {
    # problems and ends of well-known games
    "kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1": "a1a6",
    "r2qkb1r/pp2nppp/3p4/2pNN1B1/2BnP3/3P4/PPP2PPP/R2bK2R w KQkq - 1 1": "d5f6",
    "1rb4r/pkPp3p/1b1P3n/1Q6/N3Pp2/8/P1P3PP/7K w - - 1 1": "b5d5",
    "4kb1r/p2n1ppp/4q3/4p1B1/4P3/1Q6/PPP2PPP/2KR4 w k - 1 1": "b3b8",
    "r1b2k1r/ppp1bppp/8/1B1Q4/5q2/2P5/PPP2PPP/R3R1K1 w - - 1 1": "d5d8",
    "5rkr/pp2Rp2/1b1p1Pb1/3P2Q1/2n3P1/2p5/P4P2/4R1K1 w - - 1 1": "g5g6",
    "1r1kr3/Nbppn1pp/1b6/8/6Q1/3B1P2/Pq3P1P/3RR1K1 w - - 1 1": "g4d7",
    "5rk1/1p1q2bp/p2pN1p1/2pP2Bn/2P3P1/1P6/P4QKP/5R2 w - - 1 1": "f2f8",
    "r1nk3r/2b2ppp/p3b3/3NN3/Q2P3q/B2B4/P4PPP/4R1K1 w - - 1 1": "a4d7",
    "r4br1/3b1kpp/1q1P4/1pp1RP1N/p7/6Q1/PPB3PP/2KR4 w - - 1 1": "g3g6",
    "6k1/pp4p1/2p5/2bp4/8/P5Pb/1P3rrP/2BRRN1K b - - 0 1": "g2g1",
    "2rr3k/pp3pp1/1nnqbN1p/3pN3/2pP4/2P3Q1/PPB4P/R4RK1 w - - 1 1": "g3g6",
    "6Q1/8/8/8/k2K4/8/1P6/8 w - - 0 1": "d4c5",
    # from games; Stockfish 15 knows no other key
    "5k2/3R4/p2p1N1p/8/1p1KP3/PP5P/5PP1/4R3 w - - 0 53": "e1c1",
    "2k5/1p6/p2Q4/8/2p1P2p/2B5/2P2PPP/5RK1 w - - 0 30": "c3e5",
    "8/5k2/2R5/R2pB2p/3P4/1K2P1PP/6P1/8 w - - 1 40": "a5a7",
    "3R4/1Q4pk/8/4pp1p/2P4P/P7/5P2/6KR w - - 0 39": "b7f7",
    "4rk2/p6p/1bQ5/1p3p2/4p3/P1B1P3/2P2PPP/3RR1K1 w - - 0 34": "c6f6",
    "8/k7/7p/4P2K/1p3N2/2p4P/6BP/1R4R1 w - - 1 47": "b1b4",
    "r7/6p1/3Q3p/5B1k/5P2/8/PPPR2PP/1K5R w - - 1 31": "d6g6",
    "3k1br1/2p1pp1p/2B1b1p1/r2p4/3P1B2/1Q2PN1P/PPP2PP1/R3K1R1 w Q - 2 18": "b3b8",
    "8/kpQ5/2p1N3/8/p7/4K3/PPP3PP/4R2R w - - 1 37": "e6c5",
    "3k3r/1R3pQp/4p2n/4p3/4P3/2bP4/4BKPP/7R w - - 1 24": "g7h8",
    "k7/1r3Rpp/2BB1n2/8/P7/8/1PP3PP/1K6 w - - 1 32": "f7b7",
}
MATES_IN_ONE = {
    "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1": "d1d8",
    "r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4": "h5f7",
    "rnbqkbnr/pppp1ppp/8/4p3/6P1/5P2/PPPPP2P/RNBQKBNR b KQkq - 0 2": "d8h4",
    "6rk/6pp/7N/8/8/8/8/6K1 w - - 0 1": "h6f7",
    "8/P1k5/K7/8/8/8/8/1R6 w - - 0 1": "",  # no mate: a pawn becomes a queen
    "7k/P7/6K1/8/8/8/8/8 w - - 0 1": "a7a8q",
}


def standing(fen: str, earlier: tuple[str, ...] = ()) -> State:
    """The position with the right side to move; the fourth field of ``fen`` counts."""
    board = chess.Board(fen)
    return State(first=0, ply=board.ply(), fen=board.fen(en_passant="legal"), earlier=earlier)


def shown(state: State) -> Seen:
    return seen(state, state.turn, rules=RULES)


def best(fen: str) -> str:
    return OURS.move(shown(standing(fen)))


@pytest.mark.parametrize(("fen", "first"), MATES_IN_TWO.items())
def test_a_mate_in_two_is_found_and_played_to_its_end(fen: str, first: str) -> None:
    state = standing(fen)
    assert OURS.move(shown(state)) == first
    after = RULES.play(state, state.turn, first)
    for reply in RULES.legal(after, after.turn):
        there = RULES.play(after, after.turn, reply)
        ended = RULES.play(there, there.turn, OURS.move(shown(there)))
        assert ended.result is not None
        assert ended.result.kind == "checkmate"


@pytest.mark.parametrize(("fen", "mate"), MATES_IN_ONE.items())
def test_a_mate_in_one_is_never_missed(fen: str, mate: str) -> None:
    chosen = best(fen)
    after = board_of(standing(fen))
    after.push_uci(chosen)
    assert after.is_checkmate() == bool(mate)
    if mate:
        assert chosen == mate


@pytest.mark.parametrize(
    ("fen", "move"),
    [
        ("4k3/8/8/3q4/8/2N5/8/4K3 w - - 0 1", "c3d5"),  # a queen that hangs
        ("4k3/8/4p3/3p4/8/8/8/3RK3 w - - 0 1", ""),  # a pawn that is covered: not with the rook
        ("r3k3/8/8/1N6/8/8/8/4K3 w - - 0 1", "b5c7"),  # a fork
    ],
)
def test_material_is_won_and_not_thrown_away(fen: str, move: str) -> None:
    assert best(fen) == move if move else best(fen) != "d1d5"


def test_the_board_that_is_searched_has_the_moves_of_the_rules() -> None:
    for state in some_states(RULES, 11)[:120]:
        if state.result is None:
            board = ChessBoard(state)
            assert sorted(board.moves()) == list(RULES.legal(state, state.turn))


def test_every_move_is_taken_back_as_it_was_made() -> None:
    for state in some_states(RULES, 12)[:60:7]:
        board = ChessBoard(state)
        before = board.key(), board.judge(), board.moves()
        for move in before[2]:
            board.make(move)
            board.unmake()
        assert (board.key(), board.judge(), board.moves()) == before


def plays(state: State) -> Any:
    assert isinstance(OURS, Drawing)
    return OURS.plays(shown(state))


def test_who_looks_one_move_ahead_sees_mates_in_one_and_does_not_search_for_those_in_two() -> None:
    shallow = own_player(RULES, {}, Level.BY_THUMB)
    for fen, mate in MATES_IN_ONE.items():
        assert not mate or shallow.move(shown(standing(fen))) == mate
    quiet = [fen for fen, first in MATES_IN_TWO.items() if shallow.move(shown(standing(fen))) != first]
    assert len(quiet) > len(MATES_IN_TWO) // 2


def test_a_draw_that_can_be_claimed_is_claimed_by_who_stands_worse() -> None:
    lost = chess.Board("q6k/8/8/8/8/8/8/1K6 w - - 100 120")
    assert plays(State(first=0, ply=lost.ply(), fen=lost.fen())) == ClaimDraw()


def test_a_draw_is_not_claimed_by_who_stands_better() -> None:
    won = chess.Board("7k/8/8/8/8/8/Q7/1K6 w - - 100 120")
    assert isinstance(plays(State(first=0, ply=won.ply(), fen=won.fen())), Play)


def test_a_third_occurrence_is_announced_by_who_is_lost_otherwise() -> None:
    state = standing("8/6pk/8/8/8/8/rr6/3Q2K1 w - - 0 1")
    for move in ["d1h5", "h7g8", "h5e8", "g8h7", "e8h5", "h7g8", "h5e8", "g8h7"]:
        state = RULES.play(state, state.turn, move)
    assert plays(state) == ClaimDraw("e8h5")


def test_the_side_that_wins_does_not_repeat_the_position() -> None:
    state = standing("7k/8/8/8/8/8/1Q6/K7 w - - 0 1")
    for move in ["b2b3", "h8g7", "b3b2", "g7h8"]:
        state = RULES.play(state, state.turn, move)
    stood = set(state.earlier)
    after = RULES.play(state, state.turn, OURS.move(shown(state)))
    assert key(board_of(after)) not in stood


@pytest.mark.parametrize(
    ("fen", "accepts"),
    [
        ("q6k/8/8/8/8/8/8/1K6 w - - 0 20", True),  # a queen less
        ("7k/8/8/8/8/8/Q7/1K6 w - - 0 20", False),
        ("4k3/pppp4/8/8/8/8/PPPP4/4K3 w - - 0 10", False),  # even, and there is much to play for
        ("4k3/p7/8/8/8/8/P7/4K3 w - - 10 90", True),  # even after ninety moves
    ],
)
@pytest.mark.parametrize("ours", [0, 1])
def test_a_draw_is_accepted_if_clearly_worse_or_even_in_a_long_game(
    fen: str, ours: int, *, accepts: bool
) -> None:
    assert isinstance(OURS, Drawing)
    board = chess.Board(fen)
    if ours:  # the same for Black, and for the side that is not to move
        board = board.mirror()
        board.turn = chess.WHITE
    assert OURS.accepts_draw(seen(standing(board.fen()), ours, rules=RULES)) is accepts
