"""Properties of §13 on positions of every kind, with a second, naive generator as witness."""

from itertools import permutations
from random import Random
from typing import Final

from hypothesis import given, settings
from hypothesis import strategies as st

from shared.rules.backgammon import RULES
from shared.rules.nard.board import Board
from shared.rules.nard.game import State
from shared.rules.nard.hitting import step
from shared.rules.nard.steps import STEPS
from tests.support.boards import random_state
from tests.support.playing import some_states

rolled_states = st.builds(random_state, st.integers(0, 2**32 - 1).map(Random))
many = settings(max_examples=150, deadline=None)
Sides = tuple[Board, Board]


def naive_results(state: State) -> set[Sides]:
    """Rules §1.4 word for word: depth first over all orders of the dice, longest plays, larger die."""
    seat = state.turn or 0
    start = (state.boards[seat], state.boards[1 - seat])
    one, two = state.dice
    orders = {(one,) * 4} if one == two else set(permutations(state.dice))
    leaves: dict[int, set[tuple[Sides, int]]] = {}

    def search(sides: Sides, dice: tuple[int, ...], used: int, last: int) -> None:
        ended = True
        for source in range(25, 0, -1):
            made = step(sides, source, dice[0]) if dice else ""
            if not isinstance(made, str):
                ended = False
                search(made[0], dice[1:], used + 1, dice[0])
        if ended:
            leaves.setdefault(used, set()).add((sides, last))

    for order in orders:
        search(start, order, 0, 0)
    longest = max(leaves)
    best = leaves[longest]
    if longest == 1 and one != two:
        best = {leaf for leaf in best if leaf[1] == max(state.dice)} or best
    return {sides for sides, _ in best}


def results(state: State) -> list[Sides]:
    seat = state.turn or 0
    after = (RULES.play(state, seat, move).boards for move in RULES.legal(state, seat))
    return [(boards[seat], boards[1 - seat]) for boards in after]


@many
@given(state=rolled_states)
def test_legal_lists_every_distinct_result_once(state: State) -> None:
    found = results(state)
    assert len(set(found)) == len(found)
    assert set(found) == naive_results(state)


@many
@given(state=rolled_states)
def test_legal_plays_do_not_depend_on_the_order_of_the_dice_or_on_the_seat(state: State) -> None:
    seat = state.turn or 0
    legal = RULES.legal(state, seat)
    swapped = State(boards=state.boards, turn=seat, dice=state.dice[::-1])
    assert RULES.legal(swapped, seat) == legal
    mirrored = State(boards=(state.boards[1], state.boards[0]), turn=1 - seat, dice=state.dice)
    assert RULES.legal(mirrored, 1 - seat) == legal


@many
@given(state=rolled_states)
def test_every_play_uses_the_same_number_of_dice_and_every_prefix_is_playable(state: State) -> None:
    seat = state.turn or 0
    plays = [move.split(" ") for move in RULES.legal(state, seat)]
    assert len({len(play) for play in plays}) == 1
    if plays == [["pass"]]:
        return
    for play in plays:
        sides = (state.boards[seat], state.boards[1 - seat])
        for text in play:
            source, target, hit = STEPS[text]
            made = [step(sides, source, die) for die in state.dice]
            fitting = [m for m in made if not isinstance(m, str) and m[0][0][target] > sides[0][target]]
            assert fitting
            sides, was_hit = fitting[0]
            assert was_hit == hit


MANY_GAMES: Final = 20


def test_no_checker_is_ever_lost_or_gained() -> None:
    for seed in range(MANY_GAMES):
        for state in some_states(RULES, seed):
            for mine in state.boards:
                assert len(mine) == 26
                assert min(mine) >= 0
                assert sum(mine) == 15
            one, other = state.boards
            assert not any(one[p] and other[25 - p] for p in range(1, 25))  # no point holds both sides
