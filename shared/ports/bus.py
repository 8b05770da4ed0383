"""The bus: one question, one answer, between services. The subject proves who asks."""

from collections.abc import Awaitable, Callable
from typing import Protocol

from shared.ports.log import Following


class NoAnswer(Exception):  # noqa: N818 - what the bus answers: nobody was there, or nobody in time
    """Nobody answered in time. What was asked may have happened all the same: ask again with the same id."""


Answer = Callable[[str, bytes], Awaitable[bytes]]


class Bus(Protocol):
    """Requests and answers over the broker."""

    async def request(self, subject: str, data: bytes, timeout_ms: int) -> bytes:
        """The answer to ``data`` sent to ``subject``; raises ``NoAnswer``."""
        ...

    async def serve(self, subject: str, group: str, answer: Answer) -> Following:
        """Answer every request on ``subject`` (wildcards allowed) with ``await answer(subject, data)``.

        Instances in one ``group`` share the requests; in none ("") each of them answers every request, and
        the first answer is the asker's. Requests run concurrently; order them per aggregate
        yourself. An exception in ``answer`` is logged and answered by nobody.
        """
        ...
