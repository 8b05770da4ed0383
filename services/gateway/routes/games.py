"""The catalogue of games."""

from typing import Final

from aiohttp import web

from services.gateway.call import Call
from services.gateway.router import Answer, Route
from shared.catalogue import Catalogue, catalogue


async def games(call: Call) -> web.Response:
    """The catalogue."""
    return call.json(catalogue(call.gateway.main_game))


ROUTES: Final = (
    Route(
        "GET",
        "/v1/games",
        games,
        "The catalogue: games, houses, terms and options with their schema.",
        Answer(200, Catalogue, meaning="All games and houses."),
        tag="games",
    ),
)
