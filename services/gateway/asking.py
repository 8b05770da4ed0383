"""Commands on their way to ``game``: only those of people who sit in the match.

``game`` refuses the others as well, but one after the other in the match's own queue, where they would make
its players wait; so a crowd of strangers is turned away here.
"""

from typing import Final

from services.gateway.commands import ask_game
from shared.events.codec import UnreadableLog, decode_match
from shared.events.match import MatchCreated
from shared.ports.bus import Bus
from shared.ports.log import EventLog, LogUnavailable
from shared.problems import problem
from shared.recent import Recent
from shared.wire.match import CommandAnswer, CommandRequest, RefusedAnswer

KEPT: Final = 50_000
"""The players of so many matches are remembered; they never change."""


class Asking:
    """Asks ``game``, on behalf of those who may."""

    def __init__(self, bus: Bus, log: EventLog) -> None:
        """Nobody's seat is known yet."""
        self._bus = bus
        self._log = log
        self._seated: Recent[frozenset[str]] = Recent(KEPT)

    async def ask(self, match: str, request: CommandRequest) -> CommandAnswer:
        """The answer of ``game``, or ours to who has no seat there."""
        seated = self._seated.get(match) or await self._players(match)
        if seated is not None and request.player not in seated:
            return RefusedAnswer(problem("not_your_seat"))
        return await ask_game(self._bus, match, request)

    async def _players(self, match: str) -> frozenset[str] | None:
        """Who sits in ``match``; None where the log does not say (yet): then ``game`` answers."""
        try:
            first = await self._log.get(match, 1)
            created = None if first is None else decode_match(first).events[0]
        except (LogUnavailable, UnreadableLog):
            return None
        if not isinstance(created, MatchCreated):
            return None
        seated = frozenset(seat.player for seat in created.seats)
        self._seated.put(match, seated)
        return seated
