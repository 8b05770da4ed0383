"""What people and programs write for a move of draughts, and the answer when it is none (rules §4)."""

import pytest

from shared.rules.draughts import RULES
from tests.support.draughts import after, at, legal, refusal

THREE_WAYS = "W:Wc3,e3:Bd4,d6,b4,b6"
"""c3 may take d4 and d6 or b4 and b6, and ends on c7 either way; e3 may take d4 and either of them."""


@pytest.mark.parametrize(
    "text", ["c3-d4", "c3d4", "c3 d4", "C3-D4", " c3–d4 ", "c3 - d4", "c3-d4!", "c3-d4?!", "c3-d4*"]
)
def test_a_move_may_be_written_in_many_ways(text: str) -> None:
    assert RULES.read(RULES.setup(2, {}, 0), 0, text) == "c3-d4"


@pytest.mark.parametrize(
    "text",
    [
        "c3:e5",
        "c3xe5",
        "c3Xe5",
        "c3×e5",
        "c3-e5",
        "c3e5",
        "c3 : e5",
        "c3*e5",
        "c3x e5!!",
        "c3xe5xg7",
        "c3:g7",
    ],
)
def test_a_capture_may_be_written_in_many_ways(text: str) -> None:
    single = not text.endswith("g7")
    state = at("W:Wc3:Bd4,a7" if single else "W:Wc3:Bd4,f6,a7")
    assert RULES.read(state, 0, text) == ("c3:e5" if single else "c3:e5:g7")


def test_what_is_written_reads_back_for_whoever_looks() -> None:
    state = at("W:WKa1:Bc3,f6,g3")
    for viewer in (0, 1, None):
        assert {RULES.write(state, 0, move, viewer) for move in legal(state)} == legal(state)


def test_a_capture_that_could_be_either_of_two_is_asked_for_with_the_squares_between() -> None:
    state = at(THREE_WAYS)
    assert legal(state) == {"c3:a5:c7", "c3:e5:c7", "e3:c5:a7", "e3:c5:e7"}
    code, why = refusal(state, "c3:c7")
    assert code == "unreadable_move"
    assert "c3:a5:c7 or c3:e5:c7" in why
    assert RULES.read(state, 0, "c3xa5xc7") == "c3:a5:c7"
    assert RULES.read(state, 0, "c3 e5 c7") == "c3:e5:c7"


def test_squares_between_may_be_left_out_as_long_as_it_is_clear() -> None:
    state = at("W:WKa5:Bb4,b6,e3,e7")
    assert legal(state) == {"a5:d8:g5:d2:a5"}
    for text in ("a5:a5", "a5:g5:a5", "a5:d2:a5", "a5:d2:g5:d8:a5"):
        assert RULES.read(state, 0, text) == "a5:d8:g5:d2:a5"


def test_the_squares_of_a_king_may_be_those_of_any_way_to_take_the_same_pieces() -> None:
    state = at("W:WKa1:Bc3,f6,g3")
    assert {RULES.read(state, 0, text) for text in ("a1:d4:g7", "a1:e5:g7", "a1xg7")} == {"a1:e5:g7"}


def test_a_text_that_leaves_nothing_out_means_just_that_capture() -> None:
    """Both begin and end so and land on c3, and one takes two pieces, the other five."""
    state = at("W:WKa5:Bb4,d2,e3,f2,f4,g7")
    assert legal(state) == {"a5:c3:h8", "a5:c3:e1:g3:e5:h8"}
    assert RULES.read(state, 0, "a5xc3xh8") == "a5:c3:h8"
    assert (
        RULES.read(state, 0, "a5xg3xh8") == RULES.read(state, 0, "a5xc3xe1xg3xe5xh8") == "a5:c3:e1:g3:e5:h8"
    )
    assert refusal(state, "a5xh8")[0] == "unreadable_move"


@pytest.mark.parametrize(
    "text", ["", "c3", "hello", "i3-d4", "c9-d4", "c3--d4", "c3-", "-c3-d4", "c3-d4 e5", "c3-" * 99]
)
def test_a_text_that_names_no_squares_cannot_be_read(text: str) -> None:
    code, why = refusal(RULES.setup(2, {}, 0), text)
    assert code in {"unreadable_move", "illegal_move"}
    assert why


@pytest.mark.parametrize(
    ("position", "text", "code", "why"),
    [
        ("W:Wc3:Bh8", "c3", "unreadable_move", "Write from where to where"),
        ("W:Wc3:Bh8", "c3-c4", "unreadable_move", "c4 is a light square"),
        ("W:Wc3:Bh8", "e3-d4", "illegal_move", "No piece of yours stands on e3."),
        ("W:Wc3:Bh8", "h8-g7", "illegal_move", "No piece of yours stands on h8."),
        ("W:Wc3,d4:Bh8", "c3-d4", "illegal_move", "d4 is not free."),
        ("W:Wc3:Bh8", "c3-b2", "illegal_move", "one square diagonally forward"),
        ("W:Wc3:Bh8", "c3-e5", "illegal_move", "one square diagonally forward"),
        ("W:Wc3:Bh8", "c3-d4-e5", "illegal_move", "Only a capture has more than two squares"),
        (
            "W:Wc3:Bh8",
            "c3:d4",
            "illegal_move",
            "captured here; without a capture it is c3-d4.",
        ),
        (
            "W:Wc3:Bh8",
            "c3xd4!",
            "illegal_move",
            "captured here; without a capture it is c3-d4.",
        ),
        (
            "W:WKc3:Bh8",
            "c3×f6",
            "illegal_move",
            "captured here; without a capture it is c3-f6.",
        ),
        ("W:Wc3:Bh8", "c3:e5", "illegal_move", "one square diagonally forward"),
        ("W:WKc3:Bh8", "c3-c5", "illegal_move", "c3 and c5 are not on one diagonal."),
        ("W:WKc3,d4:Bh8", "c3-e5", "illegal_move", "The way from c3 to e5 is not free"),
        ("W:Wc3,a1:Bd4,h8", "a1-b2", "illegal_move", "A capture is compulsory: c3:e5."),
        ("W:Wc3,Kh8:Bd4,g7", "c3:e5", "illegal_move", "A king can capture, so a king must: h8:e5."),
        ("W:Wc3:Bd4,f6", "c3:e5", "illegal_move", "The piece on c3 must capture, to the end: c3:e5:g7."),
        ("W:Wc3:Bd4,f6", "c3-b4", "illegal_move", "The piece on c3 must capture, to the end: c3:e5:g7."),
        ("W:Wc3:Bd4,f6", "c3:c3:g7", "illegal_move", "The piece on c3 must capture, to the end: c3:e5:g7."),
        ("W:WKa1:Bc3,g3", "a1:d4", "illegal_move", "must capture, to the end: a1:e5:h2."),
        ("W:WKa1:Bc3,g3", "a1:d4:h2", "illegal_move", "must capture, to the end: a1:e5:h2."),
        ("W:WKa1:Bc3,g3", "a1:h2:h2", "illegal_move", "must capture, to the end: a1:e5:h2."),
    ],
)
def test_a_refusal_says_why(position: str, text: str, code: str, why: str) -> None:
    refused, sentence = refusal(at(position), text)
    assert refused == code
    assert why in sentence


def test_whose_turn_it_is_not_and_a_game_that_is_over_have_no_moves() -> None:
    over = after(at("W:Wc3:Bd4"), "c3:e5")
    for state, seat in ((RULES.setup(2, {}, 0), 1), (over, 0), (over, 1)):
        assert RULES.legal(state, seat) == ()
    assert refusal(over, "c3-d4") == ("illegal_move", "There is nothing to move for this seat now.")
