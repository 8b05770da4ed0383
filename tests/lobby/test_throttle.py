"""Slowing down, in memory and in Redis: both keep the same promise."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from shared.adapters.memory_throttle import MemoryThrottle
from shared.adapters.redis_throttle import RedisThrottle, connect
from shared.ids import new_id
from shared.ports.throttle import Rate, Throttle
from tests.support.lobby import until

SLOW = Rate(3, 60_000)
QUICK = Rate(2, 50)


@pytest.fixture(params=["memory", "redis"])
async def throttle(request: pytest.FixtureRequest) -> AsyncIterator[Throttle]:
    """Either of them."""
    if request.param == "memory":
        yield MemoryThrottle()
        return
    redis = connect(request.getfixturevalue("valkey_server").url)
    yield RedisThrottle(redis)
    await redis.aclose()


async def test_a_burst_and_then_one_at_a_time(throttle: Throttle) -> None:
    key = new_id("k")
    assert [await throttle.take(key, SLOW) for _ in range(3)] == [0, 0, 0]
    wait_ms = await throttle.take(key, SLOW)
    assert 59_000 < wait_ms <= 60_000
    assert await throttle.take(key, SLOW) <= wait_ms, "asking in vain costs nothing"
    assert await throttle.take(new_id("k"), SLOW) == 0, "each key for itself"


async def test_time_gives_tries_back(throttle: Throttle) -> None:
    key = new_id("k")
    while (wait_ms := await throttle.take(key, QUICK)) == 0:
        pass
    assert wait_ms <= 50
    await until(lambda: _allowed(throttle, key))


async def _allowed(throttle: Throttle, key: str) -> bool:
    return await throttle.take(key, QUICK) == 0


async def test_clearing_gives_all_back(throttle: Throttle) -> None:
    key = new_id("k")
    for _ in range(4):
        await throttle.take(key, SLOW)
    await throttle.clear(key)
    assert await throttle.take(key, SLOW) == 0


async def test_racing_tries_are_all_counted(throttle: Throttle) -> None:
    key = new_id("k")
    waits = await asyncio.gather(*[throttle.take(key, SLOW) for _ in range(50)])
    assert waits.count(0) == 3


async def test_without_redis_each_instance_counts_for_itself() -> None:
    redis = connect("redis://127.0.0.1:1")
    throttle = RedisThrottle(redis)
    key = new_id("k")
    assert [await throttle.take(key, SLOW) for _ in range(3)] == [0, 0, 0]
    assert await throttle.take(key, SLOW) > 0
    await throttle.clear(key)
    assert await throttle.take(key, SLOW) == 0
    await redis.aclose()
