"""Our own outages as numbers, and what each of them does to a match: before, inside, across, twice."""

from typing import Any

import msgspec
import pytest

from services.game.outages import GAP_MS, NONE, Outage, Outages
from services.game.pulse import KEPT, KEPT_MS, Beat, following
from shared.clocks import BLITZ, STANDARD, chess_clock
from shared.commands import (
    AcceptResignation,
    Double,
    Kick,
    Next,
    Pass,
    Play,
    Ready,
    ReportAbsent,
    Resign,
    Roll,
    SetAutoRoll,
    Take,
)
from shared.events.match import (
    AutoRollSet,
    ClockCharged,
    FlagFell,
    MatchCancelled,
    MatchEnded,
    NextExpired,
    SeatAbsent,
    SeatGhosted,
    SeatKicked,
    SeatReady,
    StartExpired,
    Terms,
    TimeReturned,
)
from shared.match import Phase, view
from shared.match.timing import CLAIM_AFTER_MS, NEXT_MS, deadline
from tests.support.story import Story

OPENING = Play("8/5 6/5")
MINUTES_MS = 180_000


def outages(*between: tuple[int, int]) -> Outages:
    return Outages(tuple(Outage(*known) for known in between))


@pytest.mark.parametrize(
    ("known", "since", "until", "overlap"),
    [
        ([], 0, 100, 0),
        ([(10, 20)], 0, 100, 10),
        ([(10, 20)], 15, 100, 5),
        ([(10, 20)], 0, 15, 5),
        ([(10, 20)], 12, 18, 6),
        ([(10, 20)], 20, 100, 0),
        ([(10, 20)], 0, 10, 0),
        ([(10, 20), (30, 50)], 15, 40, 15),
        ([(10, 20)], 30, 5, 0),
    ],
)
def test_what_of_a_stretch_of_time_was_an_outage(
    known: list[tuple[int, int]], since: int, until: int, overlap: int
) -> None:
    assert outages(*known).overlap(since, until) == overlap


@pytest.mark.parametrize(("arrived", "counts"), [(10, 10), (11, 20), (19, 20), (20, 20), (25, 25)])
def test_what_arrives_during_an_outage_counts_as_arrived_at_its_end(arrived: int, counts: int) -> None:
    assert outages((10, 20)).counted(arrived) == counts


def test_beats_further_apart_than_three_seconds_are_an_outage_and_the_later_one_holds_it() -> None:
    first = following(None, 10_000, "a", 10_000)
    assert first == Beat(10_000, 10_000, "a")
    assert following(first, 10_000 + GAP_MS, "b", 10_000).outages == ()
    later = following(first, 10_001 + GAP_MS, "b", 10_000)
    assert later.outages == (Outage(10_000, 10_001 + GAP_MS),)
    assert following(later, later.at_ms + 1_000, "a", later.at_ms).outages == later.outages
    assert following(later, later.at_ms + KEPT_MS, "a", later.at_ms).outages[:-1] == ()


def test_so_many_outages_are_known_and_no_more() -> None:
    beat = following(None, 0, "a", 0)
    for _ in range(KEPT + 5):
        beat = following(beat, beat.at_ms + 5_000, "a", beat.at_ms)
    assert len(beat.outages) == KEPT
    assert beat.outages[-1] == Outage(beat.at_ms - 5_000, beat.at_ms)


# ---- in a match: the clock is started at `start`, has 180 s, and outages are told from there


def running(known: list[tuple[int, int]], **terms: Any) -> tuple[Story, int]:
    told = Story(msgspec.structs.replace(Terms(target=5, clock=chess_clock(3)), **terms)).started()
    told.to_play(0, (3, 1))
    start = told.now_ms
    told.outages = outages(*((start + a, start + b) for a, b in known))
    return told, start


def due(told: Story, start: int) -> int:
    found = deadline(told.state)
    assert found is not None
    return found.at_ms - start


GRID = {
    "before": ([(-20_000, -5_000)], 0),
    "across the start": ([(-20_000, 5_000)], 5_000),
    "inside": ([(60_000, 100_000)], 40_000),
    "across the deadline": ([(175_000, 215_000)], 40_000),
    "from the last millisecond": ([(179_999, 219_999)], 40_000),
    "twice": ([(10_000, 20_000), (60_000, 100_000)], 50_000),
    "twice, the second in the time given back": ([(170_000, 190_000), (195_000, 205_000)], 30_000),
}


@pytest.mark.parametrize("name", list(GRID))
def test_time_of_ours_is_given_back_first_and_the_flag_falls_that_much_later(name: str) -> None:
    known, back = GRID[name]
    told, start = running(known)
    ends = max((to for _, to in known), default=0)
    told.after(max(ends, MINUTES_MS) + CLAIM_AFTER_MS)
    if back:  # the timer that was armed before comes first, and cannot win against the refund
        if told.now_ms - start < MINUTES_MS + back + CLAIM_AFTER_MS:
            events = told.claim()
            assert all(isinstance(event, TimeReturned) for event in events)
            assert sum(event.ms for event in events if isinstance(event, TimeReturned)) == back
            assert due(told, start) == MINUTES_MS + back
            assert told.claim_refusal() == "too_early"
        told.now_ms = start + MINUTES_MS + back + CLAIM_AFTER_MS - 1
        assert told.claim_refusal() == "too_early"
        told.after(1)
    assert FlagFell(0, start + MINUTES_MS + back) in told.claim()


@pytest.mark.parametrize("name", list(GRID))
@pytest.mark.parametrize("late", [-1, 0, 1])
def test_a_move_is_in_time_up_to_the_moved_deadline_and_charged_without_the_outage(
    name: str, late: int
) -> None:
    known, back = GRID[name]
    told, _ = running(known)
    told.after(MINUTES_MS + back + late)
    if late >= 0:
        assert told.refusal(0, OPENING) == "flag_fallen"
        return
    events = told.when(0, OPENING)
    assert [type(event) for event in events[: len(events) - 2]] == [TimeReturned] * (len(events) - 2)
    assert events[-1] == ClockCharged(seat=0, used_ms=MINUTES_MS - 1, left_ms=1)


def test_an_outage_after_the_flag_fell_saves_nobody() -> None:
    told, start = running([(180_000, 220_000)])
    told.after(220_000)
    told.claim()
    assert told.refusal(0, OPENING) == "flag_fallen"
    told.after(CLAIM_AFTER_MS)
    assert FlagFell(0, start + 220_000) in told.claim()


def test_time_is_given_back_once_whoever_comes_first_and_a_second_outage_adds_its_own() -> None:
    told, start = running([(10_000, 20_000)])
    told.after(25_000)
    assert told.when(1, SetAutoRoll(on=True)) == (
        TimeReturned(ms=10_000, from_ms=start + 10_000, to_ms=start + 20_000, reason="outage"),
        AutoRollSet(1, on=True),
    )
    assert told.state.decisions[0] < told.state.n  # nobody's decision was replaced
    assert told.when(1, SetAutoRoll(on=False)) == (AutoRollSet(1, on=False),)
    told.outages = outages((start + 10_000, start + 20_000), (start + 30_000, start + 34_000))
    told.after(15_000)
    returned, *_, charged = told.when(0, OPENING)
    assert isinstance(returned, TimeReturned)
    assert returned.ms == 4_000
    assert charged == ClockCharged(seat=0, used_ms=26_000, left_ms=154_000)
    told.outages = outages((start + 10_000, start + 20_000), (start + 30_000, start + 34_000))
    told.given(clocks=told.state.clocks)
    assert not any(
        isinstance(event, TimeReturned) for event in told.after(1_000).when(1, SetAutoRoll(on=True))
    )


def test_what_was_sent_during_the_outage_costs_what_was_thought_before_it() -> None:
    told, _ = running([(30_000, 70_000)])
    told.after(69_700)  # the stamp of a gateway that was alive
    moment = told.moment(late_ms=400)
    assert (moment.arrived_ms, moment.now_ms) == (told.now_ms + 300, told.now_ms + 400)
    told.now_ms = moment.now_ms
    assert told.outages.counted(told.now_ms - 400) == moment.arrived_ms


@pytest.mark.parametrize(("asks", "answers"), [((Double(),), Take()), ((Resign(),), AcceptResignation())])
def test_an_outage_during_an_answer_is_the_answerers_to_get_back(asks: tuple[Any, ...], answers: Any) -> None:
    told = Story(Terms(target=5, clock=STANDARD)).started().to_roll(0)
    for command in asks:
        told.when(0, command)
    start = told.now_ms
    told.outages = outages((start + 5_000, start + 125_000))
    events = told.after(130_000).when(1, answers)
    assert events[0] == TimeReturned(
        ms=120_000, from_ms=start + 5_000, to_ms=start + 125_000, reason="outage"
    )
    assert ClockCharged(seat=1, used_ms=10_000, left_ms=110_000) in events


def test_the_bonus_of_a_turn_does_not_see_the_outage() -> None:
    told = Story(Terms(target=5, clock=BLITZ)).started().to_play(0, (3, 1))
    start = told.now_ms
    told.outages = outages((start + 4_000, start + 44_000))
    assert told.after(50_000).when(0, OPENING)[-1] == ClockCharged(seat=0, used_ms=10_000, left_ms=30_000)


@pytest.mark.rule("S5")
def test_an_outage_during_next_gives_both_the_time_they_had() -> None:
    told = Story(Terms(target=5, clock=STANDARD)).started().to_roll(0)
    told.when(0, Double())
    told.when(1, Pass())
    assert told.state.phase is Phase.BETWEEN
    ended = told.now_ms
    told.outages = outages((ended + 60_000, ended + 130_000))
    told.after(NEXT_MS + CLAIM_AFTER_MS)
    told.now_ms = ended + 130_001
    assert told.claim() == (
        TimeReturned(ms=70_000, from_ms=ended + 60_000, to_ms=ended + 130_000, reason="outage"),
    )
    told.now_ms = ended + NEXT_MS + 70_000
    told.when(0, Next())
    assert told.after(1).refusal(1, Next()) == "flag_fallen"
    told.after(CLAIM_AFTER_MS - 2)
    assert told.claim_refusal() == "too_early"
    assert told.after(1).claim()[:2] == (NextExpired((1,)), MatchEnded(winner=0, score=(1, 0), cause="next"))


@pytest.mark.rule("S7")
def test_an_outage_counts_as_nobodys_absence() -> None:
    told = Story(Terms(target=5, absence="ghost")).started().to_play(0, (3, 1))
    since = told.now_ms
    told.outages = outages((since - 5_000, since + 20_000), (since + 25_000, since + 35_000))
    told.after(59_999)
    assert told.claim_refusal(ReportAbsent(0, since)) == "too_early"
    assert told.after(1).hears(ReportAbsent(0, since))[:2] == (SeatAbsent(0, since), SeatGhosted(0))


@pytest.mark.rule("S13")
def test_nobody_is_thrown_out_for_an_outage() -> None:
    told, start = running([(100_000, 200_000)], flag="kick")
    told.after(201_000)
    assert told.refusal(1, Kick()) == "too_early"
    told.now_ms = start + 280_000 + CLAIM_AFTER_MS
    events = told.when(1, Kick())
    assert [type(event) for event in events[:2]] == [TimeReturned, SeatKicked]


def test_a_flag_that_was_claimed_before_the_outage_stays_claimed() -> None:
    told, _ = running([(190_000, 230_000)], flag="kick")
    told.after(181_000).claim()
    told.after(60_000)
    assert told.claim_refusal() == "nothing_to_claim"
    assert SeatKicked(0) in told.when(1, Kick())


def test_auto_roll_that_rolls_after_an_outage_is_judged_by_the_moved_deadline() -> None:
    told = Story(Terms(target=5, clock=chess_clock(3), flag="loss")).started().to_roll(0)
    start = told.now_ms
    told.outages = outages((start + 100_000, start + 200_000))
    told.after(MINUTES_MS + 99_999)
    assert isinstance(told.when(0, SetAutoRoll(on=True))[0], TimeReturned)


def test_where_no_clock_runs_nothing_is_given_back() -> None:
    told = Story(Terms(target=5)).started().to_roll(0)
    told.outages = outages((told.now_ms, told.now_ms + 60_000))
    assert not any(isinstance(event, TimeReturned) for event in told.after(60_000).when(0, Roll()))
    early = Story(Terms(target=5))
    early.outages = outages((early.now_ms, early.now_ms + 60_000))
    early.after(60_000).started()
    assert early.state.returned_ms == 0


def test_an_outage_while_the_seats_get_ready_takes_nothing_from_their_two_minutes() -> None:
    told = Story(Terms(target=5, clock=STANDARD))
    begin = told.now_ms
    told.outages = outages((begin + 10_000, begin + 70_000))
    told.after(NEXT_MS + 60_000)
    back = TimeReturned(ms=60_000, from_ms=begin + 10_000, to_ms=begin + 70_000, reason="outage")
    assert told.when(1, Ready()) == (back, SeatReady(1))
    assert told.after(1).refusal(0, Ready()) == "flag_fallen"
    assert told.claim_refusal() == "too_early"
    assert told.after(CLAIM_AFTER_MS).claim()[:2] == (StartExpired((0,)), MatchCancelled("not ready"))


def test_the_view_shows_the_moved_deadline_and_says_why() -> None:
    told, start = running([(10_000, 20_000)])
    told.after(25_000).when(1, SetAutoRoll(on=True))
    shown = view(told.state, 0)
    assert shown.clock is not None
    assert shown.clock.deadline_ms == start + MINUTES_MS + 10_000
    assert shown.last.words.startswith("10.0 s of an outage are given back.")


def test_without_outages_nothing_changes() -> None:
    told, _ = running([])
    assert told.outages == NONE
    assert told.after(1_000).when(0, OPENING)[-1] == ClockCharged(seat=0, used_ms=1_000, left_ms=179_000)


def test_a_flag_that_fell_after_the_last_beat_is_up_again_and_falls_anew() -> None:
    told, start = running([], flag="kick")
    told.after(MINUTES_MS + 600).claim()
    assert told.state.flagged == 0
    told.outages = outages((start + MINUTES_MS - 400, start + MINUTES_MS + 40_000))
    told.now_ms = start + MINUTES_MS + 40_100
    told.when(1, SetAutoRoll(on=True))
    assert told.state.flagged is None
    assert told.refusal(1, Kick()) == "too_early"
    told.after(1_000)
    assert any(isinstance(event, FlagFell) for event in told.claim())
