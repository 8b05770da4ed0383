"""What people and programs write for a move of reversi, and the answer when it is none (rules §6)."""

import pytest

from shared.rules.protocol import PASS
from shared.rules.reversi import RULES
from tests.support.reversi import after, at, legal, refusal


@pytest.mark.parametrize("text", ["f5", "F5", " f5 ", "f-5", "f 5", "f,5", "f:5", "f5!", "F5?!"])
def test_a_square_may_be_written_in_many_ways(text: str) -> None:
    assert RULES.read(RULES.setup(2, {}, 0), 0, text) == "f5"


@pytest.mark.parametrize("text", [PASS, "Pass", "PA", "ps", "-", "--"])
def test_a_pass_may_be_written_in_many_ways(text: str) -> None:
    blocked = at("OX------", "", "", "OXXXXXX-")
    assert RULES.read(blocked, 0, text) == PASS


def test_what_is_written_reads_back_for_whoever_looks() -> None:
    for state in (RULES.setup(2, {}, 0), at("OX------", "", "", "OXXXXXX-")):
        for viewer in (0, 1, None):
            assert {RULES.write(state, 0, move, viewer) for move in legal(state)} == legal(state)


@pytest.mark.parametrize("text", ["", "f", "5", "5f", "i5", "f9", "f0", "f55", "f5d6", "f--5", "f5" * 20])
def test_a_text_that_names_no_square_cannot_be_read(text: str) -> None:
    assert refusal(RULES.setup(2, {}, 0), text) == (
        "unreadable_move",
        "Write the square, for example f5: its column, then its row.",
    )


@pytest.mark.parametrize(
    ("rows", "text", "why"),
    [
        (("---", "---", "---", "---OX", "---XO"), "d4", "d4 is taken."),
        (
            ("---", "---", "---", "---OX", "---XO"),
            "f4",
            "A disc on f4 would enclose none of your opponent's.",
        ),
        (
            ("---", "---", "---", "---OX", "---XO"),
            "a1",
            "A disc on a1 would enclose none of your opponent's.",
        ),
        (("---", "---", "---", "---OX", "---XO"), PASS, "You can place a disc, so you must: c4."),
        (("OX------", "", "", "OXXXXXX-"), "c1", "You can place no disc anywhere: you pass."),
    ],
)
def test_a_refusal_says_why(rows: tuple[str, ...], text: str, why: str) -> None:
    assert refusal(at(*rows), text) == ("illegal_move", why)


def test_whose_turn_it_is_not_and_a_game_that_is_over_have_no_moves() -> None:
    over = after(at("-OX"), "a1")
    assert over.result is not None
    assert RULES.legal(RULES.setup(2, {}, 0), 1) == ()
    for text in ("f5", PASS):
        assert refusal(over, text) == ("illegal_move", "There is nothing to move for this seat now.")
