"""Single games in other modes and what they are worth to the match: giveaway, draw, jacoby, gammons off."""

from typing import Any, Final

import msgspec
import pytest

from shared.catalogue import HOUSES
from shared.commands import AcceptResignation, Double, Kick, Leave, Pass, Play, Resign, Roll, Take
from shared.cube import Cube
from shared.events.match import (
    DoubleOffered,
    FlagFell,
    GameEnded,
    MatchCancelled,
    MatchEnded,
    MatchEvent,
    ResignationOffered,
    SeatKicked,
    SecretRevealed,
    Terms,
)
from shared.match import Phase, demands, view
from shared.problems import Refused
from shared.rules.nard.board import Board
from tests.support.story import SECRET, Story, lost, race
from tests.support.verdicts import CLAIMED_MS

WORST: Final = {
    "backgammon": 3,
    "hypergammon": 3,
    "nackgammon": 3,
    "long_nardy": 3,
    "plakoto": 2,
    "fevga": 2,
}
KIND: Final = {1: "single", 2: "gammon", 3: "backgammon"}
CHECKERS: Final = dict.fromkeys(WORST, 15) | {"hypergammon": 3}
GIVEAWAY: Final = {"mode": "giveaway"}
DRAW: Final = {"mode": "draw"}
WHITE, BLACK = 0, 1
every_game = pytest.mark.parametrize("rules", WORST)
with_a_draw = pytest.mark.parametrize("rules", ["backgammon", "hypergammon", "long_nardy"])
either_seat = pytest.mark.parametrize("seat", [0, 1])


def single(rules: str, **changed: Any) -> Story:
    """A single game as the nardy house has it, begun."""
    options: dict[str, Any] = changed.pop("options", {})
    terms = msgspec.structs.replace(HOUSES["nardy"].single, cube=False, **changed)
    return Story(terms, rules=rules, options=options).started()


def out_of_time(told: Story, seat: int) -> Story:
    """``seat`` is to roll and does not until its clock stands at 0:00 and that may be judged."""
    told.to_roll(seat)
    assert told.state.clocks is not None
    return told.after(told.state.clocks.left_ms[seat] + CLAIMED_MS)


def told_end(told: Story) -> tuple[MatchEvent, ...]:
    """The end of the game and of the match, without what it cost in time."""
    ends = GameEnded | MatchEnded | MatchCancelled | SecretRevealed
    return tuple(event for event in told.events if isinstance(event, ends))


def won(seat: int, points: int, kind: str, cause: str) -> tuple[GameEnded, MatchEnded, SecretRevealed]:
    """The end of a single game that ``seat`` has won."""
    score = (points, 0) if seat == 0 else (0, points)
    return (
        GameEnded(game=1, winner=seat, kind=kind, cause=cause, points=points, score=score),
        MatchEnded(winner=seat, score=score, cause=cause),
        SecretRevealed(SECRET.hex()),
    )


def drawn(cause: str) -> tuple[GameEnded, MatchEnded, SecretRevealed]:
    """The end of a single game that nobody has won."""
    return (
        GameEnded(game=1, winner=None, kind="draw", cause=cause, points=0, score=(0, 0)),
        MatchEnded(winner=None, score=(0, 0), cause=cause),
        SecretRevealed(SECRET.hex()),
    )


@pytest.mark.rule("N1", "N11")
@every_game
@either_seat
@pytest.mark.parametrize("worth", [1, 2, 3])
def test_a_single_game_of_every_variant_is_won_by_who_has_borne_off_everything(
    rules: str, seat: int, worth: int
) -> None:
    told = single(rules)
    told.wins(seat, worth)
    points = min(worth, WORST[rules])
    assert told_end(told) == won(seat, points, KIND[points], "played")


@pytest.mark.rule("S15", "N11")
@every_game
@either_seat
def test_leaving_a_single_game_costs_its_worst_at_once(rules: str, seat: int) -> None:
    told = single(rules)
    told.to_roll(1 - seat, None, race({24: CHECKERS[rules]}, CHECKERS[rules]))
    told.when(seat, Leave())
    points = WORST[rules]
    assert told_end(told) == won(1 - seat, points, KIND[points], "left")


@every_game
@either_seat
def test_a_clock_at_zero_costs_a_single_game_its_worst_where_it_means_loss(rules: str, seat: int) -> None:
    told = single(rules, flag="loss")
    told.to_roll(seat, race({24: CHECKERS[rules]}, CHECKERS[rules]))
    flag, *over = out_of_time(told, seat).claim()
    assert isinstance(flag, FlagFell)
    points = WORST[rules]
    assert tuple(over)[:3] == won(1 - seat, points, KIND[points], "flag")


@pytest.mark.rule("S13", "N13")
@every_game
@either_seat
@pytest.mark.parametrize("computer_wins", [True, False])
def test_the_stakes_of_a_single_game_go_back_if_the_computer_wins_it(
    rules: str, seat: int, *, computer_wins: bool
) -> None:
    told = single(rules)
    assert out_of_time(told, seat).when(1 - seat, Kick())[0] == SeatKicked(seat)
    over = told.wins(seat if computer_wins else 1 - seat)
    assert over.counted is not computer_wins
    if computer_wins:
        assert MatchCancelled("won by the computer") in told.events
    else:
        assert told.state.winner == 1 - seat


@pytest.mark.rule("N3")
@every_game
@either_seat
@pytest.mark.parametrize("worth", [1, 2, 3])
def test_in_giveaway_who_has_borne_off_everything_first_has_lost_one_point(
    rules: str, seat: int, worth: int
) -> None:
    told = single(rules, options=GIVEAWAY)
    told.wins(seat, worth)
    assert told_end(told) == won(1 - seat, 1, "single", "played")


@pytest.mark.rule("N3", "S15")
@every_game
@either_seat
def test_in_giveaway_there_is_no_cube_and_giving_up_costs_one_point(rules: str, seat: int) -> None:
    behind = race({24: CHECKERS[rules]}, CHECKERS[rules]), race({1: 1}, CHECKERS[rules])
    told = single(rules, options=GIVEAWAY).to_roll(seat, *behind)
    assert [d.commands for d in demands(told.state)] == [("roll",)]
    assert told.refusal(seat, Double()) == "cube_unavailable"
    assert view(told.state, seat).cube is None
    assert told.when(seat, Resign())[0] == ResignationOffered(seat, 1)
    assert told.when(1 - seat, AcceptResignation())[1:4] == won(1 - seat, 1, "single", "resigned")
    told = single(rules, options=GIVEAWAY).to_roll(seat, *behind)
    assert told.when(seat, Leave())[1:4] == won(1 - seat, 1, "single", "left")


def white_off(rules: str, black: Board, *, white: int = WHITE, cube: Cube | None = None) -> Story:
    """White has borne off his last checker; Black has these checkers and has his last roll before him."""
    terms = msgspec.structs.replace(HOUSES["nardy"].single, cube=True)
    told = Story(terms, rules=rules, options=DRAW).started()
    told.given(cube=cube or Cube())
    told.to_play(white, (6, 5), race({1: 1}, CHECKERS[rules]), black)
    told.given(position=msgspec.structs.replace(told.state.position, first=white))
    told.when(white, Play("1/off"))
    assert told.state.phase is Phase.PLAYING
    assert told.state.position.boards[white][0] == CHECKERS[rules]
    return told


@pytest.mark.rule("N2")
@with_a_draw
@pytest.mark.parametrize("white", [0, 1])
def test_when_white_is_off_first_black_has_one_roll_before_which_nobody_doubles(
    rules: str, white: int
) -> None:
    told = white_off(rules, lost(2, CHECKERS[rules]), white=white)
    assert [(d.seat, d.commands) for d in demands(told.state)] == [(1 - white, ("roll",))]
    assert told.refusal(1 - white, Double()) == "cube_unavailable"
    assert told.refusal(white, Double()) == "not_your_turn"
    assert told.refusal(white, Resign()) == "resignation_unavailable"
    assert told.when(1 - white, Roll())


@pytest.mark.rule("N2")
@with_a_draw
def test_before_every_other_roll_there_may_be_a_double(rules: str) -> None:
    told = Story(Terms(), rules=rules, options=DRAW).started().to_roll(BLACK)
    assert told.when(BLACK, Double()) == (DoubleOffered(BLACK, 2),)


@pytest.mark.rule("N2")
@with_a_draw
@pytest.mark.parametrize("white", [0, 1])
def test_black_finishes_with_it_too_and_the_game_is_a_draw_that_counts_for_nobody(
    rules: str, white: int
) -> None:
    told = white_off(rules, race({1: 2}, CHECKERS[rules]), white=white, cube=Cube(4, owner=white))
    told.to_play(1 - white, (2, 1))
    events = told.when(1 - white, Play("1/off(2)"))
    assert events[1:4] == drawn("played")
    shown = view(told.state, None)
    assert shown.result is not None
    assert (shown.result.winner, shown.score) == (None, (0, 0))
    assert [(row.kind, row.winner, row.points, row.counted) for row in shown.diagram] == [
        ("draw", None, 0, True)
    ]


@pytest.mark.rule("N2")
@pytest.mark.parametrize(
    ("rules", "black", "dice", "move", "points"),
    [
        ("backgammon", {6: 15}, (2, 1), "6/4 6/5", 2),
        ("backgammon", {6: 15}, (6, 1), "6/off 6/5", 1),
        ("backgammon", {24: 1, 6: 14}, (2, 1), "24/21", 3),
        ("backgammon", {25: 1, 6: 14}, (6, 6), "bar/1", 2),
        ("hypergammon", {6: 3}, (2, 1), "6/4 6/5", 2),
        ("hypergammon", {6: 3}, (6, 1), "6/off 6/5", 1),
        ("hypergammon", {24: 1, 6: 2}, (2, 1), "24/21", 3),
        ("long_nardy", {6: 15}, (2, 1), "6/4 6/5", 2),
        ("long_nardy", {6: 15}, (6, 1), "6/off 6/5", 1),
        ("long_nardy", {20: 1, 6: 14}, (2, 1), "20/17", 2),
        ("long_nardy", {24: 1, 6: 14}, (2, 1), "24/21", 3),
        ("long_nardy", {6: 1, 0: 14}, (2, 1), "6/3", 1),
    ],
)
@pytest.mark.parametrize("white", [0, 1])
def test_otherwise_white_has_won_what_black_is_worth_after_it_times_the_cube(
    rules: str, white: int, *, black: dict[int, int], dice: tuple[int, int], move: str, points: int
) -> None:
    board = race({point: count for point, count in black.items() if point}, CHECKERS[rules])
    told = white_off(rules, board, white=white, cube=Cube(2, owner=white)).to_play(1 - white, dice)
    events = told.when(1 - white, Play(move))
    assert events[1:4] == won(white, 2 * points, KIND[points], "played")


@pytest.mark.rule("N2")
@with_a_draw
@pytest.mark.parametrize("white", [0, 1])
@pytest.mark.parametrize("worth", [1, 2, 3])
def test_when_black_is_off_first_the_game_is_over_at_once(rules: str, white: int, worth: int) -> None:
    told = single(rules, options=DRAW)
    told.given(position=msgspec.structs.replace(told.state.position, first=white))
    told.wins(1 - white, worth)
    assert told_end(told) == won(1 - white, worth, KIND[worth], "played")


@pytest.mark.rule("N2", "S15")
@with_a_draw
def test_black_may_resign_before_his_last_roll_and_white_who_can_lose_no_more_leaves_with_a_draw(
    rules: str,
) -> None:
    told = white_off(rules, race({24: CHECKERS[rules]}, CHECKERS[rules]))
    assert told.refusal(BLACK, Resign()) == "confirmation_required"
    told.when(BLACK, Resign(confirm=True))
    assert told.when(WHITE, AcceptResignation())[1:4] == won(WHITE, 2, "gammon", "resigned")
    told = white_off(rules, race({24: CHECKERS[rules]}, CHECKERS[rules]))
    assert told.when(BLACK, Leave())[1:4] == won(WHITE, 3, "backgammon", "left")
    told = white_off(rules, race({24: CHECKERS[rules]}, CHECKERS[rules]))
    assert told.when(WHITE, Leave())[1:4] == drawn("left")


@pytest.mark.rule("N2", "S13")
@with_a_draw
def test_the_computer_plays_the_last_roll_of_one_thrown_out_and_a_draw_counts(rules: str) -> None:
    told = white_off(rules, race({1: 2}, CHECKERS[rules]))
    told.after(told.state.clocks.left_ms[BLACK] + CLAIMED_MS if told.state.clocks else 0)
    assert told.when(WHITE, Kick())[0] == SeatKicked(BLACK)
    told.to_play(BLACK, (2, 1))
    assert told.when(BLACK, Play("1/off(2)"))[1:4] == drawn("played")


@pytest.mark.rule("N9")
@pytest.mark.parametrize(
    ("terms", "cube", "points"),
    [
        (Terms(), 1, (1, 2, 3)),
        (Terms(), 4, (4, 8, 12)),
        (Terms(jacoby=True), 1, (1, 1, 1)),
        (Terms(jacoby=True), 2, (2, 4, 6)),
        (Terms(gammons=False), 1, (1, 1, 1)),
        (Terms(gammons=False), 2, (2, 2, 2)),
        (Terms(jacoby=True, gammons=False), 2, (2, 2, 2)),
    ],
    ids=["plain", "plain at 4", "jacoby", "jacoby at 2", "off", "off at 2", "jacoby and off"],
)
@pytest.mark.parametrize("rules", ["backgammon", "hypergammon", "nackgammon", "long_nardy"])
@either_seat
def test_a_table_says_whether_gammons_count_always_after_a_double_or_never(
    rules: str, seat: int, *, terms: Terms, cube: int, points: tuple[int, ...]
) -> None:
    told = [Story(terms, rules=rules).started().wins(seat, worth, cube) for worth in (1, 2, 3)]
    assert tuple(over.points for over in told) == points
    assert [over.kind for over in told] == ["single", "gammon", "backgammon"], "what it was, it was"


@pytest.mark.rule("N11")
@pytest.mark.parametrize("rules", ["plakoto", "fevga"])
def test_gammons_may_be_off_where_there_is_no_cube_too(rules: str) -> None:
    told = Story(Terms(cube=False, gammons=False), rules=rules).started()
    assert told.wins(0, 2).points == 1


@pytest.mark.rule("S15")
@pytest.mark.parametrize(
    ("terms", "cube", "points"),
    [
        (Terms(), 1, 2),
        (Terms(gammons=False), 1, 1),
        (Terms(gammons=False), 2, 2),
        (Terms(jacoby=True), 1, 1),
        (Terms(jacoby=True), 2, 4),
    ],
)
def test_resigning_a_gammon_that_does_not_count_is_not_asked_about_and_shown_for_what_it_costs(
    terms: Terms, cube: int, points: int
) -> None:
    told = Story(terms).started().to_roll(0, race({24: 15}), race({1: 15}))
    told.given(cube=Cube(cube, owner=None if cube == 1 else 1))
    asked = points > cube
    if asked:
        assert told.refusal(0, Resign()) == "confirmation_required"
    assert told.when(0, Resign(confirm=asked)) == (ResignationOffered(0, 2),)
    offer = view(told.state, 1).resignation
    assert offer is not None
    assert (offer.worth, offer.points) == (2, points)
    assert told.when(1, AcceptResignation())[1:] == won(1, points, "gammon", "resigned")


@pytest.mark.rule("S15")
def test_with_jacoby_leaving_before_a_double_costs_one_and_a_passed_double_too() -> None:
    told = Story(Terms(jacoby=True)).started().to_roll(1, None, race({24: 15}))
    assert told.when(0, Leave())[1:] == won(1, 1, "backgammon", "left")
    told = Story(Terms(jacoby=True)).started().to_roll(0)
    told.when(0, Double())
    assert told.when(1, Pass())[1:] == won(0, 1, "single", "passed")
    told = Story(Terms(jacoby=True)).started().to_roll(0)
    told.when(0, Double())
    told.when(1, Take())
    assert told.when(1, Leave())[1:] == won(0, 6, "backgammon", "left")


@pytest.mark.rule("N8")
@pytest.mark.parametrize("changed", [{"jacoby": True}, {"gammons": False}], ids=str)
@pytest.mark.parametrize("more", [{"target": 3}, {"series": "mixed"}], ids=str)
def test_what_only_a_single_game_knows_is_never_part_of_a_match(
    changed: dict[str, Any], more: dict[str, Any]
) -> None:
    (option,) = changed
    with pytest.raises(Refused) as refused:
        Story(Terms(**changed, **more))
    assert refused.value.problem.code == "invalid_options"
    assert option in refused.value.problem.detail


@pytest.mark.rule("S18", "N2")
@with_a_draw
def test_a_draw_with_a_ghosts_help_is_a_draw(rules: str) -> None:
    told = white_off(rules, race({1: 2}, CHECKERS[rules]))
    told.vanishes(BLACK)
    told.to_play(BLACK, (2, 1))
    events: tuple[MatchEvent, ...] = told.when(BLACK, Play("1/off(2)"))
    assert events[1:4] == drawn("played")
