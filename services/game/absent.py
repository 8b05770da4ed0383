"""Absence: what the table's policy makes of a player who is away, and of his return. Pure."""

from services.game.advance import cancel, give_up
from services.game.draft import Draft
from services.game.outages import Outages
from services.game.timed import lost
from shared.commands import ReportAbsent, ReportPresent
from shared.events.match import SeatAbsent, SeatGhosted, SeatReturned
from shared.match import MatchState, Phase
from shared.match.deciding import takes_part
from shared.match.timing import plays_itself
from shared.problems import Refused
from shared.rules.protocol import TABLE


def report_absent(draft: Draft, report: ReportAbsent, now_ms: int, outages: Outages) -> None:
    """A player has been away for longer than the grace: forfeit, annulment, or a ghost.

    What of that time was an outage of ours counts as nobody's absence. A clock that has lost the game before
    the grace was over decides it: its flag is claimed soon.
    """
    state = draft.state
    seat = report.seat
    terms = state.created.terms
    _known(state, seat)
    since_ms = max(report.since_ms, state.began_ms)  # who was away before the game is away from its start
    if state.phase is not Phase.PLAYING or terms.absence == "wait":
        raise Refused("wrong_phase", "Nobody's absence is judged here.", n=state.n)
    if not takes_part(state, seat):
        raise Refused("unchanged", "That seat is out of the game.", n=state.n)
    if plays_itself(state, seat) and not state.returning[seat]:
        raise Refused("unchanged", "The computer plays that seat already.", n=state.n)
    away_ms = now_ms - since_ms - outages.overlap(since_ms, now_ms)
    if away_ms < terms.grace_ms:
        raise Refused("too_early", f"In {terms.grace_ms - away_ms} ms.", n=state.n)
    if lost(state, now_ms - (away_ms - terms.grace_ms)):
        raise Refused("too_early", "A flag fell before the grace was over.", n=state.n)
    draft.add(SeatAbsent(seat, since_ms))
    if terms.absence == "ghost":
        draft.add(SeatGhosted(seat))
    elif annuls(state, since_ms):
        cancel(draft, "annulled")
    else:
        give_up(draft, (seat,), "left", "absent")


def report_present(draft: Draft, report: ReportPresent) -> None:
    """The player is back: his ghost hands over between two turns."""
    state = draft.state
    _known(state, report.seat)
    if state.phase is not Phase.PLAYING or not state.ghosted[report.seat] or state.returning[report.seat]:
        raise Refused("unchanged", "No ghost plays that seat.", n=state.n)
    draft.add(SeatReturned(report.seat))


def annuls(state: MatchState, since_ms: int) -> bool:
    """Whether a silence from ``since_ms`` on annuls the match: before two half-moves of every seat (B13).

    Only in its first game: later there is a score, and nobody undoes that by going away. Nor where a double
    or a resignation waits for its answer, nor where dice are thrown for money: luck shows from the first
    throw on, and nobody takes his stake back by leaving.
    """
    pending = state.cube.offered is not None or state.resignation is not None
    for_money = state.created.staked is not None and state.rules.traits.pool.system != TABLE
    early = state.settled_ms is None or since_ms < state.settled_ms
    return state.game == 1 and early and not pending and not for_money


def _known(state: MatchState, seat: int) -> None:
    if not 0 <= seat < state.seats:
        raise Refused("not_your_seat", f"There is no seat {seat}.", n=state.n)
