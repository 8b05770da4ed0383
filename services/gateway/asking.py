"""Commands on their way to ``game``: only those of people who sit in the match.

``game`` refuses the others as well, but one after the other in the match's own queue, where they would make
its players wait; so a crowd of strangers is turned away here.
"""

import asyncio
from collections.abc import Callable
from typing import Final

from services.gateway.commands import ask_game
from shared.events.codec import UnreadableLog, decode_match
from shared.events.match import MatchCreated
from shared.match import MatchState
from shared.ports.bus import Bus
from shared.ports.log import EventLog, LogUnavailable
from shared.problems import problem
from shared.recent import Recent
from shared.wire.match import CommandAnswer, CommandRequest, RefusedAnswer

KEPT: Final = 50_000
"""The players of so many matches are remembered; they never change."""

PATIENCE_S: Final = 0.1
"""So long the log is waited for: a command has its stamp already, and that must not grow old here."""


class Asking:
    """Asks ``game``, on behalf of those who may."""

    def __init__(self, bus: Bus, log: EventLog, watched: Callable[[str], MatchState | None]) -> None:
        """``watched`` is the newest state of a match that somebody watches here."""
        self._bus = bus
        self._log = log
        self._watched = watched
        self._seated: Recent[frozenset[str]] = Recent(KEPT)

    async def ask(self, match: str, request: CommandRequest) -> CommandAnswer:
        """The answer of ``game``, or ours to who has no seat there (with n, if we know it)."""
        state = self._watched(match)
        if state is not None:
            if state.seat_of(request.player) is None:
                return RefusedAnswer(problem("not_your_seat", n=state.n))
        elif request.player not in (await self._players(match) or {request.player}):
            return RefusedAnswer(problem("not_your_seat"))
        return await ask_game(self._bus, match, request)

    async def _players(self, match: str) -> frozenset[str] | None:
        """Who sits in ``match``; None where the log does not say (yet): then ``game`` answers."""
        seated = self._seated.get(match)
        if seated is None:
            seated = await self._read(match)
            if seated is not None:
                self._seated.put(match, seated)
        return seated

    async def _read(self, match: str) -> frozenset[str] | None:
        try:
            async with asyncio.timeout(PATIENCE_S):
                first = await self._log.get(match, 1)
            created = None if first is None else decode_match(first).events[0]
        except (TimeoutError, LogUnavailable, UnreadableLog):
            return None
        if not isinstance(created, MatchCreated):
            return None
        return frozenset(seat.player for seat in created.seats)
