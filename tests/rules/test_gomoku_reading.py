"""What people and programs write for a move of gomoku, and the answer when it is none (rules §1)."""

import pytest

from shared.rules.gomoku import RULES
from tests.support.gomoku import after, at, legal, refusal, start


@pytest.mark.parametrize("text", ["h8", "H8", " h8 ", "h-8", "h 8", "h,8", "h:8", "h08", "H08!", "h8?!"])
def test_a_cell_may_be_written_in_many_ways(text: str) -> None:
    assert RULES.read(start(), 0, text) == "h8"


@pytest.mark.parametrize(("text", "cell"), [("A1", "a1"), ("o15", "o15"), ("o-10", "o10"), ("i 9", "i9")])
def test_columns_are_all_letters_in_a_row_and_rows_have_two_figures_from_ten_on(text: str, cell: str) -> None:
    assert RULES.read(start(), 0, text) == cell


@pytest.mark.parametrize(
    ("side", "texts"),
    [
        ("circles", ("circles", "Circle", "o", "O", "black", "kolečka", "Kolečko", "kolecka")),
        ("crosses", ("crosses", "cross ", "x", "X", "White", "křížky", "křížek", "krizky!")),
    ],
)
def test_a_side_may_be_called_by_its_symbol_or_its_colour(side: str, texts: tuple[str, ...]) -> None:
    opened = after(start(variant="swap2"), "h8", "i9", "a1")
    for text in texts:
        assert RULES.read(opened, 1, text) == side


def test_what_is_written_reads_back_for_whoever_looks() -> None:
    for state in (start(size=20), after(start(variant="swap2"), "h8", "i9", "a1")):
        for viewer in (0, 1, None):
            assert {RULES.write(state, state.turn, move, viewer) for move in legal(state)} == legal(state)


@pytest.mark.parametrize(
    "text", ["", "h", "8", "8h", "hh8", "h0", "h--8", "h8 i9", "h100", "naught", "h8" * 40]
)
def test_a_text_that_names_no_cell_cannot_be_read(text: str) -> None:
    assert refusal(start(), text) == (
        "unreadable_move",
        "Write the cell, for example h8: its column, then its row.",
    )


@pytest.mark.parametrize(("size", "off"), [(15, "p1"), (15, "a16"), (15, "z99"), (19, "t1"), (20, "a21")])
def test_a_cell_that_the_board_has_not_is_named(size: int, off: str) -> None:
    assert refusal(start(size=size), off) == ("unreadable_move", f"The board has no cell {off}.")


def test_a_cell_is_taken_once() -> None:
    assert refusal(after(start(), "h8"), "H8") == ("illegal_move", "h8 is taken.")


def test_whose_turn_it_is_not_and_a_game_that_is_over_have_no_moves() -> None:
    over = after(at("d8 e8 f8 g8"), "h8")
    assert RULES.legal(start(), 1) == ()
    assert refusal(over, "b2") == ("illegal_move", "There is nothing to move for this seat now.")
