"""Time that was given back for an outage of ours, checked by the log alone.

Which outages there were stands in no match; so from and to are taken as they stand where they are possible,
and what is given back must follow from them to the millisecond.
"""

from services.audit.clock import asked_ends, choice_ends
from services.audit.report import Differs
from shared.events.match import MatchEvent, TimeReturned
from shared.match import MatchState, Phase

LEAST_MS = 3_000
"""A shorter interruption is the players' risk, and is never given back."""

_FIRST = "events[0]"


def leading(events: tuple[MatchEvent, ...]) -> int:
    """How many events at the head of a commit give time back; its cause follows them, if it has one."""
    return next((i for i, event in enumerate(events) if not isinstance(event, TimeReturned)), len(events))


def returned(state: MatchState, event: MatchEvent, at_ms: int) -> TimeReturned:
    """What must stand in a commit of ``at_ms`` for the outage that ``event`` names; raises ``Differs``.

    ``state`` is that before ``event``, one of those that ``leading`` has counted.
    """
    begin, end = f"{_FIRST}.from_ms", f"{_FIRST}.to_ms"
    assert isinstance(event, TimeReturned)  # noqa: S101 - as said above
    since_ms = _runs_since(state)
    if since_ms is None:
        raise Differs(_FIRST, "no time_returned", "time_returned", "No time ran that an outage could take.")
    if event.to_ms > at_ms:
        raise Differs(end, f"at most {at_ms}", event.to_ms, "An outage is given back when it is over.")
    if event.to_ms - event.from_ms <= LEAST_MS:
        raise Differs(begin, f"before {event.to_ms - LEAST_MS}", event.from_ms, "That is no outage.")
    if event.from_ms < state.returned_ms:
        raise Differs(begin, f"at least {state.returned_ms}", event.from_ms, "It was given back before.")
    ms = event.to_ms - max(event.from_ms, since_ms)
    if ms <= 0:
        raise Differs(end, f"after {since_ms}", event.to_ms, "It was over before that clock was started.")
    return TimeReturned(ms=ms, from_ms=event.from_ms, to_ms=event.to_ms, reason="outage")


def _runs_since(state: MatchState) -> int | None:
    """When what runs was started: a clock, or the time in which all are asked or several choose."""
    if asked_ends(state):
        return state.asked_ms
    if state.choice is not None and choice_ends(state) is not None:
        return state.choice.from_ms
    if state.phase is not Phase.PLAYING or state.clocks is None or state.clocks.running is None:
        return None
    return state.clocks.since_ms
