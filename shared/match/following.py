"""What follows a game: the next one, who begins it, whether it is Crawford; the end of an endless match."""

from typing import Final

import msgspec

from shared import series
from shared.events.match import GameStarted
from shared.match.state import MatchState, Phase

MOST_TURNS: Final = 20_000
"""So many moves and passed turns a match may have (ADR 0014); chess ends by itself after 17,697."""

TOO_LONG: Final = "too long"
"""Why a match is cancelled that has had them."""


class Coming(msgspec.Struct, frozen=True):
    """A game that is still to come; ``first`` is None where that is not known yet.

    ``if_level``: it is the tie-break of a series, played only if the score is level before it.
    """

    game: int
    rules: str
    first: int | None
    crawford: bool = False
    if_level: bool = False


def next_game(state: MatchState) -> GameStarted:
    """How the next game of a match that goes on begins (rules §1.3, §3)."""
    created, terms, game = state.created, state.created.terms, state.game + 1
    played = series.rules_at(created, game)
    first = series.first_seat(terms, game, state.first, state.seats, rolled=played.traits.rolled_start)
    due = series.crawford_due(terms, state.score, used=state.crawford_used)
    crawford = due and series.has_cube(created, game)
    named = played.name if created.games else ""
    return GameStarted(game=game, first=first, crawford=crawford, rules=named)


def endless(state: MatchState) -> bool:
    """Whether the match has gone on for so long that it is called off; a recorded one never is."""
    return not state.recorded and state.turns >= MOST_TURNS


def to_come(state: MatchState) -> tuple[Coming, ...]:
    """What follows after the games of the diagram and the one in hand, as far as it is known (N12).

    The next game while it is waited for, then the rest of a series, at last its tie-break.
    """
    if state.phase is Phase.OVER:
        return ()
    created, coming = state.created, list[Coming]()
    game, first = state.game, state.first
    if state.phase is not Phase.PLAYING:
        begun = next_game(state)
        game, first = begun.game, begun.first
        coming.append(Coming(game, series.rules_at(created, game).name, first, begun.crawford))
    for later in range(game + 1, len(created.games) + 1):
        played = series.rules_at(created, later)
        rolled = played.traits.rolled_start
        first = series.first_seat(created.terms, later, first, state.seats, rolled=rolled)
        coming.append(Coming(later, played.name, first, if_level=later == len(created.games)))
    return tuple(coming)
