"""Properties of prší in whole games of two to five (rules §8)."""

from itertools import pairwise
from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.problems import Refused
from shared.rules.protocol import Chance, Over, Players
from shared.rules.prsi import RULES, State
from shared.rules.prsi.cards import NAMES
from tests.support.playing import some_states
from tests.support.prsi import rehidden

seeds = st.integers(0, 2**32 - 1)
numbers = st.integers(2, 5)
houses = st.fixed_dictionaries(
    {},
    optional={
        "deal": st.sampled_from((4, 5)),
        "play_on": st.booleans(),
        "reshuffle": st.booleans(),
        "illegal_play_draws": st.booleans(),
    },
)
some = settings(max_examples=15, deadline=None)


def whole_pack(state: State) -> bool:
    held = [card for hand in state.hands for card in hand]
    return sorted((*held, *state.stock, *state.pile)) == list(range(32))


@some
@given(seed=seeds, seats=numbers, house=houses)
def test_the_32_cards_are_always_in_hands_stock_and_pile(
    seed: int, seats: int, house: dict[str, Any]
) -> None:
    for state in some_states(RULES, seed, seats, house):
        assert not state.dealt or whole_pack(state)


@some
@given(seed=seeds, seats=numbers, house=houses)
def test_what_is_active_says_what_is_legal(seed: int, seats: int, house: dict[str, Any]) -> None:
    for state in some_states(RULES, seed, seats, house):
        assert state.pending in (0, 2, 4, 6, 8)
        assert not (state.pending and state.ace)
        for seat in state.playing:
            legal = RULES.legal(state, seat)
            if state.pending and legal:
                assert set(legal) <= {"7h", "7l", "7b", "7a", "draw"}
                assert "draw" in legal
            if state.ace and legal:
                assert set(legal) <= {"Ah", "Al", "Ab", "Aa", "stand"}


@some
@given(seed=seeds, seats=numbers, house=houses)
def test_a_game_ends_with_a_place_for_every_seat(seed: int, seats: int, house: dict[str, Any]) -> None:
    last = RULES.waiting(some_states(RULES, seed, seats, house)[-1])
    assert isinstance(last, Over)
    places = sorted(last.result.places)
    assert places[0] == 1
    if last.result.kind == "out of cards" and house.get("play_on", True):
        assert places == list(range(1, seats + 1))


@some
@given(seed=seeds, seats=numbers, house=houses)
def test_a_turn_changes_only_the_hand_of_who_moves(seed: int, seats: int, house: dict[str, Any]) -> None:
    for before, after in pairwise(some_states(RULES, seed, seats, house)):
        if not before.dealt:
            continue
        for seat in range(seats):
            assert seat == before.turn or before.hands[seat] == after.hands[seat]


@some
@given(seed=seeds, seats=numbers, house=houses)
def test_refusals_and_notation_do_not_tell_what_a_seat_may_not_know(
    seed: int, seats: int, house: dict[str, Any]
) -> None:
    random = Random(seed)
    texts = [*NAMES, "Oh=l", "draw", "stand", "penalty", "?"]
    for state in some_states(RULES, seed, seats, house):
        for seat in range(seats):
            other = rehidden(state, seat, random)
            text = random.choice(texts)
            assert _answer(other, seat, text) == _answer(state, seat, text)
            for move in RULES.legal(state, seat):
                written = RULES.write(state, seat, move, seat)
                assert all(RULES.write(state, seat, move, viewer) == written for viewer in (None, 0, 1))


def _answer(state: State, seat: int, text: str) -> object:
    try:
        return RULES.read(state, seat, text)
    except Refused as refused:
        return refused.problem


@some
@given(seed=seeds, seats=st.integers(3, 5), house=houses)
def test_whoever_gives_up_at_any_turn_the_others_play_to_the_end(
    seed: int, seats: int, house: dict[str, Any]
) -> None:
    random = Random(seed)
    states = [state for state in some_states(RULES, seed, seats, house) if _asks(state)]
    state, gone = random.choice(states), list[int]()
    for _ in range(2000):
        waiting = RULES.waiting(state)
        if isinstance(waiting, Over):
            break
        if random.random() < 0.05:
            gone.append(random.choice(state.playing))
            state = RULES.depart(state, gone[-1])
        elif isinstance(waiting, Chance):
            size: Any = waiting.draw
            state = RULES.settle(state, tuple(random.sample(range(size.size), size.size)))
        else:
            seat = waiting.seats[0]
            state = RULES.play(state, seat, random.choice(RULES.legal(state, seat)))
        assert whole_pack(state)
        assert state.turn in state.playing or state.result
    over = RULES.waiting(state)
    assert isinstance(over, Over)
    assert [over.result.places[seat] for seat in gone] == list(range(seats, seats - len(gone), -1))


def _asks(state: State) -> bool:
    return isinstance(RULES.waiting(state), Players)


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_a_state_is_a_plain_value(seats: int) -> None:
    for state in some_states(RULES, seats, seats):
        assert msgspec.json.decode(msgspec.json.encode(state), type=State) == state
