"""Who gives the command, may he, and was it made against the present decision? Pure."""

import hashlib
from typing import Final

import msgspec

from shared.commands import CreateMatch, MatchCommand
from shared.events.base import By
from shared.match import MatchState, Phase, demands
from shared.match.timing import plays_itself
from shared.problems import Refused
from shared.wire.match import CommandRequest

STAMP_WINDOW_MS: Final = 500
"""W of DESIGN §5: a stamp older than this before now counts as now − W."""

_ENCODER: Final = msgspec.json.Encoder()


def command_hash(request: CommandRequest) -> str:
    """The SHA-256 of what was ordered: the command and the commit it was made against."""
    return hashlib.sha256(_ENCODER.encode((request.expected, request.command))).hexdigest()


def stamp(arrived_ms: int, now_ms: int) -> int:
    """The arrival time that counts: never later than now, never older than the window."""
    return min(max(arrived_ms, now_ms - STAMP_WINDOW_MS), now_ms)


def creator(sender: str, command: MatchCommand) -> By:
    """The lobby, for ``create_match``; raises ``Refused("command_not_allowed")`` for anybody else."""
    if sender != "lobby" or not isinstance(command, CreateMatch):
        raise Refused("command_not_allowed", f"{sender} may not create matches.")
    return By(service="lobby")


def seat_of(state: MatchState, sender: str, player: str) -> int:
    """The seat that ``player`` holds in the match, as far as ``sender`` may speak for it.

    The seat follows from the player's id in the match, never from the sender's word. Raises
    ``Refused("not_your_seat")`` or ``Refused("command_not_allowed")``.
    """
    seat = state.seat_of(player)
    if seat is None:
        raise Refused("not_your_seat")
    computer = plays_itself(state, seat) and state.phase is not Phase.BETWEEN
    bot = state.created.seats[seat].bot
    if sender == "gateway" and not bot and not computer:
        return seat
    if sender == "ghost" and (bot or computer):
        return seat
    if sender == "gateway" and not bot:
        raise Refused("seat_kicked" if state.kicked[seat] else "ghost_plays", n=state.n)
    raise Refused("command_not_allowed", f"{sender} may not play seat {seat}.")


def by(sender: str, seat: int | None) -> By:
    """How the commit names the one who gave the command; the clock acts for no seat."""
    return By(seat=seat) if sender == "gateway" else By(service=sender, for_seat=seat)


def timely(state: MatchState, seat: int, expected: int | None) -> None:
    """Refuse a command that was not made against the seat's present decision (DESIGN §1.4)."""
    if state.phase is Phase.OVER:
        raise Refused("match_over", n=state.n)
    if expected is None:
        raise Refused("expected_required", n=state.n)
    if expected > state.n:
        raise Refused("expected_ahead", f"The newest commit is {state.n}.", n=state.n)
    if expected < state.decisions[seat]:
        raise Refused(
            "stale", f"Your present decision was opened by commit {state.decisions[seat]}.", n=state.n
        )


def demanded(state: MatchState, seat: int, command: str) -> None:
    """Refuse ``command`` unless ``seat`` must decide and this is one of the answers."""
    deciding = demands(state)
    for demand in deciding:
        if demand.seat == seat and command in demand.commands:
            return
    if _done_already(state, seat, command):
        raise Refused("unchanged", "You have done that; the others have not.", n=state.n)
    if any(command in demand.commands for demand in deciding):
        raise Refused("not_your_turn", n=state.n)
    waits = "; ".join(f"seat {d.seat}: {', '.join(d.commands)}" for d in deciding)
    raise Refused("wrong_phase", f"The match waits for {waits}.", n=state.n)


def _done_already(state: MatchState, seat: int, command: str) -> bool:
    """Whether all seats are asked for ``command`` and this one has given it."""
    return (command == "ready" and state.phase is Phase.GATHERING and state.ready[seat]) or (
        command == "next" and state.phase is Phase.BETWEEN and state.next_pressed[seat]
    )
