"""What time must have cost, who was late, and what the clock service may say: by recorded times alone.

A player's command is charged as it arrived (``arrived_ms``), the word of the clock service as it was judged
(``at_ms``). Judged independently of ``services.game``; whose clock runs, and since when, comes from the fold
of the log (``shared.match``), which both share.
"""

from collections.abc import Sequence
from typing import Final

from services.audit.chain import CLOCK, STAMP_WINDOW_MS
from services.audit.report import Differs
from shared.events.base import By
from shared.events.match import (
    TAGS,
    AutoFinishSet,
    AutoRollSet,
    ChoiceExpired,
    ClockCharged,
    DrawDeclined,
    DrawOffered,
    ExtensionAccepted,
    ExtensionOffered,
    FlagFell,
    MatchEvent,
    MovePlayed,
    NextExpired,
    SeatAbsent,
    SeatGhosted,
    SeatKicked,
    SeatReturned,
    StartExpired,
    TimeAsked,
    TurnPassed,
)
from shared.match import MatchState, Phase
from shared.match.deciding import takes_part

CLAIM_AFTER_MS: Final = STAMP_WINDOW_MS + 100
"""A deadline has passed for good only then: what was stamped before it has arrived."""

NEXT_MS: Final = 120_000
"""The time for Next (S5), to get ready and to reveal; an answer at exactly its end is good."""

_FIRST: Final = "events[0]"
_STILL: Final = (
    AutoRollSet,
    AutoFinishSet,
    TimeAsked,
    ExtensionOffered,
    ExtensionAccepted,
    DrawOffered,
    DrawDeclined,
    FlagFell,
    SeatAbsent,
    SeatReturned,
)
"""What happens beside the play: no clock stops for it."""

_ASKED: Final = (Phase.GATHERING, Phase.REVEALING, Phase.BETWEEN)
"""Where all seats are asked at once: to get ready, to reveal, to press Next."""


def computers(state: MatchState) -> tuple[bool, ...]:
    """Whether the computer plays each seat now: a bot's, a kicked or an absent player's.

    Next is always a person's own.
    """
    playing = state.phase is Phase.PLAYING
    return tuple(
        taken.bot or (playing and (state.kicked[seat] or state.ghosted[seat]))
        for seat, taken in enumerate(state.created.seats)
    )


def asked_ends(state: MatchState) -> bool:
    """Whether all seats are asked, and for two minutes: not at a table that waits and has no clock."""
    terms = state.created.terms
    return state.phase in _ASKED and (terms.clock is not None or terms.absence != "wait")


def told(state: MatchState, event: MatchEvent, at_ms: int) -> MatchEvent:
    """The event that the clock service could cause where ``event`` stands; raises ``Differs`` if none."""
    match event:
        case FlagFell():
            return _fell(state, at_ms)
        case StartExpired() | NextExpired():
            return _asked_expired(state, event, at_ms)
        case ChoiceExpired():
            return _not_chosen(state, at_ms)
        case SeatAbsent():
            return _absent(state, event, at_ms)
        case SeatReturned():
            return _returned(state, event)
        case _:
            tag = TAGS[type(event)]
            raise Differs(_FIRST, "the word of the clock", tag, f"The clock service never causes {tag}.")


def kicked(state: MatchState, seat: int, at_ms: int) -> SeatKicked:
    """How ``seat`` could throw out whose clock stands at 0:00; raises ``Differs`` if it could not."""
    fallen = _fallen(state)
    if state.created.terms.flag != "kick" or fallen is None or fallen[0] == seat:
        raise Differs(_FIRST, "no kick", "seat_kicked", f"There is nobody whom seat {seat} may throw out.")
    assert state.clocks is not None  # noqa: S101 - one of them has fallen
    if state.clocks.left_ms[fallen[0]]:  # with nothing left, nothing can be on its way that was in time
        _passed(fallen[1], at_ms)
    return SeatKicked(fallen[0])


def waits(state: MatchState, by: By, at_ms: int) -> None:
    """Raise ``Differs`` unless a claim could find nothing to claim yet, and so did nothing."""
    ends, chosen_by = _fallen(state), choice_ends(state)
    due_ms = state.asked_ms + NEXT_MS if ends is None else ends[1]
    due_ms = due_ms if chosen_by is None else chosen_by
    if by != CLOCK:
        raise Differs("events", "what the command did", [], "Only a claim may do nothing but wait.")
    if at_ms >= due_ms + CLAIM_AFTER_MS:
        raise Differs("at_ms", f"before {due_ms + CLAIM_AFTER_MS}", at_ms, "There was something to claim.")


def in_time(state: MatchState, seat: int, events: Sequence[MatchEvent], arrived_ms: int) -> None:
    """Raise ``Differs`` if ``seat`` did this when the match, or the game, had ended by time."""
    cause = events[0]
    if (isinstance(cause, AutoRollSet) and len(events) == 1) or isinstance(cause, ExtensionOffered):
        return
    last = state.asked_ms + NEXT_MS
    if asked_ends(state) and arrived_ms > last:
        raise Differs("arrived_ms", f"at most {last}", arrived_ms, f"Seat {seat}'s two minutes were over.")
    chosen_by = choice_ends(state)
    if chosen_by is not None and arrived_ms >= chosen_by:
        raise Differs("arrived_ms", f"before {chosen_by}", arrived_ms, "The time to choose was over by then.")
    fallen = _fallen(state)
    if fallen is not None and state.created.terms.flag == "loss" and arrived_ms >= fallen[1]:
        raise Differs(
            "arrived_ms", f"before {fallen[1]}", arrived_ms, f"Seat {fallen[0]} had lost on time by then."
        )


def charges(
    before: MatchState, after: MatchState, events: Sequence[MatchEvent], stamp_ms: int
) -> tuple[ClockCharged, ...]:
    """What ``events``, which led from ``before`` to ``after``, cost at ``stamp_ms``, in the order of the log.

    First the clock that stopped, then, by seat, those whose turn the server ended: that cost nothing more.
    """
    terms, ran, now = before.created.terms.clock, before.clocks, after.clocks
    if terms is None or ran is None or now is None:
        return ()
    left, spent = list(now.left_ms), list(now.turn_ms)
    made: list[ClockCharged] = []
    payer = ran.running if any(_stops(event, ran.running) for event in events) else None
    used = max(0, stamp_ms - ran.since_ms)
    if payer is not None:
        left[payer] = max(0, left[payer] - used)
        spent[payer] += 0 if ran.answering else used
    computer = computers(before)
    for event in events:
        if isinstance(event, MovePlayed | TurnPassed):
            seat = event.seat
            if terms.kind == "credit" and spent[seat] <= terms.bonus_ms and not computer[seat]:
                left[seat] = min(terms.cap_ms, left[seat] + terms.bonus_ms)
            spent[seat] = 0
    if payer is not None:
        made.append(ClockCharged(seat=payer, used_ms=used, left_ms=left[payer], turn_ms=spent[payer]))
    for seat, was in enumerate(zip(now.left_ms, now.turn_ms, strict=True)):
        if seat != payer and was != (left[seat], spent[seat]):
            made.append(ClockCharged(seat=seat, used_ms=0, left_ms=left[seat], turn_ms=spent[seat]))
    return tuple(made)


def _stops(event: MatchEvent, running: int | None) -> bool:
    if isinstance(event, SeatKicked | SeatGhosted):
        return event.seat == running
    return not isinstance(event, _STILL)


def _fallen(state: MatchState) -> tuple[int, int] | None:
    """Whose clock runs, and when it stands at 0:00."""
    clocks = state.clocks
    if state.phase is not Phase.PLAYING or clocks is None or clocks.running is None:
        return None
    return clocks.running, clocks.since_ms + clocks.left_ms[clocks.running]


def choice_ends(state: MatchState) -> int | None:
    """When the first person who has not chosen, where several choose at once, must have done so."""
    choice = state.choice
    if state.phase is not Phase.PLAYING or choice is None:
        return None
    computer = computers(state)
    return min((choice.until_ms[seat] for seat in choice.seats if not computer[seat]), default=None)


def _passed(deadline_ms: int, at_ms: int) -> None:
    if at_ms < deadline_ms + CLAIM_AFTER_MS:
        raise Differs(
            "at_ms",
            f"at least {deadline_ms + CLAIM_AFTER_MS}",
            at_ms,
            f"Time had not run out for good: the deadline was {deadline_ms}.",
        )


def _nothing(event: str) -> Differs:
    return Differs(_FIRST, f"no {event}", event, "There was nothing for the clock service to say.")


def _fell(state: MatchState, at_ms: int) -> FlagFell:
    fallen = _fallen(state)
    if fallen is None or state.flagged == fallen[0]:
        raise _nothing("flag_fell")
    _passed(fallen[1], at_ms)
    return FlagFell(*fallen)


def _asked_expired(
    state: MatchState, event: StartExpired | NextExpired, at_ms: int
) -> StartExpired | NextExpired:
    between = state.phase is Phase.BETWEEN
    if not asked_ends(state) or isinstance(event, NextExpired) is not between:
        raise _nothing(TAGS[type(event)])
    _passed(state.asked_ms + NEXT_MS, at_ms)
    if between:
        return NextExpired(tuple(seat for seat, pressed in enumerate(state.next_pressed) if not pressed))
    if state.phase is Phase.GATHERING:
        return StartExpired(tuple(seat for seat, ready in enumerate(state.ready) if not ready))
    opened = zip(state.hashes, state.strings, strict=True)
    return StartExpired(tuple(seat for seat, (hashed, string) in enumerate(opened) if hashed and not string))


def _not_chosen(state: MatchState, at_ms: int) -> ChoiceExpired:
    ends, choice, computer = choice_ends(state), state.choice, computers(state)
    if ends is None or choice is None:
        raise _nothing("choice_expired")
    _passed(ends, at_ms)
    return ChoiceExpired(
        tuple(seat for seat in choice.seats if choice.until_ms[seat] <= ends and not computer[seat])
    )


def _absent(state: MatchState, event: SeatAbsent, at_ms: int) -> SeatAbsent:
    terms = state.created.terms
    if state.phase is not Phase.PLAYING or terms.absence == "wait":
        raise _nothing("seat_absent")
    if event.since_ms < state.began_ms:
        raise Differs(
            f"{_FIRST}.since_ms", f"at least {state.began_ms}", event.since_ms, "The game began only then."
        )
    if not takes_part(state, event.seat):
        raise Differs(f"{_FIRST}.seat", "a seat in the game", event.seat, "That seat was out of the game.")
    if _flag(computers(state), event.seat) and not state.returning[event.seat]:
        raise Differs(f"{_FIRST}.seat", "a player's seat", event.seat, "The computer played that seat.")
    if event.since_ms + terms.grace_ms > at_ms:
        raise Differs(
            f"{_FIRST}.since_ms",
            f"at most {at_ms - terms.grace_ms}",
            event.since_ms,
            f"The grace of {terms.grace_ms} ms was not over.",
        )
    chosen_by = choice_ends(state)
    if chosen_by is not None and terms.flag == "loss" and chosen_by <= event.since_ms + terms.grace_ms:
        raise Differs(_FIRST, "choice_expired", "seat_absent", "The time to choose was over by then.")
    fallen = _fallen(state)
    if fallen is not None and terms.flag == "loss" and fallen[1] <= event.since_ms + terms.grace_ms:
        raise Differs(
            _FIRST,
            "flag_fell",
            "seat_absent",
            f"Seat {fallen[0]} had lost on time before the grace was over.",
        )
    return event


def _returned(state: MatchState, event: SeatReturned) -> SeatReturned:
    if state.phase is not Phase.PLAYING:
        raise _nothing("seat_returned")
    if not _flag(state.ghosted, event.seat) or state.returning[event.seat]:
        raise Differs(f"{_FIRST}.seat", "a ghost's seat", event.seat, "No ghost played that seat.")
    return event


def _flag(flags: tuple[bool, ...], seat: int) -> bool:
    if not 0 <= seat < len(flags):
        raise Differs(f"{_FIRST}.seat", f"0 to {len(flags) - 1}", seat, "There is no such seat.")
    return flags[seat]
