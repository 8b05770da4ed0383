"""Tables: open, list, join, leave, get ready."""

from typing import Final

import msgspec
from aiohttp import web

from services.gateway.call import Call
from services.gateway.lobby import ask_lobby, localised, table_id
from services.gateway.router import Answer, Query, Route
from services.gateway.routes.players import asked
from shared.catalogue import MOST_EXPERIENCE, MOST_RATING
from shared.commands import Ready
from shared.problems import Refused
from shared.stakes import MOST_STAKE
from shared.tokens import PLAY
from shared.wire.lobby import GetTable, JoinTable, LeaveTable, ListTables, OpenTable, TableList, TableView
from shared.wire.match import CommandRequest, RefusedAnswer


class ReadyBody(msgspec.Struct, frozen=True, omit_defaults=True):
    """``hash`` (hex SHA-256 of 32 bytes) commits to luck of one's own; without it one trusts the others."""

    hash: str = ""


class JoinBody(msgspec.Struct, frozen=True, omit_defaults=True):
    """``token`` is that of the table's link, where it has one."""

    token: str = ""


class ReadyAccepted(msgspec.Struct, frozen=True):
    """The seat is ready: commit ``n`` of ``match`` says so. Go on at the match."""

    match: str
    n: int


async def tables(call: Call) -> web.Response:
    """One page of open tables."""
    request = ListTables(
        game=call.text("game"),
        others=bool(call.flag("others")),
        house=call.text("house"),
        target=call.number("target"),
        computer=call.flag("computer"),
        clock=call.text("clock"),
        stake_min=call.number("stake_min"),
        stake_max=call.number("stake_max"),
        rating_min=call.number("rating_min"),
        rating_max=call.number("rating_max"),
        experience_max=call.number("experience_max"),
        fitting=bool(call.flag("fitting")),
        invited=bool(call.flag("invited")),
        limit=_page(call),
        after=call.text("after"),
    )
    page = await ask_lobby(call.gateway.bus, asked(call, request), TableList)
    spoken = tuple(localised(view, call.language) for view in page.tables)
    return _spoken(call, call.json(TableList(spoken, page.next)))


def told(call: Call, view: TableView, status: int = 200) -> web.Response:
    """The table in the asker's language."""
    return _spoken(call, call.json(localised(view, call.language), status))


def _spoken(call: Call, answer: web.Response) -> web.Response:
    answer.headers["Content-Language"] = call.language
    return answer


def _page(call: Call) -> int:
    limit = call.number("limit")
    if limit is None:
        return 50
    if not 1 <= limit <= 100:  # noqa: PLR2004 - a page that a person could look at
        raise Refused("invalid", "limit: from 1 to 100.")
    return limit


async def open_table(call: Call) -> web.Response:
    """Open a table."""
    table = await ask_lobby(call.gateway.bus, asked(call, call.body(OpenTable)), TableView)
    answer = told(call, table, 201)
    answer.headers["Location"] = f"/v1/tables/{table.id}"
    return answer


async def table(call: Call) -> web.Response:
    """One table."""
    return told(call, await _table(call))


async def _table(call: Call) -> TableView:
    wanted = table_id(call.variables["id"])
    return await ask_lobby(call.gateway.bus, asked(call, GetTable(wanted)), TableView)


async def join(call: Call) -> web.Response:
    """Sit down."""
    wanted = JoinTable(table_id(call.variables["id"]), call.body(JoinBody).token)
    return told(call, await ask_lobby(call.gateway.bus, asked(call, wanted), TableView))


async def leave(call: Call) -> web.Response:
    """Stand up."""
    wanted = table_id(call.variables["id"])
    return told(call, await ask_lobby(call.gateway.bus, asked(call, LeaveTable(wanted)), TableView))


async def ready(call: Call) -> web.Response:
    """Get ready in the match that the table became; the same as the match's command ``ready``."""
    body = call.body(ReadyBody)
    found = await _table(call)
    if not found.match:
        raise Refused("wrong_phase", "The table has no match yet: it waits for players.")
    request = CommandRequest(
        id=call.key,
        command=Ready(hash=body.hash),
        player=call.player,
        expected=1,  # the commit that asks all seats to get ready; the same again must be the same command
        arrived_ms=call.gateway.now_ms(),
        scopes=call.scopes,
    )
    answer = await call.gateway.asking.ask(found.match, request)
    if isinstance(answer, RefusedAnswer):
        raise Refused.of(answer.problem)
    return call.json(ReadyAccepted(found.match, answer.n))


ROUTES: Final = (
    Route(
        "GET",
        "/v1/tables",
        tables,
        "The open tables, newest first.",
        Answer(200, TableList, meaning="One page; next is the after of the following one."),
        query=(
            Query("game", "string", "Only tables of this game."),
            Query("others", "boolean", "Also the games that are not the house's main game."),
            Query("house", "string", "Only tables of this house."),
            Query("target", "integer", "Only matches to so many points; 0: single games."),
            Query("computer", "boolean", "Only tables with, or without, the computer."),
            Query("clock", "string", "Only tables with this clock, by its name in the catalogue; or own."),
            Query(
                "rating_min", "integer", "Only of creators with at least so many points.", most=MOST_RATING
            ),
            Query("rating_max", "integer", "Only of creators with at most so many points.", most=MOST_RATING),
            Query("stake_min", "integer", "Only tables played for at least so much.", most=MOST_STAKE),
            Query("stake_max", "integer", "Only tables played for at most so much.", most=MOST_STAKE),
            Query(
                "experience_max",
                "integer",
                "Only of creators with at most so many finished games of this kind.",
                most=MOST_EXPERIENCE,
            ),
            Query("fitting", "boolean", "Only tables that your own rating and experience fit."),
            Query("invited", "boolean", "Only tables that keep a seat for you, of any game."),
            Query("limit", "integer", "Up to so many, 1 to 100 (50).", least=1, most=100),
            Query("after", "string", "The next of the page before."),
        ),
        tag="tables",
    ),
    Route(
        "POST",
        "/v1/tables",
        open_table,
        "Open a table on one's own terms and sit down at seat 0; with computer, a match begins at once.",
        Answer(201, TableView, meaning="The table."),
        scopes=(PLAY,),
        body=OpenTable,
        keyed=True,
        bucket="writes",
        refusals=(
            "unknown_game",
            "unknown_player",
            "invalid_options",
            "id_reused",
            "forbidden",
            "no_cover",
            "stakes_off",
        ),
        tag="tables",
    ),
    Route(
        "GET",
        "/v1/tables/{id}",
        table,
        "One table, open or not; match is where to go on.",
        Answer(200, TableView, meaning="The table."),
        refusals=("unknown_table",),
        tag="tables",
    ),
    Route(
        "POST",
        "/v1/tables/{id}/join",
        join,
        "Take the first free seat; with the last one the match is created.",
        Answer(200, TableView, meaning="The table with you at it."),
        scopes=(PLAY,),
        body=JoinBody,
        optional_body=True,
        keyed=True,
        bucket="writes",
        refusals=(
            "unknown_table",
            "table_full",
            "table_closed",
            "already_at_table",
            "terms_exclude_you",
            "id_reused",
            "forbidden",
            "no_cover",
            "stakes_off",
        ),
        tag="tables",
    ),
    Route(
        "POST",
        "/v1/tables/{id}/leave",
        leave,
        "Free the seat while the table is open, or decline the one kept for you; that, and the creator's"
        " leaving, closes the table.",
        Answer(200, TableView, meaning="The table without you."),
        scopes=(PLAY,),
        keyed=True,
        bucket="writes",
        refusals=("unknown_table", "table_closed", "not_at_table", "id_reused"),
        tag="tables",
    ),
    Route(
        "POST",
        "/v1/tables/{id}/ready",
        ready,
        "Be ready for the match that the table became.",
        Answer(200, ReadyAccepted, meaning="You are ready."),
        scopes=(PLAY,),
        body=ReadyBody,
        optional_body=True,
        keyed=True,
        bucket="moves",
        refusals=("unknown_table", "wrong_phase", "not_your_seat", "id_reused", "stale", "match_over"),
        tag="tables",
    ),
)
