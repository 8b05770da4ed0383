"""A throttle in Redis (Valkey), shared by all instances; one script, so that racing tries are counted."""

from typing import Final

import structlog
from redis.asyncio import Redis
from redis.exceptions import RedisError

from shared.adapters.memory_throttle import MemoryThrottle
from shared.ports.throttle import Rate

_log = structlog.get_logger("throttle")
_PREFIX: Final = "throttle:"
# The key holds the moment (ms) at which the bucket would be full again; Redis's own clock, so that the
# instances need not agree about the time.
_TAKE: Final = """
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local burst, every = tonumber(ARGV[1]), tonumber(ARGV[2])
local full_at = math.max(tonumber(redis.call('GET', KEYS[1]) or now), now) + every
local wait = full_at - now - burst * every
if wait > 0 then return wait end
redis.call('SET', KEYS[1], string.format('%d', full_at), 'PX', full_at - now)
return 0
"""


class RedisThrottle:
    """As ``Throttle``; while Redis does not answer each instance counts for itself."""

    def __init__(self, redis: Redis) -> None:
        """``redis`` belongs to the caller, who closes it."""
        self._redis = redis
        self._script = redis.register_script(_TAKE)
        self._alone = MemoryThrottle()

    async def take(self, key: str, rate: Rate) -> int:
        """As ``Throttle.take``."""
        try:
            return int(await self._script(keys=[_PREFIX + key], args=[rate.burst, rate.every_ms]))
        except (RedisError, OSError) as error:
            _log.warning("Redis does not count tries, counting alone", why=str(error))
            return await self._alone.take(key, rate)

    async def clear(self, key: str) -> None:
        """As ``Throttle.clear``."""
        await self._alone.clear(key)
        try:
            await self._redis.delete(_PREFIX + key)
        except (RedisError, OSError) as error:
            _log.warning("Redis did not forget tries", why=str(error))


def connect(url: str) -> Redis:
    """A client for ``url``; it connects at the first use, and gives up on an answer after half a second."""
    return Redis.from_url(  # pyright: ignore[reportUnknownMemberType] - redis leaves its kwargs untyped
        url, protocol=3, socket_timeout=0.5, socket_connect_timeout=0.5
    )
