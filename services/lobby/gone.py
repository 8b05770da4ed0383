"""Tables of players who have gone: an open table is closed, a seat at another's is freed.

Gone is who sat down, was then seen to go, and did not come back for a grace. Of who never had a socket
nothing is known, so his table stays: there is nothing to tell his silence by.
"""

from collections.abc import Callable
from typing import Final

import structlog

from services.lobby.book import Book
from services.lobby.domain import Leave
from shared.ids import COMPUTER
from shared.ports.presence import Presences, PresenceUnavailable
from shared.wire.presence import AWAY

GRACE_MS: Final = 60_000
_log = structlog.get_logger("lobby")


class Gone:
    """Looks after those who do not wait any more."""

    def __init__(
        self, book: Book, presences: Presences, now_ms: Callable[[], int], grace_ms: int = GRACE_MS
    ) -> None:
        """After ``grace_ms`` without any socket a player is gone."""
        self._book = book
        self._presences = presences
        self._now_ms = now_ms
        self._grace_ms = grace_ms

    async def see_to_it(self) -> None:
        """Close and free what is to be; nothing where presence is not known."""
        waiting = [
            (table, seat.player, since_ms)
            for table in self._book.listing.all()
            if table.state == "open"
            for seat, since_ms in zip(table.seats, table.taken_at_ms, strict=True)
            if seat is not None and seat.player != COMPUTER
        ]
        players = sorted({player for _, player, _ in waiting})
        if not players:
            return
        now_ms = self._now_ms()
        try:
            known = await self._presences.of(players, now_ms)
        except PresenceUnavailable as error:
            _log.info("nobody counts as gone", why=str(error))
            return
        for table, player, sat_ms in waiting:
            went_ms = known[player].since_ms
            if known[player].state != AWAY or went_ms is None:
                continue
            if sat_ms <= went_ms <= now_ms - self._grace_ms:
                await self._book.try_do(table.id, Leave(player, gone=True), "gone")
