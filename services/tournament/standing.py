"""Standings, in whole numbers: points, then the tie-breaks by their names, then an equal place.

A bye or walkover counts for tie-breaks as a game against somebody who has one's own score, so that nobody
gains or loses by having had nobody to play with.
"""

from collections.abc import Callable
from itertools import groupby
from typing import Final

import msgspec

from services.tournament import knockout
from services.tournament.state import KNOCK_OUT, ROUND_ROBIN, SWISS, WIN, Tournament

TIE_BREAKS: Final = {
    SWISS: ("buchholz", "sonneborn_berger", "head_to_head", "wins"),
    ROUND_ROBIN: ("head_to_head", "sonneborn_berger", "wins"),
    KNOCK_OUT: (),
}
"""By kind: what decides between equal points, the first first."""


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """One player's line. ``place`` from 1, shared by equals. All in half points but ``sonneborn_berger``.

    ``buchholz`` adds the opponents' points; ``sonneborn_berger`` (in quarters of a point) each opponent's
    points times what was won from him; ``head_to_head`` what was won from those who are level so far;
    ``wins`` counts games won at the board. In a knock-out ``rounds`` won decide, 0 elsewhere.
    """

    player: str
    place: int
    points: int
    played: int
    wins: int
    buchholz: int
    sonneborn_berger: int
    head_to_head: int
    rounds: int


def standings(tournament: Tournament) -> tuple[Standing, ...]:
    """All players of a tournament that has begun, best first; equals in the order of the lot."""
    scores = {player: tournament.score(player) for player in tournament.order}
    lines = [_line(tournament, player, scores) for player in tournament.order]
    if tournament.kind == KNOCK_OUT:
        reached = _reached(tournament)
        lines = [msgspec.structs.replace(line, rounds=reached[line.player]) for line in lines]
        return _placed(lines, lambda line: (line.rounds,))
    names = TIE_BREAKS[tournament.kind]
    before = names[: names.index("head_to_head")]

    def level(line: Standing) -> tuple[int, ...]:
        return (line.points, *(getattr(line, name) for name in before))

    lines.sort(key=level, reverse=True)
    found: list[Standing] = []
    for _, equals in groupby(lines, key=level):
        among = list(equals)
        ids = {line.player for line in among}
        found += [
            msgspec.structs.replace(line, head_to_head=_won_from(tournament, line.player, ids))
            for line in among
        ]
    return _placed(found, lambda line: (line.points, *(getattr(line, name) for name in names)))


def winners(tournament: Tournament) -> tuple[str, ...]:
    """Who shares the first place; in a knock-out nobody may have come through."""
    if tournament.kind == KNOCK_OUT:
        return tuple(player for player in knockout.survivors(tournament) if player)
    return tuple(line.player for line in standings(tournament) if line.place == 1)


def _line(tournament: Tournament, player: str, scores: dict[str, int]) -> Standing:
    met = [m for m in tournament.met(player) if tournament.decided(m)]
    alone = tournament.unplayed(player)
    return Standing(
        player=player,
        place=0,
        points=scores[player],
        played=len(met),
        wins=sum(m.points(player) == WIN for m in met),
        buchholz=sum(scores[m.opponent(player)] for m in met) + alone * scores[player],
        sonneborn_berger=sum(scores[m.opponent(player)] * m.points(player) for m in met)
        + alone * WIN * scores[player],
        head_to_head=0,
        rounds=0,
    )


def _won_from(tournament: Tournament, player: str, others: set[str]) -> int:
    return sum(m.points(player) for m in tournament.met(player) if m.opponent(player) in others)


def _reached(tournament: Tournament) -> dict[str, int]:
    """How many rounds each has survived; who withdrew after winning has won all the same."""
    reached = dict.fromkeys(tournament.order, 0)
    for paired in tournament.rounds:
        for meeting in paired.meetings:
            if tournament.decided(meeting) and (won := knockout.winner(tournament, meeting)):
                reached[won] += 1
        for player in (*paired.byes, *paired.walkovers):
            reached[player] += 1
    return reached


def _placed(lines: list[Standing], key: Callable[[Standing], tuple[int, ...]]) -> tuple[Standing, ...]:
    ordered = sorted(lines, key=key, reverse=True)
    found: list[Standing] = []
    for i, line in enumerate(ordered):
        level = bool(found) and key(ordered[i - 1]) == key(line)
        found.append(msgspec.structs.replace(line, place=found[-1].place if level else i + 1))
    return tuple(found)
