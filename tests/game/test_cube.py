"""The doubling cube in the match: who may turn it, what the answers do, what it is worth."""

import pytest

from shared.commands import AcceptBeaver, Beaver, Double, Pass, Play, Roll, SetAutoRoll, Take
from shared.cube import Cube
from shared.events.match import (
    BeaverAccepted,
    DoubleBeavered,
    DoubleOffered,
    DoublePassed,
    DoubleTaken,
    GameEnded,
    MatchEnded,
    Terms,
)
from shared.match import demands, view
from tests.support.story import Story, race

BEAVERS = Terms(target=9, beaver=True)


def story(terms: Terms | None = None) -> Story:
    return Story(terms or Terms(target=9)).started()


def who_decides(told: Story) -> list[tuple[int, tuple[str, ...]]]:
    return [(demand.seat, demand.commands) for demand in demands(told.state)]


@pytest.mark.rule("S9")
def test_a_taken_double_gives_the_cube_to_the_taker_who_alone_may_redouble() -> None:
    told = story().to_roll(0)
    assert told.when(0, Double()) == (DoubleOffered(0, 2),)
    assert who_decides(told) == [(1, ("take", "pass"))]
    assert told.when(1, Take()) == (DoubleTaken(1, 2),)
    assert told.state.cube == Cube(value=2, owner=1)
    assert who_decides(told) == [(0, ("roll",))]
    assert told.refusal(0, Double()) == "cube_unavailable"
    told.to_roll(1)
    assert told.when(1, Double()) == (DoubleOffered(1, 4),)


@pytest.mark.rule("S9")
def test_a_pass_ends_the_game_at_the_value_before_the_offer_without_gammon() -> None:
    told = story().given(cube=Cube(value=4, owner=0)).to_roll(0)
    told.when(0, Double())
    ended = GameEnded(game=1, winner=0, kind="single", cause="passed", points=4, score=(4, 0))
    assert told.when(1, Pass()) == (DoublePassed(1), ended)


@pytest.mark.rule("S10")
def test_refusing_a_beaver_costs_the_doubled_value() -> None:
    told = story(BEAVERS).to_roll(0)
    told.when(0, Double())
    assert told.when(1, Beaver()) == (DoubleBeavered(1, 4),)
    assert who_decides(told) == [(0, ("accept_beaver", "pass"))]
    ended = GameEnded(game=1, winner=1, kind="single", cause="passed", points=2, score=(0, 2))
    assert told.when(0, Pass()) == (DoublePassed(0), ended)


@pytest.mark.rule("S10")
def test_accepting_a_beaver_leaves_the_cube_at_four_with_the_one_who_beavered() -> None:
    told = story(BEAVERS).to_roll(0)
    told.when(0, Double())
    told.when(1, Beaver())
    assert told.when(0, AcceptBeaver()) == (BeaverAccepted(0, 4),)
    assert told.state.cube == Cube(value=4, owner=1)
    assert who_decides(told) == [(0, ("roll",))]


@pytest.mark.rule("S10", "N8")
def test_there_is_no_beaver_where_the_table_has_none_or_the_cube_would_pass_its_limit() -> None:
    told = story().to_roll(0)
    told.when(0, Double())
    assert told.refusal(1, Beaver()) == "beaver_unavailable"
    told = story(BEAVERS).given(cube=Cube(value=32, owner=0)).to_roll(0)
    told.when(0, Double())
    assert told.refusal(1, Beaver()) == "beaver_unavailable"
    assert told.when(1, Take()) == (DoubleTaken(1, 64),)


@pytest.mark.rule("N8")
def test_the_cube_shows_two_to_sixty_four_and_stops_there() -> None:
    told = story(Terms(target=13))
    for value, seat in zip((2, 4, 8, 16, 32, 64), (0, 1, 0, 1, 0, 1), strict=True):
        told.to_roll(seat)
        assert told.when(seat, Double()) == (DoubleOffered(seat, value),)
        told.when(1 - seat, Take())
    told.to_roll(0)
    assert told.refusal(0, Double()) == "cube_unavailable"


@pytest.mark.rule("S11")
def test_with_auto_roll_on_one_cannot_double() -> None:
    told = story().to_play(1, (3, 1))
    told.when(0, SetAutoRoll(on=True))
    told.given(auto_roll=(True, False)).to_roll(0)
    assert told.refusal(0, Double()) == "cube_unavailable"


def test_nobody_takes_or_passes_what_is_not_offered_and_nobody_answers_himself() -> None:
    told = story().to_roll(0)
    for command in (Take(), Pass(), Beaver(), AcceptBeaver()):
        assert told.refusal(1, command) == "nothing_offered"
    told.when(0, Double())
    for command in (Take(), Pass()):
        assert told.refusal(0, command) == "not_your_turn"
    assert told.refusal(0, Roll()) == "wrong_phase"
    assert told.refusal(1, Double()) == "cube_unavailable"


def test_doubling_is_for_the_player_on_roll_before_he_rolls() -> None:
    told = story().to_roll(0)
    assert told.refusal(1, Double()) == "not_your_turn"
    told.to_play(0, (3, 1))
    assert told.refusal(0, Double()) == "wrong_phase"


@pytest.mark.rule("S14", "S16", "N9")
@pytest.mark.parametrize(
    ("loser", "kind", "worth"),
    [
        ({6: 14}, "single", 1),
        ({6: 15}, "gammon", 2),
        ({6: 14, 24: 1}, "backgammon", 3),
        ({6: 14, 25: 1}, "backgammon", 3),
    ],
)
@pytest.mark.parametrize(("cube", "over"), [(1, ()), (8, ("gammon", "backgammon"))])
def test_points_are_the_worth_of_the_game_times_the_cube(
    loser: dict[int, int], kind: str, worth: int, cube: int, over: tuple[str, ...]
) -> None:
    """The example of N9: to 9 points with the cube on 8, a single win goes on, a gammon ends the match."""
    told = story().given(cube=Cube(value=cube, owner=1)).to_play(0, (6, 5), race({2: 1}), race(loser))
    points = worth * cube
    ended = GameEnded(game=1, winner=0, kind=kind, cause="played", points=points, score=(points, 0))
    events = told.when(0, Play("2/off"))
    assert ended in events
    assert any(isinstance(event, MatchEnded) for event in events) == (kind in over)
    shown = view(told.state, None).cube
    assert shown is not None
    assert shown.value == cube
