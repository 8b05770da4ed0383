"""Following many logs live over one subscription, with one probing loop for what the live messages missed.

One wildcard subscription serves all followed logs of a process: a few hundred bytes for each instead of a
queue and a task, and no request to follow one more. The price is that a process hears every live entry,
about 10 µs for one that it does not follow.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

import structlog
from nats.aio.msg import Msg

from shared import subjects
from shared.adapters.nats_connection import Broker
from shared.ports.bus import NoAnswer
from shared.ports.log import Following, LogUnavailable, OnEntry

PROBE_S: Final = 2.0
_PROBED_AT_ONCE: Final = 1_024

_log = structlog.get_logger("log")

Read = Callable[[str, int], Awaitable[list[bytes]]]
Present = Callable[[list[tuple[str, int]]], Awaitable[list[tuple[str, int]]]]


class _Followed:
    """One follower of one log: which entry is due, and the highest one that was heard of."""

    __slots__ = ("_live", "heard", "key", "next", "on_entry", "repair")

    def __init__(self, live: "LiveLogs", key: str, after: int, on_entry: OnEntry) -> None:
        self._live = live
        self.key = key
        self.next = after + 1
        self.heard = after
        self.on_entry: OnEntry | None = on_entry
        self.repair: asyncio.Task[None] | None = None

    def take(self, n: int, data: bytes) -> None:
        """Hand on entry ``n`` if it is the one that is due."""
        if n != self.next or self.on_entry is None:
            return
        self.next += 1
        try:
            self.on_entry(n, data)
        except Exception:  # noqa: BLE001 - one follower must not stop the others; it is logged whole
            _log.exception("a follower failed on an entry", key=self.key, n=n)

    async def close(self) -> None:
        """See ``Following.close``."""
        self.on_entry = None
        self._live.forget(self)
        if self.repair is not None:
            self.repair.cancel()


class LiveLogs:
    """All followed logs of one stream in this process."""

    def __init__(self, broker: Broker, stream: str, read: Read, present: Present) -> None:
        """Nothing is subscribed before the first ``follow``."""
        self._broker = broker
        self._subject = f"{subjects.LIVE}.{subjects.PREFIX[stream]}.>"
        self._read = read
        self._present = present
        self._followed: dict[str, tuple[_Followed, ...]] = {}
        self._starting: asyncio.Task[Following] | None = None
        self._probe_now = asyncio.Event()

    async def follow(self, key: str, after: int, on_entry: OnEntry) -> Following:
        """Follow one log from ``after`` on; returns when it has caught up."""
        await self._start()
        followed = _Followed(self, key, after, on_entry)
        self._followed[key] = (*self._followed.get(key, ()), followed)
        try:
            await self._catch_up(followed)
        except BaseException:
            await followed.close()
            raise
        return followed

    def forget(self, followed: _Followed) -> None:
        """It is no longer followed."""
        rest = tuple(f for f in self._followed.get(followed.key, ()) if f is not followed)
        if rest:
            self._followed[followed.key] = rest
        else:
            self._followed.pop(followed.key, None)

    async def _start(self) -> None:
        if self._starting is None:
            self._starting = self._broker.spawn(self._broker.subscribe(self._subject, self._on_live))
            self._broker.spawn(self._probe())
            self._broker.on_reconnect(self._probe_now.set)
        await asyncio.shield(self._starting)

    async def _on_live(self, message: Msg) -> None:
        _, _, key, text = message.subject.split(".")
        followers = self._followed.get(key)
        if followers is None:
            return
        n = int(text)
        for followed in followers:
            self._heard(followed, n, message.data)

    def _heard(self, followed: _Followed, n: int, data: bytes) -> None:
        followed.heard = max(followed.heard, n)
        if n == followed.next:
            followed.take(n, data)
        elif n > followed.next and followed.repair is None:
            self._repair(followed)

    def _repair(self, followed: _Followed) -> None:
        followed.repair = self._broker.spawn(self._repaired(followed))

    async def _repaired(self, followed: _Followed) -> None:
        """Read what is missing; if that fails now, the next probe finds the gap again."""
        try:
            await self._catch_up(followed)
        except LogUnavailable as error:
            _log.warning("a gap could not be read yet", key=followed.key, n=followed.next, why=str(error))
        finally:
            followed.repair = None

    async def _catch_up(self, followed: _Followed) -> None:
        while True:
            first = followed.next
            for n, data in enumerate(await self._read(followed.key, first - 1), first):
                followed.take(n, data)
            if followed.next > followed.heard or followed.next == first:
                return  # nothing is missing, or the replica that answered is behind: the probe asks again

    async def _probe(self) -> None:
        """Every 2 s, and at once after a reconnect: does the next entry of any followed log exist?"""
        while True:
            try:
                async with asyncio.timeout(PROBE_S):
                    await self._probe_now.wait()
            except TimeoutError:
                pass
            self._probe_now.clear()
            if not self._broker.is_connected:
                continue
            due = [f for followers in self._followed.values() for f in followers if f.repair is None]
            for start in range(0, len(due), _PROBED_AT_ONCE):
                try:
                    await self._probe_some(due[start : start + _PROBED_AT_ONCE])
                except (NoAnswer, LogUnavailable) as error:
                    _log.info("a probe was not answered", why=str(error))
                    break

    async def _probe_some(self, due: list[_Followed]) -> None:
        wanted = list({(f.key, f.next) for f in due})
        for key, n in await self._present(wanted):
            for followed in self._followed.get(key, ()):
                if followed.next <= n and followed.repair is None:
                    followed.heard = max(followed.heard, n)
                    self._repair(followed)
