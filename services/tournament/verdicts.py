"""What a match that is over was worth to the two who met: a cancelled one, too, has a loser here. Pure."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from services.tournament.domain import result
from services.tournament.state import HALF, WIN
from shared.events.codec import decode_match
from shared.events.match import (
    ChoiceExpired,
    MatchCancelled,
    MatchEnded,
    MatchEvent,
    NextExpired,
    SeatAbsent,
    SeatGhosted,
    SeatKicked,
    SeatLeft,
    StartExpired,
)

ENDS: Final = (b'"match_ended"', b'"match_cancelled"')
"""One of these stands in every commit that ends a match; most commits are not even decoded."""

_CAUSES: Final = {
    "not ready": "not_ready",
    "not revealed": "not_ready",
    "left before the start": "left",
    "annulled": "annulled",
    "next": "next",
    "not chosen": "not_chosen",
    "won by the computer": "computer",
}


class Verdict(NamedTuple):
    """The points of seat 0 and seat 1, and why."""

    points: tuple[int, int]
    cause: str


def verdict(log: Sequence[bytes]) -> Verdict | None:
    """What the whole ``log`` of a match between two comes to; None if it does not end with the match.

    Who did not get ready, left, stayed away, or had the computer win for him has lost; all who did, all.
    """
    events = decode_match(log[-1]).events
    for event in events:
        match event:
            case MatchEnded(winner=winner, cause=cause):
                return Verdict(result(winner), cause)
            case MatchCancelled(cause=cause):
                known = _CAUSES.get(cause, "cancelled")
                found = (
                    [e for line in log for e in decode_match(line).events] if known == "computer" else events
                )
                return Verdict(_without(_at_fault(found)), known)
            case _:
                pass
    return None


def _at_fault(events: Sequence[MatchEvent]) -> set[int]:
    seats: set[int] = set()
    for event in events:
        match event:
            case StartExpired(seats=late) | NextExpired(seats=late) | ChoiceExpired(seats=late):
                seats |= set(late)
            case SeatLeft(seat=seat) | SeatAbsent(seat=seat) | SeatGhosted(seat=seat) | SeatKicked(seat=seat):
                seats.add(seat)
            case _:
                pass
    return seats


def _without(seats: set[int]) -> tuple[int, int]:
    if not seats:
        return HALF, HALF
    return (0 if 0 in seats else WIN), (0 if 1 in seats else WIN)
