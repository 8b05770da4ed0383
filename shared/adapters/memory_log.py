"""The event log in memory, for tests of what stands above it; the same contract suite runs over it."""

import asyncio
from collections.abc import Callable

import structlog

from shared.ports.log import Conflict, Following, Handler, OnEntry

_log = structlog.get_logger("log")
_RETRY_S = 0.01


class MemoryLog:
    """``EventLog`` in one process. Entries are in ``entries``, in stored order as (key, n, data)."""

    def __init__(self) -> None:
        """Empty."""
        self.entries: list[tuple[str, int, bytes]] = []
        self._logs: dict[str, list[bytes]] = {}
        self._loose: dict[tuple[str, int], bytes] = {}
        self._followers: dict[str, list[_Follower]] = {}
        self._acknowledged: dict[str, set[int]] = {}
        self._grown = asyncio.Event()

    async def append(self, key: str, n: int, data: bytes) -> None:
        """See ``EventLog.append``."""
        log = self._logs.setdefault(key, [])
        there = log[n - 1] if n <= len(log) else self._loose.get((key, n))
        if there is not None:
            if there == data:
                return
            raise Conflict(f"{key} has another entry {n}")
        self.entries.append((key, n, data))
        self._loose[key, n] = data
        while (following := self._loose.pop((key, len(log) + 1), None)) is not None:
            log.append(following)
        for follower in list(self._followers.get(key, ())):
            follower.catch_up(log)
        self._grown.set()
        self._grown = asyncio.Event()

    async def read(self, key: str, after: int = 0) -> list[bytes]:
        """See ``EventLog.read``."""
        return self._logs.get(key, [])[after:]

    async def get(self, key: str, n: int) -> bytes | None:
        """See ``EventLog.get``."""
        log = self._logs.get(key, [])
        return log[n - 1] if 0 < n <= len(log) else self._loose.get((key, n))

    async def follow(self, key: str, after: int, on_entry: OnEntry) -> Following:
        """See ``EventLog.follow``."""
        followers = self._followers.setdefault(key, [])
        follower = _Follower(after, on_entry, followers)
        followers.append(follower)
        follower.catch_up(self._logs.get(key, []))
        return follower

    async def consume(self, durable: str, handler: Handler) -> Following:
        """See ``EventLog.consume``; any name is a durable consumer."""
        done = self._acknowledged.setdefault(durable, set())
        return _Consumer(asyncio.get_running_loop().create_task(self._consume(done, handler)))

    async def scan(self, on_entry: Callable[[str, int, bytes], None]) -> None:
        """See ``EventLog.scan``."""
        for entry in list(self.entries):
            on_entry(*entry)

    async def _consume(self, done: set[int], handler: Handler) -> None:
        at = 0
        while True:
            while at < len(self.entries):
                if at not in done:
                    await _handled(handler, self.entries[at])
                    done.add(at)
                at += 1
            await self._grown.wait()


async def _handled(handler: Handler, entry: tuple[str, int, bytes]) -> None:
    while True:
        try:
            await handler(*entry)
        except Exception:  # noqa: BLE001 - the entry is handled again, as on the broker
            _log.exception("an entry was not handled, again", key=entry[0], n=entry[1])
            await asyncio.sleep(_RETRY_S)
        else:
            return


class _Follower:
    def __init__(self, after: int, on_entry: OnEntry, among: "list[_Follower]") -> None:
        self._seen = after
        self._on_entry = on_entry
        self._among = among

    def catch_up(self, log: list[bytes]) -> None:
        while self._seen < len(log) and self in self._among:
            self._seen += 1
            try:
                self._on_entry(self._seen, log[self._seen - 1])
            except Exception:  # noqa: BLE001 - one follower must not stop the writer
                _log.exception("a follower failed on an entry", n=self._seen)

    async def close(self) -> None:
        """See ``Following.close``."""
        if self in self._among:
            self._among.remove(self)


class _Consumer:
    def __init__(self, task: asyncio.Task[None]) -> None:
        self._task = task

    async def close(self) -> None:
        """See ``Following.close``."""
        self._task.cancel()
        await asyncio.wait((self._task,))
