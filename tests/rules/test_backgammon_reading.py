"""What people and programs write is understood (rules §1.4, §12)."""

from pathlib import Path
from typing import Final

import pytest

from shared.rules.backgammon import RULES
from shared.rules.nard.game import State
from tests.support.boards import refusal, to_play
from tests.support.recorded import FILES, turns

START: Final = RULES.setup(2, {}, 0)


def rolled(*dice: int) -> State:
    return RULES.settle(START, dice)


@pytest.mark.parametrize(
    ("dice", "text", "move"),
    [
        ((6, 5), "24/18 18/13", "24/18 18/13"),
        ((5, 6), "24/13", "24/18 18/13"),
        ((6, 5), "24/18/13", "24/18 18/13"),
        ((6, 5), "13/8 24/18", "13/8 24/18"),  # the player's order stays
        ((6, 5), "24-18, 13-8;", "24/18 13/8"),
        ((6, 5), "65: 24/18  13/8", "24/18 13/8"),
        ((6, 5), "24>18 | 13→8", "24/18 13/8"),
        ((6, 5), "24 18 13 8", "24/18 13/8"),
        ((1, 1), "8/7(2) 6/5(2)", "8/7 8/7 6/5 6/5"),
        ((1, 1), "8/7 (2), 6/5 (2)", "8/7 8/7 6/5 6/5"),
        ((1, 1), "6/4(2)", "6/5 5/4 6/5 5/4"),
        ((4, 4), "24/16* 8/4*(2)", "24/20 20/16 8/4 8/4"),  # stars where there is no blot
    ],
)
def test_a_first_roll_as_people_write_it(dice: tuple[int, int], text: str, move: str) -> None:
    assert RULES.read(rolled(*dice), 0, text) == move


@pytest.mark.parametrize("text", ["bar/20 24/23", "Bar/20, 24/23", "25/20 24/23", "24/23 bar/20"])
def test_the_bar_has_several_names_and_enters_first_wherever_it_is_written(text: str) -> None:
    state = to_play({25: 1, 24: 1}, {13: 2}, (5, 1))
    assert RULES.read(state, 0, text) == "bar/20 24/23"


@pytest.mark.parametrize("text", ["6/off 5/off", "6/Off 5/OFF", "6/0, 5/0"])
def test_off_has_several_names(text: str) -> None:
    assert RULES.read(to_play({6: 2, 5: 2}, {24: 2}, (6, 5)), 0, text) == "6/off 5/off"


@pytest.mark.parametrize(
    ("text", "move"),
    [
        ("24/13", "24/19 19/13"),  # no star: the way that hits nothing
        ("24/18*/13", "24/18* 18/13"),
        ("24/18/13", "24/18* 18/13"),  # a written stop is a stop, with its star or without
        ("24/19/13", "24/19 19/13"),
        ("24/18", None),
    ],
)
def test_a_merged_move_takes_the_way_that_agrees_with_its_stars(text: str, move: str | None) -> None:
    state = to_play({24: 1}, {7: 1, 1: 2}, (6, 5))
    if move is None:
        assert refusal(state, text)[0] == "illegal_move"
    else:
        assert RULES.read(state, 0, text) == move


def test_a_merged_move_goes_through_a_blot_where_the_other_way_is_blocked() -> None:
    state = to_play({24: 1}, {7: 1, 6: 2}, (6, 5))
    assert RULES.read(state, 0, "24/13") == "24/18* 18/13"


@pytest.mark.parametrize("text", ["8/4*(2) 6/2(2)", "8/4(2) 6/2(2)", "8/4* 8/4 6/2 6/2", "8/4(2)* 6/2(2)"])
def test_a_repeated_hit_hits_once(text: str) -> None:
    state = to_play({8: 3, 6: 5}, {21: 1}, (4, 4))
    assert RULES.read(state, 0, text) == "8/4* 8/4 6/2 6/2"
    assert RULES.write(state, 0, "8/4* 8/4 6/2 6/2", None) == "8/4*(2) 6/2(2)"


@pytest.mark.parametrize(
    ("move", "written"),
    [
        ("24/18 18/13", "24/13"),
        ("13/11 13/11", "13/11(2)"),
        ("24/18* 18/13", "24/18*/13"),
        ("24/18* 18/13*", "24/18*/13*"),
        ("24/20 24/20 20/16 20/16", "24/16(2)"),
        ("6/off 5/off", "6/off 5/off"),
        ("bar/20 20/14", "bar/14"),
        ("pass", "pass"),
    ],
)
def test_a_play_is_written_in_the_fields_notation(move: str, written: str) -> None:
    assert RULES.write(START, 0, move, 0) == written


@pytest.mark.parametrize(
    "text",
    [
        "foo",
        "24/18 foo",
        "24/",
        "/18",
        "31/25",
        "24/30",
        "18/24",
        "off/6",
        "6/6",
        "24 18 13",
        "24/18(",
        "1" * 999,
    ],
)
def test_nonsense_is_unreadable_and_the_refusal_says_what_is_wrong(text: str) -> None:
    code, detail = refusal(rolled(6, 5), text)
    assert code == "unreadable_move"
    assert detail


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("24/18", "More dice can be played"),
        ("24/17 13/8", "do not add up"),
        ("23/17 13/8", "no checker to move on 23"),
        ("24/19 13/7", "Point 19 is blocked"),
        ("bar/20 24/18", "no checker to move on the bar"),
        ("13/8 13/8 13/8 13/8 13/8", "at most four"),
        ("6/off 13/8", "Bearing off begins"),
    ],
)
def test_an_illegal_play_is_refused_with_the_reason(text: str, reason: str) -> None:
    code, detail = refusal(rolled(6, 5), text)
    assert code == "illegal_move"
    assert reason in detail


def test_more_reasons() -> None:
    assert "the higher" in refusal(to_play({20: 1}, {16: 2}, (6, 5)), "20/15")[1]
    assert "must enter first" in refusal(to_play({25: 1, 6: 3}, {6: 2}, (6, 5)), "6/1 bar/19")[1]
    assert "higher point" in refusal(to_play({6: 1, 2: 2}, {24: 2}, (5, 3)), "2/off 6/3")[1]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_written_play_of_a_recorded_match_is_read_as_written(path: Path) -> None:
    """Written again in our notation it is still the same play."""
    for state, seat, text in turns(path):
        move = RULES.read(state, seat, text)
        after = RULES.play(state, seat, move)
        listed = {RULES.play(state, seat, play).boards for play in RULES.legal(state, seat)}
        assert after.boards in listed or after.result is not None
        again = RULES.read(state, seat, RULES.write(state, seat, move, seat))
        assert RULES.play(state, seat, again) == after


def test_there_are_recorded_matches() -> None:
    assert len(FILES) == 9
