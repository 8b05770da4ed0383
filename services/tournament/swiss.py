"""Swiss pairings by the basic rules of the Dutch system, found as one matching of the greatest weight.

The rules in their order: everybody plays, nobody twice with the same; the bye goes to the last who has had
none; nobody three times running, or three times more often, at the same side; equal scores; sides as they
are due; within a score the upper half against the lower. Each rule counts more than all after it together,
in exact integers. ADR 0018 says why.
"""

from typing import Final

from services.tournament.sides import due, seated, turns
from services.tournament.state import Tournament
from shared.events.tournament import Pair, RoundPaired

_URGENT: Final = 3
_STRONG: Final = 2


def rounds(players: int, wished: int = 0) -> int:
    """As many as halve the field to one, or as ``wished``; never more than half as many as players.

    Up to there, a round without a repeated pair always exists if nobody withdraws (Dirac).
    """
    usual = max((players - 1).bit_length(), 1)
    return min(wished or usual, max((players + 1) // 2, 1))


def pair(tournament: Tournament) -> RoundPaired | None:
    """The next round; None if there is none in which nobody meets the same opponent again."""
    table = _Table(tournament)
    number = len(tournament.rounds) + 1
    if len(table.ranked) % 2 == 0:
        found = table.matched(table.ranked)
        return None if found is None else _round(table, number, found, "")
    for last in reversed(table.ranked):
        if last in table.had_bye:
            continue
        found = table.matched(tuple(player for player in table.ranked if player != last))
        if found is not None:
            return _round(table, number, found, last)
    return None


class _Table:
    """What the pairing looks at: players by score, then lot; whom they met, where they sat."""

    def __init__(self, tournament: Tournament) -> None:
        active = tournament.active()
        self.lot = {player: i for i, player in enumerate(tournament.order)}
        self.score = {player: tournament.score(player) for player in active}
        self.ranked = tuple(sorted(active, key=lambda p: (-self.score[p], self.lot[p])))
        self.sat = {player: turns(tournament, player) for player in active}
        self.met = {player: {m.opponent(player) for m in tournament.met(player)} for player in active}
        self.had_bye = {player for r in tournament.rounds for player in (*r.byes, *r.walkovers)}

    def matched(self, players: tuple[str, ...]) -> list[tuple[str, str]] | None:
        """All ``players`` (an even number, by rank) in pairs, (higher, lower) by rank; None if impossible."""
        if not players:
            return []
        places = self._places(players)
        edges = [
            (i, j, self._cost(players[i], players[j], places))
            for i in range(len(players))
            for j in range(i + 1, len(players))
            if players[j] not in self.met[players[i]]
        ]
        found = _lightest(len(players), edges)
        return None if found is None else [(players[i], players[j]) for i, j in found]

    def _places(self, players: tuple[str, ...]) -> dict[str, tuple[int, int]]:
        """By player: his place within his score, and how many have it."""
        groups: dict[int, list[str]] = {}
        for player in players:
            groups.setdefault(self.score[player], []).append(player)
        return {p: (i, len(group)) for group in groups.values() for i, p in enumerate(group)}

    def _cost(self, upper: str, lower: str, places: dict[str, tuple[int, int]]) -> int:
        """What the pair costs, the weightiest rule first; all pairs cannot add up to 1 of the next."""
        pairs = len(places)
        most_scores = max(self.score.values()) - min(self.score.values())
        wishes = due(self.sat[upper]), due(self.sat[lower])
        clash = wishes[0] * wishes[1] > 0
        urgency = min(abs(wishes[0]), abs(wishes[1]))
        (place, size), (other, _) = places[upper], places[lower]
        if self.score[upper] == self.score[lower]:
            halves = (other - place - size // 2) ** 2
        else:  # the last of his score meets the first of the next
            halves = (size - 1 - place) ** 2 + other**2
        cost: int = clash and urgency >= _URGENT
        cost = cost * (most_scores**2 * pairs + 1) + (self.score[upper] - self.score[lower]) ** 2
        cost = cost * (pairs + 1) + (clash and urgency >= _STRONG)
        cost = cost * (pairs + 1) + clash
        return cost * (2 * pairs**3 + 1) + halves


def _lightest(size: int, edges: list[tuple[int, int, int]]) -> list[tuple[int, int]] | None:
    """The perfect matching of 0 … size-1 that costs least, by place; None if there is no perfect one."""
    # Only Swiss rounds need it: 0.3 s and 20 MB that no start of the service has to pay.
    import networkx as nx  # noqa: PLC0415 - as said

    heaviest = max((cost for _, _, cost in edges), default=0) + 1
    graph: nx.Graph[int] = nx.Graph()
    graph.add_weighted_edges_from((i, j, heaviest - cost) for i, j, cost in edges)
    found: set[tuple[int, int]] = nx.max_weight_matching(graph, maxcardinality=True)
    if 2 * len(found) < size:
        return None
    return sorted((min(couple), max(couple)) for couple in found)


def _round(table: _Table, number: int, found: list[tuple[str, str]], bye: str) -> RoundPaired:
    pairs: list[Pair] = []
    for i, (upper, lower) in enumerate(found):
        first = seated(table.sat[upper], table.sat[lower], one_first=i % 2 == 0)
        pairs.append(Pair(upper, lower) if first else Pair(lower, upper))
    return RoundPaired(round=number, pairs=tuple(pairs), byes=(bye,) if bye else ())
