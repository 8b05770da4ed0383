"""Matches: who begins, Next after every game, Crawford, the end, and what is shown between."""

import msgspec
import pytest

from shared import series
from shared.commands import AcceptResignation, Double, Kick, Leave, Next, Pass, Resign, Roll, Take
from shared.cube import Cube
from shared.events.match import (
    GameEnded,
    GameStarted,
    MatchCancelled,
    MatchEnded,
    NextPressed,
    SeatKicked,
    SeatLeft,
    SecretRevealed,
    Terms,
)
from shared.match import Phase, demands, view
from tests.support.story import SECRET, Story, match_to, race
from tests.support.verdicts import CLAIMED_MS

to_points = pytest.mark.parametrize("rules", ["backgammon", "hypergammon", "long_nardy"])


@pytest.mark.rule("S6", "N10")
@to_points
def test_crawford_is_the_first_game_in_which_a_player_is_one_point_short(rules: str) -> None:
    """The worked example of rules §5.4, a match to 5."""
    told = Story(Terms(target=5), rules=rules).started()
    told.wins(0, cube=2)
    assert not told.begins().crawford
    told.wins(1)
    assert not told.begins().crawford
    told.wins(0, cube=2)
    assert told.begins().crawford  # 4-1
    told.to_roll(1)
    assert told.refusal(1, Double()) == "crawford"
    told.wins(1)  # 4-2
    assert not told.begins().crawford
    told.to_roll(1)
    told.when(1, Double())  # the cube is back
    told.when(0, Take())
    ended = told.wins(1, cube=2)
    assert ended.score == (4, 4)
    assert not told.begins().crawford  # also where both are one point short
    told.to_roll(0)
    assert told.when(0, Double())


@pytest.mark.rule("N10")
@to_points
@pytest.mark.parametrize("loses", [0, 1])
def test_after_a_lost_crawford_game_all_later_games_have_the_cube(rules: str, loses: int) -> None:
    """A match to 9 with the leader at 8."""
    told = Story(Terms(target=9), rules=rules).started()
    told.wins(1 - loses, cube=8)
    assert told.begins().crawford
    for _ in range(3):
        told.wins(loses)
        assert not told.begins().crawford
        told.to_roll(loses)
        assert told.when(loses, Double())
        told.given(cube=Cube())


@pytest.mark.rule("N9")
@to_points
def test_a_match_to_three_is_over_after_a_gammon_with_a_taken_double(rules: str) -> None:
    told = Story(Terms(target=3), rules=rules).started().to_roll(0)
    told.when(0, Double())
    told.when(1, Take())
    assert told.wins(0, worth=2, cube=2).points == 4
    assert (told.state.phase, told.state.winner, told.state.score) == (Phase.OVER, 0, (4, 0))


@pytest.mark.rule("N9")
@to_points
@pytest.mark.parametrize(
    ("cube", "worth", "over"),
    [(1, 1, False), (1, 2, False), (1, 3, False), (8, 1, False), (8, 2, True), (8, 3, True)],
)
def test_the_houses_own_examples_of_a_match_to_nine(
    rules: str,
    cube: int,
    worth: int,
    over: bool,  # noqa: FBT001 - a column of the table
) -> None:
    told = Story(Terms(target=9), rules=rules).started()
    ended = told.wins(1, worth, cube)
    assert (ended.kind, ended.points) == ({1: "single", 2: "gammon", 3: "backgammon"}[worth], cube * worth)
    assert (told.state.phase is Phase.OVER) == over


@pytest.mark.rule("S6", "N10")
def test_in_a_match_to_two_one_to_nil_is_already_crawford() -> None:
    told = Story(Terms(target=2)).started()
    told.wins(0)
    assert told.begins().crawford


def test_a_match_without_the_cube_has_no_crawford_game() -> None:
    told = Story(Terms(target=2, cube=False)).started()
    told.wins(0)
    assert not told.begins().crawford


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
    told.wins(0)
    assert [(d.seat, d.commands) for d in demands(told.state)] == [(0, ("next",)), (1, ("next",))]
    assert view(told.state, 1).score == (1, 0)
    assert told.when(1, Next()) == (NextPressed(1),)
    assert told.refusal(1, Next()) == "unchanged"
    assert [d.seat for d in demands(told.state)] == [0]
    assert any(isinstance(event, GameStarted) for event in told.when(0, Next()))


@pytest.mark.rule("S4", "N6", "N9")
def test_the_match_ends_when_a_player_reaches_the_target_and_surplus_earns_nothing() -> None:
    told = Story(Terms(target=3)).started()
    told.wins(1, cube=8)
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
        told.wins(0)
        started = told.begins()
        assert started.first == 1 - (starters[-1] or 0)
        starters.append(started.first)


def test_roll_each_game_rolls_for_every_first_move() -> None:
    told = Story(Terms(target=9, first_move="roll_each_game")).started()
    told.wins(0)
    assert told.begins().first is None


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
    told.wins(1)
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
    told.wins(0, cube=2)
    follows = view(told.state, None).following
    told.begins()
    assert view(told.state, None).following is None
    assert follows is not None
    assert (follows.game, follows.first, follows.crawford) == (2, told.state.first, True)
    told.wins(1)
    rows = view(told.state, None).diagram
    assert [(row.game, row.cube, row.winner, row.points, row.score) for row in rows] == [
        (1, 2, 0, 2, (2, 0)),
        (2, 1, 1, 1, (2, 1)),
    ]
    assert rows[0].first == first
    assert rows[1].first == 1 - (first or 0)


def behind(told: Story, seat: int) -> Story:
    """``seat`` is to roll with all its checkers on its 24, the other has one left."""
    checkers = sum(told.state.position.boards[seat])
    return told.to_roll(seat, race({24: checkers}, checkers), race({1: 1}, checkers))


@pytest.mark.rule("S15", "N9")
@to_points
@pytest.mark.parametrize("seat", [0, 1])
def test_giving_up_a_game_of_a_match_costs_its_worst_or_a_resigned_gammon_times_the_cube(
    rules: str, seat: int
) -> None:
    told = behind(Story(match_to(13, "nardy"), rules=rules).started(), seat)
    told.given(cube=Cube(2, owner=seat))
    left = told.when(seat, Leave())[1]
    assert isinstance(left, GameEnded)
    assert (left.kind, left.points, left.winner) == ("backgammon", 6, 1 - seat)
    behind(told.next_game(), seat).given(cube=Cube(2, owner=seat))
    # Long nardy asks for none off besides; here none is.
    told.when(seat, Resign(confirm=True))
    resigned = told.when(1 - seat, AcceptResignation())[1]
    assert isinstance(resigned, GameEnded)
    assert (resigned.kind, resigned.points, resigned.score[1 - seat]) == ("gammon", 4, 10)
    assert told.state.phase is Phase.BETWEEN


@pytest.mark.rule("S13", "N13")
@to_points
@pytest.mark.parametrize("flag", ["loss", "kick"])
def test_a_clock_at_zero_costs_the_game_or_lets_the_opponent_throw_out(rules: str, flag: str) -> None:
    terms = msgspec.structs.replace(match_to(5, "nardy"), flag=flag)
    told = behind(Story(terms, rules=rules).started(), 0)
    assert told.state.clocks is not None
    told.after(told.state.clocks.left_ms[0] + CLAIMED_MS)
    if flag == "loss":
        told.claim()
        assert (told.state.games[0].cause, told.state.score) == ("flag", (0, 3))
        return
    assert told.when(1, Kick())[0] == SeatKicked(0)
    assert not told.wins(0).counted
    assert told.state.score == (0, 0)
    assert told.begins().game == 2
