"""Independent programs agree with our rules of reversi (rules §6): OpenSpiel and Fairy-Stockfish.

Fairy-Stockfish (pyffish) lets both pass before a mutual block is the end.
"""

from itertools import pairwise
from random import Random
from typing import Any, Final

import pytest

from shared.rules.protocol import PASS
from shared.rules.reversi import RULES, State
from tests.support.reversi import BLOCKED, PLAYED, WIPED_OUT, legal, recorded, replayed

pytestmark = pytest.mark.oracle

GAMES: Final = 300
NIGHTLY: Final = 10_000
FAIRY_GAMES: Final = 30  # each of its answers takes pyffish some 2 ms
FAIRY_NIGHTLY: Final = 1_000
VARIANT: Final = "flipello"
_PASS: Final = 64  # OpenSpiel's action


def spiel_move(action: int) -> str:
    """An action of OpenSpiel: squares row by row from a1."""
    return PASS if action == _PASS else f"{'abcdefgh'[action % 8]}{action // 8 + 1}"


def fairy_move(uci: str) -> str:
    """A move of Fairy-Stockfish, whose rows count from the bottom; a pass moves a disc to where it lies."""
    return f"{uci[2]}{9 - int(uci[3])}" if uci.startswith("P@") else PASS


def board_of_spiel(state: Any) -> str:
    """The 64 signs as a position has them, from OpenSpiel's printed board."""
    rows = [line.split()[1:9] for line in str(state).splitlines() if line[:1].isdigit()]
    return "".join(sign for row in rows for sign in row).upper()


def against_open_spiel(games: int) -> None:
    """Legal moves, boards and results of so many random games."""
    pyspiel: Any = pytest.importorskip("pyspiel")
    game = pyspiel.load_game("othello")
    passes = 0
    for seed in range(games):
        random, theirs = Random(seed), game.new_initial_state()
        ours = RULES.setup(2, {}, 0)
        while not theirs.is_terminal():
            assert theirs.current_player() == ours.turn
            actions = {spiel_move(action): action for action in theirs.legal_actions()}
            assert actions.keys() == legal(ours)
            move = random.choice(sorted(actions))
            passes += move == PASS
            theirs.apply_action(actions[move])
            ours = RULES.play(ours, ours.turn, move)
            assert RULES.position(ours).split()[0] == board_of_spiel(theirs)
        assert ours.result is not None
        winner = {1.0: 0, -1.0: 1, 0.0: None}[theirs.returns()[0]]
        assert ours.result.winner == winner
    assert passes > games // 10


def test_open_spiel_plays_random_games_alike() -> None:
    against_open_spiel(GAMES)


@pytest.mark.nightly
def test_open_spiel_plays_ten_thousand_random_games_alike() -> None:
    against_open_spiel(NIGHTLY)


def agrees_with_fairy(states: list[State]) -> int:
    """Legal moves in every state of a game, and the result; the passes that were met."""
    pyffish: Any = pytest.importorskip("pyffish")
    start: str = pyffish.start_fen(VARIANT)
    played: list[str] = []
    passes = 0

    def moves() -> dict[str, str]:
        found: list[str] = pyffish.legal_moves(VARIANT, start, played)
        return {fairy_move(uci): uci for uci in found}

    for before, after in pairwise(states):
        found = moves()
        assert found.keys() == legal(before)
        move = next(move for move in found if RULES.play(before, before.turn, move) == after)
        passes += move == PASS
        played.append(found[move])
    last = states[-1]
    assert last.result is not None
    if last.result.kind == "mutual block":
        played.append(moves()[PASS])
        played.append(moves()[PASS])
    assert not moves()
    value = pyffish.game_result(VARIANT, start, played)
    assert last.result.winner == (None if value == 0 else last.turn if value > 0 else 1 - last.turn)
    return passes


def fairy_games(games: int) -> None:
    """So many random games agree, passes among them."""
    assert sum(agrees_with_fairy(game) for game in PLAYED.random_games(games)) > games // 10


def test_fairy_stockfish_plays_random_games_alike() -> None:
    fairy_games(FAIRY_GAMES)


@pytest.mark.parametrize(("moves", "kind"), [(WIPED_OUT, "wiped out"), (BLOCKED, "mutual block")])
def test_fairy_stockfish_ends_a_game_early_alike(moves: str, kind: str) -> None:
    states = replayed(tuple(moves.split()))
    assert states[-1].result is not None
    assert states[-1].result.kind == kind
    agrees_with_fairy(states)


def test_fairy_stockfish_ends_the_games_of_tournaments_in_which_nobody_could_move_alike() -> None:
    blocked = [
        states
        for states in (replayed(game.squares) for game in recorded())
        if states[-1].result is not None and states[-1].result.kind == "mutual block"
    ]
    assert len(blocked) == 3
    for states in blocked:
        agrees_with_fairy(states)


@pytest.mark.nightly
def test_fairy_stockfish_plays_a_thousand_random_games_alike() -> None:
    fairy_games(FAIRY_NIGHTLY)
