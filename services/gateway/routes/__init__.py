"""The routes, one module per resource. What stands here is served, and documented; there is nothing else."""

from typing import Final

from services.gateway.router import Route
from services.gateway.routes import (
    games,
    live,
    matches,
    opponents,
    players,
    ratings,
    spec,
    tables,
    tournaments,
    wallet,
)

ROUTES: Final[tuple[Route, ...]] = (
    *players.ROUTES,
    *ratings.ROUTES,
    *games.ROUTES,
    *tables.ROUTES,
    *opponents.ROUTES,
    *matches.ROUTES,
    *live.ROUTES,
    *wallet.ROUTES,
    *tournaments.ROUTES,
    *spec.ROUTES,
)
