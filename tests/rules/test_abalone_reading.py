"""What people and programs write for a move of abalone, and the answer when it is none (rules §5)."""

import pytest

from shared.rules.abalone import RULES
from tests.support.abalone import after, at, legal, on_row_e, refusal


@pytest.mark.parametrize(
    "text", ["a1d4", "A1D4", " a1d4 ", "a1-d4", "a1 d4", "a1xd4", "a1:d4", "a1d4!", "a1–d4?!"]
)
def test_a_move_may_be_written_in_many_ways(text: str) -> None:
    assert RULES.read(RULES.setup(2, {}, 0), 0, text) == "a1d4"


@pytest.mark.parametrize(
    ("row", "text", "move"),
    [
        ("SS.......", "e1e2", "e1e3"),
        ("SSS......", "e1-e2", "e1e4"),
        ("SSSss....", "E1E2", "e1e6"),
        ("......SSs", "e7e8", "e7e9"),
        (".SSS.....", "e2e4-f3", "e2f5"),
        (".SSS.....", "e2e4-f2", "e4f2"),
        (".SSS.....", "e4e2-f5", "e2f5"),
        (".SSS.....", "e3 e4 d3", "e3d4"),
    ],
)
def test_the_notation_of_the_manual_names_the_marble_behind_and_the_next_cell_or_both_ends(
    row: str, text: str, move: str
) -> None:
    assert RULES.read(on_row_e(row), 0, text) == move


def test_what_is_written_reads_back_for_whoever_looks() -> None:
    state = RULES.setup(2, {"start": "belgian_daisy"}, 0)
    for viewer in (0, 1, None):
        assert {RULES.write(state, 0, move, viewer) for move in legal(state)} == legal(state)


@pytest.mark.parametrize(
    "text", ["", "a1", "hello", "j1a1", "a1d0", "a1--d4", "a1d4e5f6", "a1 d4 ?? e5", "a1-" * 50]
)
def test_a_text_that_names_no_cells_cannot_be_read(text: str) -> None:
    code, why = refusal(RULES.setup(2, {}, 0), text)
    assert code == "unreadable_move"
    assert why == "Write from where to where, for example a1d4."


@pytest.mark.parametrize(
    ("row", "text", "code", "why"),
    [
        ("SSS......", "a9e1", "unreadable_move", "The board has no cell a9."),
        ("SSS......", "e5e6", "illegal_move", "No marble of yours lies on e5."),
        ("SSSs.....", "e4e5", "illegal_move", "No marble of yours lies on e4."),
        ("SSS......", "e1e3", "illegal_move", "That way e1 moves as e1e4."),
        ("SSS......", "e1e5", "illegal_move", "That way e1 moves as e1e4."),
        ("SSSS.....", "e1e5", "illegal_move", "4 marbles lie in that line; no more than three move at once."),
        (".......SS", "e8e9", "illegal_move", "Your own marbles do not leave the board."),
        ("SSss.....", "e1e5", "illegal_move", "2 cannot push 2: it takes more to push than are pushed."),
        ("......Sss", "e7e9", "illegal_move", "1 cannot push 2: it takes more to push than are pushed."),
        (
            "SSsS.....",
            "e1e4",
            "illegal_move",
            "One of your own marbles lies behind those that would be pushed.",
        ),
        ("SSS......", "e1g8", "illegal_move", "Up to three marbles of one line move one step"),
        (".SSS.....", "e2e4-g4", "illegal_move", "Up to three marbles of one line move one step"),
        ("SSS......", "e1e3-e5", "illegal_move", "Up to three marbles of one line move one step"),
    ],
)
def test_a_refusal_says_why(row: str, text: str, code: str, why: str) -> None:
    refused, sentence = refusal(on_row_e(row), text)
    assert refused == code
    assert why in sentence


@pytest.mark.parametrize("text", ["e4f6", "e4e5-f5"])
def test_a_line_that_would_move_beside_itself_onto_something_is_told_onto_what(text: str) -> None:
    assert refusal(at("5/6/7/4s3/3SS4/8/7/6/4s"), text) == (
        "illegal_move",
        "f6 is not free; a line that moves beside itself pushes nothing.",
    )


def test_whose_turn_it_is_not_and_a_game_that_is_over_have_no_moves() -> None:
    over = after(at("4S/6/7/8/6SSs/8/7/6/4s", ejected=(5, 0)), "e7e9")
    for state, seat in ((RULES.setup(2, {}, 0), 1), (over, 0), (over, 1)):
        assert RULES.legal(state, seat) == ()
    assert refusal(over, "a5a4") == ("illegal_move", "There is nothing to move for this seat now.")
