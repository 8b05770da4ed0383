"""Clocks in a match: who pays in every state, what a flag means, kicks, extensions, the end of Next."""

from typing import Any

import msgspec
import pytest

from services.game.domain import decide
from services.game.judge import STAMP_WINDOW_MS, stamp
from services.game.timed import Moment
from shared.clocks import BLITZ, PER_MOVE, STANDARD, chess_clock
from shared.commands import (
    AcceptExtension,
    AcceptResignation,
    AskTime,
    AutoFinish,
    Double,
    Kick,
    Leave,
    MatchCommand,
    Next,
    OfferExtension,
    Pass,
    Play,
    ReportAbsent,
    ReportPresent,
    Resign,
    Roll,
    SetAutoRoll,
    Take,
)
from shared.events.match import (
    ClockCharged,
    ExtensionAccepted,
    FlagFell,
    GameEnded,
    MatchCancelled,
    MatchEnded,
    NextExpired,
    SeatAbsent,
    SeatKicked,
    Terms,
)
from shared.match import view
from shared.match.timing import CLAIM_AFTER_MS, NEXT_MS, payer
from shared.problems import Refused
from tests.support.story import Story, race


def story(**terms: Any) -> Story:
    agreed: dict[str, Any] = {"target": 5, "clock": STANDARD, **terms}
    return Story(Terms(**agreed)).started()


def left(told: Story) -> tuple[int, ...]:
    assert told.state.clocks is not None
    return told.state.clocks.left_ms


@pytest.mark.rule("S3")
def test_the_segments_of_a_turn_add_up_and_the_bonus_comes_with_its_end() -> None:
    """120 s, 30 s used: 90; then 5 s used: 105 (the house's example), thinking and moving apart."""
    told = story().to_roll(0)
    assert told.after(12_000).when(0, Roll())[-1] == ClockCharged(
        seat=0, used_ms=12_000, left_ms=108_000, turn_ms=12_000
    )
    told.to_play(0, (3, 1))
    told.given(clocks=told.state.clocks)
    assert told.after(18_000).when(0, Play("8/5 6/5"))[-1] == ClockCharged(
        seat=0, used_ms=18_000, left_ms=90_000
    )
    told.to_play(0, (3, 1), race({8: 5, 6: 5}), race({24: 2}))
    told.after(5_000).when(0, Play("8/5 6/5"))
    assert left(told)[0] == 105_000


@pytest.mark.parametrize("used", [10_000, 10_001])
def test_exactly_ten_seconds_earn_the_bonus(used: int) -> None:
    told = story(clock=BLITZ).to_play(0, (3, 1))
    told.after(used).when(0, Play("8/5 6/5"))
    assert left(told)[0] == (30_000 if used == 10_000 else 19_999)


@pytest.mark.parametrize(
    ("commands", "answer"), [((Double(),), Pass()), ((Resign(),), AcceptResignation()), ((Double(),), Take())]
)
def test_answers_run_on_the_answerers_clock_without_bonus(
    commands: tuple[MatchCommand, ...], answer: MatchCommand
) -> None:
    told = story().to_roll(0)
    for command in commands:
        told.when(0, command)
    told.given(clocks=told.state.clocks)
    before = left(told)[1]
    told.after(4_000).when(1, answer)
    assert left(told)[1] == before - 4_000


def test_side_commands_of_either_seat_stop_no_clock() -> None:
    told = story().to_play(0, (3, 1))
    for on in (True, False):
        told.after(1_000).when(1, SetAutoRoll(on=on))
    events = told.after(1_000).when(0, Play("8/5 6/5"))
    assert ClockCharged(seat=0, used_ms=3_000, left_ms=120_000) in events


def judged(told: Story, arrived_ms: int, now_ms: int) -> str:
    """What a move of seat 0 that arrived then and is judged now comes to: "" if it is good."""
    moment = Moment(stamp(arrived_ms, now_ms), now_ms)
    try:
        decide(told.state, 0, Play("8/5 6/5"), told.secret, moment)
    except Refused as refused:
        return refused.problem.code
    return ""


@pytest.mark.rule("B5")
@pytest.mark.parametrize("late", [-1, 0, 1])
@pytest.mark.parametrize("delivered", [0, 400, 499, 501])
@pytest.mark.parametrize("claims", ["never", "before", "twice before", "after"])
def test_a_flag_that_loses_is_judged_by_the_stamped_times(late: int, delivered: int, claims: str) -> None:
    """A move stamped at deadline -1, 0, +1 ms, judged later, with claims around it: only the stamp counts.

    A stamp older than the window counts as now - 500 ms; 501 ms on its way are the player's own risk.
    """
    told = story(clock=chess_clock(3), flag="loss").to_play(0, (3, 1))
    deadline_ms = told.now_ms + 180_000
    arrived, now = deadline_ms + late, deadline_ms + late + delivered
    told.now_ms = now
    if "before" in claims:
        for _ in claims.split():
            assert told.claim_refusal() == "too_early"
    counts_as = max(arrived, now - STAMP_WINDOW_MS)
    assert judged(told, arrived, now) == ("" if counts_as < deadline_ms else "flag_fallen")
    assert (counts_as < deadline_ms) == (late < 0 and not (late == -1 and delivered == 501))
    if claims == "after" and counts_as >= deadline_ms:
        told.now_ms = deadline_ms + CLAIM_AFTER_MS
        fell, ended, *_ = told.claim()
        assert fell == FlagFell(0, deadline_ms)
        assert isinstance(ended, GameEnded)
        assert (ended.winner, ended.cause) == (1, "flag")


@pytest.mark.rule("B5", "S13")
@pytest.mark.parametrize("flag", ["loss", "kick"])
@pytest.mark.parametrize("offer", [Double(), Resign()])
def test_time_runs_out_for_the_one_who_must_answer_an_offer(flag: str, offer: MatchCommand) -> None:
    told = story(clock=BLITZ, flag=flag).to_roll(0)
    told.when(0, offer)
    before = left(told)[0]
    told.after(30_000 + CLAIM_AFTER_MS)
    events = told.claim()
    assert isinstance(events[0], FlagFell)
    assert events[0].seat == 1
    assert left(told)[0] == before
    assert any(isinstance(event, GameEnded) and event.winner == 0 for event in events) == (flag == "loss")


def test_a_claim_is_judged_only_from_deadline_plus_window_on_and_once() -> None:
    told = story(clock=chess_clock(3), flag="loss").to_play(0, (3, 1))
    told.after(180_000 + CLAIM_AFTER_MS - 1)
    assert told.claim_refusal() == "too_early"
    told.after(1).claim()
    assert told.claim_refusal() in {"nothing_to_claim", "too_early"}


@pytest.mark.rule("S13")
def test_a_late_player_may_move_until_he_is_kicked_and_his_clock_stays_at_nothing() -> None:
    told = story(flag="kick").to_play(0, (3, 1))
    told.after(120_000 + CLAIM_AFTER_MS)
    told.claim()
    assert "kick" in view(told.state, 1).may
    assert told.claim_refusal() == "nothing_to_claim"
    assert told.when(0, Play("8/5 6/5"))[-1] == ClockCharged(seat=0, used_ms=120_600, left_ms=0)
    assert "kick" not in view(told.state, 1).may


@pytest.mark.rule("S13")
def test_after_the_kick_the_computer_plays_on_and_its_win_is_not_counted() -> None:
    told = story(flag="kick").to_play(0, (6, 5), race({2: 1}), race({6: 15}))
    assert told.refusal(1, Kick()) == "too_early"
    told.after(120_000 + CLAIM_AFTER_MS)
    assert told.refusal(0, Kick()) == "kick_unavailable"
    assert told.when(1, Kick())[0] == SeatKicked(0)
    assert payer(told.state) is None
    assert view(told.state, 0).seats[0].kicked
    ended = next(event for event in told.when(0, Play("2/off")) if isinstance(event, GameEnded))
    assert (ended.winner, ended.counted, ended.score) == (0, False, (0, 0))
    told = story(flag="kick", target=None).to_play(0, (6, 5), race({2: 1}), race({6: 15}))
    told.after(120_000 + CLAIM_AFTER_MS).when(1, Kick())
    assert any(isinstance(event, MatchCancelled) for event in told.when(0, Play("2/off")))


@pytest.mark.rule("S13")
def test_a_win_against_the_computer_counts_in_full() -> None:
    told = story(flag="kick").to_roll(0, race({6: 15}), race({2: 1}))
    told.after(120_000 + CLAIM_AFTER_MS).when(1, Kick())
    told.to_play(1, (6, 5), race({2: 1}), race({6: 15}))
    ended = next(event for event in told.when(1, Play("2/off")) if isinstance(event, GameEnded))
    assert (ended.winner, ended.counted, ended.points, ended.score) == (1, True, 2, (0, 2))


def between(**terms: Any) -> Story:
    told = story(**terms).to_roll(0)
    told.when(0, Double())
    told.when(1, Pass())
    return told


@pytest.mark.rule("S5")
def test_next_is_good_at_exactly_two_minutes_and_not_later() -> None:
    told = between()
    told.after(NEXT_MS).when(0, Next())
    assert told.after(1).refusal(1, Next()) == "flag_fallen"
    told.after(CLAIM_AFTER_MS)
    assert told.claim()[:2] == (NextExpired((1,)), MatchEnded(winner=0, score=(1, 0), cause="next"))


@pytest.mark.rule("S5")
def test_nobody_presses_next_and_the_match_is_cancelled() -> None:
    told = between().after(NEXT_MS + CLAIM_AFTER_MS)
    assert told.claim()[:2] == (NextExpired((0, 1)), MatchCancelled("next"))


@pytest.mark.rule("B4")
def test_two_minutes_more_once_a_game_on_ones_own_move() -> None:
    told = story(clock=PER_MOVE).to_play(0, (3, 1))
    assert told.refusal(1, AskTime()) == "extension_unavailable"
    told.after(119_000).when(0, AskTime())
    assert told.refusal(0, AskTime()) == "extension_unavailable"
    told.after(120_999)
    assert told.when(0, Play("8/5 6/5"))
    told.to_play(0, (3, 1)).after(120_000)
    assert told.refusal(0, Play("8/5 6/5")) == "flag_fallen"


@pytest.mark.rule("B4")
@pytest.mark.rule("S13")
def test_nobody_escapes_the_kick_by_asking_for_time() -> None:
    told = story(clock=PER_MOVE, flag="kick").to_play(0, (3, 1))
    assert "ask_time" in view(told.state, 0).may
    told.after(120_000)
    assert told.refusal(0, AskTime()) == "flag_fallen"
    told.after(CLAIM_AFTER_MS).claim()
    assert "ask_time" not in view(told.state, 0).may
    assert told.when(0, Play("8/5 6/5"))


@pytest.mark.rule("B7")
def test_five_minutes_more_for_both_by_agreement_before_or_during_the_game() -> None:
    told = Story(Terms(clock=chess_clock(3)))
    told.when(0, OfferExtension())
    assert told.refusal(0, AcceptExtension()) == "not_your_turn"
    assert told.when(1, AcceptExtension()) == (ExtensionAccepted(1, 300_000),)
    shown = view(told.state, 0).clock
    assert shown is not None
    assert shown.left_ms == (480_000, 480_000)
    told.started()
    assert left(told) == (480_000, 480_000)
    told.to_play(0, (3, 1)).when(0, OfferExtension())
    told.when(0, Play("8/5 6/5"))
    assert told.refusal(1, AcceptExtension()) == "nothing_offered"
    told.when(1, OfferExtension())
    told.when(0, AcceptExtension())
    assert left(told) == (780_000, 780_000)


@pytest.mark.rule("B6")
def test_the_view_shows_exact_time_and_ten_seconds_and_the_deadline() -> None:
    told = story(clock=BLITZ).to_play(0, (3, 1))
    shown = view(told.state, 1).clock
    assert shown is not None
    assert (shown.left_ms, shown.shown_s, shown.running) == ((30_000, 30_000), (30, 30), 0)
    assert shown.deadline_ms == told.now_ms + 30_000


@pytest.mark.rule("S11")
def test_in_blitz_auto_roll_is_recommended_until_it_is_on() -> None:
    told = story(clock=BLITZ).to_play(0, (3, 1))
    assert view(told.state, 1).recommend_auto_roll
    told.when(1, SetAutoRoll(on=True))
    assert not view(told.state, 1).recommend_auto_roll
    assert not view(story().state, 1).recommend_auto_roll


@pytest.mark.parametrize("on_time", [True, False])
def test_a_switch_that_rolls_is_a_decision_and_late_where_a_flag_loses(*, on_time: bool) -> None:
    told = story(clock=PER_MOVE, flag="loss").to_roll(0)
    told.after(119_999 if on_time else 120_000)
    if on_time:
        assert told.when(0, SetAutoRoll(on=True))[-1] == ClockCharged(
            seat=0, used_ms=119_999, left_ms=1, turn_ms=119_999
        )
    else:
        assert told.refusal(0, SetAutoRoll(on=True)) == "flag_fallen"
        assert told.when(1, SetAutoRoll(on=True))


@pytest.mark.rule("B7")
def test_nobody_can_add_time_to_a_clock_that_has_lost() -> None:
    told = story(clock=chess_clock(3), flag="loss").to_play(0, (3, 1))
    told.when(1, OfferExtension())
    told.after(179_999).when(0, SetAutoRoll(on=True))
    assert told.after(1).refusal(0, AcceptExtension()) == "flag_fallen"
    told = story(clock=chess_clock(3), flag="kick").to_play(0, (3, 1))
    told.when(1, OfferExtension())
    told.after(180_000).when(0, AcceptExtension())
    assert told.after(CLAIM_AFTER_MS).claim_refusal() == "too_early"


@pytest.mark.rule("S2")
@pytest.mark.rule("S11")
def test_a_pass_that_auto_roll_forces_earns_what_a_quick_turn_earns() -> None:
    """Seat 1 stands on the bar before a closed board: the server rolls and passes for it."""
    told = story(clock=BLITZ).given(auto_roll=(False, True))
    told.to_play(0, (1, 2), race(dict.fromkeys(range(1, 7), 2) | {20: 3}), race({25: 1, 3: 14}))
    now = told.state.clocks
    assert now is not None
    told.given(clocks=msgspec.structs.replace(now, left_ms=(30_000, 7_000), running=None))
    told.after(4_000)
    charges = [e for e in told.when(0, Play("20/18 20/19")) if isinstance(e, ClockCharged)]
    assert charges == [
        ClockCharged(seat=0, used_ms=4_000, left_ms=30_000),
        ClockCharged(seat=1, used_ms=0, left_ms=17_000),
    ]
    assert payer(told.state) == (0, False)


def test_a_turn_that_ends_in_the_opponents_commit_leaves_nothing_to_the_next() -> None:
    """Seat 0 doubles after 3 s and switches auto-roll on; the take rolls for it, and it cannot move."""
    told = story(clock=BLITZ).to_roll(0, race({25: 1, 3: 14}), race(dict.fromkeys(range(1, 7), 2) | {20: 3}))
    told.after(3_000).when(0, Double())
    told.when(0, SetAutoRoll(on=True))
    charges = [e for e in told.after(2_000).when(1, Take()) if isinstance(e, ClockCharged)]
    assert charges == [
        ClockCharged(seat=1, used_ms=2_000, left_ms=28_000),
        ClockCharged(seat=0, used_ms=0, left_ms=30_000),
    ]


def test_a_game_that_ends_in_a_turn_pays_no_bonus_to_a_fallen_clock() -> None:
    told = story(clock=BLITZ, flag="loss").to_play(0, (3, 1))
    now = told.state.clocks
    assert now is not None
    told.given(clocks=msgspec.structs.replace(now, left_ms=(2_000, 30_000), running=None))
    told.after(2_000 + CLAIM_AFTER_MS).claim()
    assert left(told)[0] == 0


@pytest.mark.parametrize("command", [Leave(), AutoFinish(), AcceptExtension()])
def test_once_a_clock_has_lost_the_game_nobody_can_end_it_otherwise(command: MatchCommand) -> None:
    """Stamped times decide: the flag fell first, so who leaves before it is claimed has not lost."""
    told = story(clock=chess_clock(3), target=None, absence="forfeit")
    told.to_play(0, (3, 1), race({8: 5, 6: 5}), race({6: 15})).when(0, OfferExtension())
    told.after(180_000)
    for seat in (1, 0):
        assert told.refusal(seat, command) == "flag_fallen"
    told.after(CLAIM_AFTER_MS)
    assert any(isinstance(event, MatchEnded) and event.winner == 1 for event in told.claim())


@pytest.mark.rule("B13")
def test_leaving_with_a_fallen_flag_annuls_nothing() -> None:
    told = story(clock=PER_MOVE, target=None, absence="forfeit").to_play(0, (3, 1)).after(120_000)
    assert told.refusal(0, Leave()) == "flag_fallen"
    ended = next(event for event in told.after(CLAIM_AFTER_MS).claim() if isinstance(event, GameEnded))
    assert (ended.winner, ended.cause) == (1, "flag")


def test_the_view_says_who_made_the_newest_move() -> None:
    told = story(absence="ghost", flag="kick").to_play(0, (3, 1))
    told.when(0, Play("8/5 6/5"))
    assert view(told.state, 1).last.by == "player"
    told.to_play(0, (3, 1)).vanishes(0)
    told.when(0, Play("8/5 6/5"))
    assert view(told.state, None).last.by == "ghost"
    told.to_play(1, (3, 1)).after(120_000 + CLAIM_AFTER_MS).claim()
    told.to_play(1, (3, 1)).when(1, Play("8/5 6/5"))
    assert view(told.state, 0).last.by == "computer"


def test_a_single_game_that_counts_for_nothing_says_so_of_its_points() -> None:
    told = story(absence="ghost", target=None, flag="kick").to_play(0, (3, 1))
    told.vanishes(0)
    told.hears(ReportPresent(0))
    told.when(0, Play("8/5 6/5"))  # the ghost's turn ends: he is back, and wins himself
    told.to_play(0, (6, 5), race({2: 1}), race({6: 15}))
    game, cancelled, *_ = told.when(0, Play("2/off"))[1:]
    assert isinstance(game, GameEnded)
    assert (game.winner, game.counted, game.score) == (0, False, (0, 0))
    assert cancelled == MatchCancelled("won by the computer")


def test_who_was_away_before_the_game_is_away_from_its_start() -> None:
    told = story(absence="forfeit", target=None)
    since_ms = told.state.began_ms - 3_600_000
    assert told.claim_refusal(ReportAbsent(0, since_ms)) == "too_early"
    told.after(30_000)
    assert told.hears(ReportAbsent(0, since_ms))[0] == SeatAbsent(0, told.state.began_ms)


@pytest.mark.rule("S13")
def test_who_begins_a_decision_with_nothing_left_can_be_thrown_out_at_once() -> None:
    """Rules §6: he was late, moved, and has no credit; no move of his can be in time any more."""
    told = story(flag="kick", clock=BLITZ).to_play(0, (3, 1))
    told.after(30_000 + CLAIM_AFTER_MS).when(0, Play("8/5 6/5"))
    assert left(told)[0] == 0
    told.to_roll(0)
    shown = view(told.state, 1)
    assert shown.clock is not None
    assert shown.clock.flagged == 0
    assert "kick" in shown.may
    assert told.when(1, Kick())[0] == SeatKicked(0)


def test_who_is_played_by_another_may_do_nothing_meanwhile() -> None:
    told = story(flag="kick", absence="ghost").to_play(0, (3, 1))
    told.vanishes(0)
    assert view(told.state, 0).may == ()
    told.wins(1)
    assert "next" in view(told.state, 0).may
