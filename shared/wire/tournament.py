"""What the gateway asks the tournament service, and what it answers.

A request goes to ``cmd.gateway.tournament.<key>``, where ``key`` is the tournament's id or the request's tag.
The scope of ``TournamentRequest.key``, the client's Idempotency-Key, is (player, route, key), as at tables.
All points are half points.
"""

from typing import Any, Final

import msgspec

from shared.problems import Problem
from shared.wire.lobby import OpenTable, TermsView

MOST_PER_PAGE: Final = 100


class OpenTournament(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag="open_tournament"):
    """Open a tournament and organise it. Answer: ``TournamentView``.

    ``table`` says what is played, as in ``POST /tables``: any game or series, any terms but a stake; where
    no house is named, two minutes for a move, and who stays away loses. ``kind`` is ``knock_out``,
    ``round_robin`` or ``swiss``; without it up to 8 players play each against each, more of them Swiss.
    ``rounds`` (Swiss) is otherwise what halves the field to one. ``most`` players may join, 2 to 128
    (``round_robin`` 32), 0 for the greatest number.
    ``computers`` of ours join at once, at ``level`` (see ``OpenTable``): up to 16, with scope ``bot`` 64.
    """

    table: OpenTable
    title: str = ""
    kind: str = ""
    rounds: int = 0
    most: int = 0
    computers: int = 0
    level: int | None = None


class ListTournaments(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag="list_tournaments"):
    """Tournaments, newest first. Answer: ``TournamentList``.

    ``state`` (``open``, ``running``, ``ended``), ``game`` and ``player`` (who takes part) narrow them down.
    ``after`` is the ``next`` of the page before.
    """

    state: str = ""
    game: str = ""
    player: str = ""
    limit: int = 50
    after: str = ""


class GetTournament(msgspec.Struct, frozen=True, tag="get_tournament"):
    """One tournament. Answer: ``TournamentView``."""

    tournament: str


class JoinTournament(msgspec.Struct, frozen=True, tag="join_tournament"):
    """Take part. Answer: ``TournamentView``."""

    tournament: str


class WithdrawTournament(msgspec.Struct, frozen=True, tag="withdraw_tournament"):
    """Take part no more, from the next round on. Answer: ``TournamentView``."""

    tournament: str


class StartTournament(msgspec.Struct, frozen=True, tag="start_tournament"):
    """Begin: the lot is drawn and the first round paired. Answer: ``TournamentView``."""

    tournament: str


OneTournament = GetTournament | JoinTournament | WithdrawTournament | StartTournament
Request = OpenTournament | ListTournaments | OneTournament


class TournamentRequest(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A request with who asks: ``player`` and ``scopes`` of his verified access token."""

    request: Request
    player: str = ""
    scopes: tuple[str, ...] = ()
    key: str = ""


def subject_key(request: Request) -> str:
    """The last token of the subject for ``request``."""
    if isinstance(request, OpenTournament | ListTournaments):
        return str(request.__struct_config__.tag)
    return request.tournament


# --- answers ----------------------------------------------------------------------------------------


class Entrant(msgspec.Struct, frozen=True, kw_only=True):
    """A player by his ``number`` in the lot (from 1; before the start in the order of joining)."""

    number: int
    player: str
    nickname: str = ""
    bot: bool = False
    withdrawn: bool = False


class GameView(msgspec.Struct, frozen=True, kw_only=True):
    """One game of a pair: go to ``match``. ``points`` of first and second; null while it is played.

    ``cause`` says how it ended: as in ``result`` of the match, or ``not_ready``, ``left``, ``annulled``,
    ``next``, ``not_chosen``, ``computer``, ``refused`` where the match was cancelled. The second game of a
    knock-out's pair is a replay with sides changed.
    """

    table: str
    match: str
    points: tuple[int, int] | None = None
    cause: str = ""


class MeetingView(msgspec.Struct, frozen=True, kw_only=True):
    """Two players by their ids; ``first`` sits at seat 0 of the first game. ``winner`` in a knock-out."""

    first: str
    second: str
    games: tuple[GameView, ...]
    decided: bool
    winner: str = ""


class RoundView(msgspec.Struct, frozen=True, kw_only=True):
    """One round; ``byes`` and ``walkovers`` got a full point without playing.

    ``places`` are those of a knock-out's tree from top to bottom, two for each pair, empty where nobody came.
    """

    round: int
    meetings: tuple[MeetingView, ...]
    byes: tuple[str, ...]
    walkovers: tuple[str, ...]
    places: tuple[str, ...] = ()


class StandingView(msgspec.Struct, frozen=True, kw_only=True):
    """One line of the standings. ``place`` from 1, shared by equals.

    ``buchholz``: the opponents' points together; ``sonneborn_berger`` (quarters of a point): each opponent's
    points times those won from him; ``head_to_head``: points from those who are level; ``wins`` and
    ``played`` count games; ``rounds``: survived rounds of a knock-out.
    """

    player: str
    nickname: str = ""
    place: int
    points: int
    played: int
    wins: int
    buchholz: int
    sonneborn_berger: int
    head_to_head: int
    rounds: int


class Standings(msgspec.Struct, frozen=True, kw_only=True):
    """The standings once ``round`` rounds have begun; ``tie_breaks`` decide between equals, in order."""

    tournament: str
    n: int
    kind: str
    round: int
    tie_breaks: tuple[str, ...]
    lines: tuple[StandingView, ...]


class TournamentView(msgspec.Struct, frozen=True, kw_only=True, tag="tournament"):
    """A tournament at entry ``n`` of its log.

    ``state``: ``open``, ``running``, ``ended`` (``cause``: ``played``; ``exhausted``, no further round is
    possible without a repeated pair; ``expired``, it never began). ``kind`` is empty while the number of
    players is still to decide. ``planned`` rounds there will be, 0 before the start.
    """

    id: str
    n: int
    state: str
    kind: str
    title: str
    organiser: str
    game: str
    terms: TermsView
    options: dict[str, Any]
    rated: bool
    most: int
    planned: int
    entrants: tuple[Entrant, ...]
    rounds: tuple[RoundView, ...]
    standings: Standings
    cause: str
    winners: tuple[str, ...]
    opened_at_ms: int


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """A tournament in a list."""

    id: str
    state: str
    kind: str
    title: str
    organiser: str
    game: str
    series: str
    players: int
    most: int
    round: int
    planned: int
    opened_at_ms: int


class TournamentList(msgspec.Struct, frozen=True, tag="tournaments"):
    """One page of tournaments; ``next`` is the ``after`` of the following page, empty on the last."""

    tournaments: tuple[Summary, ...]
    next: str


class RefusedAnswer(msgspec.Struct, frozen=True, tag="refused"):
    """Refused, nothing changed."""

    problem: Problem


TournamentAnswer = TournamentView | TournamentList | RefusedAnswer

ENCODER: Final = msgspec.json.Encoder()
TOURNAMENT_REQUEST: Final = msgspec.json.Decoder(TournamentRequest)
TOURNAMENT_ANSWER: Final[msgspec.json.Decoder[TournamentAnswer]] = msgspec.json.Decoder(TournamentAnswer)
