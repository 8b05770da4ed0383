"""Nackgammon: another start, all else as backgammon (rules §2.3)."""

from random import Random
from typing import Final

import pytest

from shared.problems import Refused
from shared.rules import backgammon
from shared.rules.nackgammon import RULES
from shared.rules.protocol import Over, Players
from tests.support.boards import random_state
from tests.support.playing import some_states

SOME: Final = 300


def test_both_sides_start_with_194_pips_and_gnubgs_start_position() -> None:
    start = RULES.setup(2, {}, 0)
    assert RULES.position(start) == "4Dl4ADbgOXgANg"
    assert RULES.view(start, None)["pips"] == [194, 194]
    assert [sum(board) for board in start.boards] == [15, 15]


def test_four_checkers_stand_far_back_and_the_winner_of_the_opening_roll_plays_its_dice() -> None:
    rolled = RULES.settle(RULES.setup(2, {}, None), (6, 5))
    assert RULES.waiting(rolled) == Players((0,))
    assert RULES.read(rolled, 0, "24/18 23/18") == "24/18 23/18"
    moves = {RULES.write(rolled, 0, move, 0) for move in RULES.legal(rolled, 0)}
    assert {"24/13", "13/7 23/18", "24/18 23/18", "13/7 13/8"} <= moves


def test_from_any_position_the_same_is_legal_and_won_as_in_backgammon() -> None:
    random = Random(3)
    for _ in range(SOME):
        state = random_state(random)
        seat = state.turn or 0
        assert RULES.legal(state, seat) == backgammon.RULES.legal(state, seat)
        for move in RULES.legal(state, seat):
            assert RULES.play(state, seat, move) == backgammon.RULES.play(state, seat, move)


def test_random_games_end_with_fifteen_checkers_on_each_side() -> None:
    for seed in range(10):
        states = some_states(RULES, seed)
        assert isinstance(RULES.waiting(states[-1]), Over)
        assert {sum(board) for state in states for board in state.boards} == {15}


def test_it_has_no_draw() -> None:
    with pytest.raises(Refused) as refused:
        RULES.setup(2, {"mode": "draw"}, None)
    assert refused.value.problem.code == "invalid_options"
    assert RULES.offers({}).cube
    assert RULES.offers({}).matches
