"""The projection of the ratings in Redis (Valkey).

``rating:at`` is the place up to which it is built. ``rating:board:<kind>`` is a sorted set of players by
their rating, ``rating:history:<player>:<kind>`` one of results by their place; all integers below 2^53.
"""

from collections import defaultdict
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final, cast

from redis.asyncio import Redis
from redis.exceptions import RedisError, WatchError

from shared.adapters import redis_client
from shared.ports.standings import History, Line, ProjectionUnavailable, Ranks, Ratings

_TIMEOUT_S: Final = 2.0  # a batch of a rebuild, and one page
_AT: Final = "rating:at"
_BOARD: Final = "rating:board:"
_HISTORY: Final = "rating:history:"
_ALL: Final = "rating:*"
_AT_ONCE: Final = 1_000


class RedisStandings:
    """``Projection``; any number of processes may advance it."""

    def __init__(self, redis: Redis) -> None:
        """``redis`` belongs to the caller, who closes it."""
        self._redis = redis

    async def place(self) -> int:
        """See ``Projection.place``."""
        try:
            return int(await cast("Awaitable[bytes | None]", self._redis.get(_AT)) or 0)
        except (RedisError, OSError) as error:
            raise ProjectionUnavailable(str(error)) from error

    async def advance(self, expected: int, place: int, ratings: Ratings, lines: Sequence[Line]) -> bool:
        """See ``Projection.advance``; one transaction that is void when the place changes meanwhile."""
        histories: defaultdict[str, dict[bytes, int]] = defaultdict(dict)
        for line in lines:
            for kind in ("", line.kind):
                histories[f"{_HISTORY}{line.player}:{kind}"][line.data] = line.place
        try:
            async with self._redis.pipeline(transaction=True) as pipe:
                await pipe.watch(_AT)
                if int(await cast("Awaitable[bytes | None]", pipe.get(_AT)) or 0) != expected:
                    return False
                pipe.multi()
                for kind, players in ratings.items():
                    pipe.zadd(_BOARD + kind, dict(players))
                for key, rows in histories.items():
                    pipe.zadd(key, cast("dict[Any, Any]", rows))
                pipe.set(_AT, place)
                await pipe.execute()
        except WatchError:
            return False
        except (RedisError, OSError) as error:
            raise ProjectionUnavailable(str(error)) from error
        return True

    async def ranks(self, kind: str, after: int, most: int) -> Ranks:
        """See ``Projection.ranks``."""
        key = _BOARD + kind
        try:
            async with self._redis.pipeline(transaction=True) as pipe:
                pipe.get(_AT)
                pipe.zcard(key)
                _zrange(pipe)(key, after, after + most - 1, desc=True, withscores=True)
                at, total, rows = await pipe.execute()
        except (RedisError, OSError) as error:
            raise ProjectionUnavailable(str(error)) from error
        return Ranks(int(at or 0), int(total), [(player.decode(), int(rating)) for player, rating in rows])

    async def history(self, player: str, kind: str, before: int, most: int) -> History:
        """See ``Projection.history``."""
        key = f"{_HISTORY}{player}:{kind}"
        newest = f"({before}" if before else "+inf"
        try:
            async with self._redis.pipeline(transaction=True) as pipe:
                pipe.get(_AT)
                pipe.zcard(key)
                _zrange(pipe)(key, newest, "-inf", desc=True, byscore=True, offset=0, num=most)
                at, total, rows = await pipe.execute()
        except (RedisError, OSError) as error:
            raise ProjectionUnavailable(str(error)) from error
        return History(int(at or 0), int(total), list(rows))

    async def clear(self) -> None:
        """See ``Projection.clear``; its place goes first, so that nobody reads the rest."""
        scan = cast("Callable[..., Awaitable[tuple[int, list[bytes]]]]", self._redis.scan)
        try:
            await self._redis.delete(_AT)
            cursor = 0
            while True:
                cursor, found = await scan(cursor, match=_ALL, count=_AT_ONCE)
                keys = [key for key in found if key != _AT.encode()]  # it may be somebody's new beginning
                if keys:
                    await self._redis.unlink(*keys)
                if not cursor:
                    break
        except (RedisError, OSError) as error:
            raise ProjectionUnavailable(str(error)) from error


def _zrange(pipe: Any) -> Callable[..., object]:
    """Redis leaves the types of its conversion open."""
    return pipe.zrange


def connect(url: str) -> Redis:
    """A client for ``url`` that waits long enough for a batch."""
    return redis_client.connect(url, _TIMEOUT_S)
