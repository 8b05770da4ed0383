"""How everybody stands: the fold of the rating log. Pure, and the same in whatever order the entries come."""

from collections import Counter
from collections.abc import Sequence

import msgspec

from shared.events.codec import RatingEntry, decode_rating
from shared.events.rating import MatchCounted, PlayerResult
from shared.ports.facts import Fact
from shared.ratings import KINDS, Kind
from shared.wire.rating import Result, Standing


class Tally(msgspec.Struct):
    """The sums of one player in one kind; ``change`` in units, ``games`` rated, ``matches`` of any sort."""

    change: int = 0
    games: int = 0
    experience: int = 0
    matches: int = 0
    won: int = 0
    lost: int = 0
    drawn: int = 0
    rated: bool = False


class Counted(msgspec.Struct, frozen=True):
    """What one entry did to one player: his result, and his sums after it."""

    place: int
    kind: str
    entry: RatingEntry
    event: MatchCounted
    own: PlayerResult
    rating: int | None


class Fold:
    """All sums up to ``place``."""

    def __init__(self) -> None:
        """Nobody has played."""
        self.place = 0
        self._tallies: dict[str, dict[str, Tally]] = {}
        self._ranked = Counter[str]()

    def apply(self, fact: Fact) -> list[Counted]:
        """Take in the next entry; what it did to each player. Raises ``UnreadableLog``."""
        entry = decode_rating(fact.data)
        kind = entry.key.partition(".")[0]
        self.place = fact.place
        counted: list[Counted] = []
        for event in entry.events:
            for own in event.players:
                tally = self._take(kind, event, own)
                rating = _start(kind) + tally.change if event.rated else None
                counted.append(Counted(fact.place, kind, entry, event, own, rating))
        return counted

    def _take(self, kind: str, event: MatchCounted, own: PlayerResult) -> Tally:
        tally = self._tallies.setdefault(own.player, {}).setdefault(kind, Tally())
        tally.change += own.change
        tally.games += own.games
        tally.experience += event.finished
        tally.matches += 1
        tally.won += own.outcome == "won"
        tally.lost += own.outcome == "lost"
        tally.drawn += own.outcome == "drawn"
        if event.rated and not tally.rated:
            tally.rated = True
            self._ranked[kind] += 1
        return tally

    def tally(self, kind: str, player: str) -> Tally:
        """The sums of ``player`` in ``kind``; zeros where he has none."""
        return self._tallies.get(player, {}).get(kind, Tally())

    def before(self, kind: str, player: str) -> tuple[int, int]:
        """(rating in units, rated games) with which ``player`` begins his next match of ``kind``."""
        tally = self.tally(kind, player)
        return _start(kind) + tally.change, tally.games

    def kinds(self, player: str) -> list[str]:
        """The kinds in which ``player`` has finished a match."""
        return sorted(self._tallies.get(player, {}))

    @property
    def players(self) -> int:
        """How many have finished a match of any kind."""
        return len(self._tallies)

    def ranked(self, kind: str) -> int:
        """How many have finished a rated match of ``kind``."""
        return self._ranked[kind]


def counted_up_to(fold: Fold, facts: Sequence[Fact]) -> list[Counted]:
    """What each of ``facts``, the last ones that ``fold`` has taken in, did to each player.

    Since changes are summed, the rating after one of them is that of now less what came later.
    """
    entries = [(fact.place, decode_rating(fact.data)) for fact in facts]
    later: dict[tuple[str, str], int] = {}
    counted: list[Counted] = []
    for place, entry in reversed(entries):
        kind = entry.key.partition(".")[0]
        for event in reversed(entry.events):
            for own in reversed(event.players):
                who = (kind, own.player)
                rating = fold.before(kind, own.player)[0] - later.get(who, 0) if event.rated else None
                later[who] = later.get(who, 0) + own.change
                counted.append(Counted(place, kind, entry, event, own, rating))
    return counted[::-1]


def _start(kind: str) -> int:
    known = KINDS.get(kind)
    return 0 if known is None else known.start


def standing(kind: Kind, tally: Tally) -> Standing:
    """``tally`` as others are told it."""
    return Standing(
        kind=kind.name,
        rating=kind.start + tally.change if kind.system else None,
        unit=kind.unit,
        games=tally.games,
        newcomer=tally.games < kind.newcomer,
        experience=tally.experience,
        won=tally.won,
        lost=tally.lost,
        drawn=tally.drawn,
    )


def result(counted: Counted) -> Result:
    """A line of the player's history."""
    event, own = counted.event, counted.own
    kind = KINDS.get(counted.kind)
    return Result(
        place=counted.place,
        match=counted.entry.key.partition(".")[2],
        kind=counted.kind,
        game=event.rules,
        at_ms=counted.entry.at_ms,
        outcome=own.outcome,
        cause=event.cause,
        finished=event.finished,
        opponents=tuple(other.player for other in event.players if other.player != own.player),
        change=own.change,
        rating=counted.rating,
        unit=1 if kind is None else kind.unit,
    )
