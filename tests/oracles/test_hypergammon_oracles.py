"""Independent programs agree with our plays of Hypergammon and Nackgammon (rules §11).

OpenSpiel's returns in Hypergammon are always nought, so what a game is worth has no witness there.
"""

from collections.abc import Iterator
from random import Random
from typing import Any, Final

import pytest

from shared.rules import hypergammon, nackgammon
from shared.rules.nard.game import Nard, State
from shared.rules.protocol import Players
from tests.support.oracles import gnubg_board, gnubg_nn_results, open_spiel_turns, our_results
from tests.support.playing import some_states

pytestmark = pytest.mark.oracle

POSITIONS: Final = 5_000
PLAYED: Final = 2_000  # OpenSpiel takes only positions that it has played itself
CHECKERS: Final = 3
every_game = pytest.mark.parametrize(
    "rules", [hypergammon.RULES, nackgammon.RULES], ids=lambda rules: rules.name
)


def _rolled_states(rules: Nard) -> Iterator[State]:
    """Positions with a roll to play from random games, from the start on."""
    seed = count = 0
    while count < POSITIONS:
        for state in some_states(rules, seed):
            if isinstance(rules.waiting(state), Players):
                count += 1
                yield state
        seed += 1


@every_game
def test_gnubg_nn_finds_the_same_results(rules: Nard) -> None:
    for state in _rolled_states(rules):
        assert our_results(rules, state) == gnubg_nn_results(state), state


@every_game
def test_position_ids_equal_those_of_gnubg_and_gnubg_nn(rules: Nard) -> None:
    gnubg_nn: Any = pytest.importorskip("gnubg_nn")
    gnubg: Any = pytest.importorskip("gnubg")
    for state in _rolled_states(rules):
        seat = state.turn or 0
        given = gnubg_board(state.boards[seat], state.boards[1 - seat])
        assert gnubg_nn.position_id(given) == rules.position(state)
        assert gnubg.position_id((tuple(given[0]), tuple(given[1]))) == rules.position(state)


def test_open_spiel_starts_hypergammon_alike_and_finds_the_same_results() -> None:
    pyspiel: Any = pytest.importorskip("pyspiel")
    game = pyspiel.load_game("backgammon(hyper_backgammon=true)")
    random = Random(2)
    count = 0
    while count < PLAYED:
        for turn, spiel in enumerate(open_spiel_turns(game.new_initial_state(), random, CHECKERS)):
            ours = spiel.to_play()
            assert turn or ours.boards == (hypergammon.START, hypergammon.START)
            results = our_results(hypergammon.RULES, ours) or {spiel.sides(ours.turn or 0)}
            assert results == spiel.results(), ours
            count += 1
