"""Small write-once or replaceable values under a key: match secrets, personal keys, refresh tokens."""

from typing import Protocol


class Bucket(Protocol):
    """One bucket. Every method raises ``LogUnavailable`` when the broker cannot be reached."""

    async def create(self, key: str, value: bytes) -> bool:
        """Store ``value`` if nothing stands under ``key``; False (and nothing changed) if something does."""
        ...

    async def get(self, key: str) -> bytes | None:
        """The value under ``key``, or None."""
        ...

    async def delete(self, key: str) -> None:
        """Remove ``key`` (refused by the broker for write-once buckets)."""
        ...
