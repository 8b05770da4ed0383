"""Durable timers: at most one for each match and kind; they outlive the process that armed them."""

from collections.abc import Awaitable, Callable
from typing import Protocol

from shared.ports.log import Following


class TimersUnavailable(Exception):  # noqa: N818 - what the timers answer
    """The timers could not be reached; it is not known whether the last order was taken. Give it again."""


OnDue = Callable[[str, str], Awaitable[None]]


class Timers(Protocol):
    """Timers by match and kind. What is due may come late, or again after a crash, but it comes."""

    async def arm(self, match: str, kind: str, at_ms: int) -> int:
        """Let ``kind`` of ``match`` come due at ``at_ms``, at once if that has passed; durable on return.

        A timer armed before is replaced. The result names this one for ``cancel``. Raises
        ``TimersUnavailable``.
        """
        ...

    async def cancel(self, match: str, kind: str, armed: int) -> None:
        """Take back what was armed as ``armed``, or before it; a later one stays, whoever armed it.

        It may be due already. Raises ``TimersUnavailable``.
        """
        ...

    async def armed_for(self, kind: str) -> list[str]:
        """The matches for which a timer of this kind is armed. Raises ``TimersUnavailable``."""
        ...

    async def consume(self, durable: str, on_due: OnDue) -> Following:
        """Hand every due timer to ``on_due(match, kind)``; it is done with when that has returned.

        ``durable`` names a provisioned consumer. Per match one after the other; if it raises, it comes again.
        """
        ...
