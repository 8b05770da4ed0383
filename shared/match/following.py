"""What follows when a game is over: the next one, who begins it, whether it is the Crawford game."""

from shared import series
from shared.events.match import GameStarted
from shared.match.state import MatchState


def next_game(state: MatchState) -> GameStarted:
    """How the next game of a match that goes on begins (rules §1.3, §3)."""
    created, terms, game = state.created, state.created.terms, state.game + 1
    played = series.rules_at(created, game)
    traits = played.traits
    first = series.first_seat(terms, game, state.first, state.seats, rolled=traits.rolled_start)
    cube = terms.cube and traits.cube
    crawford = cube and series.crawford_due(terms, state.score, used=state.crawford_used)
    named = played.name if created.games else ""
    return GameStarted(game=game, first=first, crawford=crawford, rules=named)
