"""Properties of Czech draughts on positions of every kind and in whole games (rules §4)."""

from itertools import pairwise
from random import Random
from typing import Final

import pytest

from shared.rules.draughts import RULES, State
from shared.rules.draughts.board import NAMES
from shared.rules.protocol import Over
from tests.support.draughts import PLAYED, at, random_position
from tests.support.naive import draughts as naive
from tests.support.playing import Choose, walk

POSITIONS: Final = 1_500
NIGHTLY: Final = 30_000
GAMES: Final = 100


def board(state: State) -> dict[str, str]:
    """As the second reading has it: the square's name, and w, b, W or B."""
    found: dict[str, str] = {}
    for square, name in enumerate(NAMES):
        for pieces, letter in zip((*state.men, *state.kings), "wbWB", strict=True):
            if pieces >> square & 1:
                found[name] = letter
    return found


def agree(state: State) -> None:
    """Both readings have the same moves, of which each leads to the same board by whatever way it is told."""
    there, colour = board(state), "wb"[state.side]
    by_move: dict[tuple[str, str, frozenset[str]], list[naive.Way]] = {}
    for way in naive.ways(there, colour):
        by_move.setdefault((way.path[0], way.path[-1], way.taken), []).append(way)
    expected: set[str] = set()
    for ways in by_move.values():
        texts = [(":" if way.taken else "-").join(way.path) for way in ways]
        canonical = max(texts)
        expected.add(canonical)
        assert {RULES.read(state, state.turn, text) for text in texts} == {canonical}
        after = RULES.play(state, state.turn, canonical)
        assert board(after) == naive.after(there, ways[0])
    legal = RULES.legal(state, state.turn)
    assert set(legal) == expected
    assert list(legal) == sorted(legal)


def test_a_second_reading_has_the_same_moves_in_positions_of_every_kind() -> None:
    for seed in range(POSITIONS):
        agree(random_position(Random(seed)))


@pytest.mark.nightly
def test_a_second_reading_has_the_same_moves_in_thirty_thousand_positions() -> None:
    for seed in range(NIGHTLY):
        agree(random_position(Random(1_000_000 + seed)))


def test_a_second_reading_has_the_same_moves_in_whole_games() -> None:
    for game in PLAYED.random_games(30):
        for state in game[:-1]:
            agree(state)


def turned(text: str) -> str:
    """A move seen from the other side of the board."""
    sign = ":" if ":" in text else "-"
    return sign.join(NAMES[-1 - NAMES.index(name)] for name in text.split(sign))


def mirrored(state: State) -> State:
    """The same position with the colours changed and the board turned round."""
    white, black = (
        tuple(int(f"{pieces:032b}"[::-1], 2) for pieces in pair) for pair in (state.men, state.kings)
    )
    return State(
        first=1 - state.first, ply=state.ply + 1, men=(white[1], white[0]), kings=(black[1], black[0])
    )


def test_neither_colour_is_better_off() -> None:
    for seed in range(POSITIONS):
        state = random_position(Random(seed))
        other = mirrored(state)
        assert other.turn == state.turn
        ways = {(move[:2], move[-2:], move.count(":")) for move in RULES.legal(state, state.turn)}
        assert {
            (move[:2], move[-2:], move.count(":")) for move in map(turned, RULES.legal(other, state.turn))
        } == ways
        assert len(RULES.legal(other, state.turn)) == len(RULES.legal(state, state.turn))


def test_random_games_end_and_pieces_are_only_taken_or_crowned() -> None:
    kinds: set[str] = set()
    for game in PLAYED.random_games(GAMES):
        for before, after in pairwise(game):
            side = before.side
            force = [
                (state.men[who].bit_count(), state.kings[who].bit_count())
                for state in (before, after)
                for who in (side, 1 - side)
            ]
            (men, kings), (their_men, their_kings), (men_now, kings_now), (their_men_now, their_kings_now) = (
                force
            )
            assert (men_now, kings_now) in {(men, kings), (men - 1, kings + 1)}
            assert their_men_now <= their_men
            assert their_kings_now <= their_kings
            taken = their_men + their_kings - their_men_now - their_kings_now
            captures = any(":" in move for move in RULES.legal(before, before.turn))
            assert (taken > 0) == captures
            assert len(after.earlier) < 30 or after.result is not None
            pieces = (*after.men, *after.kings)
            assert sum(pieces) == pieces[0] | pieces[1] | pieces[2] | pieces[3]  # none stands on another
        over = RULES.waiting(game[-1])
        assert isinstance(over, Over)
        kinds.add(over.result.kind)
    assert {"no pieces", "blocked", "material"} <= kinds


def carefully(random: Random) -> Choose:
    """Moves after which nothing can be taken, where there are any."""

    def choose(state: State, seat: int, legal: tuple[str, ...]) -> str:
        reached = {move: RULES.play(state, seat, move) for move in legal}
        safe = [
            move for move, after in reached.items() if not any(":" in reply for reply in PLAYED.legal(after))
        ]
        return random.choice(safe or legal)

    return choose


@pytest.mark.nightly
def test_kings_that_take_care_come_to_every_draw() -> None:
    start = at("W:WKa1,Kc1,Ke1,c3:BKb8,Kd8,Kf8,f6")
    kinds: set[str] = set()
    for seed in range(300):
        random = Random(seed)
        *_, last = walk(RULES, start, random, carefully(random))
        over = RULES.waiting(last)
        assert isinstance(over, Over)
        kinds.add(over.result.kind)
    assert kinds >= {"no pieces", "repetition", "fifteen moves", "three kings", "material"}
