"""What lobby and gateway ask the rating service, and what it answers.

The lobby asks on ``cmd.lobby.rating.<table>``, the gateway on ``cmd.gateway.rating.<key>``, where ``key`` is
the kind or the player. Numbers are read from the rating log, caught up; what cannot be known at the moment is
refused with ``unavailable``, never answered with what a beginner has.
"""

from typing import Final

import msgspec

from shared.events.match import Terms
from shared.events.rated import Rated
from shared.problems import Problem

MOST_PER_PAGE: Final = 100
MOST_PLAYERS: Final = 100


class TakeSnapshot(msgspec.Struct, frozen=True, kw_only=True, tag="take_snapshot"):
    """The ratings with which a match of ``rules`` on ``terms`` begins. Answer: ``Snapshot``."""

    rules: str
    terms: Terms
    players: tuple[str, ...]


class GetStandings(msgspec.Struct, frozen=True, kw_only=True, tag="get_standings"):
    """How ``players`` stand in ``kind``. Answer: ``Standings``, in the order of ``players``."""

    kind: str
    players: tuple[str, ...]


class GetLeaderboard(msgspec.Struct, frozen=True, kw_only=True, tag="get_leaderboard"):
    """The ranks of ``kind`` after rank ``after``. Answer: ``Leaderboard``."""

    kind: str
    after: int = 0
    limit: int = 50


class GetRecord(msgspec.Struct, frozen=True, kw_only=True, tag="get_record"):
    """All kinds that ``player`` has finished games in, and his newest results. Answer: ``Record``.

    ``kind`` (empty: all), ``before`` (a result's ``place``, 0: the newest) and ``limit`` are for the results.
    """

    player: str
    kind: str = ""
    before: int = 0
    limit: int = 20


LobbyQuestion = TakeSnapshot | GetStandings
GatewayQuestion = GetLeaderboard | GetRecord
RatingRequest = LobbyQuestion | GatewayQuestion


class Snapshot(msgspec.Struct, frozen=True, tag="snapshot"):
    """What the match begins with, and what it can change."""

    rated: Rated


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """How a player stands in a kind.

    ``rating`` in units (``unit`` of them are one point), null where nothing is rated; ``games`` are those
    that counted for it, ``experience`` all that he has finished in this kind.
    """

    kind: str
    rating: int | None
    unit: int
    games: int
    newcomer: bool
    experience: int
    won: int
    lost: int
    drawn: int


class Standings(msgspec.Struct, frozen=True, tag="standings"):
    """By player, in the order in which they were asked for."""

    players: tuple[Standing, ...]


class Rank(msgspec.Struct, frozen=True, kw_only=True):
    """One line of a leaderboard; equal ratings have consecutive ranks, in an order that stays."""

    rank: int
    player: str
    rating: int
    games: int
    newcomer: bool


class Leaderboard(msgspec.Struct, frozen=True, kw_only=True, tag="leaderboard"):
    """One page of everybody with a rated game; ``next`` is the ``after`` of the following page, 0: none."""

    kind: str
    title: str
    unit: int
    total: int
    ranks: tuple[Rank, ...]
    next: int


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """One match that a player has finished; ``rating`` is his after it, null where the match was not rated.

    ``opponents`` are the others at the table, without the computer.
    """

    place: int
    match: str
    kind: str
    game: str
    at_ms: int
    outcome: str
    cause: str
    finished: int
    opponents: tuple[str, ...]
    change: int
    rating: int | None
    unit: int


class Record(msgspec.Struct, frozen=True, kw_only=True, tag="record"):
    """A player's standings by kind, and a page of his results; ``next`` is the next page's ``before``."""

    standings: tuple[Standing, ...]
    results: tuple[Result, ...]
    next: int


class RefusedAnswer(msgspec.Struct, frozen=True, tag="refused"):
    """Refused, or not to be known at the moment."""

    problem: Problem


RatingAnswer = Snapshot | Standings | Leaderboard | Record | RefusedAnswer

ENCODER: Final = msgspec.json.Encoder()
RATING_REQUEST: Final[msgspec.json.Decoder[RatingRequest]] = msgspec.json.Decoder(RatingRequest)
RATING_ANSWER: Final[msgspec.json.Decoder[RatingAnswer]] = msgspec.json.Decoder(RatingAnswer)
