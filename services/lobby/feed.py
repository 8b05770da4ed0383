"""Keeps the list of tables live: all that is stored, then what is stored next; again after a reconnect."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final, Protocol

import structlog

from services.lobby.listing import Listing
from shared import subjects
from shared.adapters.nats_connection import Broker
from shared.ports.log import EventLog, LogUnavailable

_AGAIN_S: Final = 1.0
_log = structlog.get_logger("lobby")


class Feed:
    """Brings the list up to the log: whole from what is stored, then entry by entry.

    While everything is read (again) the list in use stays as it is and live; a second one is built, with the
    live entries after the stored ones, and takes its place when it is through. So no table that has ended
    is ever listed again.
    """

    def __init__(self, log: EventLog, listing: Listing) -> None:
        """``log`` is that of the tables."""
        self._log = log
        self._listing = listing
        self._waiting: list[tuple[str, int, bytes]] | None = None

    async def read_all(self) -> None:
        """Read everything stored; raises ``LogUnavailable``, and then nothing has changed."""
        waiting = self._waiting = []
        rebuilt = self._listing.empty()
        try:
            await self._log.scan(rebuilt.apply)
        finally:
            self._waiting = None
        for entry in waiting:
            rebuilt.apply(*entry)
        self._listing.replace(rebuilt)

    def live(self, key: str, n: int, stored: bytes) -> None:
        """An entry that was just stored, by whichever instance."""
        if self._waiting is not None:
            self._waiting.append((key, n, stored))
        self._listing.apply(key, n, stored)


class _Message(Protocol):
    subject: str
    data: bytes


def _on_message(feed: Feed) -> Callable[[_Message], Awaitable[None]]:
    async def on_message(message: _Message) -> None:
        _live, _table, key, n = message.subject.split(".")
        feed.live(key, int(n), message.data)

    return on_message


async def keep_live(broker: Broker, feed: Feed) -> Callable[[], Awaitable[None]]:
    """Subscribe first, then read; after every reconnect read again. The result stops it."""
    lost = asyncio.Event()

    async def again() -> None:
        while True:
            await lost.wait()
            lost.clear()
            try:
                await feed.read_all()
            except LogUnavailable as error:
                _log.warning("the list of tables may be behind", why=str(error))
                lost.set()
                await asyncio.sleep(_AGAIN_S)

    following = await broker.subscribe(subjects.live(subjects.TABLES, "*"), _on_message(feed))
    forget_reconnects = broker.on_reconnect(lost.set)
    try:
        await feed.read_all()
    except BaseException:
        forget_reconnects()
        await following.close()
        raise
    task = asyncio.create_task(again())

    async def stop() -> None:
        forget_reconnects()
        task.cancel()
        await asyncio.wait((task,))
        await following.close()

    return stop
