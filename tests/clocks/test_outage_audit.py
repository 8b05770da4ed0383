"""The verifier and time that was given back: right to the millisecond, or said to differ."""

import msgspec
import pytest

from services.audit.report import Differs
from services.audit.returned import leading, returned
from services.game.outages import Outage, Outages
from shared.clocks import chess_clock
from shared.commands import SetAutoRoll
from shared.events.match import Terms
from shared.match.applying import apply
from tests.support.story import Story


def story(*outages: Outage) -> Story:
    """A clock runs since 0, and it is 51 s later."""
    told = Story(Terms(target=5, clock=chess_clock(3))).started().to_play(0, (3, 1))
    told.outages = Outages(tuple(Outage(told.now_ms + o.from_ms, told.now_ms + o.to_ms) for o in outages))
    return told.after(51_000)


@pytest.mark.parametrize(
    "outages",
    [(Outage(10_000, 50_000),), (Outage(-5_000, 5_000),), (Outage(0, 9_000), Outage(9_001, 51_000))],
)
def test_what_game_gives_back_is_what_the_verifier_expects(outages: tuple[Outage, ...]) -> None:
    told = story(*outages)
    state = told.state
    events = told.when(1, SetAutoRoll(on=True))
    assert leading(events) == len(outages)
    for event in events[: len(outages)]:
        assert returned(state, event, told.now_ms) == event
        state = apply(state, event)


@pytest.mark.parametrize(
    ("field", "change"),
    [("ms", 1), ("to_ms", 2_000), ("from_ms", 37_001), ("from_ms", -1_000_000_000)],
)
def test_a_forged_refund_differs(field: str, change: int) -> None:
    told = story(Outage(10_000, 50_000))
    state = msgspec.structs.replace(told.state, returned_ms=1)
    event = told.when(1, SetAutoRoll(on=True))[0]
    forged = msgspec.structs.replace(event, **{field: getattr(event, field) + change})
    try:
        expected = returned(state, forged, told.now_ms)
    except Differs:
        return
    assert expected != forged


def test_nothing_is_given_back_where_no_clock_runs_or_twice() -> None:
    told = story(Outage(10_000, 50_000))
    before = told.state
    event = told.when(1, SetAutoRoll(on=True))[0]
    with pytest.raises(Differs, match="given back before"):
        returned(told.state, event, told.now_ms)
    with pytest.raises(Differs, match="No time ran"):
        returned(msgspec.structs.replace(before, clocks=None), event, told.now_ms)
