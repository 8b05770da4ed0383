"""The engine's choices are always legal by our rules, and better than our own."""

from random import Random

import pytest

from services.ghost.players import Heuristic, Player, Sage, Seen
from services.ghost.players.sage import NoAgreement, legal_move, sage_board
from services.ghost.players.tables import Boards
from shared.cube import Cube
from shared.events.match import Terms
from shared.rules.backgammon import RULES
from shared.rules.nard.game import State
from shared.rules.protocol import PASS, Players
from tests.support.boards import random_state, side, to_play
from tests.support.ghosts import seen, wins
from tests.support.playing import some_states

pytest.importorskip("bgsage", reason="the optional group engine")

START = RULES.setup(2, {}, 0).boards


@pytest.fixture(scope="module")
def sage() -> Sage:
    """The engine, loaded once."""
    return Sage.load()


def asked(states: list[State]) -> list[Seen]:
    """What the seats see of those states in which there is something to choose."""
    found: list[Seen] = []
    for state in states:
        waiting = RULES.waiting(state)
        if isinstance(waiting, Players):
            shown = seen(state, waiting.seats[0])
            if shown.legal != (PASS,):
                found.append(shown)
    return found


def test_the_engine_and_our_rules_agree_in_games_and_in_odd_positions(sage: Sage) -> None:
    random = Random(11)
    games = [state for seed in range(4) for state in some_states(RULES, seed)]
    shown = asked(games) + asked([random_state(random) for _ in range(400)])
    assert len(shown) > 500
    assert any("off" in s.legal[0] for s in shown)
    assert any("bar" in s.legal[0] for s in shown)
    for each in shown:
        assert sage.move(each) in each.legal
    another = Sage.load()
    assert [sage.move(each) for each in shown[:50]] == [another.move(each) for each in shown[:50]]


def test_boards_are_told_to_the_engine_as_it_reads_them() -> None:
    mine, theirs = side({25: 1, 24: 2, 6: 12}), side({25: 2, 24: 1, 8: 3, 6: 9})
    told = sage_board(Boards(mine, theirs))
    assert told[25] == 1
    assert told[0] == 2, "the opponent's bar is a positive number"
    assert (told[24], told[6]) == (2, 12)
    assert (told[1], told[17], told[19]) == (-1, -3, -9)
    assert len(told) == 26


@pytest.mark.parametrize(
    ("dice", "move"),
    [((3, 1), "8/5 6/5"), ((4, 2), "8/4 6/4"), ((6, 1), "13/7 8/7"), ((6, 5), "24/18 18/13")],
)
def test_the_engine_plays_the_openings_of_the_books(sage: Sage, dice: tuple[int, int], move: str) -> None:
    chosen = sage.move(seen(State(boards=START, turn=0, dice=dice), 0))
    assert sorted(chosen.split(" ")) == sorted(move.split(" "))


def test_a_last_checker_that_the_engine_bears_off_by_one_die_is_played_by_both(sage: Sage) -> None:
    shown = seen(to_play({3: 1}, {23: 1, 10: 1}, (4, 1)), 0)
    assert shown.legal == ("3/2* 2/off",)
    assert sage.move(shown) == shown.legal[0]


def test_an_engine_that_finds_only_illegal_moves_is_not_followed() -> None:
    shown = seen(to_play({6: 1, 5: 1}, {6: 1}, (2, 1)), 0)
    with pytest.raises(NoAgreement):
        legal_move(shown, [sage_board(Boards(side({1: 2}), side({6: 1})))])


@pytest.mark.rule("S9")
def test_the_engine_takes_what_is_even_and_passes_what_is_lost(sage: Sage) -> None:
    doubled = Cube(value=1, offered=2, by=0)
    even = State(boards=START, turn=0)
    lost = State(boards=(side({2: 2}), side({6: 5, 5: 5, 4: 5})), turn=0)
    for terms, score in ((Terms(), (0, 0)), (Terms(target=7), (3, 2))):
        assert sage.takes(seen(even, 1, terms, cube=doubled, score=score))
        assert not sage.takes(seen(lost, 1, terms, cube=doubled, score=score))


@pytest.mark.rule("S9")
def test_the_engine_minds_the_score(sage: Sage) -> None:
    # A long race, 10 pips behind: a pass costs one point of many, but here it would cost the match.
    race = State(boards=(side({6: 5, 5: 5, 4: 5}), side({7: 5, 6: 5, 5: 5})), turn=0)
    doubled = Cube(value=1, offered=2, by=0)
    assert not sage.takes(seen(race, 1, Terms(target=7), cube=doubled, score=(0, 0)))
    assert sage.takes(seen(race, 1, Terms(target=7), cube=doubled, score=(6, 3), crawford_used=True))


@pytest.mark.rule("S10")
def test_the_engine_plays_a_beaver_on_only_where_it_is_not_lost(sage: Sage) -> None:
    cube = Cube(value=2, owner=1, offered=4, by=1, beavered=True)
    good = State(boards=START, turn=0)
    bad = State(boards=(side({6: 5, 5: 5, 4: 5}), side({2: 2})), turn=0)
    assert sage.accepts_beaver(seen(good, 0, cube=cube))
    assert not sage.accepts_beaver(seen(bad, 0, cube=cube))


@pytest.mark.nightly
def test_the_engine_beats_our_own_player_more_often_than_not(sage: Sage) -> None:
    def engine(_: int) -> Player:
        return sage

    assert wins(engine, lambda _: Heuristic(), 60) > 30
