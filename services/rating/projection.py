"""Keeps leaderboards and histories built up to the rating log; what is missing is built anew, by itself."""

import asyncio
from collections import defaultdict
from collections.abc import Iterable
from typing import Final

import msgspec
import structlog

from services.rating.standing import Counted, Fold, counted_up_to, result
from shared.ports.facts import Facts
from shared.ports.log import LogUnavailable
from shared.ports.standings import Line, Projection

BATCH: Final = 1_000

_log = structlog.get_logger("rating")


class Projector:
    """Advances the projection, beside any number of others who do the same.

    It is at every moment what the log says up to its place. What is new is reckoned back from the sums that
    the reader has anyway; only where it lags by more than a batch (an empty one stands at 0) the log is
    folded a second time, and that fold is forgotten when the projection has caught up.
    """

    def __init__(self, facts: Facts, projection: Projection) -> None:
        """Nothing is read yet."""
        self._facts = facts
        self._projection = projection
        self._lock = asyncio.Lock()

    async def reach(self, fold: Fold) -> None:
        """Return when the projection is built up to where ``fold`` stands, or further.

        Raises ``ProjectionUnavailable``, ``LogUnavailable``.
        """
        async with self._lock:
            until, second = fold.place, None
            while (at := await self._projection.place()) < until:
                batch = await self._facts.after(at, BATCH)
                new = [fact for fact in batch if fact.place <= fold.place]
                last = new[-1].place if new else 0
                if last == fold.place:
                    await self._add(at, last, counted_up_to(fold, new))
                    continue
                if len(batch) < BATCH:
                    if last < until:
                        raise LogUnavailable(f"the ratings cannot be read up to {until} yet")
                    continue  # the fold went on while this was read
                if second is None or at < second.place:
                    _log.info("leaderboards are built anew", lost_from=at, up_to=until)
                    second = Fold()
                await self._go_on(second, at)

    async def renew(self) -> None:
        """Forget the projection, so that it is built from the first entry on. Raises as ``reach``."""
        async with self._lock:
            await self._projection.clear()

    async def _go_on(self, second: Fold, at: int) -> None:
        """Fold one batch; what the projection, at ``at``, does not have yet is added to it."""
        batch = await self._facts.after(second.place, BATCH)
        if not batch:
            raise LogUnavailable(f"the ratings cannot be read after {second.place} yet")
        counted = [one for fact in batch for one in second.apply(fact)]
        if second.place > at:
            await self._add(at, second.place, (one for one in counted if one.place > at))

    async def _add(self, at: int, place: int, counted: Iterable[Counted]) -> None:
        """Add what happened after ``at`` up to ``place``, in its order."""
        ratings: defaultdict[str, dict[str, int]] = defaultdict(dict)
        lines: list[Line] = []
        for one in counted:
            if one.rating is not None:
                ratings[one.kind][one.own.player] = one.rating
            lines.append(Line(one.own.player, one.kind, one.place, msgspec.json.encode(result(one))))
        await self._projection.advance(at, place, ratings, lines)
