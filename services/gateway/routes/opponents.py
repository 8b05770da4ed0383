"""Ways to an opponent beside the list of tables: anybody, a link, the same one again."""

from typing import Final

import msgspec
from aiohttp import web

from services.gateway.call import Call
from services.gateway.lobby import ask_lobby, table_id
from services.gateway.router import Answer, Route
from services.gateway.routes.players import asked
from services.gateway.routes.tables import told
from services.gateway.watches import over
from shared.problems import Refused
from shared.tokens import PLAY
from shared.wire.lobby import GetTable, OpenTable, QuickPair, Rematch, TableView


class Invitation(msgspec.Struct, frozen=True):
    """``token`` is what a link to a table holds."""

    token: str


async def quick(call: Call) -> web.Response:
    """Play with anybody."""
    wanted = QuickPair(call.body(OpenTable))
    return told(call, await ask_lobby(call.gateway.bus, asked(call, wanted), TableView))


async def invitation(call: Call) -> web.Response:
    """Look at the table of a link; the token is in the body, addresses are written down by proxies."""
    token = call.body(Invitation).token
    wanted = GetTable(table_id(token.partition(".")[0]), token)
    return told(call, await ask_lobby(call.gateway.bus, asked(call, wanted), TableView))


async def rematch(call: Call) -> web.Response:
    """Play a match again."""
    state = await call.gateway.watches.state(call.variables["id"], call.purse)
    if state.seat_of(call.player) is None:
        raise Refused("not_your_seat", n=state.n)
    if not over(state):
        raise Refused("wrong_phase", "The match is not over yet.", state.n)
    if not state.created.table:
        raise Refused("rematch_unavailable", "It came of no table.", state.n)
    wanted = Rematch(state.created.table, state.match)
    return told(call, await ask_lobby(call.gateway.bus, asked(call, wanted), TableView))


ROUTES: Final = (
    Route(
        "POST",
        "/v1/tables/quick",
        quick,
        "Play with anybody on these terms: at the oldest table that fits, or at a new one where you wait.",
        Answer(200, TableView, meaning="The table with you at it."),
        scopes=(PLAY,),
        body=OpenTable,
        keyed=True,
        bucket="writes",
        refusals=("unknown_game", "invalid_options", "already_at_table", "id_reused", "forbidden"),
        tag="tables",
    ),
    Route(
        "POST",
        "/v1/invitations",
        invitation,
        "The table that a link leads to; join it with the same token.",
        Answer(200, TableView, meaning="The table."),
        body=Invitation,
        refusals=("unknown_table",),
        tag="tables",
    ),
    Route(
        "POST",
        "/v1/matches/{id}/rematch",
        rematch,
        "Offer to play a finished match again with the seats changed, or accept that: once for each match.",
        Answer(200, TableView, meaning="The table that keeps the others' seats; when all sit, its match."),
        scopes=(PLAY,),
        keyed=True,
        bucket="writes",
        refusals=(
            "unknown_match",
            "unreadable_log",
            "unknown_table",
            "not_your_seat",
            "wrong_phase",
            "rematch_unavailable",
            "table_closed",
            "invalid_options",
            "id_reused",
        ),
        tag="matches",
    ),
)
