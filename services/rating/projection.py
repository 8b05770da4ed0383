"""Keeps leaderboards and histories built up to the rating log; what is missing is built anew, by itself."""

import asyncio
from collections import defaultdict
from typing import Final

import msgspec
import structlog

from services.rating.standing import Fold, result
from shared.ports.facts import Fact, Facts
from shared.ports.log import LogUnavailable
from shared.ports.standings import Line, Projection

BATCH: Final = 1_000

_log = structlog.get_logger("rating")


class Projector:
    """Advances the projection, beside any number of others who do the same.

    It folds the log a second time, up to where the projection stands: so the projection is at every moment
    what the log says up to its place. An empty one stands at 0 and is built from the first entry on.
    """

    def __init__(self, facts: Facts, projection: Projection) -> None:
        """Nothing is read yet."""
        self._facts = facts
        self._projection = projection
        self._fold = Fold()
        self._lock = asyncio.Lock()

    async def reach(self, place: int) -> None:
        """Return when the projection is built up to ``place``.

        Raises ``ProjectionUnavailable``, ``LogUnavailable``.
        """
        async with self._lock:
            while (at := await self._projection.place()) < place:
                if at < self._fold.place:
                    _log.info("leaderboards are built anew", lost_from=at, up_to=place)
                    self._fold = Fold()
                batch = await self._facts.after(self._fold.place, BATCH)
                if not batch:
                    raise LogUnavailable(f"the ratings cannot be read up to {place} yet")
                await self._take(batch, at)

    async def renew(self) -> None:
        """Forget the projection, so that it is built from the first entry on. Raises as ``reach``."""
        async with self._lock:
            await self._projection.clear()
            self._fold = Fold()

    async def _take(self, batch: list[Fact], at: int) -> None:
        """Fold ``batch``; what the projection, at ``at``, does not have yet is added to it."""
        ratings: defaultdict[str, dict[str, int]] = defaultdict(dict)
        lines: list[Line] = []
        for fact in batch:
            for counted in self._fold.apply(fact):
                if fact.place <= at:
                    continue
                if counted.rating is not None:
                    ratings[counted.kind][counted.own.player] = counted.rating
                data = msgspec.json.encode(result(counted))
                lines.append(Line(counted.own.player, counted.kind, fact.place, data))
        if self._fold.place > at:
            await self._projection.advance(at, self._fold.place, ratings, lines)
