"""The catalogue of games, each with the forms that its matches can be had in."""

from typing import Final

import msgspec
from aiohttp import web

from services.gateway.call import Call
from services.gateway.router import Answer, Route
from shared.catalogue import Catalogue, Game, catalogue
from shared.export.formats import forms_of
from shared.rules.registry import CURRENT


class Offered(Game, frozen=True, kw_only=True):
    """A game of the catalogue; ``exports`` are the forms of ``GET /matches/{id}/export`` that can hold it.

    Under options that make another game of it there may be fewer.
    """

    exports: tuple[str, ...]


class Offers(Catalogue, frozen=True):
    """What ``GET /games`` answers."""

    games: tuple[Offered, ...]


async def games(call: Call) -> web.Response:
    """The catalogue."""
    known = catalogue(call.gateway.main_game)
    offered = tuple(
        Offered(**msgspec.structs.asdict(game), exports=forms_of(CURRENT[game.name].traits))
        for game in known.games
    )
    return call.json(Offers(games=offered, series=known.series, houses=known.houses))


ROUTES: Final = (
    Route(
        "GET",
        "/v1/games",
        games,
        "The catalogue: games, houses, terms and options with their schema.",
        Answer(200, Offers, meaning="All games and houses."),
        tag="games",
    ),
)
