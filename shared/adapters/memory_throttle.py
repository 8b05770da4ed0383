"""A throttle in this process's memory: for tests, and while Redis cannot be reached."""

import time
from collections.abc import Callable
from typing import Final

from shared.ports.throttle import Rate

_MOST_KEYS: Final = 100_000


def _monotonic_ms() -> int:
    return time.monotonic_ns() // 1_000_000


class MemoryThrottle:
    """Per key the moment at which its bucket would be full again (the generic cell rate algorithm)."""

    def __init__(self, now_ms: Callable[[], int] = _monotonic_ms) -> None:
        """``now_ms`` never goes back."""
        self._now_ms = now_ms
        self._full_at: dict[str, int] = {}

    async def take(self, key: str, rate: Rate) -> int:
        """As ``Throttle.take``."""
        now = self._now_ms()
        full_at = max(self._full_at.get(key, now), now) + rate.every_ms
        wait = full_at - now - rate.burst * rate.every_ms
        if wait > 0:
            return wait
        if len(self._full_at) >= _MOST_KEYS:
            self._full_at = {k: at for k, at in self._full_at.items() if at > now}
            if len(self._full_at) >= _MOST_KEYS:
                self._full_at.clear()  # bounded memory comes before counting a flood of keys
        self._full_at[key] = full_at
        return 0

    async def clear(self, key: str) -> None:
        """As ``Throttle.clear``."""
        self._full_at.pop(key, None)
