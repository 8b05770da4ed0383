"""What Plakoto promises: pins, mothers, obligation, ends and their worth (rules §1, §2.5, §4, §11)."""

from collections.abc import Mapping
from typing import Final

import pytest

from shared.chance import Dice
from shared.problems import Refused
from shared.rules.nard.game import State
from shared.rules.plakoto import RULES
from shared.rules.protocol import Chance, Over, Players, Result, Waiting
from tests.support.boards import refusal
from tests.support.plakoto import to_pin

DOUBLES: Final = {(die, die): 4 if die == 6 else 5 for die in range(1, 7)}
FIRST_ROLLS: Final = DOUBLES | {(high, low): 2 for high in range(2, 7) for low in range(1, high)}
both_seats = pytest.mark.parametrize("seat", [0, 1])


def after(state: State, *moves: str) -> State:
    for move in moves:
        assert RULES.read(state, state.turn or 0, move) == move
        state = RULES.play(state, state.turn or 0, move)
    return state


def legal(state: State) -> set[str]:
    return set(RULES.legal(state, state.turn or 0))


def won(seat: int, points: int) -> Waiting:
    return Over(Result.won_by(seat, points))


@pytest.mark.rule("N11")
def test_all_fifteen_start_on_the_own_24() -> None:
    start = RULES.setup(2, {}, 0)
    view = RULES.view(start, None)
    assert view["pips"] == [360, 360]
    assert [board[24] for board in view["boards"]] == [15, 15]
    assert view["pinned"] == [[], []]
    assert (view["geometry"], view["directions"]) == ("contrary", [-1, 1])


@pytest.mark.rule("N7")
def test_the_opening_roll_decides_who_starts_and_he_rolls_afresh() -> None:
    opening = RULES.setup(2, {}, None)
    assert RULES.settle(opening, (3, 3)) == opening
    decided = RULES.settle(opening, (2, 5))
    assert RULES.waiting(decided) == Chance(Dice(2), seat=1)
    assert RULES.waiting(RULES.settle(decided, (6, 6))) == Players((1,))


def test_a_table_may_have_the_opening_dice_played() -> None:
    rolled = RULES.settle(RULES.setup(2, {"opening_dice_played": True}, None), (2, 5))
    assert RULES.waiting(rolled) == Players((1,))
    assert legal(rolled) == {"24/19 19/17", "24/19 24/22"}


@pytest.mark.parametrize(("dice", "count"), FIRST_ROLLS.items())
def test_a_first_roll_has_its_number_of_plays_whatever_the_order_of_the_dice(
    dice: tuple[int, int], count: int
) -> None:
    start = RULES.setup(2, {}, 0)
    plays = RULES.legal(RULES.settle(start, dice), 0)
    assert len(plays) == count
    assert RULES.legal(RULES.settle(start, dice[::-1]), 0) == plays


@both_seats
def test_whoever_lands_on_a_single_checker_pins_it_and_it_cannot_move(seat: int) -> None:
    state = to_pin({24: 14, 13: 1}, {24: 13, 18: 1, 15: 1}, (6, 3), seat)
    pinning = after(state, "13/7* 24/21")
    other = 1 - seat
    assert RULES.view(pinning, None)["pinned"][other] == [18]
    assert pinning.boards[other][18] == 1  # it stays where it is
    answer = RULES.settle(pinning, (6, 3))
    assert not any(step.startswith("18/") for play in legal(answer) for step in play.split(" "))
    assert refusal(answer, "18/12 24/21", RULES)[1] == "The checker on 18 is pinned."


def test_more_checkers_may_join_the_one_that_pins() -> None:
    state = to_pin({24: 13, 13: 1, 7: 1}, {24: 14, 18: 1}, (6, 3))
    joined = after(state, "13/7 24/21")
    assert joined.boards[0][7] == 2
    assert joined.pinned == ((), (18,))


@pytest.mark.parametrize(
    ("theirs", "pinned"),
    [
        pytest.param({24: 13, 18: 2}, (), id="two free opposing checkers"),
        pytest.param({24: 14, 18: 1}, (7,), id="one that holds my checker"),
        pytest.param({24: 12, 18: 3}, (7,), id="three that hold my checker"),
    ],
)
def test_a_point_is_closed_by_two_free_checkers_or_by_whoever_holds_one_of_mine(
    theirs: Mapping[int, int], pinned: tuple[int, ...]
) -> None:
    mine = {24: 13, 13: 1, 7: 1} if pinned else {24: 14, 13: 1}
    state = to_pin(mine, theirs, (6, 3), pinned=pinned)
    assert not any("/7" in play for play in legal(state))
    assert refusal(state, "13/7 24/21", RULES)[1] == "Point 7 is blocked."


def test_which_of_two_single_checkers_on_a_point_is_pinned_is_part_of_the_position() -> None:
    mine, theirs = {24: 14, 10: 1}, {24: 14, 15: 1}
    held, holding = to_pin(mine, theirs, (6, 3), pinned=(10,)), to_pin(mine, theirs, (6, 3))
    assert held.boards == holding.boards
    assert "10/4 24/21" in legal(holding)
    assert not any(play.startswith("10/") for play in legal(held))
    assert RULES.position(held) != RULES.position(holding)


def test_a_pinned_checker_is_free_again_when_the_last_one_leaves() -> None:
    two = to_pin({24: 13, 10: 2}, {24: 14, 15: 1}, (6, 3))
    assert after(two, "24/18 10/7").pinned == ((), (15,))
    both_left = after(two, "10/4 10/7")
    assert both_left.pinned == ((), ())
    assert "15/13 24/23" in legal(RULES.settle(both_left, (2, 1)))


def test_who_only_passes_over_a_single_checker_leaves_it_free() -> None:
    state = to_pin({24: 14, 13: 1}, {24: 14, 18: 1}, (6, 3))
    passed = after(state, "13/7* 7/4")
    assert passed.pinned == ((), ())
    assert passed.boards == after(state, "13/10 10/4").boards


def test_bearing_off_waits_until_all_are_home_and_none_is_pinned() -> None:
    theirs = {19: 1, 2: 14}
    outside = to_pin({7: 1, 6: 1, 5: 13}, theirs, (6, 5))
    assert refusal(outside, "6/off 5/off", RULES)[1] == "Bearing off begins when all checkers are home."
    pinned = to_pin({6: 1, 5: 13, 4: 1}, theirs, (6, 5), pinned=(6,))
    assert legal(pinned) == {"pass"}
    assert refusal(to_pin({6: 1, 5: 14}, theirs, (5, 1), pinned=(6,)), "5/off 5/4", RULES)[1] == (
        "No checker is borne off while one is pinned."
    )
    free = to_pin({6: 1, 5: 13, 4: 1}, {20: 1, 2: 14}, (6, 5))  # holds one himself, that is no hindrance
    assert "6/off 5/off" in legal(free)


@both_seats
@pytest.mark.parametrize(
    ("loser", "points"),
    [
        pytest.param({6: 14}, 1, id="one borne off"),
        pytest.param({6: 15}, 2, id="none borne off"),
        pytest.param({23: 1, 6: 14}, 2, id="never three, wherever they stand"),
    ],
)
def test_who_bears_off_everything_first_wins_one_or_two(
    loser: Mapping[int, int], points: int, seat: int
) -> None:
    last = to_pin({1: 1}, loser, (6, 5), seat)
    assert RULES.waiting(after(last, "1/off")) == won(seat, points)


def test_the_last_checker_may_be_borne_off_by_one_die_although_two_can_be_played() -> None:
    state = to_pin({3: 1}, {6: 14}, (4, 1))
    assert legal(state) == {"3/2 2/off"}
    assert RULES.waiting(after(state, "3/off")) == won(0, 1)


@both_seats
def test_a_mother_caught_while_my_24_is_empty_wins_two_at_once(seat: int) -> None:
    state = to_pin({12: 14, 7: 1}, {24: 1, 3: 14}, (6, 5), seat)
    assert RULES.waiting(after(state, "7/1*")) == won(seat, 2)
    assert RULES.waiting(after(state, "12/6 6/1*")) == won(seat, 2)
    assert RULES.waiting(after(state, "12/7 7/1*")) == won(seat, 2)
    assert RULES.waiting(after(state, "12/6 12/7")) == Chance(Dice(2), seat=1 - seat)


@both_seats
def test_a_mother_caught_while_i_have_some_on_my_24_wins_when_the_last_one_leaves(seat: int) -> None:
    state = to_pin({24: 2, 12: 12, 7: 1}, {24: 1, 4: 14}, (6, 5), seat)
    caught = after(state, "7/1* 24/19")
    assert RULES.waiting(caught) == Chance(Dice(2), seat=1 - seat)
    assert RULES.view(caught, None)["pinned"][1 - seat] == [24]
    again = RULES.settle(after(RULES.settle(caught, (2, 1)), "4/2 4/3"), (6, 5))
    assert RULES.waiting(after(again, "24/18")) == won(seat, 2)
    assert RULES.waiting(after(again, "12/6 24/19")) == won(seat, 2)
    assert RULES.waiting(after(again, "12/6 12/7")) == Chance(Dice(2), seat=1 - seat)


@both_seats
def test_the_step_that_leaves_my_24_last_wins_though_the_catch_came_in_the_same_turn(seat: int) -> None:
    state = to_pin({24: 1, 12: 13, 7: 1}, {24: 1, 3: 14}, (6, 5), seat)
    assert RULES.waiting(after(state, "7/1* 24/19")) == won(seat, 2)
    assert RULES.waiting(after(state, "7/1* 12/7")) == Chance(Dice(2), seat=1 - seat)


@both_seats
def test_both_mothers_caught_is_a_draw_worth_nothing(seat: int) -> None:
    state = to_pin({24: 1, 12: 13, 7: 1}, {24: 1, 3: 12, 1: 2}, (6, 5), seat, pinned=(24,))
    drawn = after(state, "7/1*")
    assert RULES.waiting(drawn) == Over(Result(places=(1, 1), kind="draw", points=0))
    assert RULES.view(drawn, None)["pinned"] == [[24], [24]]


@both_seats
def test_whose_mother_is_caught_can_still_draw_by_catching_the_other(seat: int) -> None:
    state = to_pin({24: 2, 12: 12, 7: 1}, {24: 1, 3: 14}, (6, 5), seat)
    caught = after(state, "7/1* 24/19")  # and leaves his own mother alone
    assert RULES.waiting(after(RULES.settle(caught, (2, 1)), "3/2 3/1*")) == Over(Result.drawn())


def test_two_checkers_on_24_are_no_mother_and_cannot_be_caught() -> None:
    state = to_pin({12: 14, 7: 1}, {24: 2, 3: 13}, (6, 5))
    assert refusal(state, "7/1* 12/7", RULES)[1] == "Point 1 is blocked."


def test_what_is_left_of_the_dice_is_not_played_after_the_end() -> None:
    state = to_pin({24: 1, 12: 13, 1: 1}, {24: 1, 3: 14}, (6, 5))
    assert {"24/18", "24/19", "12/6 12/7"} <= legal(state)
    assert refusal(state, "24/18 18/13", RULES) == (
        "illegal_move",
        "The step before ends the game; nothing is played after it.",
    )


def test_a_play_that_ends_the_game_is_as_legal_as_one_that_goes_on() -> None:
    state = to_pin({24: 1, 13: 13, 1: 1}, {24: 1, 3: 14}, (6, 6))
    ends = {play for play in legal(state) if isinstance(RULES.waiting(after(state, play)), Over)}
    assert {"24/18", "13/7 24/18", "13/7 13/7 24/18"} <= ends
    assert "13/7 13/7 13/7 13/7" in legal(state) - ends
    assert all(play.count(" ") == 3 for play in legal(state) - ends)


def test_the_lower_die_alone_may_end_the_game() -> None:
    state = to_pin({24: 1, 1: 14}, {24: 1, 3: 14}, (6, 5))
    assert legal(state) == {"24/18", "24/19"}


def test_the_obligation_to_play_both_dice_may_force_the_end() -> None:
    state = to_pin({24: 1, 12: 1, 2: 13}, {24: 1, 5: 13, 1: 1}, (6, 5), pinned=(24,))
    assert {RULES.write(state, 0, play, 0) for play in legal(state)} == {"12/1*"}
    assert refusal(state, "12/6", RULES)[0] == "illegal_move"


def test_the_higher_die_must_be_played_even_if_it_ends_the_game() -> None:
    state = to_pin({24: 1, 7: 1, 2: 13}, {24: 1, 5: 13, 1: 1}, (6, 5), pinned=(24,))
    assert legal(state) == {"7/1*"}  # after 7/2 there would be no six


def test_if_only_one_die_can_be_played_it_is_the_higher() -> None:
    state = to_pin({20: 1, 2: 14}, {16: 2, 3: 13}, (6, 5))
    assert legal(state) == {"20/14"}
    assert refusal(state, "20/15", RULES)[1] == "Only one die can be played, so it must be the higher: 20/14."


@pytest.mark.parametrize(
    ("mine", "theirs", "points"),
    [
        pytest.param({24: 2, 12: 1, 1: 12}, {1: 12}, 2, id="60 behind, none off"),
        pytest.param({24: 2, 11: 1, 1: 12}, {1: 12}, 1, id="59 behind"),
        pytest.param({24: 3, 1: 11}, {1: 11}, 1, id="more than 60 behind, but one off"),
        pytest.param({24: 1, 2: 14}, {24: 15}, 1, id="ahead"),
    ],
)
def test_a_resignation_costs_two_from_60_pips_behind_with_none_off(
    mine: Mapping[int, int], theirs: Mapping[int, int], points: int
) -> None:
    assert RULES.forfeit(to_pin(mine, theirs, (2, 1)), 0, "resigned") == Result.won_by(1, points)


@pytest.mark.parametrize("cause", ["left", "flag"])
@pytest.mark.parametrize(("mine", "points"), [({24: 15}, 2), ({6: 15}, 2), ({6: 14}, 1)])
def test_leaving_costs_two_unless_something_is_borne_off(
    mine: Mapping[int, int], points: int, cause: str
) -> None:
    assert RULES.forfeit(to_pin(mine, {6: 15}, (2, 1)), 0, cause) == Result.won_by(1, points)


@pytest.mark.rule("N6")
def test_there_is_no_cube_no_match_to_points_and_no_last_roll() -> None:
    assert not RULES.offers({}).cube
    assert not RULES.offers({}).matches
    for options in ({"mode": "draw"}, {"triple": True}, {"resign_gammon_requires_none_off": False}):
        with pytest.raises(Refused):
            RULES.setup(2, options, None)


@pytest.mark.rule("N3")
@both_seats
def test_in_giveaway_whoever_would_have_won_loses_one_and_a_draw_stays_a_draw(seat: int) -> None:
    chosen = RULES.setup(2, {"mode": "giveaway"}, 0).chosen

    def ended(state: State, move: str) -> Waiting:
        boards, turn, dice, pinned = state.boards, state.turn, state.dice, state.pinned
        return RULES.waiting(after(State(boards, turn, dice, pinned=pinned, chosen=chosen), move))

    assert ended(to_pin({1: 1}, {6: 15}, (6, 5), seat), "1/off") == won(1 - seat, 1)
    assert ended(to_pin({12: 14, 7: 1}, {24: 1, 3: 14}, (6, 5), seat), "7/1*") == won(1 - seat, 1)
    both = to_pin({24: 1, 12: 13, 7: 1}, {24: 1, 3: 12, 1: 2}, (6, 5), seat, pinned=(24,))
    assert ended(both, "7/1*") == Over(Result.drawn())


@pytest.mark.rule("S12")
def test_auto_finish_is_possible_exactly_when_the_sides_have_passed() -> None:
    pinned = to_pin({13: 1, 6: 14}, {12: 1, 6: 14}, (2, 1))
    assert RULES.finishing_move(pinned, 0) is None
    passed = to_pin({12: 1, 6: 14}, {12: 1, 6: 14}, (2, 1))
    assert RULES.finishing_move(passed, 0) in legal(passed)
    assert RULES.view(passed, None)["auto_finish"] == [True, True]
