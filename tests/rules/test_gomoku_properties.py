"""Properties of gomoku in whole games (rules §1)."""

from collections.abc import Iterator
from itertools import pairwise
from random import Random
from typing import Any, Final

import pytest

from shared.rules.gomoku import RULES, State
from shared.rules.protocol import Over
from tests.support.gomoku import filling
from tests.support.naive import gomoku as naive
from tests.support.playing import Choose, some_states, walk

GAMES: Final = 40
NIGHTLY: Final = 2_000
OPTIONS: Final[tuple[dict[str, Any], ...]] = (
    {},
    {"variant": "pro"},
    {"variant": "swap", "size": 19},
    {"variant": "swap2"},
    {"variant": "swap2", "size": 20},
)


def peaceful(random: Random) -> Choose:
    """A player who avoids to win: long runs."""

    def choose(state: State, seat: int, legal: tuple[str, ...]) -> str:
        some = random.sample(legal, min(len(legal), 8))
        return next((move for move in some if RULES.play(state, seat, move).result is None), some[0])

    return choose


def tidy(random: Random) -> Choose:
    """A player who keeps to a pattern without three in a row, as far as he can: full boards."""

    def choose(state: State, seat: int, legal: tuple[str, ...]) -> str:  # noqa: ARG001 - for either seat
        pattern = set(filling(state.grid.size)[state.symbol :: 2])
        return random.choice([move for move in legal if move in pattern] or legal)

    return choose


def some_games(count: int, seed: int) -> Iterator[list[State]]:
    """So many games of every opening: random ones, peaceful ones and tidy ones."""
    for number in range(seed, seed + count):
        random = Random(number)
        temper = (None, peaceful(random), tidy(random))[number % 3]
        start = RULES.setup(2, OPTIONS[number % len(OPTIONS)], number % 2)
        yield list(walk(RULES, start, random, temper))


def agree(state: State) -> None:
    """The game has ended if and only if a second reading sees exactly five, or no free cell."""
    won = [naive.won(state.board, state.grid.size, sign) for sign in "ox"]
    full = "." not in state.board
    if not any(won):
        assert (state.result is not None) == full
        assert state.result is None or state.result.kind == "full board"
        return
    assert state.result is not None
    assert state.circles is not None
    assert won.count(True) == 1
    assert state.result.winner == state.circles ^ won.index(True)
    assert state.result.kind == "five in a row"


def test_a_second_reading_sees_a_win_exactly_where_the_game_has_ended() -> None:
    kinds: set[str] = set()
    longest: set[int] = set()
    for game in some_games(GAMES, seed=0):
        for state in game:
            agree(state)
        assert game[-1].result is not None
        kinds.add(game[-1].result.kind)
        for sign in "ox":
            longest |= naive.longest(game[-1].board, game[-1].grid.size, sign)
    assert kinds == {"five in a row", "full board"}
    assert {4, 5, 6, 7} <= longest  # overlines were made, and did not win


@pytest.mark.nightly
def test_a_second_reading_agrees_in_two_thousand_games() -> None:
    for game in some_games(NIGHTLY, seed=1_000):
        for state in game:
            agree(state)


def test_symbols_alternate_and_nothing_moves_or_goes() -> None:
    for game in some_games(GAMES, seed=100):
        for before, after in pairwise(game):
            changed = [(old, new) for old, new in zip(before.board, after.board, strict=True) if old != new]
            assert changed in ([], [(".", "ox"[before.placed % 2])])
            assert bool(changed) == (after.placed == before.placed + 1)
            assert after.placed == after.board.count("o") + after.board.count("x")
            assert after.board.count("o") - after.board.count("x") in (0, 1)
            if before.circles is not None:
                assert after.circles == before.circles
                assert before.turn == before.circles ^ before.placed % 2


def test_half_moves_add_up_to_the_symbols_on_the_board() -> None:
    for number, options in enumerate(OPTIONS):
        random, counted = Random(number), 0
        state = RULES.setup(2, options, 0)
        for _ in range(30):
            if isinstance(RULES.waiting(state), Over):
                break
            move = random.choice(RULES.legal(state, state.turn))
            counted += RULES.half_moves(state, move)
            state = RULES.play(state, state.turn, move)
            assert counted == state.placed


def test_a_game_looks_the_same_from_every_side_of_the_board_and_in_a_mirror() -> None:
    size = 15
    for seed in range(GAMES):
        game = some_states(RULES, seed)
        state, mirrored = game[0], game[0]
        for before, after in pairwise(game):
            cell = next(at for at in range(size * size) if before.board[at] != after.board[at])
            row, column = divmod(cell, size)
            for _ in range(seed % 4):
                row, column = column, size - 1 - row
            if seed % 8 > 3:
                column = size - 1 - column
            mirrored = RULES.play(mirrored, state.turn, state.grid.names[row * size + column])
            state = after
            assert mirrored.result == after.result
