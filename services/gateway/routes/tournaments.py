"""Tournaments: open, list, join, withdraw, start, look at."""

from collections.abc import Awaitable, Callable
from typing import Final

import msgspec
from aiohttp import web

from services.gateway.call import Call
from services.gateway.lobby import ask_lobby
from services.gateway.router import Answer, Query, Route
from services.gateway.routes.players import asked
from services.gateway.tournaments import ask_tournament
from shared.export import standings as picture
from shared.export.sheet import MEDIA
from shared.ids import is_id
from shared.problems import Refused
from shared.tokens import PLAY
from shared.wire.lobby import GetPlayers, PlayerList
from shared.wire.tournament import (
    MOST_PER_PAGE,
    GetTournament,
    JoinTournament,
    ListTournaments,
    OpenTournament,
    Request,
    Standings,
    StandingView,
    StartTournament,
    TournamentList,
    TournamentRequest,
    TournamentView,
    WithdrawTournament,
)

_AT_ONCE: Final = 100  # so many names the lobby tells at a time
_USUAL: Final = 50


def _request(call: Call, request: Request) -> TournamentRequest:
    return TournamentRequest(request=request, player=call.player, scopes=call.scopes, key=call.key)


def _id(call: Call) -> str:
    wanted = call.variables["id"]
    if not is_id(wanted):
        raise Refused("unknown_tournament")
    return wanted


async def _view(call: Call, request: Request) -> TournamentView:
    """The tournament with what its players are called today; its log has only their ids."""
    view = await ask_tournament(call.gateway.bus, _request(call, request), TournamentView)
    names = await _names(call, [entrant.player for entrant in view.entrants])
    entrants = [msgspec.structs.replace(e, nickname=names.get(e.player, "")) for e in view.entrants]
    lines = tuple(_named(line, names) for line in view.standings.lines)
    standings = msgspec.structs.replace(view.standings, lines=lines)
    return msgspec.structs.replace(view, entrants=tuple(entrants), standings=standings)


def _named(line: StandingView, names: dict[str, str]) -> StandingView:
    return msgspec.structs.replace(line, nickname=names.get(line.player, ""))


async def _names(call: Call, players: list[str]) -> dict[str, str]:
    names: dict[str, str] = {}
    try:
        for begin in range(0, len(players), _AT_ONCE):
            wanted = GetPlayers(tuple(players[begin : begin + _AT_ONCE]))
            found = await ask_lobby(call.gateway.bus, asked(call, wanted), PlayerList)
            names |= {player.id: player.nickname for player in found.players}
    except Refused:  # the lobby is away: the ids are names too
        return names
    return names


async def tournaments(call: Call) -> web.Response:
    """One page of tournaments."""
    limit = call.number("limit")
    request = ListTournaments(
        state=call.text("state"),
        game=call.text("game"),
        player=call.text("player"),
        limit=_USUAL if limit is None else limit,
        after=call.text("after"),
    )
    return call.json(await ask_tournament(call.gateway.bus, _request(call, request), TournamentList))


async def open_tournament(call: Call) -> web.Response:
    """Open a tournament."""
    view = await _view(call, call.body(OpenTournament))
    answer = call.json(view, 201)
    answer.headers["Location"] = f"/v1/tournaments/{view.id}"
    return answer


async def tournament(call: Call) -> web.Response:
    """One tournament."""
    return call.json(await _view(call, GetTournament(_id(call))))


async def join(call: Call) -> web.Response:
    """Take part."""
    return call.json(await _view(call, JoinTournament(_id(call))))


async def withdraw(call: Call) -> web.Response:
    """Take part no more."""
    return call.json(await _view(call, WithdrawTournament(_id(call))))


async def start(call: Call) -> web.Response:
    """Begin."""
    return call.json(await _view(call, StartTournament(_id(call))))


async def standings(call: Call) -> web.Response:
    """The standings as data."""
    return call.json((await _view(call, GetTournament(_id(call)))).standings)


async def table(call: Call) -> web.Response:
    """The standings as a picture."""
    view = await _view(call, GetTournament(_id(call)))
    return call.raw(picture.svg(view).encode(), MEDIA)


def _changing(
    what: str,
    handler: Callable[[Call], Awaitable[web.StreamResponse]],
    summary: str,
    meaning: str,
    *refusals: str,
) -> Route:
    return Route(
        "POST",
        f"/v1/tournaments/{{id}}/{what}",
        handler,
        summary,
        Answer(200, TournamentView, meaning=meaning),
        scopes=(PLAY,),
        keyed=True,
        bucket="writes",
        refusals=("unknown_tournament", "id_reused", *refusals),
        tag="tournaments",
    )


ROUTES: Final = (
    Route(
        "GET",
        "/v1/tournaments",
        tournaments,
        "Tournaments, newest first.",
        Answer(200, TournamentList, meaning="One page; next is the after of the following one."),
        query=(
            Query("state", "string", "Only those that are open, running or ended."),
            Query("game", "string", "Only those of this game or series."),
            Query("player", "string", "Only those in which this player takes part."),
            Query("limit", "integer", f"Up to so many, 1 to 100 ({_USUAL}).", least=1, most=MOST_PER_PAGE),
            Query("after", "string", "The next of the page before."),
        ),
        tag="tournaments",
    ),
    Route(
        "POST",
        "/v1/tournaments",
        open_tournament,
        "Open a tournament in any game or series; who opens it starts it, and plays only if he joins.",
        Answer(201, TournamentView, meaning="The tournament."),
        scopes=(PLAY,),
        body=OpenTournament,
        keyed=True,
        bucket="writes",
        refusals=("unknown_game", "invalid_options", "id_reused", "forbidden"),
        tag="tournaments",
    ),
    Route(
        "GET",
        "/v1/tournaments/{id}",
        tournament,
        "One tournament: who takes part, its rounds with the tables and matches, its standings.",
        Answer(200, TournamentView, meaning="The tournament."),
        refusals=("unknown_tournament",),
        tag="tournaments",
    ),
    _changing(
        "join",
        join,
        "Take part.",
        "The tournament with you in it.",
        "tournament_started",
        "tournament_full",
        "already_joined",
    ),
    _changing(
        "withdraw",
        withdraw,
        "Take part no more: from the next round on nobody is paired with you; a game that has begun goes on.",
        "The tournament without you.",
        "not_joined",
        "tournament_over",
    ),
    _changing(
        "start",
        start,
        "Begin: nobody can join any more, the lot is drawn, the first round is paired at once.",
        "The tournament, begun.",
        "tournament_started",
        "too_few_players",
        "invalid",
    ),
    Route(
        "GET",
        "/v1/tournaments/{id}/standings",
        standings,
        "The standings with their tie-breaks.",
        Answer(200, Standings, meaning="The standings, best first; none before the start."),
        refusals=("unknown_tournament",),
        tag="tournaments",
    ),
    Route(
        "GET",
        "/v1/tournaments/{id}/table.svg",
        table,
        "The standings as a picture: a cross table, a table of rounds, or a knock-out's tree.",
        Answer(200, None, MEDIA, "An SVG picture."),
        refusals=("unknown_tournament",),
        tag="tournaments",
    ),
)
