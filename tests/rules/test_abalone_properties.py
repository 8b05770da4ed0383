"""Properties of abalone in whole games (rules §5)."""

from collections.abc import Iterator
from itertools import pairwise
from random import Random
from typing import Final

import pytest

from shared.rules.abalone import RULES, State
from shared.rules.abalone.board import CELLS, NAMES
from shared.rules.protocol import Over
from tests.support.abalone import PLAYED
from tests.support.naive import abalone as naive
from tests.support.playing import walk

GAMES: Final = 12
COMPARED: Final = 300
NIGHTLY: Final = 5_000


def pushing_games(start: str, seed: int) -> Iterator[State]:
    """Games in which whoever can push does so mostly: contact, pushes of all kinds, marbles off."""
    random = Random(seed)

    def choose(state: State, seat: int, legal: tuple[str, ...]) -> str:
        some = random.sample(legal, min(len(legal), 12))
        there = state.marbles[1 - state.side]
        return max(some, key=lambda move: RULES.play(state, seat, move).marbles[1 - state.side] != there)

    return walk(RULES, RULES.setup(2, {"start": start}, seed % 2), random, choose)


def some_positions(count: int, seed: int) -> Iterator[State]:
    """So many positions of such games that go on."""
    number = seed
    while count:
        for state in pushing_games(("standard", "belgian_daisy")[number % 2], number):
            if state.result is None and count:
                count -= 1
                yield state
        number += 1


def board(state: State) -> dict[naive.Cell, int]:
    """As the second reading has it."""
    return {
        (ord(name[0]) - ord("a") + 1, int(name[1])): side
        for side in (0, 1)
        for cell, name in enumerate(NAMES)
        if state.marbles[side] >> cell & 1
    }


def agree(state: State) -> None:
    """Both readings have the same results, and each result has one move."""
    side = state.side
    expected = list(naive.results(board(state), side))
    found = [
        (frozenset(board(after).items()), after.ejected[side] > state.ejected[side])
        for after in (RULES.play(state, state.turn, move) for move in RULES.legal(state, state.turn))
    ]
    assert set(found) == set(expected)
    assert len(set(found)) == len(found) == len(expected)


def test_a_second_reading_has_the_same_moves_and_each_result_has_one() -> None:
    for state in some_positions(COMPARED, seed=0):
        agree(state)


@pytest.mark.nightly
def test_a_second_reading_has_the_same_moves_in_five_thousand_positions() -> None:
    for state in some_positions(NIGHTLY, seed=1_000):
        agree(state)


def turned(name: str) -> str:
    """The cell to which a sixth of a turn of the board brings this one."""
    row, number = "abcdefghi".index(name[0]) - 4, int(name[1]) - 5
    return f"{'abcdefghi'[number + 4]}{number - row + 5}"


def turned_set(marbles: int) -> int:
    return sum(1 << CELLS[turned(name)] for cell, name in enumerate(NAMES) if marbles >> cell & 1)


def test_the_board_looks_the_same_from_each_of_its_six_sides_and_to_both_colours() -> None:
    assert {turned(name) for name in NAMES} == set(NAMES)
    for state in some_positions(COMPARED, seed=100):
        expected = {turned(move[:2]) + turned(move[2:]) for move in RULES.legal(state, state.turn)}
        black, white = (turned_set(marbles) for marbles in state.marbles)
        assert (
            set(RULES.legal(State(first=state.first, ply=state.ply, marbles=(black, white)), state.turn))
            == expected
        )
        other = State(first=1 - state.first, ply=state.ply + 1, marbles=(white, black))
        assert set(RULES.legal(other, state.turn)) == expected


def test_random_games_end_and_every_marble_is_on_the_board_or_counted() -> None:
    kinds: set[str] = set()
    games = [
        *PLAYED.random_games(GAMES),
        *(list(pushing_games("belgian_daisy", seed)) for seed in range(GAMES)),
    ]
    for game in games:
        for before, after in pairwise(game):
            for side in (0, 1):
                assert after.marbles[side].bit_count() + after.ejected[1 - side] == 14
            assert not after.marbles[0] & after.marbles[1]
            off = after.ejected[before.side] - before.ejected[before.side]
            assert off in (0, 1)
            assert after.ejected[1 - before.side] == before.ejected[1 - before.side]
            assert len(after.earlier) == (0 if off else len(before.earlier) + 1)
            assert max(after.ejected) < 6 or after.result is not None
        over = RULES.waiting(game[-1])
        assert isinstance(over, Over)
        kinds.add(over.result.kind)
    assert kinds >= {"six marbles", "no ejection"}
