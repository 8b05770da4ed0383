"""What Fevga promises: first checker, own start quarter, the prime before a stack, worth (rules §2.6, §4)."""

from collections.abc import Mapping
from typing import Final

import pytest

from shared.chance import Dice
from shared.rules.fevga import RULES
from shared.rules.nard.game import State
from shared.rules.protocol import Chance, Over, Players, Result
from tests.support.boards import refusal, to_play

both_seats = pytest.mark.parametrize("seat", [0, 1])
FIRST_ROLLS: Final = {
    (high, low): {f"24/{24 - high - low}"} for high in range(2, 7) for low in range(1, high)
} | {
    (1, 1): {"24/20"},
    (2, 2): {"24/16"},
    (3, 3): {"24/15"},  # 12 is the other side's start
    (4, 4): {"24/16"},
    (5, 5): {"24/4", "24/9 24/19"},  # on 9 it has passed, and another may go
    (6, 6): {"24/18"},
}
STACKED: Final = {24: 15}


def written(state: State) -> set[str]:
    seat = state.turn or 0
    return {RULES.write(state, seat, move, None) for move in RULES.legal(state, seat)}


@pytest.mark.rule("N11")
def test_all_fifteen_start_on_the_own_24_and_go_the_same_way_round() -> None:
    start = RULES.setup(2, {}, 0)
    view = RULES.view(start, None)
    assert view["pips"] == [360, 360]
    assert (view["geometry"], view["directions"]) == ("parallel", [-1, -1])
    assert RULES.position(start) == "O11o11"


@pytest.mark.rule("N7")
def test_the_opening_roll_decides_who_starts_and_he_rolls_afresh() -> None:
    decided = RULES.settle(RULES.setup(2, {}, None), (2, 5))
    assert RULES.waiting(decided) == Chance(Dice(2), seat=1)
    assert RULES.waiting(RULES.settle(decided, (6, 6))) == Players((1,))
    played = RULES.settle(RULES.setup(2, {"opening_dice_played": True}, None), (2, 5))
    assert RULES.waiting(played) == Players((1,))


@pytest.mark.rule("N11")
@pytest.mark.parametrize(("dice", "plays"), FIRST_ROLLS.items())
def test_a_first_roll_has_its_plays_whatever_the_order_of_the_dice(
    dice: tuple[int, int], plays: set[str]
) -> None:
    start = RULES.setup(2, {}, 0)
    assert written(RULES.settle(start, dice)) == plays
    assert RULES.legal(RULES.settle(start, dice[::-1]), 0) == RULES.legal(RULES.settle(start, dice), 0)


@both_seats
def test_until_the_first_checker_has_passed_the_opponents_start_no_other_moves(seat: int) -> None:
    state = to_play({24: 14, 18: 1}, STACKED, (3, 2), seat)
    assert written(state) == {"18/13"}
    assert "no other may move" in refusal(state, "24/21 24/22", RULES)[1]
    shut = to_play({24: 14, 18: 1}, STACKED, (6, 6), seat)
    assert RULES.legal(shut, seat) == ("pass",)


@both_seats
def test_with_the_step_that_passes_all_others_are_free_in_the_same_turn(seat: int) -> None:
    state = to_play({24: 14, 13: 1}, STACKED, (2, 1), seat)
    assert written(state) == {"13/11 24/23", "13/10"}
    assert RULES.read(state, seat, "24/23 13/11") == "13/11 24/23"
    passed = to_play({24: 14, 11: 1}, STACKED, (2, 1), seat)
    assert RULES.read(passed, seat, "24/21") == "24/22 22/21"


@both_seats
def test_on_the_opponents_start_a_checker_has_not_passed_it(seat: int) -> None:
    state = to_play({24: 14, 12: 1}, {20: 15}, (2, 1), seat)
    assert written(state) == {"12/9", "12/10 24/23", "12/11 24/22"}


def test_any_number_of_checkers_may_leave_the_head() -> None:
    state = to_play({24: 14, 11: 1}, STACKED, (1, 1))
    assert RULES.read(state, 0, "24/23(4)") == "24/23 24/23 24/23 24/23"


@both_seats
def test_the_six_points_of_the_own_start_quarter_are_never_held_at_the_same_time(seat: int) -> None:
    state = to_play({24: 10, 23: 1, 22: 1, 21: 1, 20: 1, 8: 1}, STACKED, (5, 1), seat)
    code, reason = refusal(state, "24/19 8/7", RULES)
    assert code == "illegal_move"
    assert "start quarter" in reason
    assert RULES.read(state, seat, "24/19 23/22") == "23/22 24/19"  # not even for a moment


def test_another_quarter_may_be_held() -> None:
    state = to_play({18: 3, 17: 3, 16: 2, 15: 2, 14: 4, 8: 1}, {23: 15}, (5, 1))
    assert RULES.read(state, 0, "18/13 8/7") == "18/13 8/7"


PRIME: Final = {11: 2, 10: 2, 9: 3, 8: 2, 7: 2, 24: 4}  # with a checker on 6 it faces the opponent's 23 … 18


@both_seats
def test_a_prime_right_before_all_opposing_checkers_is_not_built(seat: int) -> None:
    state = to_play(PRIME, STACKED, (3, 1), seat)
    assert "forbids where that play ends" in refusal(state, "9/6 24/23", RULES)[1]
    for mine in (RULES.play(state, seat, move).boards[seat] for move in RULES.legal(state, seat)):
        assert not all(mine[point] for point in range(6, 12))


@both_seats
def test_a_prime_that_stands_must_be_opened(seat: int) -> None:
    state = to_play({11: 2, 10: 2, 9: 2, 8: 2, 7: 2, 6: 2, 24: 3}, STACKED, (2, 1), seat)
    legal = [RULES.play(state, seat, move).boards[seat] for move in RULES.legal(state, seat)]
    assert legal
    assert not any(all(mine[point] for point in range(6, 12)) for mine in legal)


@both_seats
def test_a_prime_that_cannot_be_opened_stays(seat: int) -> None:
    """Six and five bear off, and every point keeps a checker."""
    state = to_play({6: 3, 5: 3, 4: 3, 3: 2, 2: 2, 1: 2}, {19: 15}, (6, 5), seat)
    assert written(state) == {"6/off 5/off", "6/off 6/1"}


def test_a_prime_before_most_opposing_checkers_is_free() -> None:
    """The last one, on his 24, is behind them."""
    state = to_play({24: 4, 10: 2, 9: 2, 8: 3, 7: 2, 6: 2}, {24: 1, 23: 14}, (3, 1))
    assert RULES.read(state, 0, "8/5 24/23") == "8/5 24/23"
    stacked = to_play({24: 4, 10: 2, 9: 2, 8: 3, 7: 2, 6: 2}, {23: 15}, (3, 1))
    assert "forbids" in refusal(stacked, "8/5 24/23", RULES)[1]


@pytest.mark.parametrize(
    "theirs",
    [
        pytest.param({24: 14, 10: 1}, id="one opposing checker is elsewhere"),
        pytest.param({20: 15}, id="the stack stands in another place"),
        pytest.param({24: 14}, id="one is off"),
    ],
)
def test_elsewhere_primes_are_free(theirs: Mapping[int, int]) -> None:
    state = to_play({**PRIME, 24: 3, 11: 3}, theirs, (3, 1))
    assert RULES.read(state, 0, "9/6 24/23") == "9/6 24/23"


@both_seats
@pytest.mark.parametrize(
    ("loser", "points"),
    [({6: 14}, 1), ({24: 1, 6: 13}, 1), ({6: 15}, 2), ({24: 1, 6: 14}, 2)],
)
def test_a_won_game_is_worth_one_or_two_and_leaving_costs_as_much(
    seat: int, loser: Mapping[int, int], points: int
) -> None:
    last = to_play({1: 1}, loser, (6, 5), seat)
    result = Result.won_by(seat, points)
    assert RULES.waiting(RULES.play(last, seat, "1/off")) == Over(result)
    assert RULES.forfeit(last, 1 - seat, "left") == result


@both_seats
@pytest.mark.parametrize(
    ("mine", "theirs", "points"),
    [
        pytest.param({24: 3, 1: 12}, {24: 1}, 2, id="60 behind, none off"),
        pytest.param({24: 2, 23: 1, 1: 12}, {24: 1}, 1, id="59 behind"),
        pytest.param({24: 3}, {11: 1}, 1, id="61 behind, but some borne off"),
    ],
)
def test_a_resignation_costs_two_from_60_pips_behind_with_none_off(
    mine: Mapping[int, int], theirs: Mapping[int, int], points: int, seat: int
) -> None:
    state = to_play(mine, theirs, (2, 1), seat)
    assert RULES.forfeit(state, seat, "resigned") == Result.won_by(1 - seat, points)


@pytest.mark.rule("N6")
def test_it_has_no_cube_and_no_matches_to_points_but_giveaway() -> None:
    assert not RULES.traits.cube
    assert not RULES.traits.matches
    assert RULES.options()["properties"]["mode"]["enum"] == ["normal", "giveaway"]


@pytest.mark.rule("S12")
def test_auto_finish_is_possible_once_both_have_left_the_other_half_of_the_board() -> None:
    assert RULES.finishing_move(to_play({13: 1, 6: 14}, {6: 15}, (2, 1)), 0) is None
    assert RULES.finishing_move(to_play({12: 1, 6: 14}, {12: 15}, (6, 1)), 0) == "12/6 6/5"
