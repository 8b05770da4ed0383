"""A tournament as its readers see it. Pure."""

import msgspec

from services.tournament import knockout
from services.tournament.standing import TIE_BREAKS, standings
from services.tournament.state import KNOCK_OUT, Meeting, Tournament, table_of
from shared.ids import match_of
from shared.wire.lobby import terms_view
from shared.wire.tournament import (
    Entrant,
    GameView,
    MeetingView,
    RoundView,
    Standings,
    StandingView,
    Summary,
    TournamentView,
)


def view(tournament: Tournament) -> TournamentView:
    """All of it; the gateway adds what players are called."""
    opened, table = tournament.opened, tournament.opened.table
    return TournamentView(
        id=tournament.id,
        n=tournament.n,
        state=tournament.state,
        kind=tournament.kind or opened.kind,
        title=opened.title,
        organiser=opened.player,
        game=table.rules,
        terms=terms_view(table.terms),
        options=table.options,
        rated=table.rated,
        most=opened.most,
        planned=tournament.planned,
        entrants=tuple(_entrants(tournament)),
        rounds=tuple(_rounds(tournament)),
        standings=_standings(tournament),
        cause=tournament.cause,
        winners=tournament.winners,
        opened_at_ms=tournament.opened_at_ms,
    )


def summary(tournament: Tournament) -> Summary:
    """A line of the list."""
    opened, table = tournament.opened, tournament.opened.table
    return Summary(
        id=tournament.id,
        state=tournament.state,
        kind=tournament.kind or opened.kind,
        title=opened.title,
        organiser=opened.player,
        game=table.rules,
        series=table.terms.series,
        players=len(tournament.players),
        most=opened.most,
        round=len(tournament.rounds),
        planned=tournament.planned,
        opened_at_ms=tournament.opened_at_ms,
    )


def _entrants(tournament: Tournament) -> list[Entrant]:
    known = (tournament.players[name] for name in tournament.order or tournament.players)
    return [
        Entrant(number=i, player=player.id, bot=player.bot, withdrawn=player.withdrawn)
        for i, player in enumerate(known, 1)
    ]


def _rounds(tournament: Tournament) -> list[RoundView]:
    return [
        RoundView(
            round=number,
            meetings=tuple(_meeting(tournament, meeting) for meeting in paired.meetings),
            byes=paired.byes,
            walkovers=paired.walkovers,
            places=knockout.survivors(tournament, number - 1) if tournament.kind == KNOCK_OUT else (),
        )
        for number, paired in enumerate(tournament.rounds, 1)
    ]


def _meeting(tournament: Tournament, meeting: Meeting) -> MeetingView:
    games = [
        GameView(table=game.table, match=match_of(game.table), points=game.points, cause=game.cause)
        for game in meeting.games
    ]
    decided = tournament.decided(meeting)
    if not decided:
        table = table_of(tournament.id, meeting, len(games) + 1)
        games.append(GameView(table=table, match=match_of(table)))
    known = decided and tournament.kind == KNOCK_OUT
    return MeetingView(
        first=meeting.first,
        second=meeting.second,
        games=tuple(games),
        decided=decided,
        winner=knockout.winner(tournament, meeting) if known else "",
    )


def _standings(tournament: Tournament) -> Standings:
    lines = standings(tournament) if tournament.order else ()
    return Standings(
        tournament=tournament.id,
        n=tournament.n,
        kind=tournament.kind,
        round=len(tournament.rounds),
        tie_breaks=TIE_BREAKS.get(tournament.kind, ()),
        lines=tuple(StandingView(**msgspec.structs.asdict(line)) for line in lines),
    )
