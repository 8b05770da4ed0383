"""Our own computer players choose legally, always the same, and sensibly enough for the first hour."""

from random import Random
from typing import Any

import msgspec
import pytest

from services.ghost.players import Greedy, Heuristic, Seeded, Seen, answer, own_player
from shared.commands import AcceptBeaver, Pass, Play, Take
from shared.cube import Cube
from shared.events.match import MatchCreated, Seat, Terms
from shared.match import Phase, view
from shared.match.applying import created
from shared.rules.backgammon import RULES
from shared.rules.nard.game import State
from shared.rules.nard.hitting import HITS
from shared.rules.protocol import PASS, Players
from tests.support.boards import random_state, side, to_play
from tests.support.ghosts import VARIANTS, RandomPlayer, seen, wins
from tests.support.hidden_hand import CARDS, HiddenHand, hidden_hand, rehidden
from tests.support.playing import some_states

__all__ = ["hidden_hand"]

HEURISTIC = Heuristic()
START = RULES.setup(2, {}, 0).boards


def test_the_heuristic_plays_a_legal_move_in_every_position_of_random_games() -> None:
    for seed in range(4):
        for state in some_states(RULES, seed):
            waiting = RULES.waiting(state)
            if isinstance(waiting, Players):
                shown = seen(state, waiting.seats[0])
                if shown.legal != (PASS,):
                    assert HEURISTIC.move(shown) in shown.legal


def test_the_heuristic_plays_a_legal_move_in_odd_positions_too_and_always_the_same() -> None:
    random = Random(1)
    asked = 0
    while asked < 300:
        state = random_state(random)
        shown = seen(state, state.turn or 0)
        if shown.legal in ((), (PASS,)):
            continue
        asked += 1
        assert HEURISTIC.move(shown) in shown.legal
        assert Heuristic().move(shown) == HEURISTIC.move(shown)


@pytest.mark.parametrize(
    ("dice", "move"),
    [((3, 1), "8/5 6/5"), ((4, 2), "8/4 6/4"), ((6, 1), "13/7 8/7")],
)
def test_the_heuristic_makes_the_points_of_the_openings(dice: tuple[int, int], move: str) -> None:
    shown = seen(State(boards=START, turn=0, dice=dice), 0)
    assert sorted(HEURISTIC.move(shown).split(" ")) == sorted(move.split(" "))


def test_the_heuristic_hits_a_blot_that_would_escape() -> None:
    state = to_play({24: 2, 13: 5, 8: 3, 6: 5}, {24: 1, 18: 1, 13: 5, 8: 3, 6: 5}, (4, 1))
    assert "*" in HEURISTIC.move(seen(state, 0))


def test_the_heuristic_bears_off_when_the_sides_have_passed() -> None:
    state = to_play({6: 2, 4: 3, 2: 2}, {5: 3, 1: 2}, (6, 4))
    assert HEURISTIC.move(seen(state, 0)) == "6/off 4/off"


def test_the_heuristic_beats_a_random_player_in_nine_of_ten_games() -> None:
    assert wins(lambda _: HEURISTIC, RandomPlayer, 20) >= 18


DOUBLED = Cube(value=1, offered=2, by=0)


@pytest.mark.rule("S9")
@pytest.mark.parametrize(
    ("doubler", "doubled", "takes"),
    [
        ({24: 2, 13: 5, 8: 3, 6: 5}, {24: 2, 13: 5, 8: 3, 6: 5}, True),
        ({6: 5, 5: 5, 4: 5}, {6: 6, 5: 5, 4: 4}, True),  # an even race
        ({6: 2, 5: 2, 4: 2}, {6: 5, 5: 5, 4: 5}, False),  # a lost one
        ({7: 2, 6: 3, 5: 3, 4: 2, 3: 3, 2: 2}, {24: 1, 6: 5, 5: 5, 4: 4}, False),  # behind a full prime
        ({6: 3, 5: 3, 4: 3, 3: 3, 2: 3}, {25: 1, 6: 5, 5: 5, 4: 4}, False),  # on the bar against five points
    ],
)
def test_the_heuristic_takes_by_race_and_prime(
    doubler: dict[int, int], doubled: dict[int, int], *, takes: bool
) -> None:
    state = State(boards=(side(doubler), side(doubled)), turn=0)
    assert HEURISTIC.takes(seen(state, 1, cube=DOUBLED)) is takes


@pytest.mark.rule("S10")
@pytest.mark.parametrize(("theirs", "plays_on"), [({6: 5, 5: 5, 4: 5}, True), ({3: 2, 1: 2}, False)])
def test_a_beaver_is_played_on_unless_the_race_is_lost(theirs: dict[int, int], *, plays_on: bool) -> None:
    state = State(boards=(side({6: 5, 5: 5, 4: 5}), side(theirs)), turn=0)
    cube = Cube(value=2, owner=1, offered=4, by=1, beavered=True)
    assert HEURISTIC.accepts_beaver(seen(state, 0, cube=cube)) is plays_on


def test_answers_are_commands_out_of_those_that_are_possible() -> None:
    rolled = seen(State(boards=START, turn=0, dice=(3, 1)), 0)
    assert isinstance(answer(HEURISTIC, rolled, ("play",)), Play)
    even = seen(State(boards=START, turn=0), 1, cube=DOUBLED)
    assert answer(HEURISTIC, even, ("take", "pass", "beaver")) == Take()
    assert answer(HEURISTIC, even, ("accept_beaver", "pass")) == AcceptBeaver()
    lost = seen(State(boards=(side({1: 2}), START[1]), turn=0), 1, cube=DOUBLED)
    assert answer(HEURISTIC, lost, ("take", "pass")) == Pass()
    with pytest.raises(LookupError):
        answer(HEURISTIC, rolled, ("offer_draw",))


def shown_hand(rules: HiddenHand, position: Any, seat: int, decision: int) -> Seen:
    """What ``seat`` sees of a match of hidden hand."""
    event = MatchCreated(
        rules=rules.name,
        rules_version=rules.version,
        seats=(Seat("pone"), Seat("ptwo")),
        secret_hash="",
        terms=Terms(),
    )
    state = msgspec.structs.replace(
        created("mhands", event), phase=Phase.PLAYING, game=1, position=position, decisions=(decision,) * 2
    )
    return Seen(view(state, seat), rules.legal(position, seat))


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_level_says_whether_anybody_thinks_and_how(variant: str) -> None:
    rules, options = VARIANTS[variant]
    assert isinstance(own_player(rules, options, 1), Seeded)
    assert all(isinstance(own_player(rules, options, level), Greedy) for level in (0, 3))
    thumb = rules.movement is HITS and options["mode"] != "giveaway"
    assert isinstance(own_player(rules, options, 2), Heuristic if thumb else Greedy)


def test_every_other_game_is_played_by_legal_moves_that_only_the_decision_chooses(
    hidden_hand: HiddenHand,
) -> None:
    player = own_player(hidden_hand, {})
    assert isinstance(player, Seeded)
    dealt = hidden_hand.settle(hidden_hand.setup(2, {}, None), tuple(range(CARDS)))
    chosen = [player.move(shown_hand(hidden_hand, dealt, 1, decision)) for decision in range(30)]
    assert chosen == [Seeded().move(shown_hand(hidden_hand, dealt, 1, decision)) for decision in range(30)]
    assert set(chosen) == set(hidden_hand.legal(dealt, 1))


def test_what_a_seat_may_not_know_changes_no_choice(hidden_hand: HiddenHand) -> None:
    random = Random(5)
    asked = 0
    for state in some_states(hidden_hand, 3, 2):
        waiting = hidden_hand.waiting(state)
        if isinstance(waiting, Players):
            seat = waiting.seats[0]
            other = rehidden(state, seat, random)
            here, there = (shown_hand(hidden_hand, s, seat, 9) for s in (state, other))
            assert here == there
            assert Seeded().move(here) == Seeded().move(there)
            asked += 1
    assert asked
