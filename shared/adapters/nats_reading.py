"""Whether what a service reads is there.

Not every service may look at the streams, but all can ask for one message. Where nobody answers, Direct Get
is off, the stream is missing, or an account does not let us in.
"""

import asyncio
from collections.abc import Callable
from typing import Final

import structlog

from shared import subjects
from shared.adapters import jetstream
from shared.adapters.nats_connection import Broker

LOOK_S: Final = 2.0

# The logs that each user reads.
READ_BY: Final = {
    "gateway": (subjects.GAMES, subjects.TABLES),
    "lobby": (subjects.TABLES, subjects.PLAYERS),
    "game": (subjects.GAMES,),
    "ghost": (subjects.GAMES,),
    "ledger": (subjects.GAMES, subjects.LEDGER),
    "audit": (subjects.GAMES,),
    "rating": (subjects.GAMES, subjects.RATINGS),
}

_log = structlog.get_logger("log")


class Reading:
    """Looks whether the logs can be read, and says so when that changes: ``tell(stream, "")`` if it can."""

    def __init__(self, broker: Broker, tell: Callable[[str, str], None]) -> None:
        """Nothing is looked at yet."""
        self._broker = broker
        self._tell = tell
        self._known = dict.fromkeys(READ_BY.get(broker.user, ()), "")

    async def look(self) -> None:
        """Look once. A lost connection or a slow answer says nothing about the streams."""
        for stream, known in self._known.items():
            why = await jetstream.unreadable(self._broker, stream) if self._broker.is_connected else None
            if why is None or why == known:
                continue
            if why:
                _log.error("a log cannot be read", why=why)
            else:
                _log.info("a log can be read again", stream=stream)
            self._known[stream] = why
            self._tell(stream, why)

    async def keep(self) -> None:
        """Look again and again."""
        while True:
            await asyncio.sleep(LOOK_S)
            await self.look()
