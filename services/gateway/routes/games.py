"""The catalogue of games, each with the forms that its matches can be had in."""

from typing import Final

import msgspec
from aiohttp import web

from services.gateway.call import Call
from services.gateway.router import Answer, Route
from shared import catalogue
from shared.export.formats import forms_of
from shared.rules.registry import CURRENT


class Game(catalogue.Game, frozen=True, kw_only=True):
    """One game of the catalogue: seats from least to most, JSON schemas of its terms and options.

    ``matches``: it can be played to a number of points, not as a single game only. ``cube``: it can be
    played with the doubling cube. ``consent``: a resignation is an offer that the opponent accepts or
    declines; without it, resigning ends the game at once. ``clocks`` are those that it offers by name,
    null where nobody is timed. ``exports`` are the forms in which its matches can be had
    (``GET /matches/{id}/export``); under some options there are fewer.
    """

    exports: tuple[str, ...]


class Catalogue(catalogue.Catalogue, frozen=True):
    """What ``GET /games`` answers."""

    games: tuple[Game, ...]


async def games(call: Call) -> web.Response:
    """The catalogue."""
    known = catalogue.catalogue(call.gateway.main_game)
    offered = tuple(
        Game(**msgspec.structs.asdict(game), exports=forms_of(CURRENT[game.name].traits))
        for game in known.games
    )
    return call.json(Catalogue(games=offered, series=known.series, houses=known.houses))


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
