"""Independent programs agree with our rules of backgammon (rules §11; what each gets wrong is said there)."""

from collections.abc import Iterator
from random import Random
from typing import Any, Final

import pytest

from shared.rules.backgammon import RULES, START
from shared.rules.nard.board import Board, board, position_id
from shared.rules.nard.game import State
from shared.rules.protocol import Players
from tests.support.boards import random_state
from tests.support.oracles import OpenSpiel, gnubg_board, gnubg_nn_results, open_spiel_turns, our_results
from tests.support.playing import some_states
from tests.support.recorded import all_turns

pytestmark = pytest.mark.oracle

POSITIONS: Final = 6_000  # random boards beside the real ones; 5,000 are promised
PLAYED: Final = 5_000  # OpenSpiel takes only positions that it has played itself, some 4 ms each


def _rolled_states() -> Iterator[State]:
    """Positions with a roll to play: real ones, random playouts, and odd random boards."""
    yield from (turn.state for turn in all_turns())
    playouts = (state for seed in range(30) for state in some_states(RULES, seed))
    yield from (state for state in playouts if isinstance(RULES.waiting(state), Players))
    random = Random(1)
    yield from (random_state(random) for _ in range(POSITIONS))


def test_gnubg_nn_finds_the_same_results() -> None:
    count = 0
    for state in _rolled_states():
        assert our_results(RULES, state) == gnubg_nn_results(state), state
        count += 1
    assert count > POSITIONS


def test_position_ids_equal_those_of_gnubg_and_gnubg_nn() -> None:
    gnubg_nn: Any = pytest.importorskip("gnubg_nn")
    gnubg: Any = pytest.importorskip("gnubg")
    count = 0
    for state in _rolled_states():
        seat = state.turn or 0
        mine, theirs = state.boards[seat], state.boards[1 - seat]
        ours = RULES.position(state)
        given = gnubg_board(mine, theirs)
        assert gnubg_nn.position_id(given) == ours
        assert gnubg.position_id((tuple(given[0]), tuple(given[1]))) == ours
        count += 1
    assert count > POSITIONS


@pytest.mark.parametrize(
    ("start", "expected"),
    [
        (START, "4HPwATDgc/ABMA"),
        (board({24: 1, 23: 1, 22: 1}), "AACgAgAAKgAAAA"),
        (board({24: 2, 23: 2, 13: 4, 8: 3, 6: 4}), "4Dl4ADbgOXgANg"),
    ],
)
def test_start_position_ids(start: Board, expected: str) -> None:
    assert position_id(start, start) == expected


def test_open_spiel_finds_the_same_results_and_the_same_points() -> None:
    pyspiel: Any = pytest.importorskip("pyspiel")
    game = pyspiel.load_game("backgammon(scoring_type=full_scoring)")
    random = Random(2)
    count = 0
    kinds: set[int] = set()
    while count < PLAYED:
        state: Any = game.new_initial_state()
        ours: State | None = None
        for spiel in open_spiel_turns(state, random):
            ours = spiel.to_play()
            assert (our_results(RULES, ours) or {spiel.sides(ours.turn or 0)}) == spiel.results(), ours
            count += 1
        assert ours is not None
        winner = int(ours.turn or 0)
        _, theirs = OpenSpiel(state).sides(winner)
        worth = [
            after.result.points
            for play in RULES.legal(ours, winner)
            if (after := RULES.play(ours, winner, play)).result and after.boards[1 - winner] == theirs
        ]
        assert worth
        assert worth[0] == state.returns()[winner]
        kinds.add(worth[0])
    assert kinds == {1, 2, 3}
