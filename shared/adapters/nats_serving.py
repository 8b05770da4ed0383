"""Serving requests: each in a task of its own, a bounded number at a time, answered only to an inbox.

What is too much, or too late to be answered, is dropped and counted: nobody waits unseen, and whoever asked
asks again with the same id.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

import structlog
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.aio.subscription import Subscription
from nats.errors import Error as NatsError

from shared import telemetry
from shared.ports.bus import Answer, NoAnswer

_CONCURRENT: Final = 4_000  # in work per served subject: more than get an answer while anybody waits for it
_ANSWER_S: Final = 8.0  # the broker takes an answer for 10 s; a later one would violate our rights
_INBOXES: Final = ("_INBOX_", "_R_.")  # services' own inboxes, and what the broker makes of them

_log = structlog.get_logger("broker")


class Subscribed:
    """A subscription that can be closed whatever state the connection is in."""

    def __init__(self, nats: Client, subscription: Subscription) -> None:
        """``subscription`` of ``nats``."""
        self._nats = nats
        self._subscription = subscription

    async def close(self) -> None:
        """Stop; nothing is delivered after this returns."""
        await self._end(self._subscription.unsubscribe)

    async def drain(self) -> None:
        """Take nothing new, hand on what has arrived, then stop."""
        if self._nats.is_connected:
            await self._end(self._subscription.drain)
        else:
            await self.close()

    async def _end(self, end: Callable[[], Awaitable[None]]) -> None:
        if self._nats.is_closed:
            return
        try:
            await end()
        except (NatsError, OSError) as error:  # the connection went first, and the subscription with it
            _log.info("a subscription ended with its connection", why=str(error) or type(error).__name__)


async def finish(tasks: set[asyncio.Task[None]], seconds: float) -> None:
    """Let ``tasks`` come to their end, but no longer than ``seconds``."""
    if not tasks:
        return
    _, hanging = await asyncio.wait(tasks, timeout=seconds)
    for task in hanging:
        task.cancel()
    if hanging:
        _log.warning("work was broken off", tasks=len(hanging))
        await asyncio.wait(hanging)


class Serving:
    """One served subject."""

    def __init__(
        self,
        publish: Callable[[str, bytes], Awaitable[None]],
        answer: Answer,
        forget: "Callable[[Serving], None]",
    ) -> None:
        """``forget`` is called when it is closed."""
        self._publish = publish
        self._answer = answer
        self._forget = forget
        self._tasks: set[asyncio.Task[None]] = set()
        self._full = False
        self._connections = 0
        self._subscription: Subscribed | None = None

    def start(self, subscription: Subscribed) -> None:
        """``subscription`` is the one that calls ``on_request``."""
        self._subscription = subscription

    async def close(self) -> None:
        """Take no more requests; those that have arrived are answered."""
        if self._subscription is not None:
            await self._subscription.drain()
        await finish(self._tasks, _ANSWER_S)
        self._forget(self)

    def connection_lost(self) -> int:
        """How many requests in work will get no answer: the broker takes one only from where it sent them."""
        self._connections += 1
        telemetry.DROPPED.labels("lost").inc(len(self._tasks))
        return len(self._tasks)

    async def on_request(self, message: Msg) -> None:
        """Hand a request to a task of its own; with too many in work it is dropped."""
        if len(self._tasks) >= _CONCURRENT:
            telemetry.DROPPED.labels("full").inc()
            if not self._full:
                _log.error("too many requests in work, more are dropped", subject=message.subject)
            self._full = True
            return
        self._full = False
        loop = asyncio.get_running_loop()
        task = loop.create_task(self._work(message, loop.time() + _ANSWER_S, self._connections))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _work(self, message: Msg, latest: float, connection: int) -> None:
        if not message.reply.startswith(_INBOXES):
            # Our rights could be borrowed: an answer steered into a log of ours would be stored there.
            _log.warning("a request without an inbox was not taken", subject=message.subject)
            return
        if _is_late(latest, message.subject):
            return
        try:
            data = await self._answer(message.subject, message.data)
        except Exception:  # noqa: BLE001 - one request must not stop the others; it is logged whole
            _log.exception("a request was not answered", subject=message.subject)
            return
        if connection != self._connections or _is_late(latest, message.subject):
            return
        try:
            await self._publish(message.reply, data)
        except NoAnswer as error:
            _log.info("an answer was lost", subject=message.subject, why=str(error))


def _is_late(latest: float, subject: str) -> bool:
    """Whether the broker would not take the answer any more; it is counted then."""
    if asyncio.get_running_loop().time() <= latest:
        return False
    telemetry.DROPPED.labels("late").inc()
    _log.warning("a request came too late to be answered", subject=subject)
    return True
