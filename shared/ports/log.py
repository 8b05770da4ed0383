"""The event log: append once at (key, n), read one log, follow one live, consume all durably."""

from collections.abc import Awaitable, Callable
from typing import Protocol


class Conflict(Exception):  # noqa: N818 - what the log answers, not a failure of it
    """Somebody else's entry stands at (key, n). Read the tail, decide again."""


class LogUnavailable(Exception):  # noqa: N818 - as above
    """The log could not be reached; it is not known whether the entry is stored."""


OnEntry = Callable[[int, bytes], None]
Handler = Callable[[str, int, bytes], Awaitable[None]]


class Following(Protocol):
    """A log that is being followed."""

    async def close(self) -> None:
        """Stop; nothing is delivered after this returns."""
        ...


class EventLog(Protocol):
    """All logs of one kind (all matches, all tables); ``key`` is the aggregate's id, ``n`` counts from 1."""

    async def append(self, key: str, n: int, data: bytes) -> None:
        """Store ``data`` as entry ``n`` of ``key``; it is durable when this returns.

        An ambiguous time-out is resolved by reading (key, n) back: these very bytes there mean success.
        Raises ``Conflict`` if other bytes stand there, ``LogUnavailable`` if it cannot be told.
        """
        ...

    async def read(self, key: str, after: int = 0) -> list[bytes]:
        """The entries of ``key`` with n > ``after``, in order, without gaps; raises ``LogUnavailable``."""
        ...

    async def get(self, key: str, n: int) -> bytes | None:
        """Entry ``n`` of ``key``, or None if it is not there (yet)."""
        ...

    async def follow(self, key: str, after: int, on_entry: OnEntry) -> Following:
        """Call ``on_entry(n, data)`` for every entry with n > ``after``: in order, once each, no gaps.

        A missed live message is found by probing for the next n every 2 s and after a reconnect.
        """
        ...

    async def consume(self, durable: str, handler: Handler) -> Following:
        """Hand every entry of every key to ``handler(key, n, data)``; acknowledge when it returned.

        ``durable`` names a provisioned consumer. Per key in order; a handler that raises sees it again.
        """
        ...

    async def scan(self, on_entry: Callable[[str, int, bytes], None]) -> None:
        """Everything stored up to now, fast, in stored order; returns when it is through."""
        ...
