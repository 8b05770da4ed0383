"""The state of a tournament, folded from its log, and the questions that pairings and standings ask of it."""

from collections.abc import Iterator
from typing import Final

import msgspec

from shared.events.tournament import TournamentOpened
from shared.ids import derived_id

WIN: Final = 2
"""Half points; so is everything that is counted."""
HALF: Final = 1
KNOCK_OUT: Final = "knock_out"
ROUND_ROBIN: Final = "round_robin"
SWISS: Final = "swiss"
KINDS: Final = (KNOCK_OUT, ROUND_ROBIN, SWISS)
MOST_GAMES: Final = 2
"""A knock-out game that is drawn is played once more with sides changed; then the lot decides."""


class Player(msgspec.Struct, frozen=True, kw_only=True):
    """Somebody who takes part, or did (``withdrawn``)."""

    id: str
    bot: bool = False
    level: int = 0
    withdrawn: bool = False


class Game(msgspec.Struct, frozen=True):
    """One recorded match: the points of the meeting's first and second player."""

    table: str
    points: tuple[int, int]
    cause: str


class Meeting(msgspec.Struct, frozen=True):
    """Pair number ``pair`` of a round; ``first`` sits at seat 0, in a replay at seat 1."""

    round: int
    pair: int
    first: str
    second: str
    games: tuple[Game, ...] = ()

    def opponent(self, player: str) -> str:
        """Who the other one is."""
        return self.second if player == self.first else self.first

    def points(self, player: str) -> int:
        """What ``player`` got in the newest game, 0 while there is none."""
        return self.games[-1].points[player != self.first] if self.games else 0


class Round(msgspec.Struct, frozen=True):
    """Who meets whom, who has a bye, and who goes on because the opponent is gone."""

    meetings: tuple[Meeting, ...]
    byes: tuple[str, ...] = ()
    walkovers: tuple[str, ...] = ()


class Tournament(msgspec.Struct, frozen=True, kw_only=True):
    """A tournament at entry ``n`` of its log. ``commands`` are the ids in it, each with its request's hash.

    ``order`` is the lot, empty before the start; ``planned`` so many rounds there are to be.
    """

    id: str
    n: int
    head: str
    at_ms: int
    opened: TournamentOpened
    opened_at_ms: int
    players: dict[str, Player] = {}
    kind: str = ""
    order: tuple[str, ...] = ()
    planned: int = 0
    rounds: tuple[Round, ...] = ()
    cause: str = ""
    winners: tuple[str, ...] = ()
    commands: dict[str, str] = {}

    @property
    def state(self) -> str:
        """``open``, ``running`` or ``ended``."""
        if self.cause:
            return "ended"
        return "running" if self.order else "open"

    @property
    def round_over(self) -> bool:
        """Whether every meeting so far is decided."""
        return all(self.decided(meeting) for meeting in self.meetings())

    def meetings(self) -> Iterator[Meeting]:
        """All of them, in order."""
        for paired in self.rounds:
            yield from paired.meetings

    def decided(self, meeting: Meeting) -> bool:
        """Whether no further game of ``meeting`` is to come."""
        if not meeting.games:
            return False
        newest = meeting.games[-1]
        drawn = newest.points == (HALF, HALF) and newest.cause != "refused"
        return self.kind != KNOCK_OUT or not drawn or len(meeting.games) >= MOST_GAMES

    def running(self) -> Iterator[tuple[Meeting, int]]:
        """The meetings with a game to come or in play, and that game's number."""
        for meeting in self.meetings():
            if not self.decided(meeting):
                yield meeting, len(meeting.games) + 1

    def active(self) -> tuple[str, ...]:
        """Who is paired, in the order of the lot."""
        return tuple(player for player in self.order if not self.players[player].withdrawn)

    def score(self, player: str) -> int:
        """Half points, byes and walkovers included."""
        played = sum(m.points(player) for m in self.meetings() if player in (m.first, m.second))
        return played + WIN * self.unplayed(player)

    def unplayed(self, player: str) -> int:
        """How many points came without a game."""
        return sum((player in r.byes) + (player in r.walkovers) for r in self.rounds)

    def met(self, player: str) -> list[Meeting]:
        """The meetings of ``player``, in order."""
        return [m for m in self.meetings() if player in (m.first, m.second)]


def seats_of(meeting: Meeting, game: int) -> tuple[str, str]:
    """Who sits at seat 0 and seat 1 in game number ``game`` of ``meeting``."""
    return (meeting.first, meeting.second) if game % 2 else (meeting.second, meeting.first)


def table_of(tournament: str, meeting: Meeting, game: int) -> str:
    """The table of game number ``game``: always the same, so that who asks again finds it."""
    return derived_id("t", "tournament", tournament, str(meeting.round), str(meeting.pair), str(game))
