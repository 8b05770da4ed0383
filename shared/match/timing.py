"""Whose time runs, and until when: one owner of running time in every state, or nobody."""

from enum import StrEnum
from typing import Final

import msgspec

from shared import clocks
from shared.events.match import ClockCharged, ClockTerms, MovePlayed, SeatOut, TimeReturned, TurnPassed
from shared.match.deciding import demands
from shared.match.state import Choice, MatchState, Phase
from shared.rules.protocol import Players

NEXT_MS: Final = 2 * clocks.MINUTE_MS
"""So long every seat has for Next (S5), to get ready and to reveal; exactly so much is still in time.

As long it has where several choose at once and no limit of a move says how long.
"""

CLAIM_AFTER_MS: Final = 600
"""A deadline is claimed only so long after it: a move that was stamped in time has arrived by then."""


class Kind(StrEnum):
    """What may run out: the clock of one seat, the time in which all are asked, or several choose at once."""

    FLAG = "flag"
    READY = "ready"
    REVEAL = "reveal"
    NEXT = "next"
    CHOOSE = "choose"


_ASKED: Final = {Phase.GATHERING: Kind.READY, Phase.REVEALING: Kind.REVEAL, Phase.BETWEEN: Kind.NEXT}
"""Where all seats are asked at once, and for what."""


class Deadline(msgspec.Struct, frozen=True):
    """What runs out in a match; it is claimed from ``claim_ms`` on."""

    kind: Kind
    at_ms: int

    @property
    def claim_ms(self) -> int:
        """The first moment at which a claim is judged."""
        return self.at_ms + CLAIM_AFTER_MS


def plays_itself(state: MatchState, seat: int) -> bool:
    """Whether the computer plays ``seat`` in this game: a bot's, a kicked player's, an absent player's."""
    return state.created.seats[seat].bot or state.kicked[seat] or state.ghosted[seat]


def throws_out(state: MatchState) -> int | None:
    """The seat that the computer throws out: at 0:00, where the right is its opponent's to do so (S13).

    A person may wait for a late move; the computer does not, or the match could hang for ever.
    """
    late = state.flagged
    if late is None or state.created.terms.flag != "kick":
        return None
    opponent = state.opponent(late)
    return late if plays_itself(state, opponent) and not state.returning[opponent] else None


def payer(state: MatchState) -> tuple[int, bool] | None:
    """The seat whose time runs, and whether it only answers; None when nobody pays.

    Somebody pays when he alone must decide; not the last one of those who choose at once, for whom the same
    time runs as for the others. The computer never pays.
    """
    if state.phase is not Phase.PLAYING or state.clocks is None or state.choice is not None:
        return None
    deciding = demands(state)
    if len(deciding) != 1 or plays_itself(state, deciding[0].seat):
        return None
    return deciding[0].seat, state.resignation is not None or state.cube.offered is not None


def deadline(state: MatchState) -> Deadline | None:
    """What runs out next in this match, if anything does; nothing where nobody is timed and all wait."""
    terms = state.created.terms
    if (asked := _ASKED.get(state.phase)) and (terms.clock is not None or terms.absence != "wait"):
        return Deadline(asked, state.asked_ms + NEXT_MS)
    if state.phase is not Phase.PLAYING or state.clocks is None:
        return None
    if state.choice is not None:
        waited = [state.choice.until_ms[seat] for seat in state.choice.seats if not plays_itself(state, seat)]
        return Deadline(Kind.CHOOSE, min(waited)) if waited else None
    at_ms = clocks.deadline_ms(state.clocks)
    return None if at_ms is None else Deadline(Kind.FLAG, at_ms)


def late_to_choose(state: MatchState, at_ms: int) -> tuple[int, ...]:
    """The persons whose time to choose is over at ``at_ms`` and who have not chosen."""
    choice = state.choice
    if choice is None:
        return ()
    late = (seat for seat in choice.seats if choice.until_ms[seat] <= at_ms)
    return tuple(seat for seat in late if not plays_itself(state, seat))


def counts_from(state: MatchState) -> int | None:
    """From when on an outage of ours takes time from what runs out next; None when nothing does."""
    due = deadline(state)
    if due is None:
        return None
    if due.kind is Kind.CHOOSE and state.choice is not None:
        return max(state.choice.from_ms, state.returned_ms)
    if due.kind is not Kind.FLAG:
        return max(state.asked_ms, state.returned_ms)
    assert state.clocks is not None  # noqa: S101 - a flag has a deadline only where a clock runs
    return max(state.clocks.since_ms, state.returned_ms)


def charged(state: MatchState, event: ClockCharged) -> MatchState:
    """``state`` with the clock that was charged; it stands still, and its flag is up again."""
    if state.clocks is None:
        return state
    stopped = clocks.charged(state.clocks, event.seat, event.left_ms, event.turn_ms)
    flagged = None if state.flagged == event.seat else state.flagged
    return msgspec.structs.replace(state, clocks=stopped, flagged=flagged)


def given_back(state: MatchState, event: TimeReturned) -> MatchState:
    """``state`` with the deadline that runs moved by what an outage of ours took."""
    returned = msgspec.structs.replace(state, returned_ms=event.to_ms)
    if state.phase in _ASKED:
        return msgspec.structs.replace(returned, asked_ms=state.asked_ms + event.ms)
    if (choice := state.choice) is not None:
        until_ms = tuple(until + event.ms for until in choice.until_ms)
        return msgspec.structs.replace(returned, choice=msgspec.structs.replace(choice, until_ms=until_ms))
    if state.clocks is None or state.clocks.running is None:
        return returned
    later = msgspec.structs.replace(state.clocks, since_ms=state.clocks.since_ms + event.ms)
    # A flag that fell between the last beat and our crash has time left after all.
    up = not clocks.expired(later, event.to_ms)
    return msgspec.structs.replace(returned, clocks=later, flagged=None if up else state.flagged)


def run_on(state: MatchState) -> MatchState:
    """``state`` at its commit, with the clock of whoever must decide now running from ``at_ms``."""
    terms, now = state.created.terms.clock, state.clocks
    if terms is None or now is None or now.running is not None:
        return state
    choice = _choosing(state, terms)
    if choice is not state.choice:
        state = msgspec.structs.replace(state, choice=choice)
    paying = payer(state)
    if paying is None:
        return state
    seat, answering = paying
    running = clocks.run(terms, now, seat, state.at_ms, answering=answering)
    return msgspec.structs.replace(state, clocks=running)


def _choosing(state: MatchState, terms: ClockTerms) -> Choice | None:
    """What several choose at once at this commit: a choice goes on until the last of its seats has chosen."""
    waiting = state.rules.waiting(state.position) if state.phase is Phase.PLAYING else None
    if not isinstance(waiting, Players):
        return None
    if (choice := state.choice) is not None:
        done = (MovePlayed, TurnPassed, SeatOut)
        chosen = {event.seat for event in state.last_events if isinstance(event, done)}
        left = tuple(seat for seat in choice.seats if seat not in chosen)
        if left == waiting.seats:
            return choice if left == choice.seats else msgspec.structs.replace(choice, seats=left)
    if len(waiting.seats) == 1:
        return None
    limit_ms = terms.budget_ms if terms.kind == clocks.MOVE else NEXT_MS
    return Choice(waiting.seats, state.at_ms, (state.at_ms + limit_ms,) * state.seats)
