"""Timers in memory that a test moves on by hand; the same contract suite runs over them."""

import asyncio
from typing import NamedTuple

import structlog

from shared.ports.log import Following
from shared.ports.timers import OnDue

_log = structlog.get_logger("timers")
_RETRY_S = 0.01


class Armed(NamedTuple):
    """One timer."""

    at_ms: int
    mark: int


class MemoryTimers:
    """``Timers`` in one process. ``armed`` is what waits, ``ordered`` every order so far; time is ours."""

    def __init__(self, now_ms: int = 0) -> None:
        """Nothing armed; it is ``now_ms``."""
        self.now_ms = now_ms
        self.armed: dict[tuple[str, str], Armed] = {}
        self.ordered: list[tuple[str, str, str, int]] = []
        self._marks = 0
        self._due: asyncio.Queue[tuple[str, str]] = asyncio.Queue()

    async def arm(self, match: str, kind: str, at_ms: int) -> int:
        """See ``Timers.arm``."""
        self._marks += 1
        self.ordered.append(("arm", match, kind, at_ms))
        self.armed[match, kind] = Armed(at_ms, self._marks)
        self._release()
        return self._marks

    async def cancel(self, match: str, kind: str, armed: int) -> None:
        """See ``Timers.cancel``."""
        self.ordered.append(("cancel", match, kind, armed))
        there = self.armed.get((match, kind))
        if there is not None and there.mark <= armed:
            del self.armed[match, kind]

    async def armed_for(self, kind: str) -> list[str]:
        """See ``Timers.armed_for``."""
        return [match for match, armed in self.armed if armed == kind]

    async def consume(self, durable: str, on_due: OnDue) -> Following:  # noqa: ARG002 - there is one
        """See ``Timers.consume``."""
        return _Consumer(asyncio.get_running_loop().create_task(self._consume(on_due)))

    async def advance(self, now_ms: int) -> None:
        """It is ``now_ms``; returns when everything that came due was seen to."""
        self.now_ms = now_ms
        self._release()
        await self._due.join()

    def fire(self, match: str, kind: str) -> None:
        """Let it come due now, armed or not, as a broker may that sends something twice."""
        self._due.put_nowait((match, kind))

    def set_back(self, ms: int) -> None:
        """The broker's clock is set back: all that is armed comes so much later."""
        self.armed = {key: Armed(a.at_ms + ms, a.mark) for key, a in self.armed.items()}

    async def settled(self) -> None:
        """Everything that was due is seen to."""
        await self._due.join()

    def _release(self) -> None:
        ready = sorted((a.at_ms, a.mark, key) for key, a in self.armed.items() if a.at_ms <= self.now_ms)
        for _, _, key in ready:
            del self.armed[key]
            self._due.put_nowait(key)

    async def _consume(self, on_due: OnDue) -> None:
        while True:
            match, kind = await self._due.get()
            try:
                await on_due(match, kind)
            except asyncio.CancelledError:  # given back, for whoever consumes next
                self._due.put_nowait((match, kind))
                raise
            except Exception:  # noqa: BLE001 - it comes again, as on the broker
                _log.exception("a timer was not seen to, again", match=match, kind=kind)
                self._due.put_nowait((match, kind))
                await asyncio.sleep(_RETRY_S)
            finally:
                self._due.task_done()


class _Consumer:
    def __init__(self, task: asyncio.Task[None]) -> None:
        self._task = task

    async def close(self) -> None:
        """See ``Following.close``."""
        self._task.cancel()
        await asyncio.wait((self._task,))
