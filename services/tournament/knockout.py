"""Knock-out: a bracket by the lot, byes for its first, winners meet until one is left."""

from typing import Final

from services.tournament.sides import seated, turns
from services.tournament.state import HALF, KNOCK_OUT, Meeting, Tournament
from shared.events.tournament import Pair, RoundPaired

KIND: Final = KNOCK_OUT


def rounds(players: int) -> int:
    """How often the field is halved until one is left."""
    return (players - 1).bit_length()


def bracket(order: tuple[str, ...]) -> tuple[str, ...]:
    """The first round's places from top to bottom, an empty one for a bye; neighbours meet.

    The first two of the lot can meet only in the final, the first four not before the semi-finals, and so on.
    """
    places = [0]
    while len(places) < len(order):
        size = 2 * len(places)
        places = [place for upper in places for place in (upper, size - 1 - upper)]
    return tuple(order[place] if place < len(order) else "" for place in places)


def winner(tournament: Tournament, meeting: Meeting) -> str:
    """Who goes on; after a drawn replay whom the lot named first; nobody (empty) if both have lost."""
    first, second = meeting.games[-1].points
    if first == second:
        if first != HALF:
            return ""
        return min(meeting.first, meeting.second, key=tournament.order.index)
    return meeting.first if first > second else meeting.second


def survivors(tournament: Tournament, played: int | None = None) -> tuple[str, ...]:
    """The places after ``played`` rounds (all so far), top to bottom, empty where nobody came through."""
    places = bracket(tournament.order)
    for paired in tournament.rounds[:played]:
        won = {m.first: winner(tournament, m) for m in paired.meetings}
        won |= {m.second: won[m.first] for m in paired.meetings}
        won |= {player: player for player in (*paired.byes, *paired.walkovers)}
        places = tuple(won.get(places[i], "") or won.get(places[i + 1], "") for i in range(0, len(places), 2))
    return places


def pair(tournament: Tournament) -> RoundPaired | None:
    """The next round; None when one is left, or none."""
    places = survivors(tournament)
    if len(places) == 1:
        return None
    number = len(tournament.rounds) + 1
    pairs: list[Pair] = []
    alone: list[str] = []
    for i in range(0, len(places), 2):
        couple = [p for p in places[i : i + 2] if p and not tournament.players[p].withdrawn]
        if len(couple) > 1:
            pairs.append(_seated(tournament, couple[0], couple[1], len(pairs)))
        else:
            alone += couple
    byes = tuple(alone) if number == 1 else ()
    walkovers = () if number == 1 else tuple(alone)
    return RoundPaired(round=number, pairs=tuple(pairs), byes=byes, walkovers=walkovers)


def _seated(tournament: Tournament, upper: str, lower: str, place: int) -> Pair:
    one, other = turns(tournament, upper), turns(tournament, lower)
    first = seated(one, other, one_first=place % 2 == 0)
    return Pair(upper, lower) if first else Pair(lower, upper)
