"""From commit to commit: the fold of a match. It trusts the log; the verifier judges."""

from typing import Final

import msgspec

from shared.events.codec import MatchCommit
from shared.events.match import (
    AutoFinishSet,
    AutoRollSet,
    ClockCharged,
    DrawDeclined,
    DrawOffered,
    ExtensionAccepted,
    ExtensionOffered,
    FlagFell,
    GameEnded,
    GameStarted,
    MatchCreated,
    MatchEvent,
    MovePlayed,
    NextPressed,
    SeatAbsent,
    SeatGhosted,
    SeatReady,
    SeatReturned,
    StringRevealed,
    TimeAsked,
    TimeReturned,
)
from shared.match.applying import apply, created
from shared.match.state import MatchState, Phase
from shared.match.timing import run_on
from shared.rules.protocol import Players

_replace: Final = msgspec.structs.replace

_SIDE: Final = (  # nobody's decision changes
    DrawOffered,
    DrawDeclined,
    AutoRollSet,
    AutoFinishSet,
    ClockCharged,
    TimeAsked,
    TimeReturned,
    ExtensionOffered,
    ExtensionAccepted,
    FlagFell,
    SeatAbsent,
)
_OWN: Final = (SeatReady, StringRevealed, NextPressed, SeatGhosted, SeatReturned)  # only that seat's own does


def _deciding(before: MatchState, event: MatchEvent, after: MatchState) -> tuple[int, ...]:
    """The seats whose present decision this event replaces."""
    if isinstance(event, _SIDE):
        return ()
    if isinstance(event, _OWN):
        return (event.seat,)
    if isinstance(event, MovePlayed):
        waited = before.rules.waiting(before.position)
        if isinstance(waited, Players) and len(waited.seats) > 1:
            waits = after.rules.waiting(after.position)
            rest = tuple(seat for seat in waited.seats if seat != event.seat)
            if isinstance(waits, Players) and waits.seats == rest:
                return (event.seat,)  # a simultaneous choice: the others' stand as they were
    return tuple(range(after.seats))


def happen(state: MatchState, event: MatchEvent, n: int) -> MatchState:
    """The state after one event of commit ``n``, with the decisions that it opens."""
    after = apply(state, event)
    seats = _deciding(state, event, after)
    if not seats:
        return after
    decisions = tuple(n if seat in seats else old for seat, old in enumerate(after.decisions))
    switched = tuple(0 if seat in seats else old for seat, old in enumerate(after.switched))
    return _replace(after, decisions=decisions, switched=switched)


def settled(state: MatchState, commit: MatchCommit, head: str) -> MatchState:
    """``state``, in which all events of ``commit`` have happened, as the state at that commit."""
    at = _replace(
        state,
        n=commit.n,
        head=head,
        at_ms=commit.at_ms,
        last_events=commit.events,
        began_ms=commit.at_ms if _any(commit.events, GameStarted) else state.began_ms,
        asked_ms=commit.at_ms if _asks_all(state, commit.events) else state.asked_ms,
        settled_ms=_settled_ms(state, commit.at_ms),
    )
    return run_on(at)


def _settled_ms(state: MatchState, at_ms: int) -> int | None:
    if state.settled_ms is None and state.half_moves >= 2 * state.seats:
        return at_ms
    return state.settled_ms


def _asks_all(state: MatchState, events: tuple[MatchEvent, ...]) -> bool:
    """Whether the commit of ``events`` asks every seat at once: to get ready, to reveal, to press Next."""
    revealing = state.phase is Phase.REVEALING and _any(events, SeatReady)
    return revealing or _any(events, MatchCreated, GameEnded)


def _any(events: tuple[MatchEvent, ...], *kinds: type) -> bool:
    return any(isinstance(event, kinds) for event in events)


def evolve(state: MatchState | None, commit: MatchCommit, head: str = "") -> MatchState:
    """The state after ``commit``; ``state`` is None for commit 1, ``head`` the hash of its stored bytes."""
    events = commit.events
    if state is None:
        first = events[0]
        if not isinstance(first, MatchCreated):
            raise TypeError(f"The log of {commit.match} does not begin with match_created.")
        state = created(commit.match, first)
        events = events[1:]
    for event in events:
        state = happen(state, event, commit.n)
    return settled(state, commit, head)
