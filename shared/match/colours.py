"""The colours of the seats: what a view tells of them, and how the diagram draws them."""

from typing import Final

from shared.match.state import MatchState

_OTHER: Final = {"white": "black", "black": "white"}


def colours(state: MatchState) -> tuple[str, ...] | None:
    """``white`` or ``black`` by seat, the same through the whole match (rules of backgammon §1.3).

    Who began game 1 has the colour that begins there (``Traits.begins``). None until that is known, and for
    games that have no such colours or another number of seats.
    """
    began = state.games[0].first if state.games else state.first
    colour = state.rules.traits.begins
    if began is None or colour not in _OTHER or state.seats != len(_OTHER):
        return None
    return tuple(colour if seat == began else _OTHER[colour] for seat in range(state.seats))
