"""What people and programs write is understood in Plakoto; positions are written (rules §1.4, §2.5)."""

from typing import Final

import pytest

from shared.rules.plakoto import RULES
from tests.support.boards import refusal
from tests.support.plakoto import to_pin

BLOT_ON_MY_7: Final = to_pin({24: 12, 13: 3}, {24: 13, 18: 1, 3: 1}, (6, 3))


@pytest.mark.parametrize(
    ("text", "move"),
    [
        ("13/7* 24/21", "13/7* 24/21"),
        ("13/7 24/21", "13/7* 24/21"),  # the star may be missing
        ("24/21 13/7", "24/21 13/7*"),  # the player's order stays
        ("63: 13/7*, 24/21", "13/7* 24/21"),
        ("13/4", "13/10 10/4"),  # no star: the way that pins nobody on it
        ("13/7*/4", "13/7* 7/4"),
        ("13/7 13/10*", "13/7* 13/10"),  # a star where nobody is pinned
    ],
)
def test_a_play_as_people_write_it(text: str, move: str) -> None:
    assert RULES.read(BLOT_ON_MY_7, 0, text) == move


@pytest.mark.parametrize(
    ("move", "written"),
    [
        ("13/7* 24/21", "13/7* 24/21"),
        ("13/7* 7/4", "13/7*/4"),
        ("13/10 10/4", "13/4"),
        ("pass", "pass"),
    ],
)
def test_a_play_is_written_in_the_fields_notation(move: str, written: str) -> None:
    assert RULES.write(BLOT_ON_MY_7, 0, move, 0) == written


@pytest.mark.parametrize("text", ["13/7*(2) 24/18(2)", "13/7(2) 24/18(2)", "13/7* 13/7 24/18 24/18"])
def test_only_the_first_of_two_that_land_together_pins(text: str) -> None:
    state = to_pin({24: 13, 13: 2}, {24: 13, 18: 1, 3: 1}, (6, 6))
    assert RULES.read(state, 0, text) == "13/7* 13/7 24/18 24/18"
    assert RULES.write(state, 0, "13/7* 13/7 24/18 24/18", 0) == "13/7*(2) 24/18(2)"


def test_steps_are_put_into_an_order_in_which_the_game_does_not_end_before_the_last() -> None:
    state = to_pin({24: 1, 12: 13, 1: 1}, {24: 1, 3: 14}, (6, 5))
    assert RULES.read(state, 0, "24/18 12/7") == "12/7 24/18"
    assert RULES.read(state, 0, "24/18") == "24/18"


def test_a_pass_is_read_only_where_nothing_can_be_played() -> None:
    stuck = to_pin({6: 1, 5: 13, 4: 1}, {19: 1, 2: 14}, (6, 5), pinned=(6,))
    assert RULES.read(stuck, 0, "Cannot Move") == "pass"
    assert refusal(stuck, "5/off", RULES)[0] == "illegal_move"
    assert refusal(BLOT_ON_MY_7, "pass", RULES)[0] == "illegal_move"


@pytest.mark.parametrize(
    ("text", "code", "reason"),
    [
        ("13/7", "illegal_move", "More dice can be played"),
        ("12/6 24/21", "illegal_move", "no checker to move on 12"),
        ("bar/22 24/18", "illegal_move", "no checker to move on the bar"),
        ("13/off", "illegal_move", "do not add up"),
        ("24/18 24/20", "illegal_move", "do not add up"),
        ("7/13", "unreadable_move", "does not lead forward"),
        ("foo", "unreadable_move", "no step"),
    ],
)
def test_what_cannot_be_played_is_refused_with_the_reason(text: str, code: str, reason: str) -> None:
    refused, detail = refusal(BLOT_ON_MY_7, text, RULES)
    assert refused == code
    assert reason in detail


def test_the_start_is_written_the_same_for_both_seats() -> None:
    for first in (0, 1, None):
        assert RULES.position(RULES.setup(2, {}, first)) == "O22o"


def test_a_position_is_written_for_the_player_on_roll_with_a_star_where_somebody_is_held() -> None:
    state = to_pin({24: 12, 10: 1, 7: 2}, {24: 11, 18: 1, 15: 2, 3: 1}, (6, 3), pinned=(10,))
    assert RULES.position(state) == "L1a11b*2B*5k"
    other_side = RULES.play(state, 0, "24/18 24/21")
    assert RULES.position(other_side) == "K5b*2B*7a2aA1j"
