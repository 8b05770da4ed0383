"""Properties of Plakoto on positions of every kind and in whole games (rules §2.5, §13)."""

import re
from collections.abc import Iterator
from itertools import pairwise
from random import Random
from typing import Final

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.rules.nard.game import State
from shared.rules.nard.movement import Sides
from shared.rules.nard.pinning import step
from shared.rules.nard.steps import STEPS
from shared.rules.plakoto import RULES
from shared.rules.protocol import Over
from tests.support.plakoto import random_pins
from tests.support.playing import some_states

rolled_states = st.builds(random_pins, st.integers(0, 2**32 - 1).map(Random))
many = settings(max_examples=200, deadline=None)
GAMES: Final = 60


def sides(state: State) -> Sides:
    """As the side to play sees them."""
    seen = Sides(*state.boards, state.pinned)
    return seen.swapped() if state.turn else seen


def plays(state: State) -> list[list[str]]:
    """The legal plays in single steps; none where only a pass is possible."""
    legal = RULES.legal(state, state.turn or 0)
    return [] if legal == ("pass",) else [play.split(" ") for play in legal]


def check_pins(state: State) -> None:
    """Every shared point has one pinned checker, alone of its side; nothing else is pinned."""
    assert state.pinned is not None
    for mine, theirs, pinned, others in (
        (*state.boards, *state.pinned),
        (*state.boards[::-1], *state.pinned[::-1]),
    ):
        assert list(pinned) == sorted(set(pinned), reverse=True)
        for point in range(1, 25):
            shared = mine[point] > 0 and theirs[25 - point] > 0
            assert shared == (point in pinned or 25 - point in others)
            assert not (point in pinned and 25 - point in others)
        assert all(mine[point] == 1 for point in pinned)


@many
@given(state=rolled_states)
def test_pins_are_the_shared_points_and_hold_one_checker_each(state: State) -> None:
    check_pins(state)
    for play in plays(state):
        check_pins(RULES.play(state, state.turn or 0, " ".join(play)))


@many
@given(state=rolled_states)
def test_a_pinned_checker_never_moves(state: State) -> None:
    seat = state.turn or 0
    assert state.pinned is not None
    for play in plays(state):
        assert not {STEPS[text].source for text in play} & set(state.pinned[seat])
        after = RULES.play(state, seat, " ".join(play))
        assert after.boards[1 - seat] == state.boards[1 - seat]
        assert all(after.boards[seat][point] == 1 for point in state.pinned[seat])


@many
@given(state=rolled_states)
def test_plays_that_go_on_use_the_same_number_of_dice_and_shorter_ones_end_the_game(state: State) -> None:
    seat = state.turn or 0
    longest = max((len(play) for play in plays(state)), default=0)
    for play in plays(state):
        over = isinstance(RULES.waiting(RULES.play(state, seat, " ".join(play))), Over)
        assert over or len(play) == longest


@many
@given(state=rolled_states)
def test_every_prefix_is_playable_does_not_end_the_game_and_has_its_star_where_it_pins(state: State) -> None:
    for play in plays(state):
        now = sides(state)
        dice = list(state.dice) * (2 if len(set(state.dice)) == 1 else 1)
        for text in play:
            source, target, star = STEPS[text]
            made = {die: step(now, source, die) for die in set(dice)}
            fitting = [
                (die, *found)
                for die, found in made.items()
                if not isinstance(found, str) and found[0].mine[target] > now.mine[target]
            ]
            assert fitting
            die, now, pins = fitting[0]
            dice.remove(die)
            assert pins == star
            opposing = 25 - target
            assert not star or opposing in (now.pinned or ((), ()))[1]


@many
@given(state=rolled_states)
def test_legal_plays_do_not_depend_on_the_order_of_the_dice_or_on_the_seat(state: State) -> None:
    seat = state.turn or 0
    legal = RULES.legal(state, seat)
    assert RULES.legal(msgspec.structs.replace(state, dice=state.dice[::-1]), seat) == legal
    swapped = Sides(*state.boards, state.pinned).swapped()
    mirrored = State(boards=swapped[:2], turn=1 - seat, dice=state.dice, pinned=swapped.pinned)
    assert RULES.legal(mirrored, 1 - seat) == legal
    assert RULES.position(mirrored) == RULES.position(state)


def games() -> Iterator[list[State]]:
    return (some_states(RULES, seed) for seed in range(GAMES))


def test_random_games_keep_their_checkers_and_end_in_every_way() -> None:
    """A mother that is caught stays caught to the end."""
    ways: set[tuple[str, bool]] = set()
    for states in games():
        for state in states:
            assert [sum(board) for board in state.boards] == [15, 15]
            assert min(map(min, state.boards)) >= 0
            check_pins(state)
        for before, after in pairwise(states):
            for seat in (0, 1):
                assert before.pinned is not None
                assert after.pinned is not None
                assert not (24 in before.pinned[seat] and 24 not in after.pinned[seat])
        last = states[-1]
        over = RULES.waiting(last)
        assert isinstance(over, Over)
        ways.add((over.result.kind, any(board[0] == 15 for board in last.boards)))
    assert ways == {("single", True), ("gammon", True), ("gammon", False), ("draw", False)}


def decoded(text: str) -> tuple[list[int], list[int], set[int], set[int]]:
    """Mover's and other side's counts and pinned points, each in own points, from a position text."""
    mine, theirs, pinned, held = [0] * 25, [0] * 25, set[int](), set[int]()
    point = 24
    for run, letter, star in re.findall(r"(\d+)|([A-Oa-o])(\*?)", text):
        if run:
            point -= int(run)
            continue
        owner, other, points = (mine, theirs, held) if letter.isupper() else (theirs, mine, pinned)
        there = point if letter.isupper() else 25 - point
        owner[there] = ord(letter.upper()) - ord("A") + 1
        if star:
            other[25 - there] = 1
            points.add(25 - there)
        point -= 1
    assert point == 0
    return mine, theirs, pinned, held


@many
@given(state=rolled_states)
def test_the_position_text_says_where_everything_stands_and_what_is_pinned(state: State) -> None:
    now = sides(state)
    mine, theirs, pinned, held = decoded(RULES.position(state))
    assert now.pinned is not None
    assert (mine[1:], theirs[1:]) == (list(now.mine[1:25]), list(now.theirs[1:25]))
    assert (pinned, held) == (set(now.pinned[0]), set(now.pinned[1]))
