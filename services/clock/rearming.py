"""All that is armed, armed anew: after a start, and whenever the broker's clock was set.

A timer comes when the broker's clock shows its time, so one that was armed before that clock was set back is
late. Armed anew it goes by what the clock shows now. Nothing is claimed for that, but for one claim where
nothing has told us yet what time it is: our own clock may be the wrong one.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Final

import structlog

from shared.match.timing import Kind
from shared.ports.log import LogUnavailable
from shared.ports.timers import Timers, TimersUnavailable

AGAIN_S: Final = 2.0
"""Until what could not be done is tried again."""

_log = structlog.get_logger("clock")

Work = Callable[[str], Awaitable[bool | None]]
"""What is done for one match: True if it is, False if not now, None if there is nothing to do.

Raises ``LogUnavailable`` and ``TimersUnavailable``, which is as False.
"""


class Rearming:
    """Goes through all matches that have a timer, in a task of its own; one match's trouble stays its own."""

    def __init__(self, timers: Timers, ask: Work, rearm: Work) -> None:
        """``ask`` has ``game`` say what time it is, ``rearm`` arms anew what runs in the match."""
        self._timers = timers
        self._ask = ask
        self._rearm = rearm
        self._working: asyncio.Task[None] | None = None
        self._told = False

    def start(self) -> None:
        """Begin, or begin anew."""
        if self._working is not None:
            self._working.cancel()
        self._told = False
        self._working = asyncio.get_running_loop().create_task(self._all())

    async def done(self) -> None:
        """All that was begun is done."""
        if self._working is not None:
            await asyncio.wait((self._working,))

    async def close(self) -> None:
        """What is not done yet is left to whoever starts next."""
        if self._working is not None:
            self._working.cancel()
        await self.done()

    async def _all(self) -> None:
        matches = left = await self._armed()
        await self._hear_the_time(deque(matches))
        while left:
            left = [match for match in left if await self._done(self._rearm, match) is False]
            if left:
                await asyncio.sleep(AGAIN_S)
        if matches:
            _log.info("all timers are armed anew", matches=len(matches))

    async def _armed(self) -> list[str]:
        """Every match that has a timer for a deadline, once."""
        while True:
            try:
                found = [match for kind in Kind for match in await self._timers.armed_for(kind)]
                return list(dict.fromkeys(found))
            except TimersUnavailable as error:
                self._tell(error)
            except Exception:  # noqa: BLE001 - logged, and again: nothing else looks at what is armed
                _log.exception("what is armed cannot be listed")
            await asyncio.sleep(AGAIN_S)

    async def _hear_the_time(self, matches: deque[str]) -> None:
        """Any of them will do, so none can hold this up for long."""
        while matches and not (done := await self._done(self._ask, matches[0])):
            match = matches.popleft()
            if done is False:
                matches.append(match)
                await asyncio.sleep(AGAIN_S)

    async def _done(self, work: Work, match: str) -> bool | None:
        try:
            return await work(match)
        except (TimersUnavailable, LogUnavailable) as error:
            self._tell(error)
            return False
        except Exception:  # noqa: BLE001 - logged; the match's timer stays as it is, and comes
            _log.exception("a match could not be looked at, its timer stays", match=match)
            return None

    def _tell(self, error: Exception) -> None:
        if not self._told:
            _log.warning("what is armed cannot be looked at yet", why=str(error))
        self._told = True
