"""Slowing down: how often something may be tried. May be lost: an empty throttle lets everybody try."""

from typing import Protocol

import msgspec


class Rate(msgspec.Struct, frozen=True):
    """``burst`` tries at once, and one more every ``every_ms``."""

    burst: int
    every_ms: int


class Throttle(Protocol):
    """A bucket of tries per key. Never raises: whoever cannot count must not lock people out."""

    async def take(self, key: str, rate: Rate) -> int:
        """Take one try; 0 if there was one, otherwise how many ms to wait for the next (nothing is taken)."""
        ...

    async def clear(self, key: str) -> None:
        """Fill the bucket of ``key`` up again."""
        ...
