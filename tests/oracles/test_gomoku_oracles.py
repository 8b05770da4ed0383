"""OpenSpiel agrees with our rules of gomoku and of 3D gomoku (rules §1, §2).

In two dimensions it takes five or more for a win: a game that an overline ends there goes on with us, unless
the same symbol makes a five as well.
"""

from collections.abc import Iterator
from random import Random
from typing import Any, Final

import pytest

from shared.rules import gomoku, gomoku3d
from shared.rules.protocol import Over, Rules
from tests.support.naive.gomoku import longest

pytestmark = pytest.mark.oracle

GAMES: Final = 300
NIGHTLY: Final = 10_000
FLAT: Final[tuple[tuple[int, dict[str, Any]], ...]] = ((15, {}), (19, {"size": 19}), (20, {"size": 20}))


def loaded(name: str) -> Any:
    """The game of OpenSpiel with this name and parameters."""
    pyspiel: Any = pytest.importorskip("pyspiel")
    return pyspiel.load_game(name)


def flat_move(action: int, size: int) -> str:
    """An action of OpenSpiel: cells row by row."""
    return f"{'abcdefghijklmnopqrst'[action % size]}{size - action // size}"


def cube_move(action: int) -> str:
    """An action of OpenSpiel: 16x + 4y + z."""
    return f"{action // 16 + 1}{'abcd'[action // 4 % 4]}{action % 4 + 1}"


def both(
    rules: Rules[Any], ours: Any, theirs: Any, moves: dict[str, int], random: Random
) -> Iterator[tuple[Any, Any]]:
    """A random game in both programs as far as theirs goes: each state with what they have."""
    while True:
        yield ours, theirs
        if theirs.is_terminal():
            return
        assert theirs.current_player() == ours.turn
        legal = rules.legal(ours, ours.turn)
        assert {moves[move] for move in legal} == set(theirs.legal_actions())
        move = random.choice(legal)
        theirs.apply_action(moves[move])
        ours = rules.play(ours, ours.turn, move)


def same_end(rules: Rules[Any], ours: Any, theirs: Any) -> None:
    """Both see the game over with the same result."""
    over = rules.waiting(ours)
    assert isinstance(over, Over)
    winner = {1.0: 0, -1.0: 1, 0.0: None}[theirs.returns()[0]]
    assert over.result.winner == winner


def flat_games(games: int) -> None:
    """So many random games agree; one ends for OpenSpiel alone by an overline without a five beside it."""
    compared = overlines = 0
    while compared < games:
        number = compared + overlines
        size, options = FLAT[number % len(FLAT)]
        moves = {flat_move(action, size): action for action in range(size * size)}
        start = gomoku.RULES.setup(2, options, 0)
        new = loaded(f"gomoku(size={size},connect=5)").new_initial_state()
        for ours, theirs in both(gomoku.RULES, start, new, moves, Random(number)):
            if not theirs.is_terminal():
                assert ours.result is None
                continue
            runs = longest(ours.board, size, "ox"[1 - ours.symbol])
            if max(runs) > 5 and 5 not in runs:
                overlines += 1
                assert ours.result is None or ours.result.winner is None
            else:
                compared += 1
                same_end(gomoku.RULES, ours, theirs)


def cube_games(games: int) -> None:
    """So many random games agree."""
    moves = {cube_move(action): action for action in range(64)}
    game = loaded("gomoku(size=4,dims=3,connect=4)")
    for seed in range(games):
        start = gomoku3d.RULES.setup(2, {}, 0)
        for ours, theirs in both(gomoku3d.RULES, start, game.new_initial_state(), moves, Random(seed)):
            if theirs.is_terminal():
                same_end(gomoku3d.RULES, ours, theirs)
            else:
                assert ours.result is None


def test_open_spiel_plays_random_games_of_gomoku_alike_where_nobody_has_more_than_five() -> None:
    flat_games(GAMES)


@pytest.mark.nightly
def test_open_spiel_plays_ten_thousand_random_games_of_gomoku_alike() -> None:
    flat_games(NIGHTLY)


def test_open_spiel_plays_random_games_of_3d_gomoku_alike() -> None:
    cube_games(GAMES)


@pytest.mark.nightly
def test_open_spiel_plays_ten_thousand_random_games_of_3d_gomoku_alike() -> None:
    cube_games(NIGHTLY)
