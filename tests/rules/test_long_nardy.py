"""What Long nardy promises: head, first turn, bridge of six, ends and their worth (rules §2.4, §2.8, §4)."""

from collections.abc import Mapping
from typing import Final

import msgspec
import pytest

from shared.chance import Dice
from shared.problems import Refused
from shared.rules.long_nardy import RULES
from shared.rules.nard.game import State
from shared.rules.protocol import Chance, Over, Players, Result, Waiting
from tests.support.boards import refusal, side, to_play

both_seats = pytest.mark.parametrize("seat", [0, 1])
ROLLS: Final = [(high, low) for high in range(1, 7) for low in range(1, high + 1)]
FIRST_ROLLS: Final = {(high, low): {f"24/{24 - high - low}"} for high, low in ROLLS} | {
    (1, 1): {"24/20"},
    (2, 2): {"24/16"},
    (3, 3): {"24/21 24/15", "24/18(2)"},
    (4, 4): {"24/16(2)"},
    (5, 5): {"24/4"},
    (6, 6): {"24/18(2)"},
}
OBSTRUCTED: Final = {(first, (5, 5)) for first in [(2, 1), (6, 2), (5, 3), (2, 2), (3, 3), (4, 4)]} | {
    ((5, 5), second) for second in [(6, 2), (5, 3), (2, 2), (4, 4)]
}
"""The starter's first roll and the second player's whose play it cuts short."""

ONE_AHEAD: Final = {24: 14, 10: 1}


def written(state: State) -> set[str]:
    seat = state.turn or 0
    return {RULES.write(state, seat, move, None) for move in RULES.legal(state, seat)}


def won(seat: int, points: int) -> Waiting:
    return Over(Result.won_by(seat, points))


@pytest.mark.rule("N11")
def test_all_fifteen_start_on_the_head_and_go_the_same_way_round() -> None:
    start = RULES.setup(2, {}, 0)
    view = RULES.view(start, None)
    assert view["pips"] == [360, 360]
    assert [board[24] for board in view["boards"]] == [15, 15]
    assert (view["geometry"], view["directions"]) == ("parallel", [-1, -1])
    assert RULES.position(start) == "O11o11"


@pytest.mark.rule("N7")
def test_the_opening_roll_decides_who_starts_and_he_rolls_afresh() -> None:
    opening = RULES.setup(2, {}, None)
    assert RULES.settle(opening, (3, 3)) == opening
    decided = RULES.settle(opening, (2, 5))
    assert RULES.waiting(decided) == Chance(Dice(2), seat=1)
    assert RULES.waiting(RULES.settle(decided, (6, 6))) == Players((1,))


def test_a_table_may_have_the_opening_dice_played() -> None:
    rolled = RULES.settle(RULES.setup(2, {"opening_dice_played": True}, None), (2, 5))
    assert written(rolled) == {"24/17"}
    assert rolled.turn == 1


@pytest.mark.rule("N11")
@pytest.mark.parametrize(("dice", "plays"), FIRST_ROLLS.items())
def test_a_first_roll_has_its_plays_whatever_the_order_of_the_dice(
    dice: tuple[int, int], plays: set[str]
) -> None:
    start = RULES.setup(2, {}, 0)
    assert written(RULES.settle(start, dice)) == plays
    assert RULES.legal(RULES.settle(start, dice[::-1]), 0) == RULES.legal(RULES.settle(start, dice), 0)


@pytest.mark.rule("N11")
def test_only_certain_first_rolls_of_the_starter_cut_short_one_of_the_second_player() -> None:
    obstructed: set[tuple[tuple[int, int], tuple[int, int]]] = set()
    for first in ROLLS:
        rolled = RULES.settle(RULES.setup(2, {}, 0), first)
        for move in RULES.legal(rolled, 0):
            for second in ROLLS:
                answer = RULES.settle(RULES.play(rolled, 0, move), second)
                if written(answer) != FIRST_ROLLS[second]:
                    obstructed.add((first, second))
    assert obstructed == OBSTRUCTED


@pytest.mark.rule("N11")
@pytest.mark.parametrize(
    ("first", "move", "second", "plays"),
    [
        pytest.param((5, 5), "24/4", (4, 4), {"24/20"}, id="only one leaves, three fours are lost"),
        pytest.param((5, 5), "24/4", (6, 2), {"24/18"}, id="the larger die"),
        pytest.param((5, 5), "24/4", (5, 3), {"24/19"}, id="the larger die again"),
        pytest.param((5, 5), "24/4", (2, 2), {"24/18"}, id="three twos"),
        pytest.param((2, 1), "24/21", (5, 5), {"24/14"}, id="two fives"),
    ],
)
def test_the_starters_checker_obstructs_a_first_roll(
    first: tuple[int, int], move: str, second: tuple[int, int], plays: set[str]
) -> None:
    rolled = RULES.settle(RULES.setup(2, {}, 0), first)
    played = RULES.play(rolled, 0, RULES.read(rolled, 0, move))
    assert written(RULES.settle(played, second)) == plays


@both_seats
@pytest.mark.parametrize("dice", [(3, 3), (4, 4), (6, 6), (2, 1), (1, 1)])
def test_after_the_first_turn_one_checker_leaves_the_head_at_most(seat: int, dice: tuple[int, int]) -> None:
    state = to_play({24: 14, 23: 1}, {24: 14, 1: 1}, dice, seat)
    for move in RULES.legal(state, seat):
        assert sum(step.startswith("24/") for step in move.split(" ")) <= 1
    high, low = max(dice), min(dice)
    code, reason = refusal(state, f"24/{24 - high} 24/{24 - low}", RULES)
    assert code == "illegal_move"
    assert "one checker may leave the head" in reason


def test_on_a_first_turn_two_leave_the_head_and_no_more() -> None:
    rolled = RULES.settle(RULES.setup(2, {}, 0), (3, 3))
    assert "two checkers" in refusal(rolled, "24/21(3)", RULES)[1]
    assert "More dice" in refusal(rolled, "24/18", RULES)[1]


@both_seats
def test_one_opposing_checker_closes_a_point_and_nothing_is_hit(seat: int) -> None:
    state = to_play({24: 14, 13: 1}, {24: 14, 19: 1}, (6, 1), seat)  # his 19 is my 7, his 24 my 12
    assert written(state) == {"24/17"}
    assert "Point 7 is blocked" in refusal(state, "13/7 24/23", RULES)[1]
    assert "Point 12 is blocked" in refusal(state, "13/12 24/18", RULES)[1]
    after = RULES.play(state, seat, RULES.legal(state, seat)[0])
    assert after.boards[1 - seat] == state.boards[1 - seat]


SIX_OF_23_TO_18: Final = {11: 2, 10: 2, 9: 3, 8: 2, 7: 2, 24: 4}  # with a checker on 6 it is a bridge


@both_seats
def test_a_bridge_of_six_is_forbidden_while_no_opposing_checker_is_ahead_of_it(seat: int) -> None:
    state = to_play(SIX_OF_23_TO_18, {24: 15}, (3, 1), seat)
    assert "Six points in a row" in refusal(state, "9/6 24/23", RULES)[1]
    assert not any(play.endswith("9/6") for play in RULES.legal(state, seat))


@both_seats
@pytest.mark.parametrize(
    "theirs",
    [
        pytest.param(ONE_AHEAD, id="one ahead of it"),
        pytest.param({24: 14}, id="one borne off"),
    ],
)
def test_a_bridge_is_allowed_once_one_opposing_checker_is_ahead_or_off(
    theirs: Mapping[int, int], seat: int
) -> None:
    state = to_play(SIX_OF_23_TO_18, theirs, (3, 1), seat)
    assert RULES.read(state, seat, "9/6 24/23") == "9/6 24/23"


def test_a_checker_behind_the_bridge_is_not_ahead_of_it() -> None:
    """Six on the opponent's 10 … 5: his 11 is behind them, his 4 ahead."""
    mine = {22: 2, 21: 2, 20: 2, 19: 2, 18: 2, 24: 5}
    behind = to_play(mine, {24: 14, 11: 1}, (1, 2))
    assert "Six points in a row" in refusal(behind, "18/17 24/22", RULES)[1]
    ahead = to_play(mine, {24: 14, 4: 1}, (1, 2))
    assert RULES.read(ahead, 0, "18/17 24/22") == "18/17 24/22"


def test_points_on_both_sides_of_the_opponents_head_are_no_bridge() -> None:
    """For him they are the end of his way and its beginning: his 3, 2, 1 and his 24, 23, 22."""
    state = to_play({16: 1, 15: 3, 14: 2, 13: 2, 12: 2, 11: 2, 24: 3}, {20: 15}, (6, 1))
    assert RULES.read(state, 0, "16/10 24/23") == "16/10 24/23"


def test_a_bridge_is_forbidden_even_for_a_moment_and_another_order_may_avoid_it() -> None:
    state = to_play({11: 1, 10: 2, 9: 3, 8: 2, 7: 2, 24: 5}, {24: 15}, (3, 1))
    assert "11/10 9/6" in RULES.legal(state, 0)
    assert RULES.read(state, 0, "9/6 11/10") == "11/10 9/6"


def test_a_double_may_be_played_in_any_order_that_avoids_a_bridge() -> None:
    """From the highest point downwards 11/10 would make one; after 5/4 it does not."""
    state = to_play({24: 2, 11: 1, 9: 3, 8: 3, 7: 3, 6: 2, 5: 1}, {24: 15}, (1, 1))
    assert refusal(state, "11/10", RULES)[0] == "illegal_move"
    assert RULES.read(state, 0, "24/23 23/22 5/4 11/10") == "24/23 23/22 5/4 11/10"
    assert RULES.read(state, 0, "24/23 23/22 11/10 5/4") == "24/23 23/22 5/4 11/10"


def test_a_forbidden_step_can_leave_a_die_unplayed() -> None:
    """The five would make the bridge on 13; from everywhere else both dice are closed but for 18/14."""
    mine = {18: 3, 17: 3, 16: 3, 15: 3, 14: 3}
    state = to_play(mine, {24: 12, 23: 1, 22: 1, 21: 1}, (5, 4))
    assert RULES.legal(state, 0) == ("18/14",)
    one_is_off = to_play(mine, {24: 11, 23: 1, 22: 1, 21: 1}, (5, 4))
    assert RULES.read(one_is_off, 0, "18/13 18/14") == "18/13 18/14"


@pytest.mark.parametrize(
    ("mine", "dice", "plays"),
    [
        pytest.param({6: 2, 5: 2}, (6, 5), {"6/off 5/off", "6/off 6/1"}, id="exact dice"),
        pytest.param({4: 2, 2: 3}, (6, 5), {"4/off(2)"}, id="larger dice bear off the highest"),
        pytest.param({7: 1, 1: 3}, (6, 1), {"7/off"}, id="only when all are home"),
        pytest.param({3: 1}, (4, 1), {"3/off"}, id="last checker, both dice"),
    ],
)
def test_bearing_off_is_as_in_short_nardy(
    mine: Mapping[int, int], dice: tuple[int, int], plays: set[str]
) -> None:
    assert written(to_play(mine, {6: 15}, dice)) == plays


def test_the_last_checker_may_be_borne_off_by_one_die() -> None:
    state = to_play({3: 1}, {6: 15}, (4, 1))
    assert RULES.read(state, 0, "3/off") == "3/off"
    assert RULES.legal(state, 0) == ("3/2 2/off",)


@pytest.mark.rule("N9")
@both_seats
@pytest.mark.parametrize(
    ("loser", "points", "without_koks"),
    [
        pytest.param({6: 14}, 1, 1, id="oin: one borne off"),
        pytest.param({24: 1, 6: 13}, 1, 1, id="oin, though one is still on the head"),
        pytest.param({6: 15}, 2, 2, id="home mars counts as mars"),
        pytest.param({18: 1, 6: 14}, 2, 2, id="mars: none off"),
        pytest.param({19: 1, 6: 14}, 3, 2, id="koks: one still in the first quarter"),
    ],
)
def test_what_a_won_game_is_worth(
    seat: int, loser: Mapping[int, int], points: int, without_koks: int
) -> None:
    for koks, worth in ((3, points), (2, without_koks)):
        start = RULES.setup(2, {"koks": koks}, seat)
        position = to_play({1: 1}, loser, (6, 5), seat)
        last = msgspec.structs.replace(start, boards=position.boards, dice=(6, 5))
        assert RULES.waiting(RULES.play(last, seat, "1/off")) == won(seat, worth)
        assert RULES.forfeit(last, 1 - seat, "left") == Result.won_by(seat, worth)


@both_seats
@pytest.mark.parametrize(
    ("mine", "theirs", "points"),
    [
        pytest.param({24: 3, 1: 12}, {24: 1}, 2, id="60 behind, none off"),
        pytest.param({24: 2, 23: 1, 1: 12}, {24: 1}, 1, id="59 behind"),
        pytest.param({24: 3}, {11: 1}, 1, id="61 behind, but some borne off"),
        pytest.param({24: 15}, {1: 1}, 2, id="never koks"),
    ],
)
def test_a_resignation_costs_mars_from_60_pips_behind_with_none_off(
    mine: Mapping[int, int], theirs: Mapping[int, int], points: int, seat: int
) -> None:
    state = to_play(mine, theirs, (2, 1), seat)
    assert RULES.forfeit(state, seat, "resigned") == Result.won_by(1 - seat, points)


@pytest.mark.rule("N2")
@pytest.mark.parametrize(
    ("black", "dice", "move", "result"),
    [
        pytest.param({2: 1, 1: 1}, (2, 1), "2/off 1/off", Result.drawn(), id="finishes too"),
        pytest.param({6: 15}, (6, 1), "6/off 6/5", Result.won_by(0, 1), id="escapes mars"),
        pytest.param({19: 1, 6: 14}, (1, 2), "19/18 6/4", Result.won_by(0, 2), id="escapes koks"),
        pytest.param({24: 1, 6: 14}, (1, 2), "24/22 22/21", Result.won_by(0, 3), id="escapes nothing"),
    ],
)
def test_the_single_game_with_a_draw_gives_black_one_roll_more(
    black: Mapping[int, int], dice: tuple[int, int], move: str, result: Result
) -> None:
    start = RULES.setup(2, {"mode": "draw"}, 0)
    last = msgspec.structs.replace(start, boards=(side({1: 1}), side(black)), dice=(6, 5))
    off = RULES.play(last, 0, "1/off")
    assert RULES.waiting(off) == Chance(Dice(2), seat=1, cube_rests=True)
    state = RULES.settle(off, dice)
    assert RULES.waiting(RULES.play(state, 1, RULES.read(state, 1, move))) == Over(result)


@pytest.mark.rule("N2", "S12")
def test_when_white_is_off_black_may_have_his_last_turn_played_for_him() -> None:
    start = RULES.setup(2, {"mode": "draw"}, 0)
    last = msgspec.structs.replace(start, boards=(side({1: 1}), side({24: 1, 6: 14})), dice=(6, 5))
    assert RULES.finishing_move(last, 1) is None
    state = RULES.settle(RULES.play(last, 0, "1/off"), (6, 5))
    assert RULES.finishing_move(state, 1) == "24/18 18/13"


@pytest.mark.rule("N3")
def test_in_giveaway_who_bears_off_everything_loses_one_point() -> None:
    start = RULES.setup(2, {"mode": "giveaway"}, 0)
    last = msgspec.structs.replace(start, boards=(side({1: 1}), side({24: 15})), dice=(6, 5))
    assert RULES.waiting(RULES.play(last, 0, "1/off")) == won(1, 1)


@pytest.mark.rule("N6", "N8")
def test_it_is_played_with_the_cube_and_in_matches() -> None:
    assert RULES.traits.cube
    assert RULES.traits.matches


@pytest.mark.rule("S12")
def test_auto_finish_is_possible_once_both_have_left_the_other_half_of_the_board() -> None:
    """A checker on one's 13 stands on the opponent's 1, where he still has to come."""
    for mine, theirs in (({13: 1, 6: 14}, {6: 15}), ({6: 15}, {13: 1, 6: 14}), ({24: 15}, {6: 15})):
        contact = to_play(mine, theirs, (2, 1))
        assert RULES.finishing_move(contact, 0) is None
        assert RULES.view(contact, 0)["auto_finish"] == [False, False]
    apart = to_play({12: 1, 6: 14}, {12: 15}, (6, 1))
    assert RULES.finishing_move(apart, 0) == "12/6 6/5"
    assert RULES.finishing_move(apart, 1) is not None  # not his turn, but possible


def test_own_points_are_written_by_both_sides() -> None:
    """Sources that number the board once from White call the second player's head 12; here it is his 24."""
    rolled = RULES.settle(RULES.setup(2, {}, 1), (6, 5))
    for text in ("24/13", "24/18/13", "65: 24-18, 18-13", "24/19 19/13", "24>18>13"):
        move = RULES.read(rolled, 1, text)
        assert RULES.play(rolled, 1, move).boards[1][13] == 1
    assert refusal(rolled, "12/1", RULES)[0] == "illegal_move"
    assert refusal(rolled, "bar/19 24/19", RULES)[1] == "There is no checker to move on the bar."


@pytest.mark.parametrize("options", [{"koks": 1}, {"koks": True}, {"mode": "mixed"}, {"triple": False}])
def test_other_options_are_refused(options: dict[str, object]) -> None:
    with pytest.raises(Refused, match="invalid_options"):
        RULES.setup(2, options, 0)
