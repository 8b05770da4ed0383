"""Time in a match: what a command costs its clock, flags, kicks, extensions, the end of Next. Pure.

Every judgement compares stamped times with recorded ones; what is late or early on its way changes nothing.
"""

from typing import Final

import msgspec

from services.game.advance import cancel, end_match, give_up, leader
from services.game.draft import Draft
from shared import clocks
from shared.events.match import (
    ChoiceExpired,
    ClockCharged,
    ExtensionAccepted,
    ExtensionOffered,
    FlagFell,
    MovePlayed,
    NextExpired,
    SeatKicked,
    StartExpired,
    TimeAsked,
    TurnPassed,
)
from shared.match import MatchState, Phase, demands
from shared.match.deciding import takes_part
from shared.match.timing import Deadline, Kind, deadline, late_to_choose, plays_itself
from shared.problems import Refused

EXTRA_MOVE_MS: Final = 2 * clocks.MINUTE_MS
"""What a player may once a game add to a move with a limit (B4)."""


_FOR: Final = {Kind.READY: "getting ready", Kind.REVEAL: "revealing", Kind.NEXT: "Next"}


class Moment(msgspec.Struct, frozen=True):
    """When a command counts as arrived, and when it is judged. ``arrived_ms`` is never after ``now_ms``."""

    arrived_ms: int
    now_ms: int


def in_time(state: MatchState, seat: int, moment: Moment) -> None:
    """Refuse what comes after the end that only waits to be claimed, whoever asks.

    Where a flag does not lose, a late move is good until the kick (S13); a late wish for time is not.
    """
    due = deadline(state)
    if due is not None and due.kind is Kind.CHOOSE and moment.arrived_ms >= due.at_ms:
        raise Refused("flag_fallen", "The time to choose is over.", n=state.n)
    if due is not None and due.kind in _FOR and moment.arrived_ms > due.at_ms:
        raise Refused("flag_fallen", f"The two minutes for {_FOR[due.kind]} are over.", n=state.n)
    if lost(state, moment.arrived_ms):
        whose = "" if _running(state) == seat else "Your opponent's time is up; the game has ended so."
        raise Refused("flag_fallen", whose, n=state.n)


def asks_in_time(state: MatchState, moment: Moment) -> None:
    """Refuse time to who has none left: nobody escapes the kick by it."""
    if _fallen(state, moment.arrived_ms):
        raise Refused("flag_fallen", n=state.n)


def lost(state: MatchState, stamp_ms: int) -> bool:
    """Whether time has lost the game at ``stamp_ms``, claimed or not: a clock's, or that to choose."""
    return _fallen(state, stamp_ms) and state.created.terms.flag == "loss"


def _fallen(state: MatchState, stamp_ms: int) -> bool:
    due = deadline(state)
    return due is not None and due.kind in (Kind.FLAG, Kind.CHOOSE) and stamp_ms >= due.at_ms


def charge(before: MatchState, draft: Draft, moment: Moment) -> None:
    """Record what the commit costs: the clock that ran, if its seat has decided or the game is over.

    A turn that the server ended by itself (a forced pass after auto-roll, auto-finish) cost its seat nothing
    more, and earns what a turn earns. The charged seat comes first, then the others by number.
    """
    ran, now = before.clocks, draft.state.clocks
    terms = before.created.terms.clock
    if ran is None or now is None or terms is None:
        return
    seat, after, used = ran.running, now, 0
    if seat is not None and _stops(draft, seat):
        used = clocks.used_ms(ran, moment.arrived_ms)
        running = msgspec.structs.replace(now, running=seat, since_ms=ran.since_ms, answering=ran.answering)
        after = clocks.stop(running, moment.arrived_ms)
    else:
        seat = None
    for event in tuple(draft.events):
        if isinstance(event, MovePlayed | TurnPassed):
            earns = not plays_itself(before, event.seat)
            after = clocks.turn_over(terms, after, event.seat, earns=earns)
    if seat is not None:
        draft.add(_charged(after, seat, used))
    for other in range(draft.state.seats):
        was = now.left_ms[other], now.turn_ms[other]
        if other != seat and (after.left_ms[other], after.turn_ms[other]) != was:
            draft.add(_charged(after, other, 0))


def _stops(draft: Draft, seat: int) -> bool:
    """Whether the clock of ``seat``, which ran, stops: it has decided, or there is no game any more."""
    return draft.state.phase is not Phase.PLAYING or draft.state.decisions[seat] == draft.n


def _charged(after: clocks.Clocks, seat: int, used_ms: int) -> ClockCharged:
    return ClockCharged(seat=seat, used_ms=used_ms, left_ms=after.left_ms[seat], turn_ms=after.turn_ms[seat])


def claim(draft: Draft, now_ms: int) -> None:
    """A deadline has passed: what follows is the match's flag policy, or the end for want of an answer."""
    due = _claimable(draft.state, now_ms)
    if due.kind is Kind.CHOOSE:
        _not_chosen(draft, due)
        return
    if due.kind is not Kind.FLAG:
        _all_asked(draft, due.kind)
        return
    state = draft.state
    seat = _running(state)
    if state.flagged == seat:
        raise Refused("nothing_to_claim", "The flag was claimed before.", n=state.n)
    draft.add(FlagFell(seat, due.at_ms))
    if state.created.terms.flag == "loss":
        give_up(draft, (seat,), "flag", "flag")


def kick(draft: Draft, seat: int, now_ms: int) -> None:
    """``seat`` throws its opponent out, whose clock stands at 0:00 (S13)."""
    state = draft.state
    due = deadline(state)
    if (
        state.created.terms.flag != "kick"
        or due is None
        or due.kind is not Kind.FLAG
        or _running(state) == seat
    ):
        raise Refused("kick_unavailable", "Your opponent's clock is not at 0:00.", n=state.n)
    # Who began with nothing left can have sent nothing in time: at once (rules §6).
    if now_ms < due.claim_ms and state.at_zero is None:
        left_ms = due.claim_ms - now_ms
        raise Refused("too_early", f"In {left_ms} ms.", n=state.n, retry_after_ms=left_ms)
    draft.add(SeatKicked(_running(state)))


def ask_time(draft: Draft, seat: int) -> None:
    """Two minutes more for the present move, once a game (B4)."""
    state = draft.state
    terms, now = state.created.terms.clock, state.clocks
    choice = state.choice
    if terms is None or terms.kind != clocks.MOVE or now is None:
        raise Refused("extension_unavailable", "Time is asked for where a move has a limit.", n=state.n)
    if (now.running != seat) if choice is None else (seat not in choice.seats):
        raise Refused("extension_unavailable", "Time is asked for on one's own move.", n=state.n)
    if now.extended[seat]:
        raise Refused("extension_unavailable", "You have had it in this game.", n=state.n)
    draft.add(TimeAsked(seat, EXTRA_MOVE_MS))


def offer_extension(draft: Draft, seat: int) -> None:
    """Offer five minutes more to both; it lapses when the offerer moves (B7)."""
    state = draft.state
    terms = state.created.terms.clock
    if terms is None or terms.kind != clocks.CHESS or state.phase not in (Phase.GATHERING, Phase.PLAYING):
        raise Refused("extension_unavailable", "Only a chess clock is extended.", n=state.n)
    if state.extension is not None:
        raise Refused("unchanged", "An extension is on offer already.", n=state.n)
    draft.add(ExtensionOffered(seat))


def accept_extension(draft: Draft, seat: int) -> None:
    """Both clocks get five minutes more."""
    state = draft.state
    if state.extension is None:
        raise Refused("nothing_offered", n=state.n)
    if state.extension == seat:
        raise Refused("not_your_turn", "Your own offer is your opponent's to answer.", n=state.n)
    draft.add(ExtensionAccepted(seat, clocks.EXTENSION_MS))


def _claimable(state: MatchState, now_ms: int) -> Deadline:
    due = deadline(state)
    if due is None:
        raise Refused("nothing_to_claim", n=state.n)
    if now_ms < due.claim_ms:
        left_ms = due.claim_ms - now_ms
        raise Refused("too_early", f"In {left_ms} ms.", n=state.n, retry_after_ms=left_ms)
    return due


def _running(state: MatchState) -> int:
    assert state.clocks is not None  # noqa: S101 - the caller has seen a flag's deadline
    assert state.clocks.running is not None  # noqa: S101 - as above
    return state.clocks.running


def _all_asked(draft: Draft, kind: Kind) -> None:
    """Who has not answered loses the match (S5); before its start, and where nobody has, it is cancelled.

    Of several who have answered the one with most points wins it.
    """
    state = draft.state
    late = tuple(demand.seat for demand in demands(state))
    if kind is not Kind.NEXT:
        draft.add(StartExpired(late))
        cancel(draft, "not ready" if kind is Kind.READY else "not revealed")
        return
    draft.add(NextExpired(late))
    if len(late) == state.seats:
        cancel(draft, "next")
    else:
        ready = [seat for seat in range(state.seats) if seat not in late]
        end_match(draft, leader(state, ready), "next")


def _not_chosen(draft: Draft, due: Deadline) -> None:
    """Who has not chosen in time has lost, or is thrown out at once: no clock stands at 0:00 for a kick.

    Several are late alike. Where none of those who take part has chosen the match is cancelled: nobody is
    placed by the number of his seat.
    """
    state = draft.state
    late = late_to_choose(state, due.at_ms)
    draft.add(ChoiceExpired(late))
    if all(seat in late for seat in range(state.seats) if takes_part(state, seat)):
        cancel(draft, "not chosen")
    elif state.created.terms.flag == "kick":
        draft.add(SeatKicked(late[0]))
    else:
        give_up(draft, late, "flag", "flag")
