"""What holds in every game of scrabble (boardgames §9)."""

from random import Random
from typing import Final

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.rules.protocol import Over
from shared.rules.scrabble import RULES
from shared.rules.scrabble.tiles import RACK, TILES
from tests.support.playing import some_states, walk
from tests.support.scrabble import greedy, rehidden, tiles_of

seeds = st.integers(0, 2**32 - 1)
few = settings(max_examples=8, deadline=None)
OPTIONS: Final[tuple[dict[str, bool], ...]] = ({}, {"challenge": True})


@few
@given(seed=seeds, options=st.sampled_from(OPTIONS), seats=st.integers(2, 4))
def test_a_hundred_tiles_lie_somewhere_at_every_moment_and_games_end(
    seed: int, options: dict[str, bool], seats: int
) -> None:
    start = RULES.setup(seats, options, seed % seats)
    states = [*some_states(RULES, seed, seats, options), *walk(RULES, start, Random(seed), greedy)]
    for state in states:
        assert tiles_of(state) == TILES
        assert all(len(rack) <= RACK for rack in state.racks)
        settled = not state.mixing and state.open is None and state.result is None
        if settled and any(state.racks):
            assert all(len(rack) == RACK for rack in state.racks) or not state.bag
    assert isinstance(RULES.waiting(states[-1]), Over)


@few
@given(seed=seeds, options=st.sampled_from(OPTIONS))
def test_what_a_seat_may_not_know_changes_neither_its_view_nor_its_moves(
    seed: int, options: dict[str, bool]
) -> None:
    random = Random(seed)
    for state in walk(RULES, RULES.setup(3, options, 0), Random(seed), greedy):
        for seat in (None, 0, 1, 2):
            other = rehidden(state, seat, random)
            assert msgspec.json.encode(RULES.view(other, seat)) == msgspec.json.encode(
                RULES.view(state, seat)
            )
            if seat is not None:
                assert RULES.legal(other, seat) == RULES.legal(state, seat)


@few
@given(seed=seeds)
def test_points_are_what_the_plays_earned_and_the_end_corrected(seed: int) -> None:
    earned = [0, 0]
    last = None
    for state in walk(RULES, RULES.setup(2, {}, 0), Random(seed), greedy):
        if state.last is not None and state.last is not last:
            earned[state.last.seat] += state.last.points
            last = state.last
        corrections = state.corrections or (0, 0)
        assert list(state.scores) == [e + c for e, c in zip(earned, corrections, strict=True)]
