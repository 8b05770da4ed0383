"""Matches: who begins, Next after every game, Crawford, the end, and what is shown between."""

import pytest

from shared import series
from shared.commands import Double, Leave, Next, Pass, Roll
from shared.cube import Cube
from shared.events.match import (
    GameEnded,
    GameStarted,
    MatchCancelled,
    MatchEnded,
    NextPressed,
    SeatLeft,
    SecretRevealed,
    Terms,
)
from shared.match import Phase, demands, view
from tests.support.story import SECRET, Story, race


def win(told: Story, seat: int, cube: int = 1) -> None:
    """``seat`` wins the game in hand with a single at this value, by a double passed (or a direct pass)."""
    told.given(cube=Cube(value=cube, owner=seat), crawford=False).to_roll(seat)
    told.when(seat, Double())
    told.when(1 - seat, Pass())


def begun(told: Story) -> GameStarted:
    """Both press Next; how the next game began."""
    told.when(0, Next())
    return next(event for event in told.when(1, Next()) if isinstance(event, GameStarted))


@pytest.mark.rule("S6", "N10")
def test_crawford_is_the_first_game_in_which_a_player_is_one_point_short() -> None:
    """The worked example of rules §5.4, a match to 5."""
    told = Story(Terms(target=5)).started()
    win(told, 0, 2)
    assert not begun(told).crawford
    win(told, 1, 1)
    assert not begun(told).crawford
    win(told, 0, 2)
    assert begun(told).crawford  # 4-1
    told.to_roll(1)
    assert told.refusal(1, Double()) == "crawford"
    win(told, 1, 1)  # 4-2
    assert not begun(told).crawford
    told.to_roll(1)
    told.when(1, Double())  # the cube is back
    told.when(0, Pass())
    assert not begun(told).crawford
    assert told.state.score == (4, 3)


@pytest.mark.rule("S6", "N10")
def test_in_a_match_to_two_one_to_nil_is_already_crawford() -> None:
    told = Story(Terms(target=2)).started()
    win(told, 0)
    assert begun(told).crawford


@pytest.mark.rule("N1")
def test_a_single_game_ends_the_match_and_reveals_the_secret() -> None:
    told = Story().started()
    told.to_roll(0)
    told.when(0, Double())
    events = told.when(1, Pass())
    assert events[-2:] == (MatchEnded(winner=0, score=(1, 0), cause="passed"), SecretRevealed(SECRET.hex()))
    assert told.state.phase is Phase.OVER
    assert told.refusal(0, Roll()) == "match_over"


@pytest.mark.rule("S5")
def test_both_must_press_next_and_see_the_interim_score_meanwhile() -> None:
    told = Story(Terms(target=3)).started()
    win(told, 0)
    assert [(d.seat, d.commands) for d in demands(told.state)] == [(0, ("next",)), (1, ("next",))]
    assert view(told.state, 1).score == (1, 0)
    assert told.when(1, Next()) == (NextPressed(1),)
    assert told.refusal(1, Next()) == "unchanged"
    assert [d.seat for d in demands(told.state)] == [0]
    assert any(isinstance(event, GameStarted) for event in told.when(0, Next()))


@pytest.mark.rule("S4", "N6", "N9")
def test_the_match_ends_when_a_player_reaches_the_target_and_surplus_earns_nothing() -> None:
    told = Story(Terms(target=3)).started()
    win(told, 1, 8)
    assert told.state.phase is Phase.OVER
    assert told.state.winner == 1
    assert told.state.score == (0, 8)
    assert series.reached(Terms(target=3), (0, 8)) == 1


@pytest.mark.rule("N7")
def test_the_first_move_is_rolled_for_and_then_alternates() -> None:
    told = Story(Terms(target=9)).started()
    first = told.state.first
    assert first is not None
    starters: list[int | None] = [first]
    for _ in range(3):
        win(told, 0)
        started = begun(told)
        assert started.first == 1 - (starters[-1] or 0)
        starters.append(started.first)


def test_roll_each_game_rolls_for_every_first_move() -> None:
    told = Story(Terms(target=9, first_move="roll_each_game")).started()
    win(told, 0)
    assert begun(told).first is None


@pytest.mark.rule("S15")
@pytest.mark.parametrize(
    ("mine", "points", "kind"),
    [({6: 14}, 1, "single"), ({6: 15}, 2, "gammon"), ({6: 14, 24: 1}, 3, "backgammon")],
)
def test_quitting_ends_the_game_at_once_at_the_worst_result_still_possible(
    mine: dict[int, int], points: int, kind: str
) -> None:
    told = Story(Terms(target=9)).started().to_roll(1, race({6: 15}), race(mine))
    ended = GameEnded(game=1, winner=1, kind=kind, cause="left", points=points, score=(0, points))
    assert told.when(0, Leave()) == (SeatLeft(0), ended)
    assert told.state.phase is Phase.BETWEEN


@pytest.mark.rule("S5")
def test_leaving_between_games_loses_the_match() -> None:
    told = Story(Terms(target=9)).started()
    win(told, 1)
    events = told.when(1, Leave())
    assert events[:2] == (SeatLeft(1), MatchEnded(winner=0, score=(0, 1), cause="left"))


def test_leaving_before_the_start_cancels_and_reveals() -> None:
    told = Story()
    events = told.when(0, Leave())
    assert events == (SeatLeft(0), MatchCancelled("left before the start"), SecretRevealed(SECRET.hex()))


@pytest.mark.rule("N12")
def test_the_diagram_lists_the_games_with_scores_cubes_starters_and_crawford() -> None:
    told = Story(Terms(target=3)).started()
    first = told.state.first
    win(told, 0, 2)
    follows = view(told.state, None).following
    begun(told)
    assert view(told.state, None).following is None
    assert follows is not None
    assert (follows.game, follows.first, follows.crawford) == (2, told.state.first, True)
    win(told, 1, 1)
    rows = view(told.state, None).diagram
    assert [(row.game, row.cube, row.winner, row.points, row.score) for row in rows] == [
        (1, 2, 0, 2, (2, 0)),
        (2, 1, 1, 1, (2, 1)),
    ]
    assert rows[0].first == first
    assert rows[1].first == 1 - (first or 0)
