"""Which matches are rated, in which pool, and what they begin with (boardgames §0.1, §0.4, §0.5). Pure.

A *kind* is what a player has experience and a rating in: a game, a game that shares another's counters, or a
series. Its pool in the rating log has the same name.
"""

from collections.abc import Sequence
from typing import Final

import msgspec

from shared.elo import HALVINGS, OWN, STARTS, UNITS, Before, change
from shared.events.match import MatchCreated, Seat, Terms
from shared.events.rated import Rated, RatedSeat
from shared.ids import is_computer
from shared.rules.protocol import FIBS, TABLE, Pool
from shared.rules.registry import CURRENT, SHARING
from shared.series import SERIES, is_single, why_not_for_value

SEATS: Final = 2
"""Only matches between two are rated."""

FARTHEST: Final = 10**7
"""No rating, in units, is farther from 0."""


class Kind(msgspec.Struct, frozen=True, kw_only=True):
    """One kind of results: what it is called, the games in it, how it is rated ("" not at all)."""

    name: str
    title: str
    games: tuple[str, ...]
    system: str
    newcomer: int

    @property
    def start(self) -> int:
        """The rating, in units, that everybody begins with; 0 where nothing is rated."""
        return STARTS.get(self.system, 0)

    @property
    def unit(self) -> int:
        """So many units make one point of rating."""
        return UNITS.get(self.system, 1)


def _kinds() -> dict[str, Kind]:
    found: dict[str, Kind] = {}
    for name in (*CURRENT, *SERIES):
        kind = kind_name(name)
        games = tuple(game for game in (*CURRENT, *SERIES) if kind_name(game) == kind)
        pool = _pool(kind)
        title = CURRENT[kind].title if kind in CURRENT else SERIES[kind].title
        found[kind] = Kind(name=kind, title=title, games=games, system=pool.system, newcomer=pool.newcomer)
    return found


def kind_name(rules_name: str) -> str:
    """The kind of the game or series ``rules_name``: its own name, unless it shares another's."""
    return SHARING.get(rules_name, rules_name)


def _pool(rules_name: str) -> Pool:
    game = CURRENT.get(rules_name)
    return Pool() if game is None else game.traits.pool


KINDS: Final[dict[str, Kind]] = _kinds()
"""Every kind by its name."""


def played(created: MatchCreated) -> str:
    """The game, or the series, that a match is about."""
    return created.terms.series or created.rules


def why_unrated(rules_name: str, terms: Terms, seats: int, *, chance: str) -> str:
    """Why no such match is ever rated, as a sentence; "" if it may be."""
    if chance != "committed":
        return "A recorded match is not rated."
    if seats != SEATS:
        return "Only matches between two are rated."
    system = "" if terms.series else _pool(rules_name).system
    if not system:
        return "This game counts as experience only." if not terms.series else "A series is not rated."
    if system == FIBS and not terms.target:
        return "Only matches to points are rated in this game."
    if system == TABLE and not is_single(terms):
        return "Only single games are rated in this game."
    return why_not_for_value(terms, CURRENT[rules_name].traits)


def snapshot(
    rules_name: str, terms: Terms, players: Sequence[tuple[int, int]], *, halving: str = OWN
) -> Rated:
    """The ratings with which a match begins: ``players`` by seat, each (rating in units, rated games).

    The match is one that ``why_unrated`` has nothing against.
    """
    kind = KINDS[kind_name(rules_name)]
    newcomers = [games < kind.newcomer for _, games in players]
    before = [Before(*player, newcomer) for player, newcomer in zip(players, newcomers, strict=True)]
    changes = _changes(kind.system, before, halving, terms.target or 0)
    return Rated(
        pool=kind.name,
        system=kind.system,
        unit=kind.unit,
        seats=tuple(
            RatedSeat(rating=b.rating, games=b.games, newcomer=b.newcomer, changes=c)
            for b, c in zip(before, changes, strict=True)
        ),
        halving=halving,
    )


def _changes(system: str, before: Sequence[Before], halving: str, length: int) -> list[tuple[int, ...]]:
    """By seat, and for each seat that may win: what the first one's rating changes by."""
    first_wins = change(system, before[0], before[1], halving=halving, length=length)
    second_wins = change(system, before[1], before[0], halving=halving, length=length)
    return [(first_wins[0], second_wins[1]), (first_wins[1], second_wins[0])]


def weight(rated: Rated, terms: Terms) -> int:
    """What a finished match adds to the rated games of both: 1, or by the formula of FIBS its length."""
    return (terms.target or 0) if rated.system == FIBS else 1


def wrong_rating(created: MatchCreated) -> str:
    """What is wrong with ``created.rated``, whose numbers follow from each other; "" if nothing is."""
    rated = created.rated
    if rated is None:
        return ""
    unrated = why_unrated(created.rules, created.terms, len(created.seats), chance=created.chance)
    if wrong := unrated or _wrong_form(rated, created.seats):
        return wrong
    players = [(seat.rating, seat.games) for seat in rated.seats]
    expected = snapshot(created.rules, created.terms, players, halving=rated.halving)
    return "" if rated == expected else _difference(rated, expected)


def _wrong_form(rated: Rated, seats: Sequence[Seat]) -> str:
    if any(seat.bot or is_computer(seat.player) for seat in seats):
        return "A match with the computer is not rated."
    if rated.halving not in HALVINGS:
        return f"halving is one of {', '.join(HALVINGS)}."
    if len(rated.seats) != len(seats):
        return "Every seat has a rating."
    if not all(abs(seat.rating) <= FARTHEST and 0 <= seat.games <= FARTHEST for seat in rated.seats):
        return "No rating is so far away, and nobody has finished less than no game."
    return ""


def _difference(rated: Rated, expected: Rated) -> str:
    """Where the numbers do not follow from each other, in a sentence."""
    for name in ("pool", "system", "unit"):
        if getattr(rated, name) != getattr(expected, name):
            return f"{name} must be {getattr(expected, name)!r}, not {getattr(rated, name)!r}."
    for place, (found, must) in enumerate(zip(rated.seats, expected.seats, strict=True)):
        if found.newcomer != must.newcomer:
            return f"Seat {place} is {'a' if must.newcomer else 'no'} newcomer after {must.games} games."
        if found.changes != must.changes:
            return f"The changes of seat {place} must be {must.changes}, not {found.changes}."
    return ""
