"""What chess promises: legal moves, notation in and out, every draw and every end (boardgames §3)."""

from pathlib import Path
from typing import Any, Final

import chess.pgn
import pytest

from shared.problems import Refused
from shared.rules.chess import RULES, State
from shared.rules.protocol import Over, Players, Result

GAMES: Final = Path(__file__).parents[1] / "data" / "chess-games.pgn"
KIWIPETE: Final = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
THIRD: Final = "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1"
FOURTH: Final = "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1"


def at(fen: str, **more: Any) -> State:
    """A position in which seat 0 has White; the side to move as FEN says."""
    return State(first=0, ply=0 if " w " in fen else 1, fen=fen, **more)


def after(state: State, *moves: str) -> State:
    """The state after moves in any notation, of whoever is to move."""
    for move in moves:
        state = RULES.play(state, state.turn, RULES.read(state, state.turn, move))
    return state


def start(**options: Any) -> State:
    return RULES.setup(2, options, 0)


def result(state: State) -> Result:
    waiting = RULES.waiting(state)
    assert isinstance(waiting, Over)
    return waiting.result


def refusal(state: State, text: str) -> tuple[str, str]:
    with pytest.raises(Refused) as refused:
        RULES.read(state, state.turn, text)
    return refused.value.problem.code, refused.value.problem.detail


def perft(state: State, depth: int) -> int:
    moves = RULES.legal(state, state.turn)
    if depth == 1:
        return len(moves)
    return sum(perft(RULES.play(state, state.turn, move), depth - 1) for move in moves)


@pytest.mark.parametrize(
    ("fen", "counts"),
    [
        (chess.STARTING_FEN, (20, 400, 8_902)),
        (KIWIPETE, (48, 2_039)),
        (THIRD, (14, 191, 2_812)),
        (FOURTH, (6, 264, 9_467)),
    ],
)
def test_the_numbers_of_legal_moves_are_the_published_ones(fen: str, counts: tuple[int, ...]) -> None:
    assert tuple(perft(at(fen), depth) for depth in range(1, len(counts) + 1)) == counts


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("fen", "depth", "count"),
    [(chess.STARTING_FEN, 4, 197_281), (KIWIPETE, 3, 97_862), (THIRD, 4, 43_238)],
)
def test_the_numbers_of_legal_moves_deeper(fen: str, depth: int, count: int) -> None:
    assert perft(at(fen), depth) == count


def test_who_moves_first_has_white() -> None:
    state = RULES.setup(2, {}, 1)
    assert RULES.waiting(state) == Players((1,))
    assert RULES.view(state, None)["white"] == 1
    assert RULES.legal(state, 0) == ()
    assert "e2e4" in RULES.legal(state, 1)


@pytest.mark.parametrize(
    ("fen", "text", "move"),
    [
        (chess.STARTING_FEN, "e4", "e2e4"),
        (chess.STARTING_FEN, " Nf3 ", "g1f3"),
        (chess.STARTING_FEN, "E2-E4", "e2e4"),
        (KIWIPETE, "O-O", "e1g1"),
        (KIWIPETE, "0-0-0", "e1c1"),
        (KIWIPETE, "e1g1", "e1g1"),
        (KIWIPETE, "e1h1", "e1g1"),
        (KIWIPETE, "e1-a1", "e1c1"),
        (KIWIPETE, "Qxf6!", "f3f6"),
        ("8/P7/8/8/8/8/8/K1k5 w - - 0 1", "a8=N", "a7a8n"),
        ("8/P7/8/8/8/8/8/K1k5 w - - 0 1", "a7a8Q", "a7a8q"),
        ("4k3/8/8/8/4pP2/8/8/4K3 b - f3 0 1", "exf3", "e4f3"),
        ("4k3/8/8/8/1B6/8/8/1B2K3 w - - 0 1", "B1d3", "b1d3"),
    ],
)
def test_a_move_may_be_written_in_uci_and_san(fen: str, text: str, move: str) -> None:
    assert RULES.read(at(fen), at(fen).turn, text) == move


@pytest.mark.parametrize(
    ("fen", "text", "code", "why"),
    [
        (chess.STARTING_FEN, "", "unreadable_move", "e2e4"),
        (chess.STARTING_FEN, "castle", "unreadable_move", "neither"),
        (chess.STARTING_FEN, "x" * 5_000, "unreadable_move", "e2e4"),
        (chess.STARTING_FEN, "0000", "unreadable_move", "neither"),
        (chess.STARTING_FEN, "--", "unreadable_move", "neither"),
        (chess.STARTING_FEN, "@@@@", "unreadable_move", "neither"),
        (chess.STARTING_FEN, "a1a1", "illegal_move", "another square"),
        (chess.STARTING_FEN, "e1e1q", "illegal_move", "another square"),
        (chess.STARTING_FEN, "e1h1", "illegal_move", "king on e1 cannot go to h1"),
        (chess.STARTING_FEN, "b1c3q", "illegal_move", "Only a pawn"),
        (chess.STARTING_FEN, "e4e5", "illegal_move", "no piece on e4"),
        (chess.STARTING_FEN, "e7e5", "illegal_move", "your opponent's"),
        (chess.STARTING_FEN, "b1b3", "illegal_move", "knight on b1 cannot go to b3"),
        (chess.STARTING_FEN, "Ke2", "illegal_move", "not possible"),
        ("8/P7/8/8/8/8/8/K1k5 w - - 0 1", "a7a8", "illegal_move", "becomes"),
        ("4k3/4r3/8/8/8/8/4B3/4K3 w - - 0 1", "e2d3", "illegal_move", "in check"),
        ("4k3/8/8/8/8/5N2/8/1N2K3 w - - 0 1", "Nd2", "illegal_move", "several"),
    ],
)
def test_a_move_that_is_none_is_refused_with_the_reason(fen: str, text: str, code: str, why: str) -> None:
    assert refusal(at(fen), text)[0] == code
    assert why in refusal(at(fen), text)[1]


def test_san_is_what_the_log_is_told_in() -> None:
    state = at(KIWIPETE)
    assert RULES.write(state, 0, "e1g1", None) == "O-O"
    assert RULES.write(at("8/P7/8/8/8/8/8/K1k5 w - - 0 1"), 0, "a7a8q", 1) == "a8=Q"
    mated = after(start(), "f3", "e5", "g4")
    assert RULES.write(mated, 1, "d8h4", 0) == "Qh4#"


@pytest.mark.parametrize(
    ("fen", "moves", "kind", "winner"),
    [
        (chess.STARTING_FEN, "f3 e5 g4 Qh4", "checkmate", 1),
        (chess.STARTING_FEN, "e4 e5 Bc4 Nc6 Qh5 Nf6 Qxf7", "checkmate", 0),
        ("7k/5K2/8/8/8/8/8/6Q1 w - - 0 1", "Qg6", "stalemate", None),
        ("8/8/8/8/8/4k3/4p3/4K3 b - - 0 1", "Kd3", None, None),
        ("8/8/8/8/8/4k3/4q3/4K3 w - - 0 1", "", None, None),
        ("8/8/8/3k4/8/3KP3/8/8 b - - 0 1", "Ke5", None, None),
        ("8/8/8/8/8/8/3kp3/4K3 w - - 0 1", "", None, None),
        ("8/8/8/8/8/3kp3/8/4K3 w - - 0 1", "Kd1", None, None),
        ("k7/8/8/8/8/8/1p6/K7 w - - 0 1", "Kxb2", "dead position", None),
        ("k7/8/8/8/8/2N5/1p6/K7 w - - 0 1", "Kxb2", "dead position", None),
        ("k1b5/8/8/8/8/2B5/1p6/K7 w - - 0 1", "Kxb2", None, None),
        ("kb6/8/8/8/8/2B5/1p6/K7 w - - 0 1", "Kxb2", "dead position", None),
        ("8/8/8/8/8/1k6/8/K6R w - - 149 99", "Rh2", "75 moves", None),
        ("8/8/8/8/8/1k6/7R/K7 w - - 148 99", "Rh4", None, None),
        ("6k1/5ppp/8/8/8/8/8/K3R3 w - - 149 99", "Re8", "checkmate", 0),
    ],
)
def test_every_end_that_comes_by_itself(fen: str, moves: str, kind: str | None, winner: int | None) -> None:
    state = after(at(fen), *moves.split())
    if kind is None:
        assert isinstance(RULES.waiting(state), Players)
        return
    ended = result(state)
    assert (ended.kind, ended.winner, ended.points) == (kind, winner, 0 if winner is None else 1)
    assert RULES.legal(state, 0) == RULES.legal(state, 1) == ()


SHUFFLE: Final = ("Nf3", "Nf6", "Ng1", "Ng8")


def test_the_third_occurrence_is_claimed_and_the_fifth_ends_the_game() -> None:
    state = after(start(), *SHUFFLE)
    assert RULES.claim(state, 0, "") is None
    state = after(state, *SHUFFLE)
    assert RULES.claim(state, 0, "") == Result.drawn(kind="threefold repetition")
    assert RULES.claim(state, 1, "") is None, "only by who is to move"
    assert RULES.view(state, 0)["occurrences"] == 3
    state = after(state, *SHUFFLE, *SHUFFLE[:3])
    assert isinstance(RULES.waiting(state), Players)
    assert result(after(state, "Ng8")).kind == "fivefold repetition"


def test_a_draw_is_claimed_with_the_move_that_will_bring_it_about() -> None:
    state = after(start(), *SHUFFLE, *SHUFFLE[:3])
    assert RULES.claim(state, 1, "") is None
    assert RULES.claim(state, 1, "e7e5") is None
    assert RULES.claim(state, 1, "f6g8") == Result.drawn(kind="threefold repetition")
    quiet = at("8/8/8/8/8/1k6/8/K6R w - - 99 99")
    assert RULES.claim(quiet, 0, "") is None
    assert RULES.claim(quiet, 0, "h1h2") == Result.drawn(kind="50 moves")
    assert RULES.claim(after(quiet, "Rh2"), 1, "") == Result.drawn(kind="50 moves")


def test_a_claim_is_judged_by_the_canonical_text_of_its_move() -> None:
    """With castling written as the king's move onto his rook the log would hold a move that is none."""
    quiet = at("4k3/8/8/8/8/8/8/4K2R w K - 99 99")
    assert RULES.claim(quiet, 0, RULES.read(quiet, 0, "e1h1")) == Result.drawn(kind="50 moves")
    assert RULES.read(quiet, 0, "e1h1") in RULES.legal(quiet, 0)


def test_positions_with_other_rights_are_not_the_same() -> None:
    """The king moves and comes back: castling is gone, so the position before it was another one."""
    opened = after(start(), "e4", "e5", "Ke2", "Ke7", "Ke1", "Ke8")
    assert RULES.view(opened, None)["occurrences"] == 1
    again = after(opened, "Ke2", "Ke7", "Ke1", "Ke8")
    assert RULES.view(again, None)["occurrences"] == 2


def test_an_en_passant_that_is_not_possible_makes_no_other_position() -> None:
    state = after(start(), "e4", *("Nf6", "Nf3", "Ng8", "Ng1") * 2)
    assert RULES.view(state, None)["occurrences"] == 3
    possible = after(at("4k3/8/8/8/4p3/8/5P2/4K3 w - - 0 1"), "f4")
    assert RULES.position(possible).split()[3] == "f3"
    assert RULES.position(after(start(), "e4")).split()[3] == "-"


@pytest.mark.parametrize(
    ("fen", "kind"),
    [
        ("8/8/8/8/8/5k2/4p3/K3N3 b - - 0 1", "forfeit"),  # K+N v K+P: the knight's side can mate
        ("8/8/8/8/8/5k1n/8/K3B3 b - - 0 1", "forfeit"),
        ("8/8/8/8/8/5k2/8/KNN5 w - - 0 1", "insufficient material"),  # the bare king cannot
        ("8/8/8/8/8/5k2/8/KNN5 b - - 0 1", "forfeit"),
    ],
)
def test_a_fallen_flag_under_fide_draws_where_the_opponent_could_never_mate(fen: str, kind: str) -> None:
    late = at(fen, fide=True)
    assert RULES.forfeit(late, late.turn, "flag").kind == kind
    house = at(fen)
    assert RULES.forfeit(house, house.turn, "flag") == Result.win(1 - house.turn, "forfeit")
    assert RULES.forfeit(late, late.turn, "resigned").winner == 1 - late.turn


@pytest.mark.rule("B5")
def test_the_houses_minutes_and_option() -> None:
    assert RULES.traits.minutes == (7, 10, 15)
    assert RULES.options()["properties"]["flag_fall"]["enum"] == ["loss", "fide"]
    with pytest.raises(Refused, match="flag_fall"):
        RULES.setup(2, {"flag_fall": "never"}, 0)


def test_recorded_games_replay_to_their_results() -> None:
    with GAMES.open(encoding="utf-8") as file:
        games = list(iter(lambda: chess.pgn.read_game(file), None))
    assert games
    for game in games:
        state = start()
        for node in game.mainline():
            assert RULES.write(state, state.turn, node.move.uci(), None) == node.san()
            state = after(state, node.san())
        assert RULES.position(state) == game.end().board().fen(en_passant="legal")
        if game.end().board().is_checkmate():
            assert result(state).kind == "checkmate"
