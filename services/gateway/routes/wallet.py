"""A player's own money."""

from typing import Final

from aiohttp import web

from services.gateway.call import Call
from services.gateway.ledger import ask_wallet
from services.gateway.lobby import ask_lobby
from services.gateway.router import Answer, Query, Route
from services.gateway.routes.players import asked
from shared.problems import Refused
from shared.tokens import PLAY
from shared.wire.ledger import GetWallet, Wallet
from shared.wire.lobby import GetPlayer, PlayerView

_MOST: Final = 100
_USUAL: Final = 20


async def wallet(call: Call) -> web.Response:
    """The asker's wallet."""
    limit = call.number("limit")
    limit = _USUAL if limit is None else limit
    if not 1 <= limit <= _MOST:
        raise Refused("invalid", f"limit: from 1 to {_MOST}.")
    who = await ask_lobby(call.gateway.bus, asked(call, GetPlayer()), PlayerView)
    if who.guest:
        raise Refused("forbidden", "Guests do not play for stakes; register with a nickname.")
    request = GetWallet(before=call.number("before") or 0, limit=limit)
    return call.json(await ask_wallet(call.gateway.bus, who.id, request))


ROUTES: Final = (
    Route(
        "GET",
        "/v1/wallet",
        wallet,
        "My money: what is free, what is staked on running matches, and the last entries, newest first.",
        Answer(200, Wallet, meaning="The wallet; next is the before of the following page."),
        scopes=(PLAY,),
        query=(
            Query("limit", "integer", "Up to so many entries, 1 to 100 (20).", least=1, most=_MOST),
            Query("before", "integer", "The next of the page before; without it, the newest entries."),
        ),
        refusals=("forbidden",),
        tag="wallet",
    ),
)
