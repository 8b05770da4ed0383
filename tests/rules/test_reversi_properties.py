"""Properties of reversi in whole games (rules §6)."""

from collections.abc import Callable
from typing import Final

import pytest

from shared.rules.protocol import PASS
from shared.rules.reversi import RULES, State
from shared.rules.reversi.board import NAMES, SQUARES
from tests.support.naive import reversi as naive
from tests.support.reversi import PLAYED, legal

GAMES: Final = 60
NIGHTLY: Final = 3_000


def square_of(name: str) -> naive.Square:
    return "abcdefgh".index(name[0]) + 1, int(name[1])


def board(state: State) -> dict[naive.Square, int]:
    """As the second reading has it."""
    return {
        square_of(name): side
        for side in (0, 1)
        for square, name in enumerate(NAMES)
        if state.discs[side] >> square & 1
    }


def agree(state: State) -> None:
    """Both readings have the same moves and the same boards after them, and see the same end."""
    there = board(state)
    mine, theirs = naive.results(there, state.side), naive.results(there, 1 - state.side)
    if state.result is not None:
        assert not mine
        assert not theirs
        held = [list(there.values()).count(side) for side in (0, 1)]
        winner = None if held[0] == held[1] else state.first ^ held.index(max(held))
        assert state.result.winner == winner
        assert (state.result.kind == "wiped out") == (0 in held)
        assert (state.result.kind == "full board") == (sum(held) == 64 and 0 not in held)
        return
    assert mine or theirs
    moves = RULES.legal(state, state.turn)
    if not mine:
        assert moves == (PASS,)
        assert board(RULES.play(state, state.turn, PASS)) == there
        return
    assert list(moves) == sorted(moves)
    assert {square_of(move): board(RULES.play(state, state.turn, move)) for move in moves} == mine


def test_a_second_reading_has_the_same_moves_and_the_same_ends_in_whole_games() -> None:
    passes = 0
    for game in PLAYED.random_games(GAMES):
        for state in game:
            agree(state)
            passes += legal(state) == {PASS}
    assert passes > 10


@pytest.mark.nightly
def test_a_second_reading_agrees_in_three_thousand_games() -> None:
    kinds: set[str] = set()
    for game in PLAYED.random_games(NIGHTLY):
        for state in game:
            agree(state)
        assert game[-1].result is not None
        kinds.add(game[-1].result.kind)
    assert kinds >= {"full board", "mutual block"}


Turn = Callable[[int, int], tuple[int, int]]
TURNS: Final[tuple[Turn, ...]] = (
    lambda column, row: (row, column),
    lambda column, row: (7 - column, row),
    lambda column, row: (column, 7 - row),
    lambda column, row: (7 - row, column),
)


def turned(name: str, turn: Turn) -> str:
    column, row = turn(*(at - 1 for at in square_of(name)))
    return f"{'abcdefgh'[column]}{row + 1}"


@pytest.mark.parametrize("turn", TURNS, ids=["transposed", "mirrored", "upside down", "turned"])
def test_the_board_looks_the_same_from_every_side_and_to_both_colours(turn: Turn) -> None:
    for game in PLAYED.random_games(12):
        for state in game[:-1]:
            black, white = (
                sum(1 << SQUARES[turned(name, turn)] for at, name in enumerate(NAMES) if discs >> at & 1)
                for discs in state.discs
            )
            expected = {move if move == PASS else turned(move, turn) for move in legal(state)}
            assert legal(State(first=state.first, ply=state.ply, discs=(black, white))) == expected
            other = State(first=state.first, ply=state.ply + 1, discs=(white, black))
            assert legal(other) == expected
