"""The arithmetic of clocks, to the millisecond: the houses' examples and the table of rules §6."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared import clocks
from shared.clocks import BLITZ, PER_MOVE, STANDARD, Clocks, chess_clock
from shared.events.match import ClockTerms


def turn(terms: ClockTerms, credit_ms: int, used_ms: int) -> int | None:
    """What is left after a turn of ``used_ms`` that began with ``credit_ms``; None if the flag fell."""
    start = Clocks((credit_ms, 0), (0, 0), (False, False))
    running = clocks.run(terms, start, 0, 5_000, answering=False)
    if clocks.expired(running, 5_000 + used_ms):
        return None
    return clocks.turn_over(terms, clocks.stop(running, 5_000 + used_ms), 0).left_ms[0]


@pytest.mark.rule("S2")
@pytest.mark.parametrize(
    ("credit", "used", "left"),
    [
        (30_000, 15_000, 15_000),
        (15_000, 5_000, 20_000),
        (30_000, 10_000, 30_000),
        (30_000, 10_001, 19_999),
        (30_000, 0, 30_000),
        (5_000, 4_000, 11_000),
        (30_000, 29_999, 1),
        (30_000, 30_000, None),
    ],
)
def test_blitz(credit: int, used: int, left: int | None) -> None:
    assert turn(BLITZ, credit, used) == left


@pytest.mark.rule("S3", "S4")
@pytest.mark.parametrize(
    ("credit", "used", "left"),
    [
        (120_000, 30_000, 90_000),
        (90_000, 5_000, 105_000),
        (120_000, 20_000, 120_000),
        (105_000, 20_001, 84_999),
    ],
)
def test_standard(credit: int, used: int, left: int) -> None:
    assert turn(STANDARD, credit, used) == left


@pytest.mark.rule("B6")
@pytest.mark.parametrize(
    ("left", "shown"),
    [(0, 0), (1, 10), (9_999, 10), (10_000, 10), (10_001, 20), (119_999, 120), (120_000, 120)],
)
def test_the_display_is_up_to_ten_seconds_and_zero_only_when_no_time_is_left(left: int, shown: int) -> None:
    assert clocks.shown_s(left) == shown


@given(
    credit=st.integers(0, 30_000),
    segments=st.lists(st.tuples(st.integers(0, 9_000), st.booleans()), min_size=1, max_size=6),
)
def test_credit_is_never_negative_and_never_above_its_cap_and_answers_earn_nothing(
    credit: int, segments: list[tuple[int, bool]]
) -> None:
    now = Clocks((credit, 0), (0, 0), (False, False))
    at, thinking = 0, 0
    for used, answering in segments:
        now = clocks.stop(clocks.run(BLITZ, now, 0, at, answering=answering), at + used)
        at += used
        thinking += 0 if answering else used
        assert now.turn_ms[0] == thinking
    rest = now.left_ms[0]
    assert rest == max(0, credit - at)
    after = clocks.turn_over(BLITZ, now, 0)
    assert after.left_ms[0] == (min(30_000, rest + 10_000) if thinking <= 10_000 else rest)
    assert after.turn_ms[0] == 0


@pytest.mark.rule("B3", "B4")
def test_a_limit_per_move_starts_full_with_every_decision() -> None:
    now = clocks.stop(clocks.run(PER_MOVE, clocks.new(PER_MOVE, 2), 0, 0, answering=False), 119_999)
    assert now.left_ms[0] == 1
    again = clocks.run(PER_MOVE, now, 0, 500_000, answering=False)
    assert clocks.deadline_ms(again) == 620_000
    assert clocks.deadline_ms(clocks.add(again, 0, 120_000)) == 740_000


@pytest.mark.rule("B5")
def test_a_chess_clock_is_one_budget_a_game() -> None:
    terms = chess_clock(3)
    now = clocks.new(terms, 2)
    for at, seat, used in ((0, 0, 60_000), (60_000, 1, 1), (60_001, 0, 119_999)):
        now = clocks.stop(clocks.run(terms, now, seat, at, answering=False), at + used)
    assert now.left_ms == (1, 179_999)
    assert clocks.expired(clocks.run(terms, now, 0, 0, answering=False), 1)


def test_a_stamp_before_the_start_costs_nothing() -> None:
    running = clocks.run(BLITZ, clocks.new(BLITZ, 2), 1, 1_000, answering=False)
    assert clocks.stop(running, 400).left_ms == (30_000, 30_000)


@pytest.mark.parametrize(
    ("terms", "field"),
    [
        (ClockTerms(kind="sand", budget_ms=60_000), "kind"),
        (ClockTerms(kind="chess", budget_ms=0), "budget_ms"),
        (ClockTerms(kind="chess", budget_ms=60_000, bonus_ms=1_000), "bonus_ms"),
        (ClockTerms(kind="credit", budget_ms=30_000), "bonus_ms"),
        (ClockTerms(kind="credit", budget_ms=30_000, bonus_ms=10_000, cap_ms=29_999), "budget_ms"),
        (ClockTerms(kind="move", budget_ms=10**12), "budget_ms"),
    ],
)
def test_what_no_table_may_have_is_known(terms: ClockTerms, field: str) -> None:
    assert clocks.why_not(terms).startswith(f"{field}: ")


def test_what_a_table_may_have_is_known() -> None:
    assert not any(clocks.why_not(good) for good in (BLITZ, STANDARD, PER_MOVE, chess_clock(7)))
