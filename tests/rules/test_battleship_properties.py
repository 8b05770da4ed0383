"""Battleship, whatever is played: fleets stay what and where they are, games end, secrets stay secret."""

from itertools import combinations, pairwise
from random import Random

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.rules.battleship import RULES, State
from shared.rules.battleship.board import BESIDE, NAMES, bars
from shared.rules.battleship.fleets import FLEETS, commitment, fleet_text, ships_in, suggestions, why_not
from shared.rules.protocol import Over
from tests.support.battleship import rehidden
from tests.support.playing import some_states

SEEDS = st.integers(0, 2**32 - 1)
few = settings(max_examples=15, deadline=None)
LENGTHS = tuple(int(length) for length in FLEETS[0].split(","))


@few
@given(seed=SEEDS, extra=st.booleans())
def test_twenty_cells_of_ships_lie_where_they_were_placed_and_none_touch(seed: int, *, extra: bool) -> None:
    states: list[State] = some_states(RULES, seed, options={"extra_shot_on_hit": extra})
    for before, after in pairwise(states):
        for seat in (0, 1):
            if not before.fleets[seat]:
                continue
            assert after.fleets[seat] == before.fleets[seat]
            assert after.commitments[seat] == before.commitments[seat]
            assert sum(map(len, after.fleets[seat])) == 20
            for one, other in combinations(after.fleets[seat], 2):
                assert not any(BESIDE[cell] >> near & 1 for cell in one for near in other)


@few
@given(seed=SEEDS, extra=st.booleans())
def test_a_random_game_ends_with_one_fleet_sunk_and_not_both(seed: int, *, extra: bool) -> None:
    last: State = some_states(RULES, seed, options={"extra_shot_on_hit": extra})[-1]
    over = RULES.waiting(last)
    assert isinstance(over, Over)
    winner = over.result.winner
    assert winner is not None
    assert sum(map(len, last.told(1 - winner).sunk)) == 20
    assert sum(map(len, last.told(winner).sunk)) < 20
    assert all(len(set(fired)) == len(fired) for fired in last.shots)
    for seat in (0, 1):
        assert last.commitments[seat] == commitment(last.nonces[seat], fleet_text(last.fleets[seat]))


@few
@given(seed=SEEDS)
def test_every_shot_is_told_as_exactly_one_of_miss_hit_and_sunk(seed: int) -> None:
    for state in some_states(RULES, seed):
        for seat in (0, 1):
            told = state.told(seat)
            sunk = [cell for ship in told.sunk for cell in ship]
            assert sorted([*told.misses, *told.hits, *sunk]) == sorted(state.shots[1 - seat])


@pytest.mark.parametrize("seed", range(3))
def test_a_seat_cannot_tell_fleets_apart_that_would_have_answered_alike(seed: int) -> None:
    """Given states with really other fleets, then view, legal moves, waiting and position are the same."""
    random, differ = Random(seed), 0
    for state in some_states(RULES, seed):
        for viewer in (0, 1, None):
            other = rehidden(state, viewer, random)
            differ += other.fleets != state.fleets
            assert _bytes(RULES.view(other, viewer)) == _bytes(RULES.view(state, viewer))
            assert RULES.position(other) == RULES.position(state)
            assert RULES.waiting(other) == RULES.waiting(state)
            assert viewer is None or RULES.legal(other, viewer) == RULES.legal(state, viewer)
    assert differ > 100


def _bytes(value: object) -> bytes:
    return msgspec.json.encode(value, order="sorted")


@few
@given(nonce=st.binary(min_size=32, max_size=32).map(bytes.hex), fleet=st.sampled_from(FLEETS))
def test_what_is_suggested_is_legal_and_there_is_always_a_choice(nonce: str, fleet: str) -> None:
    lengths = tuple(int(length) for length in fleet.split(","))
    found = suggestions(nonce, lengths)
    assert len(set(found)) == 8
    state = msgspec.structs.replace(RULES.setup(2, {"fleet": fleet}, 0), nonces=(nonce, nonce))
    assert [RULES.read(state, 0, text) for text in found] == list(found)


@settings(max_examples=200, deadline=None)
@given(cells=st.sets(st.integers(0, 99), min_size=1, max_size=24))
def test_only_straight_ships_that_do_not_touch_are_a_fleet(cells: set[int]) -> None:
    """Against a naive count: the ships, whatever their lengths, must be bars with water around."""
    ships = ships_in(cells)
    assert sorted(cell for ship in ships for cell in ship) == sorted(cells)
    straight = all(len(ship) <= 10 and any(bar.ship == ship for bar in bars(len(ship))) for ship in ships)
    lengths = tuple(map(len, ships))
    assert (why_not(ships, lengths) == "") == straight


@few
@given(seed=SEEDS)
def test_a_position_text_has_a_sign_or_a_number_for_each_of_a_hundred_cells(seed: int) -> None:
    for state in some_states(RULES, seed)[::9]:
        parts = RULES.position(state).split()
        for board in (parts[1], parts[3]):
            rows = board.split("/")
            assert len(rows) == 10
            for row in rows:
                digits = "".join(sign if sign.isdigit() else " " for sign in row).split()
                assert sum(map(int, digits)) + sum(not sign.isdigit() for sign in row) == 10
    assert len(NAMES) == 100
