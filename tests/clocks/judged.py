"""What a log says of its time, held against the rule of docs/adr/0008 written down a second time."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from services.audit.domain import verify
from services.game.outages import REASON, Outage
from shared.events.codec import MatchCommit, decode_match
from shared.events.match import FlagFell, GameEnded, SeatAbsent, TimeReturned
from shared.fold import step
from shared.match import MatchState, Phase
from shared.match.timing import CLAIM_AFTER_MS, deadline


@dataclass
class Judged:
    """What became of a match: its end, its commits with a flag, what it was given back, who was away."""

    state: MatchState
    flags: list[MatchCommit] = field(default_factory=list[MatchCommit])
    given: list[TimeReturned] = field(default_factory=list[TimeReturned])
    absent: list[tuple[MatchCommit, SeatAbsent]] = field(default_factory=list[tuple[MatchCommit, SeatAbsent]])


def judged(log: Sequence[bytes], outages: Iterable[Outage] = ()) -> Judged:
    """The match in ``log``, whose every millisecond was checked.

    The verifier agrees with it; each commit gives back what the outages took from the clock that ran, and
    nothing else; a flag falls at the deadline that was moved by that, and is not judged before.
    """
    report = verify(log)
    assert report.ok, report.difference
    known = tuple(outages)
    found = Judged(step(None, log[0]))
    for stored in log[1:]:
        commit = decode_match(stored)
        given = [event for event in commit.events if isinstance(event, TimeReturned)]
        assert given == _due(found.state, commit, known)
        if any(isinstance(event, FlagFell) for event in commit.events):
            _falls(found.state, commit, sum(event.ms for event in given))
            found.flags.append(commit)
        found.given += given
        found.absent += [(commit, event) for event in commit.events if isinstance(event, SeatAbsent)]
        found.state = step(found.state, stored, commit)
    return found


def _due(state: MatchState, commit: MatchCommit, outages: Sequence[Outage]) -> list[TimeReturned]:
    """What the rule gives back in ``commit``, made after ``state``."""
    since_ms = _runs_since(state)
    if since_ms is None:
        return []
    return [
        TimeReturned(
            ms=outage.to_ms - max(outage.from_ms, since_ms),
            from_ms=outage.from_ms,
            to_ms=outage.to_ms,
            reason=REASON,
        )
        for outage in outages
        if since_ms < outage.to_ms <= commit.at_ms
    ]


def _runs_since(state: MatchState) -> int | None:
    """When what runs in the match was started, or last given time back; None where nothing runs."""
    terms = state.created.terms
    if state.phase in (Phase.GATHERING, Phase.REVEALING, Phase.BETWEEN):
        timed = terms.clock is not None or terms.absence != "wait"
        return max(state.asked_ms, state.returned_ms) if timed else None
    if state.phase is Phase.OVER or state.clocks is None or state.clocks.running is None:
        return None
    return max(state.clocks.since_ms, state.returned_ms)


def _falls(state: MatchState, commit: MatchCommit, given_ms: int) -> None:
    due = deadline(state)
    assert due is not None
    assert due.kind == "flag"
    assert state.clocks is not None
    assert state.clocks.running is not None
    assert commit.by.service == "clock"
    assert commit.at_ms >= due.at_ms + given_ms + CLAIM_AFTER_MS
    (fell,) = (event for event in commit.events if isinstance(event, FlagFell))
    assert fell == FlagFell(state.clocks.running, due.at_ms + given_ms)
    (ended,) = (event for event in commit.events if isinstance(event, GameEnded))
    assert (ended.winner, ended.cause) == (1 - fell.seat, "flag")
