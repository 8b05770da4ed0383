"""What backgammon promises: obligation, bar, results, resignation, race (rules §1, §2.1, §4, §13)."""

from collections.abc import Mapping
from typing import Final

import pytest

from shared.chance import Dice
from shared.rules.backgammon import RULES
from shared.rules.protocol import Chance, Over, Players, Result
from tests.support.boards import refusal, side, to_play

FIRST_ROLLS: Final = {
    (1, 1): 42, (2, 1): 15, (2, 2): 75, (3, 1): 16, (3, 2): 17, (3, 3): 73, (4, 1): 14,
    (4, 2): 18, (4, 3): 17, (4, 4): 52, (5, 1): 8, (5, 2): 8, (5, 3): 9, (5, 4): 9,
    (5, 5): 4, (6, 1): 10, (6, 2): 14, (6, 3): 14, (6, 4): 14, (6, 5): 7, (6, 6): 11,
}  # fmt: skip


def test_both_sides_start_with_167_pips_and_gnubgs_start_position() -> None:
    start = RULES.setup(2, {}, 0)
    assert RULES.position(start) == "4HPwATDgc/ABMA"
    assert RULES.view(start, None)["pips"] == [167, 167]


@pytest.mark.rule("N7")
@pytest.mark.parametrize(("drawn", "starter"), [((6, 1), 0), ((2, 5), 1)])
def test_the_higher_opening_die_starts_and_plays_both(drawn: tuple[int, int], starter: int) -> None:
    opening = RULES.setup(2, {}, None)
    assert RULES.waiting(opening) == Chance(Dice(2), seat=None)
    assert RULES.settle(opening, (4, 4)) == opening  # equal dice are rolled again
    rolled = RULES.settle(opening, drawn)
    assert RULES.waiting(rolled) == Players((starter,))
    assert rolled.dice == drawn


@pytest.mark.rule("N7")
def test_a_given_starter_rolls_two_fresh_dice_doubles_allowed() -> None:
    start = RULES.setup(2, {}, 1)
    assert RULES.waiting(start) == Chance(Dice(2), seat=1)
    rolled = RULES.settle(start, (3, 3))
    assert len(RULES.legal(rolled, 1)) == 73
    assert RULES.legal(rolled, 0) == ()


@pytest.mark.rule("S17")
@pytest.mark.parametrize(("dice", "count"), FIRST_ROLLS.items())
def test_a_first_roll_has_its_number_of_plays_whatever_the_order_of_the_dice(
    dice: tuple[int, int], count: int
) -> None:
    start = RULES.setup(2, {}, 0)
    legal = RULES.legal(RULES.settle(start, dice), 0)
    assert len(legal) == count
    assert RULES.legal(RULES.settle(start, dice[::-1]), 0) == legal


@pytest.mark.rule("S17")
@pytest.mark.parametrize(
    ("mine", "theirs", "dice", "plays"),
    [
        pytest.param({20: 1}, {16: 2}, (6, 5), ["20/14"], id="either die, not both: the larger"),
        pytest.param({20: 1}, {16: 2, 11: 2}, (6, 5), ["20/15"], id="only the smaller"),
        pytest.param({20: 1, 13: 1}, {18: 2, 17: 2, 11: 2}, (6, 5), ["20/9"], id="both, one way"),
        pytest.param({25: 1, 6: 3}, {6: 2}, (6, 5), ["bar/14"], id="enter with the five"),
        pytest.param({25: 2, 6: 3}, {6: 2}, (6, 5), ["bar/20"], id="one enters, one stays"),
        pytest.param({25: 1, 6: 3}, {6: 2, 5: 2}, (6, 5), ["pass"], id="shut out"),
        pytest.param({4: 2, 2: 3}, {1: 2}, (6, 5), ["4/off(2)"], id="larger dice bear off the highest"),
        pytest.param({6: 1, 5: 1, 2: 1}, {24: 2}, (5, 5), ["5/off"], id="a higher checker holds the rest"),
        pytest.param({3: 1}, {23: 1, 10: 1}, (4, 1), ["3/2*/off"], id="last checker, both dice"),
    ],
)
def test_the_obligation_to_play(
    mine: Mapping[int, int], theirs: Mapping[int, int], dice: tuple[int, int], plays: list[str]
) -> None:
    for seat in (0, 1):
        state = to_play(mine, theirs, dice, seat)
        assert [RULES.write(state, seat, move, None) for move in RULES.legal(state, seat)] == plays


def test_the_last_checker_may_be_borne_off_by_one_die_although_two_can_be_played() -> None:
    state = to_play({3: 1}, {23: 1, 10: 1}, (4, 1))
    assert RULES.read(state, 0, "3/off") == "3/off"
    assert RULES.read(state, 0, "3/2*/off") == "3/2* 2/off"
    assert RULES.read(state, 0, "3/2/off") == "3/2* 2/off"
    for text, on_bar in (("3/off", 0), ("3/2* 2/off", 1)):
        over = RULES.play(state, 0, text)
        assert isinstance(RULES.waiting(over), Over)
        assert over.boards[1][25] == on_bar


def test_one_die_is_not_enough_where_the_game_goes_on() -> None:
    state = to_play({4: 1, 1: 1}, {22: 2}, (4, 1))  # 4/3 is blocked, so 4/off takes the four alone
    assert refusal(state, "4/off")[0] == "illegal_move"
    assert RULES.read(state, 0, "4/off 1/off") == "4/off 1/off"
    same = to_play({3: 1, 2: 1}, {22: 2}, (4, 1))  # the four alone would lead to the same
    assert RULES.read(same, 0, "3/off") == "3/2 2/off"


@pytest.mark.rule("S17")
def test_who_cannot_move_passes_and_nobody_else_may() -> None:
    shut = to_play({25: 1, 6: 3}, {6: 2, 5: 2}, (6, 5))
    for text in ("", "pass", "Cannot Move"):
        assert RULES.read(shut, 0, text) == "pass"
    assert RULES.waiting(RULES.play(shut, 0, "pass")) == Chance(Dice(2), seat=1)
    assert refusal(shut, "6/1")[0] == "illegal_move"
    free = RULES.settle(RULES.setup(2, {}, 0), (6, 5))
    assert refusal(free, "pass")[0] == "illegal_move"


@pytest.mark.rule("S17")
def test_a_hit_sends_the_blot_to_the_bar_where_it_must_enter_first() -> None:
    state = to_play({24: 1, 13: 2}, {7: 1, 12: 2}, (6, 1))
    hit = RULES.play(state, 0, "24/18* 13/12")
    assert hit.boards[1][25] == 1
    assert hit.boards[1][7] == 0
    entering = RULES.settle(hit, (6, 2))
    assert all(move.startswith("bar/") for move in RULES.legal(entering, 1))


@pytest.mark.rule("S14", "N9")
@pytest.mark.parametrize(
    ("loser", "kind", "points"),
    [
        pytest.param({6: 14}, "single", 1, id="one borne off"),
        pytest.param({6: 15}, "gammon", 2, id="home mars counts as a gammon"),
        pytest.param({18: 1, 6: 14}, "gammon", 2, id="none off, last at 18"),
        pytest.param({19: 1, 6: 14}, "backgammon", 3, id="a checker in the winner's home"),
        pytest.param({25: 1, 6: 14}, "backgammon", 3, id="a checker on the bar"),
        pytest.param({25: 1, 6: 13}, "single", 1, id="on the bar, but one borne off"),
    ],
)
def test_what_a_won_game_is_worth(loser: Mapping[int, int], kind: str, points: int) -> None:
    for seat in (0, 1):
        over = RULES.play(to_play({1: 1}, loser, (6, 5), seat), seat, "1/off")
        result = Result(places=(1, 2) if seat == 0 else (2, 1), kind=kind, points=points)
        assert RULES.waiting(over) == Over(result)
        assert RULES.legal(over, 0) == RULES.legal(over, 1) == ()


@pytest.mark.rule("S15")
@pytest.mark.parametrize(
    ("mine", "theirs", "points"),
    [
        pytest.param({24: 3, 1: 1}, {13: 1}, 2, id="60 behind"),
        pytest.param({24: 3}, {13: 1}, 1, id="59 behind"),
        pytest.param({25: 3, 1: 1}, {13: 1}, 1, id="63 behind, but on the bar"),
        pytest.param({24: 15}, {1: 1}, 2, id="never a backgammon"),
        pytest.param({1: 1}, {24: 15}, 1, id="ahead"),
    ],
)
def test_a_resignation_costs_a_gammon_from_60_pips_behind_without_a_checker_on_the_bar(
    mine: Mapping[int, int], theirs: Mapping[int, int], points: int
) -> None:
    for seat in (0, 1):
        state = to_play(mine, theirs, (2, 1), seat)
        result = RULES.forfeit(state, seat, "resigned")
        assert (result.winner, result.points) == (1 - seat, points)


@pytest.mark.rule("S15")
@pytest.mark.parametrize("cause", ["left", "flag"])
@pytest.mark.parametrize(
    ("mine", "points"),
    [({24: 1, 6: 14}, 3), ({25: 1, 6: 14}, 3), ({18: 1, 6: 14}, 2), ({24: 1, 6: 13}, 1)],
)
def test_leaving_costs_the_worst_that_is_still_possible(
    mine: Mapping[int, int], points: int, cause: str
) -> None:
    assert RULES.forfeit(to_play(mine, {6: 15}, (2, 1)), 0, cause).points == points


@pytest.mark.rule("S12")
def test_auto_finish_is_possible_exactly_when_the_sides_have_passed() -> None:
    contact = to_play({13: 1, 6: 14}, {12: 1, 6: 14}, (2, 1))  # 13 + 12 = 25: they can still meet
    assert RULES.finishing_move(contact, 0) is None
    assert RULES.view(contact, 0)["auto_finish"] == [False, False]
    passed = to_play({12: 1, 6: 14}, {12: 1, 6: 14}, (2, 1))
    assert RULES.finishing_move(passed, 0) in RULES.legal(passed, 0)
    assert RULES.view(passed, 0)["auto_finish"] == [True, True]
    assert RULES.finishing_move(passed, 1) is not None  # not his turn, but possible
    assert RULES.finishing_move(to_play({25: 1}, {6: 1}, (6, 6)), 0) is None


@pytest.mark.rule("S12")
@pytest.mark.parametrize(
    ("mine", "dice", "play"),
    [
        pytest.param({6: 2, 5: 2}, (6, 5), "6/off 5/off", id="bears off all it can"),
        pytest.param({8: 1, 1: 14}, (2, 1), "8/6 1/off", id="brings the last one in, then bears off"),
        pytest.param({6: 5, 5: 5}, (2, 1), "5/3 5/4", id="fills gaps"),
    ],
)
def test_auto_finish_plays_sensibly(mine: Mapping[int, int], dice: tuple[int, int], play: str) -> None:
    state = to_play(mine, {1: 1}, dice)
    assert RULES.finishing_move(state, 0) == play


@pytest.mark.rule("S17")
def test_the_view_names_boards_directions_and_phases() -> None:
    view = RULES.view(to_play({6: 10}, {25: 1, 6: 14}, (3, 1), seat=1), None)
    assert view["boards"][1] == list(side({6: 10}))
    assert view["bar"] == [1, 0]
    assert view["off"] == [0, 5]
    assert view["pips"] == [109, 60]
    assert view["phases"] == ["moving_home", "bearing_off"]
    assert view["directions"] == [-1, 1]
    assert (view["turn"], view["dice"], view["opening"]) == (1, [3, 1], False)
