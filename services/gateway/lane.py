"""The commands of one socket for one match: one after the other, each answered exactly once.

The next goes out when the one before is answered, so that their order holds whatever instance of ``game``
takes them; other matches do not wait. The live view can be here before the answer, or after it: whichever
comes first with the commit answers.
"""

import asyncio
from collections import deque
from typing import Protocol

import structlog

from services.gateway.asking import Asking
from services.gateway.commands import UNAVAILABLE
from shared.wire.match import CommandAnswer, CommandRequest

_log = structlog.get_logger("gateway")


class Giver(Protocol):
    """The socket whose commands these are."""

    def answer(self, match: str, command: str, answer: CommandAnswer) -> None:
        """Pass on the answer to a command, unless a view will bring it."""
        ...

    def idle(self, lane: "Lane") -> None:
        """``lane`` has nothing more to do."""
        ...


class Lane:
    """A queue with one command under way."""

    __slots__ = ("_answered", "_asking", "_giver", "_queue", "_under_way", "match", "task")

    def __init__(self, giver: Giver, asking: Asking, match: str) -> None:
        """Empty; ``task`` is None while nothing is under way."""
        self.match = match
        self.task: asyncio.Task[None] | None = None
        self._giver = giver
        self._asking = asking
        self._queue: deque[CommandRequest] = deque()
        self._under_way = ""
        self._answered = False

    def __len__(self) -> int:
        """How many wait."""
        return len(self._queue)

    def put(self, request: CommandRequest) -> None:
        """Send ``request`` after those that were put before."""
        self._queue.append(request)
        if self.task is None:
            self.task = asyncio.get_running_loop().create_task(self._run())

    def answered_by_view(self, command: str) -> bool:
        """Whether a view caused by ``command`` answers the command under way; then nothing else will."""
        if command != self._under_way or self._answered:
            return False
        self._answered = True
        return True

    async def _run(self) -> None:
        while self._queue:
            request = self._queue.popleft()
            self._under_way, self._answered = request.id, False
            try:
                answer = await self._asking.ask(self.match, request)
            except Exception:  # noqa: BLE001 - it may be stored or not: logged, and the same id may be sent again
                _log.exception("a command failed", match=self.match, command=request.id)
                answer = UNAVAILABLE
            if not self._answered:
                self._giver.answer(self.match, request.id, answer)
            self._under_way = ""
        self.task = None
        self._giver.idle(self)
