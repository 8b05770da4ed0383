"""Properties of Long nardy and Fevga in whole games (rules §2.4, §2.6, §13)."""

import re
from collections.abc import Iterator
from itertools import pairwise
from random import Random
from typing import Final

import msgspec
import pytest

from shared.rules import fevga, long_nardy
from shared.rules.nard.board import Board
from shared.rules.nard.game import Nard, State
from shared.rules.nard.movement import Sides
from shared.rules.nard.reading import hops
from shared.rules.nard.steps import STEPS
from shared.rules.protocol import PASS
from tests.support.playing import walk

GAMES: Final = 12
both_games = pytest.mark.parametrize("rules", [long_nardy.RULES, fevga.RULES], ids=lambda rules: rules.name)


def longest_run(mine: Board) -> int:
    runs = re.findall("1+", "".join(str(int(count > 0)) for count in mine[1:25]))
    return max(map(len, runs), default=0)


def games(rules: Nard) -> Iterator[list[State]]:
    """Games in which one side moves at random and the other likes to hold points in a row."""
    for seed in range(GAMES):
        random = Random(seed)

        def choose(state: State, seat: int, legal: tuple[str, ...], random: Random = random) -> str:
            if seat == 0 or random.random() < 0.2:
                return random.choice(legal)
            return max(legal, key=lambda move: longest_run(rules.play(state, seat, move).boards[seat]))

        yield list(walk(rules, rules.setup(2, {}, seed % 2), random, choose))


def rolled(rules: Nard) -> Iterator[tuple[State, int, list[str]]]:
    """Every state with dice, its seat and its legal plays; no passes."""
    for states in games(rules):
        for state in states:
            seat = state.turn or 0
            legal = rules.legal(state, seat)
            if legal and legal != (PASS,):
                yield state, seat, list(legal)


def on_the_way(mine: Board, play: str) -> Iterator[Board]:
    """The mover's board after every single step of a play."""
    own = list(mine)
    for text in play.split(" "):
        source, target, _ = STEPS[text]
        own[source] -= 1
        own[target] += 1
        yield tuple(own)


@both_games
def test_no_checker_is_lost_no_point_is_shared_and_nothing_is_hit(rules: Nard) -> None:
    for states in games(rules):
        for before, after in pairwise(states):
            for mine in after.boards:
                assert sum(mine) == 15
                assert min(mine) >= 0
            one, other = after.boards
            assert not any(one[p] and other[(p + 11) % 24 + 1] for p in range(1, 25))
            if before.turn is not None:
                waiting = 1 - before.turn
                assert after.boards[waiting] == before.boards[waiting]


@both_games
def test_every_play_uses_the_same_number_of_dice_and_has_a_result_of_its_own(rules: Nard) -> None:
    for state, seat, legal in rolled(rules):
        assert len({len(play.split(" ")) for play in legal}) == 1
        assert len({rules.play(state, seat, play).boards for play in legal}) == len(legal)


@both_games
def test_every_prefix_of_a_play_can_be_played_step_by_step(rules: Nard) -> None:
    for state, seat, legal in rolled(rules):
        dice = state.dice * 2 if state.dice[0] == state.dice[1] else state.dice
        sides = Sides(state.boards[seat], state.boards[1 - seat])
        for play in legal[:5]:
            steps = play.split(" ")
            for length in range(1, len(steps) + 1):
                prefix = " ".join(steps[:length])
                assert prefix in rules.movement.meant(sides, hops(prefix), dice)


@both_games
def test_legal_plays_do_not_depend_on_the_order_of_the_dice_or_on_the_seat(rules: Nard) -> None:
    for state, seat, legal in rolled(rules):
        swapped = msgspec.structs.replace(state, dice=state.dice[::-1])
        assert list(rules.legal(swapped, seat)) == legal
        mirrored = msgspec.structs.replace(state, boards=state.boards[::-1], turn=1 - seat)
        assert list(rules.legal(mirrored, 1 - seat)) == legal
        assert rules.position(mirrored) == rules.position(state)


@both_games
def test_the_position_text_tells_two_positions_apart(rules: Nard) -> None:
    seen: dict[str, tuple[Board, Board]] = {}
    for state, seat, _ in rolled(rules):
        sides = state.boards[seat], state.boards[1 - seat]
        assert seen.setdefault(rules.position(state), sides) == sides


def test_long_nardy_never_takes_two_from_the_head_but_on_a_first_turn() -> None:
    twice = 0
    for state, seat, legal in rolled(long_nardy.RULES):
        first_turn = state.boards[seat][24] == 15
        for play in legal:
            leaving = sum(STEPS[text].source == 24 for text in play.split(" "))
            assert leaving <= (2 if first_turn and state.dice in {(3, 3), (4, 4), (6, 6)} else 1)
            twice += leaving == 2
    assert twice


def is_bridge(mine: Board, theirs: Board) -> bool:
    """Rules §2.4 word for word, with the opponent's index j = 0 … 23."""
    held = [mine[(24 - j + 11) % 24 + 1] > 0 for j in range(24)]
    for start in range(24):
        end = start
        while end < 24 and held[end]:
            end += 1
        whole = end - start >= 6 and (start == 0 or not held[start - 1])
        if whole and not theirs[0] and not any(theirs[24 - j] for j in range(end, 24)):
            return True
    return False


def test_long_nardy_never_makes_a_bridge_not_even_on_the_way() -> None:
    runs = 0
    for state, seat, legal in rolled(long_nardy.RULES):
        for play in legal:
            for mine in on_the_way(state.boards[seat], play):
                assert not is_bridge(mine, state.boards[1 - seat])
                runs += longest_run(mine) >= 6
    assert runs  # there were blocks of six, but with somebody ahead


def test_fevga_never_holds_its_whole_start_quarter_and_lets_the_first_checker_go_alone() -> None:
    for state, seat, legal in rolled(fevga.RULES):
        for play in legal:
            for mine in on_the_way(state.boards[seat], play):
                assert not all(mine[19:25])
                assert mine[24] >= 14 or any(mine[:12])
