"""Golden logs: stored once, read for ever; today's code still writes the same bytes for the same script."""

import msgspec
import pytest

from services.audit.domain import verify
from shared.events.match import (
    AutoFinishSet,
    BeaverAccepted,
    DiceRolled,
    DoubleBeavered,
    DoubleOffered,
    DoublePassed,
    DoubleTaken,
    GameStarted,
    MatchEvent,
    MovePlayed,
    NextPressed,
    ResignationDeclined,
    ResignationOffered,
)
from shared.match import demands, view
from tests.support import golden
from tests.support.golden import Golden
from tests.support.golden_reading import folded, told

every_log = pytest.mark.parametrize("name", sorted(golden.names()))
RESULTS = golden.results()


def _of(name: str, kind: type) -> list[MatchEvent]:
    return [event for _, event in told(name) if type(event) is kind]


def test_every_golden_log_has_its_script_and_result() -> None:
    files = {f"{path.parent.name}/{path.stem}" for path in golden.ROOT.glob("*/*.ndjson")}
    assert files == set(golden.names()) == set(RESULTS)


@every_log
def test_a_golden_log_replays_to_its_result(name: str) -> None:
    lines = golden.stored(name)
    state = folded(name)
    assert Golden(state.score, state.winner, state.cause, len(lines)) == RESULTS[name]
    for seat in (0, 1, None):
        assert msgspec.json.encode(view(state, seat))


@every_log
def test_a_golden_log_verifies_with_every_die_recomputed(name: str) -> None:
    report = verify(golden.stored(name), name)
    assert report.difference is None
    assert report.ok
    assert report.commits == RESULTS[name].commits
    assert report.score == RESULTS[name].score
    checkable = name not in ("backgammon/recorded", "backgammon/unfinished", "fevga/prime-not-closed")
    assert report.checked_draws == (report.draws if checkable else 0)
    assert bool(report.notes) == (not checkable or name in ("backgammon/outage", "backgammon/not-revealed"))


@every_log
def test_todays_code_writes_the_same_bytes_for_the_same_script(name: str) -> None:
    assert golden.script(name).lines == golden.stored(name)


@pytest.mark.rule("N1")
@pytest.mark.rule("S14")
@pytest.mark.parametrize(("name", "points"), [("single", 1), ("gammon", 2), ("backgammon", 3)])
def test_a_game_is_worth_one_two_or_three(name: str, points: int) -> None:
    (record,) = folded(f"backgammon/{name}").games
    assert (record.kind, record.points, record.cube, record.cause) == (name, points, 1, "played")


@pytest.mark.rule("S6")
@pytest.mark.rule("N10")
def test_one_crawford_game_and_a_double_right_after_it() -> None:
    crawford = [e.crawford for e in _of("backgammon/match-to-3", GameStarted) if isinstance(e, GameStarted)]
    assert crawford == [False, True, False, False]
    doubled = [state.game for state, e in told("backgammon/match-to-3") if isinstance(e, DoubleOffered)]
    assert doubled == [1, 3, 4]


@pytest.mark.rule("S5")
def test_the_next_game_begins_when_both_have_pressed_next() -> None:
    pressed = [
        (state.game, e.seat) for state, e in told("backgammon/match-to-3") if isinstance(e, NextPressed)
    ]
    assert pressed == [(1, 0), (1, 1), (2, 0), (2, 1), (3, 0), (3, 1)]


@pytest.mark.rule("N6")
@pytest.mark.rule("N9")
def test_points_are_cubed_and_surplus_ends_the_match() -> None:
    state = folded("backgammon/match-to-3")
    worth = {"single": 1, "gammon": 2, "backgammon": 3}
    assert [g.points for g in state.games] == [g.cube * worth[g.kind] for g in state.games]
    assert max(state.score) >= 3
    assert state.games[-1].cube == 2


@pytest.mark.rule("N7")
def test_the_first_move_alternates_or_is_rolled_for_in_every_game() -> None:
    games = [e.first for e in _of("backgammon/match-to-3", GameStarted) if isinstance(e, GameStarted)]
    began = [record.first for record in folded("backgammon/match-to-3").games]
    assert games[0] is None
    assert games[1:] == began[1:] == [1 - (began[0] or 0), began[0], 1 - (began[0] or 0)]
    assert [e.first for e in _of("backgammon/roll-each-game", GameStarted) if isinstance(e, GameStarted)] == [
        None
    ] * 3


@pytest.mark.rule("N12")
def test_the_diagram_lists_games_scores_cubes_starters_and_crawford() -> None:
    rows = [
        (g.game, g.cube, g.crawford, g.cause, g.score)
        for g in view(folded("backgammon/match-to-3"), None).diagram
    ]
    assert [row[:4] for row in rows] == [
        (1, 2, False, "resigned"),
        (2, 1, True, "resigned"),
        (3, 1, False, "passed"),
        (4, 2, False, "played"),
    ]
    assert rows[-1][4] == RESULTS["backgammon/match-to-3"].score


@pytest.mark.rule("S9")
def test_take_and_pass_of_a_double() -> None:
    assert RESULTS["backgammon/double-passed"].cause == "passed"
    assert sum(RESULTS["backgammon/double-passed"].score) == 1
    (taken, *_) = _of("backgammon/match-to-3", DoubleTaken)
    assert isinstance(taken, DoubleTaken)
    assert taken.value == 2
    assert len(_of("backgammon/double-passed", DoublePassed)) == 1


@pytest.mark.rule("S10")
def test_a_beaver_accepted_plays_for_four_and_refused_costs_two() -> None:
    (beaver,) = _of("backgammon/beaver-accepted", DoubleBeavered)
    (accepted,) = _of("backgammon/beaver-accepted", BeaverAccepted)
    assert isinstance(beaver, DoubleBeavered)
    assert isinstance(accepted, BeaverAccepted)
    assert (beaver.value, accepted.value) == (4, 4)
    state = folded("backgammon/beaver-accepted")
    assert (state.cube.value, state.cube.owner) == (4, beaver.seat)
    refused = folded("backgammon/beaver-refused")
    (offered,) = _of("backgammon/beaver-refused", DoubleOffered)
    assert isinstance(offered, DoubleOffered)
    assert refused.winner == 1 - offered.seat
    assert refused.games[0].points == 2


@pytest.mark.rule("S11")
def test_auto_roll_rolls_in_the_commit_that_ends_the_opponents_turn() -> None:
    by_hand: set[bool] = set()
    for state, event in told("backgammon/auto-roll"):
        if isinstance(event, DiceRolled) and event.seat is not None and state.game:
            asked = any("roll" in d.commands and d.seat == event.seat for d in demands(state))
            by_hand.add(asked)
            assert asked != state.auto_roll[event.seat]
    assert by_hand == {True, False}


@pytest.mark.rule("S12")
def test_auto_finish_plays_to_the_end_by_itself() -> None:
    assert len(_of("backgammon/auto-finish", AutoFinishSet)) == 2
    auto = [e for e in _of("backgammon/auto-finish", MovePlayed) if isinstance(e, MovePlayed) and e.auto]
    assert len(auto) > 5
    last = golden.stored("backgammon/auto-finish")[-1]
    assert last.count(b'"auto":true') > 1
    assert b'"match_ended"' in last


@pytest.mark.rule("S15")
def test_resignations_declined_accepted_as_a_gammon_and_quit() -> None:
    assert len(_of("backgammon/resignation", ResignationDeclined)) == 1
    assert len(_of("backgammon/resignation", ResignationOffered)) == 2
    (gammon,) = folded("backgammon/resigned-gammon").games
    assert (gammon.kind, gammon.points, gammon.cause) == ("gammon", 2, "resigned")
    (left,) = folded("backgammon/quit").games
    assert (left.kind, left.points, left.cube, left.cause) == ("backgammon", 6, 2, "left")


@pytest.mark.rule("S16")
@pytest.mark.rule("N8")
def test_the_cube_goes_to_64_and_multiplies() -> None:
    doubles = [e.value for e in _of("backgammon/cube-at-64", DoubleOffered) if isinstance(e, DoubleOffered)]
    assert doubles == [2, 4, 8, 16, 32, 64]
    state = folded("backgammon/cube-at-64")
    shown = view(state, None).cube
    assert shown is not None
    assert shown.value == 64
    assert max(state.score) % 64 == 0


def test_the_retired_shape_of_a_resignation_is_read_as_today() -> None:
    retired, today = (
        golden.stored("backgammon/resignation-retired"),
        golden.stored("backgammon/resigned-gammon"),
    )
    assert b'"type":"resignation_offered",' in retired[-2]
    assert b'"type":"resignation_offered.v2",' in today[-2]
    assert [e for _, e in told("backgammon/resignation-retired")] == [
        e for _, e in told("backgammon/resigned-gammon")
    ]
