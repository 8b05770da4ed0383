"""Hypergammon: three checkers each, all else as backgammon (rules §2.2, §11)."""

from collections.abc import Mapping
from typing import Final

import pytest

from shared.chance import Dice
from shared.problems import Refused
from shared.rules.hypergammon import RULES
from shared.rules.nard.game import State
from shared.rules.protocol import Chance, Over, Players, Result
from tests.support.boards import refusal, to_play
from tests.support.playing import some_states

CHECKERS: Final = 3
FIRST_ROLLS: Final = {
    (1, 1): 7, (2, 1): 6, (2, 2): 11, (3, 1): 7, (3, 2): 8, (3, 3): 15, (4, 1): 7,
    (4, 2): 8, (4, 3): 9, (4, 4): 15, (5, 1): 7, (5, 2): 8, (5, 3): 9, (5, 4): 9,
    (5, 5): 15, (6, 1): 7, (6, 2): 8, (6, 3): 9, (6, 4): 9, (6, 5): 9, (6, 6): 12,
}  # fmt: skip


def three(mine: Mapping[int, int], theirs: Mapping[int, int], dice: tuple[int, int], seat: int = 0) -> State:
    return to_play(mine, theirs, dice, seat, checkers=CHECKERS)


@pytest.mark.rule("N11")
def test_both_sides_start_with_69_pips_and_gnubgs_start_position() -> None:
    start = RULES.setup(2, {}, 0)
    assert RULES.position(start) == "AACgAgAAKgAAAA"
    assert RULES.view(start, None)["pips"] == [69, 69]


@pytest.mark.parametrize(("dice", "count"), FIRST_ROLLS.items())
def test_a_first_roll_has_its_number_of_plays_whatever_the_order_of_the_dice(
    dice: tuple[int, int], count: int
) -> None:
    start = RULES.setup(2, {}, 0)
    legal = RULES.legal(RULES.settle(start, dice), 0)
    assert len(legal) == count
    assert RULES.legal(RULES.settle(start, dice[::-1]), 0) == legal


@pytest.mark.rule("N7")
def test_the_winner_of_the_opening_roll_plays_its_dice() -> None:
    rolled = RULES.settle(RULES.setup(2, {}, None), (2, 5))
    assert RULES.waiting(rolled) == Players((1,))
    assert rolled.dice == (2, 5)


def test_bearing_off_begins_when_all_three_are_home() -> None:
    home = three({6: 1, 5: 1, 3: 1}, {24: 3}, (6, 5))
    assert RULES.write(home, 0, RULES.read(home, 0, "6/off 5/off"), 0) == "6/off 5/off"
    outside = three({14: 1, 5: 1, 4: 1}, {24: 3}, (5, 4))
    assert "all checkers are home" in refusal(outside, "5/off 4/off", RULES)[1]
    on_bar = three({25: 1, 5: 1, 4: 1}, {24: 3}, (5, 4))
    assert "must enter first" in refusal(on_bar, "5/off 4/off", RULES)[1]


@pytest.mark.rule("N9")
@pytest.mark.parametrize(
    ("loser", "kind", "points"),
    [
        pytest.param({24: 2}, "single", 1, id="one of three borne off"),
        pytest.param({6: 3}, "gammon", 2, id="none off, all home"),
        pytest.param({18: 3}, "gammon", 2, id="none off, last at 18"),
        pytest.param({19: 1, 6: 2}, "backgammon", 3, id="a checker in the winner's home"),
        pytest.param({25: 1, 6: 2}, "backgammon", 3, id="a checker on the bar"),
    ],
)
def test_what_a_won_game_is_worth_is_counted_on_three_checkers(
    loser: Mapping[int, int], kind: str, points: int
) -> None:
    for seat in (0, 1):
        over = RULES.play(three({1: 1}, loser, (6, 5), seat), seat, "1/off")
        result = Result(places=(1, 2) if seat == 0 else (2, 1), kind=kind, points=points)
        assert RULES.waiting(over) == Over(result)


def test_a_game_goes_on_while_one_of_the_three_is_left() -> None:
    after = RULES.play(three({2: 2}, {24: 3}, (6, 1)), 0, "2/off 2/1")
    assert RULES.waiting(after) == Chance(Dice(2), seat=1)
    assert RULES.view(after, None)["off"] == [2, 0]


def test_sixty_pips_behind_is_possible_with_three_checkers_and_costs_a_gammon() -> None:
    for rear, points in (({24: 2, 13: 1}, 2), ({24: 2, 12: 1}, 1), ({25: 2, 13: 1}, 1)):
        state = three(rear, {1: 1}, (2, 1))
        assert RULES.forfeit(state, 0, "resigned") == Result.won_by(1, points)
        assert RULES.forfeit(state, 1, "resigned") == Result.won_by(0, 1)


@pytest.mark.rule("N2")
def test_with_a_draw_the_last_roll_may_bear_off_all_three() -> None:
    start = RULES.setup(2, {"mode": "draw"}, 0)
    last = three({1: 1}, {1: 2}, (6, 5))
    white = RULES.play(State(last.boards, 0, (6, 5), first=0, chosen=start.chosen), 0, "1/off")
    assert RULES.waiting(white) == Chance(Dice(2), seat=1, cube_rests=True)
    black = RULES.play(RULES.settle(white, (2, 1)), 1, "1/off 1/off")
    assert RULES.waiting(black) == Over(Result.drawn())


@pytest.mark.rule("N6", "N8")
def test_it_is_played_with_the_cube_to_points() -> None:
    assert RULES.offers({}).cube
    assert RULES.offers({}).matches
    with pytest.raises(Refused):
        RULES.setup(2, {"opening_dice_played": False}, None)


def test_three_checkers_stay_three() -> None:
    for seed in range(40):
        for state in some_states(RULES, seed):
            one, other = state.boards
            assert sum(one) == sum(other) == CHECKERS
            assert min(*one, *other) >= 0
            assert not any(one[p] and other[25 - p] for p in range(1, 25))
