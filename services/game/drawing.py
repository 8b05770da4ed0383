"""Draws in a match: offered and agreed on, or claimed where the rules give them on demand. Pure.

Rules of the board games §0.6, §3: an offer stands until it is answered or the opponent moves.
"""

from services.game.advance import end_game
from services.game.draft import Draft
from shared.commands import ClaimDraw
from shared.events.match import DrawAgreed, DrawClaimed, DrawDeclined, DrawOffered
from shared.match import MatchState, Phase
from shared.match.deciding import claimable, demands, may_offer_draw
from shared.problems import Refused
from shared.rules.protocol import Result


def offer_draw(draft: Draft, seat: int) -> None:
    """``seat`` offers a draw; once for each move of its own."""
    if not may_offer_draw(draft.state, seat):
        raise Refused("draw_unavailable", _why_no_offer(draft.state, seat), n=draft.state.n)
    draft.add(DrawOffered(seat))


def _why_no_offer(state: MatchState, seat: int) -> str:
    if state.phase is not Phase.PLAYING:
        return "No game is being played."
    if not state.rules.traits.draws:
        return "In this game no draw is offered."
    if state.draw_offer is not None:
        return "A draw is on offer already."
    if state.draw_spent[seat]:
        return "You may offer again after your next move."
    return "A draw may be offered once each player has moved."


def accept_draw(draft: Draft, seat: int) -> None:
    """The game is drawn by agreement."""
    _offered(draft, seat)
    draft.add(DrawAgreed(seat))
    end_game(draft, Result.drawn(draft.state.seats), "agreed")


def decline_draw(draft: Draft, seat: int) -> None:
    """Play goes on."""
    _offered(draft, seat)
    draft.add(DrawDeclined(seat))


def _offered(draft: Draft, seat: int) -> None:
    if draft.state.draw_offer is None:
        raise Refused("nothing_offered", n=draft.state.n)
    if draft.state.draw_offer == seat:
        raise Refused("not_your_turn", "Your own offer is your opponent's to answer.", n=draft.state.n)


def claim_draw(draft: Draft, seat: int, command: ClaimDraw) -> None:
    """``seat``, to move, claims what the rules give on demand; a wrong claim is just refused."""
    state = draft.state
    if not any(demand.seat == seat and "play" in demand.commands for demand in demands(state)):
        raise Refused("not_your_turn", "A draw is claimed on one's own move.", n=state.n)
    move = state.rules.read(state.position, seat, command.move) if command.move else ""
    result = claimable(state, seat, move)
    if result is None:
        raise Refused("draw_unavailable", "There is no draw to claim here.", n=state.n)
    draft.add(DrawClaimed(seat, move))
    end_game(draft, result, "claimed")
