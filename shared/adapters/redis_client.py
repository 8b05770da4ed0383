"""A client of Redis (Valkey): connects at the first use, answers in time or not at all."""

from typing import Final

from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff

QUICK_S: Final = 0.5


def connect(url: str, timeout_s: float = QUICK_S) -> Redis:
    """A client for ``url`` that gives up on an answer after ``timeout_s`` and leaves trying again to us."""
    return Redis.from_url(  # pyright: ignore[reportUnknownMemberType] - redis leaves its kwargs untyped
        url,
        protocol=3,
        socket_timeout=timeout_s,
        socket_connect_timeout=timeout_s,
        retry=Retry(NoBackoff(), 0),
    )
