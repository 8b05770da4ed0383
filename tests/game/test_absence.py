"""Absence and the ghost: who is judged away, what that costs, who plays on, and what his games count."""

from typing import Any

import msgspec
import pytest

from services.ghost.domain import seats_played
from shared.clocks import STANDARD, chess_clock
from shared.commands import (
    Double,
    Leave,
    Next,
    Pass,
    Play,
    PlayerCommand,
    ReportAbsent,
    ReportPresent,
    Resign,
    Roll,
)
from shared.events.match import (
    GameEnded,
    MatchCancelled,
    MatchEnded,
    SeatAbsent,
    SeatGhosted,
    SeatReturned,
    Terms,
)
from shared.events.staked import Staked
from shared.match import view
from shared.match.timing import CLAIM_AFTER_MS, NEXT_MS, payer
from tests.support.story import Story

GRACE_MS = 30_000


def story(**terms: Any) -> Story:
    return Story(msgspec.structs.replace(Terms(target=5, absence="ghost"), **terms)).started()


def away(told: Story, seat: int) -> Story:
    """The player of ``seat`` falls silent now and is reported when the grace is over."""
    told.vanishes(seat)
    return told


def ended(events: Any) -> GameEnded:
    return next(event for event in events if isinstance(event, GameEnded))


@pytest.mark.rule("S7")
def test_a_ghost_goes_on_for_an_absent_player_after_the_grace_and_hands_back_between_turns() -> None:
    told = story(clock=STANDARD).to_play(0, (3, 1))
    since = told.now_ms
    assert told.after(GRACE_MS - 1).claim_refusal(ReportAbsent(0, since)) == "too_early"
    assert told.after(1).hears(ReportAbsent(0, since))[:2] == (SeatAbsent(0, since), SeatGhosted(0))
    assert seats_played(told.state) == (0,)
    assert view(told.state, 1).seats[0].ghost
    assert payer(told.state) is None
    assert told.claim_refusal(ReportAbsent(0, since)) == "unchanged"
    assert told.hears(ReportPresent(0)) == (SeatReturned(0),)
    assert seats_played(told.state) == (0,)  # the ghost's turn is not over
    told.when(0, Play("8/5 6/5"))
    assert seats_played(told.state) == ()
    assert told.claim_refusal(ReportPresent(0)) == "unchanged"


@pytest.mark.rule("S7")
def test_who_returns_while_the_opponent_is_on_turn_has_his_seat_at_once() -> None:
    told = away(story().to_roll(1), 0)
    told.hears(ReportPresent(0))
    assert seats_played(told.state) == ()


@pytest.mark.rule("B12", "B13")
@pytest.mark.parametrize("half_moves", [0, 3, 4])
def test_the_board_house_forfeits_and_annuls_before_the_fourth_half_move(half_moves: int) -> None:
    told = story(absence="forfeit", target=None, clock=chess_clock(3))
    for _ in range(half_moves):
        told.after(1_000)
        seat = 0 if told.state.position.turn == 0 else 1
        told.to_play(seat, (3, 1)).when(seat, Play(told.state.rules.legal(told.state.position, seat)[0]))
    since = told.after(1).now_ms
    told.after(GRACE_MS)
    events = told.hears(ReportAbsent(1, since))
    assert events[0] == SeatAbsent(1, since)
    if half_moves < 4:
        assert events[1] == MatchCancelled("annulled")
    else:
        assert (ended(events).winner, ended(events).cause) == (0, "absent")


@pytest.mark.rule("B13")
def test_half_moves_are_counted_at_the_start_of_the_silence() -> None:
    told = story(absence="forfeit", target=None)
    since = told.now_ms
    for _ in range(5):
        told.after(1_000)
        seat = 0 if told.state.position.turn == 0 else 1
        told.to_play(seat, (3, 1)).when(seat, Play(told.state.rules.legal(told.state.position, seat)[0]))
    told.after(GRACE_MS)
    assert told.hears(ReportAbsent(1, since))[1] == MatchCancelled("annulled")


@pytest.mark.rule("B13")
def test_leaving_on_purpose_is_a_disconnect_without_grace() -> None:
    assert MatchCancelled("annulled") in story(absence="forfeit", target=None).when(0, Leave())


@pytest.mark.rule("B13")
@pytest.mark.parametrize("command", [Double(), Resign(confirm=True)], ids=["double", "resignation"])
def test_nobody_dodges_an_answer_that_he_owes_by_going_away(command: PlayerCommand) -> None:
    leaver, silent = [story(absence="forfeit", target=None).to_roll(0) for _ in range(2)]
    for told in (leaver, silent):
        told.when(0, command)
    assert ended(leaver.when(1, Leave())).winner == 0
    since = silent.now_ms
    assert ended(silent.after(GRACE_MS).hears(ReportAbsent(1, since))).winner == 0


@pytest.mark.rule("B13")
def test_where_dice_are_thrown_for_money_nobody_takes_his_stake_back_by_leaving() -> None:
    told = story(absence="forfeit", target=None, clock=STANDARD)
    staked = Staked(base=5, worst=3, fixed=False, fee_permille=0)
    told.given(created=msgspec.structs.replace(told.state.created, staked=staked))
    assert ended(told.when(0, Leave())).winner == 1


def test_where_the_table_waits_nobody_is_judged_and_between_games_neither() -> None:
    told = story(absence="wait").to_roll(0)
    assert told.after(10**7).claim_refusal(ReportAbsent(0, 0)) == "wrong_phase"
    told = story().to_roll(0)
    told.when(0, Double())
    told.when(1, Pass())
    assert told.after(10**7).claim_refusal(ReportAbsent(0, 0)) == "wrong_phase"
    assert story().claim_refusal(ReportAbsent(7, 0)) == "not_your_seat"


def test_a_ghosts_takeover_does_not_make_the_opponents_move_stale() -> None:
    told = story().to_play(1, (3, 1))
    made_against = told.state.n
    away(told, 0)
    assert told.state.decisions[1] <= made_against
    assert told.when(1, Play("8/5 6/5"))
    told.to_roll(0)
    assert told.when(0, Roll())


@pytest.mark.rule("S8")
def test_who_is_back_while_the_ghosts_turn_is_not_over_wins_for_himself() -> None:
    told = away(story().to_play(0, (3, 1)), 0)
    told.hears(ReportPresent(0))
    assert seats_played(told.state) == (0,)
    assert ended(told.when(1, Leave())).counted


@pytest.mark.rule("S7")
def test_who_goes_again_before_the_ghost_has_handed_back_is_absent_again() -> None:
    told = away(story().to_play(0, (3, 1)), 0)
    told.hears(ReportPresent(0))
    since = told.now_ms
    assert told.after(GRACE_MS).hears(ReportAbsent(0, since)) == (SeatAbsent(0, since), SeatGhosted(0))
    told.when(0, Play("8/5 6/5"))
    assert seats_played(told.state) == (0,)


@pytest.mark.rule("S8", "S5")
def test_next_has_its_two_minutes_at_a_table_without_a_clock_too() -> None:
    told = away(story().to_roll(1), 0)
    told.wins(1)
    told.when(1, Next())
    told.after(NEXT_MS + CLAIM_AFTER_MS)
    assert MatchEnded(winner=1, score=(0, 1), cause="next") in told.claim()


def test_between_games_the_view_shows_the_player_and_no_ghost() -> None:
    told = away(story().to_roll(1), 0)
    assert view(told.state, 1).seats[0].presence == "ghost"
    told.wins(1)
    assert view(told.state, 1).seats[0].presence == "unknown"


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("absence", ["ghost", "forfeit"])
@pytest.mark.parametrize("later_ms", [-1, 0, 1])
def test_a_clock_that_has_lost_before_the_grace_is_over_decides(
    absence: str, seat: int, later_ms: int
) -> None:
    """Whenever the report comes: what was first by the recorded times follows."""
    told = story(absence=absence, clock=chess_clock(3), target=None).to_play(0, (3, 1))
    deadline_ms = told.now_ms + 180_000
    since_ms = deadline_ms + later_ms - GRACE_MS
    told.after(180_000 + 300)
    if later_ms < 0:
        assert told.hears(ReportAbsent(seat, since_ms))[0] == SeatAbsent(seat, since_ms)
    else:
        assert told.claim_refusal(ReportAbsent(seat, since_ms)) == "too_early"
        told.after(CLAIM_AFTER_MS)
        assert (ended(told.claim()).winner, told.state.cause) == (1, "flag")


def test_where_a_flag_does_not_lose_it_hides_nobodys_absence() -> None:
    told = story(clock=chess_clock(3), flag="kick").to_play(0, (3, 1))
    told.after(180_000)
    assert away(told, 1).state.ghosted[1]


@pytest.mark.rule("B12", "B13")
@pytest.mark.parametrize("on_purpose", [False, True])
def test_later_in_a_match_nobody_undoes_the_score_by_going_away(*, on_purpose: bool) -> None:
    """B13 is about a start that came to nothing; in the second game of a match there is a score."""
    told = story(absence="forfeit", target=9, clock=chess_clock(1))
    told.wins(1, worth=3)
    told.next_game()
    told.to_play(0, (3, 1))
    game = ended(told.when(0, Leave()) if on_purpose else told.vanishes(0))
    assert (game.winner, game.score) == (1, (0, 6))
    assert told.state.phase.value == "between"
