"""A provisioned durable consumer: pulled without pause, in order per key, acknowledged after the effect."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Final

import msgspec
import structlog
from nats.aio.msg import Msg

from shared.adapters.nats_connection import DESCRIPTION, NO_RESPONDERS, STATUS, Broker
from shared.adapters.nats_serving import finish
from shared.ports.bus import NoAnswer
from shared.ports.log import Following, Handler

BATCH: Final = 256  # asked for at a time, and in work at most
_EXPIRES_S: Final = 20.0  # how long one pull waits at the broker
_HEARTBEAT_S: Final = 2.0
_SILENT_S: Final = 6.0  # three heartbeats missed: the pull is lost, ask anew
_AGAIN_S: Final = 1.0  # after the broker said that it has no such consumer
_FIRST_RETRY_S: Final = 0.1
_LONGEST_RETRY_S: Final = 5.0
_FINISH_S: Final = 5.0  # for handlers at work when it is closed
_IN_PROGRESS_S: Final = 2.0  # while a handler works its entry is kept from being delivered elsewhere

_log = structlog.get_logger("log")


Handle = Callable[[list[str], bytes], Awaitable[None]]
"""What is done with a message: its subject's parts and its data. Raises: it is handled again."""

Tell = Callable[[str], None]
"""Called with the reason when nothing is delivered any more, and with "" when it is again."""


async def consume(broker: Broker, stream: str, durable: str, handler: Handler, tell: Tell) -> Following:
    """Start pulling from consumer ``durable`` of ``stream``; see ``EventLog.consume``."""

    async def handle(subject: list[str], data: bytes) -> None:
        await handler(subject[1], int(subject[2]), data)

    return await consume_by(broker, stream, durable, 1, handle, tell)


async def consume_by(  # noqa: PLR0917 - where from, in what order, what is done, who is told
    broker: Broker, stream: str, durable: str, key: int, handle: Handle, tell: Tell
) -> Following:
    """As ``consume``; part ``key`` of the subject says which messages are handled one after the other."""
    consumer = _Consumer(broker, stream, durable, key, handle, tell)
    await consumer.start()
    return consumer


class _Consumer:
    """Pulls, keeps one queue per key in work, acknowledges."""

    def __init__(  # noqa: PLR0917 - as ``consume_by``
        self, broker: Broker, stream: str, durable: str, key: int, handle: Handle, tell: Tell
    ) -> None:
        self._broker = broker
        self._key = key
        self._next = f"$JS.API.CONSUMER.MSG.NEXT.{stream}.{durable}"
        self._name = f"{stream}/{durable}"
        self._handler = handle
        self._tell = tell
        self._trouble = ""
        self._inbox = broker.inbox(durable)
        self._queues: dict[str, deque[Msg]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._outstanding = 0  # asked for and not yet delivered
        self._held: dict[str, float] = {}  # where to acknowledge -> since when it is ours
        self._heard_at = 0.0
        self._wake = asyncio.Event()
        self._stop = asyncio.Event()
        self._subscription: Following | None = None
        self._background: list[asyncio.Task[None]] = []
        self._forget_reconnect = broker.on_reconnect(self._lost)

    async def start(self) -> None:
        self._subscription = await self._broker.subscribe(self._inbox, self._on_message)
        self._background = [self._broker.spawn(self._pull()), self._broker.spawn(self._keep())]

    async def close(self) -> None:
        """Stop; what a handler has begun it finishes, the rest is delivered again to whoever comes next."""
        self._forget_reconnect()
        for task in self._background:
            task.cancel()
        if self._subscription is not None:
            await self._subscription.close()
        self._stop.set()
        await finish(self._tasks, _FINISH_S)

    def _lost(self) -> None:
        self._outstanding = 0
        self._wake.set()

    async def _pull(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            self._wake.clear()
            room = BATCH - self._outstanding - len(self._held)
            if self._outstanding <= BATCH // 4 and room >= BATCH // 4 and self._broker.is_connected:
                await self._ask(room)
                self._heard_at = loop.time()
            try:
                async with asyncio.timeout(_SILENT_S):
                    await self._wake.wait()
            except TimeoutError:
                if loop.time() - self._heard_at >= _SILENT_S:
                    if self._outstanding and self._broker.is_connected:
                        self._is("the broker is silent about it")
                    self._outstanding = 0

    async def _ask(self, batch: int) -> None:
        body = msgspec.json.encode(
            {"batch": batch, "expires": int(_EXPIRES_S * 1e9), "idle_heartbeat": int(_HEARTBEAT_S * 1e9)}
        )
        self._outstanding += batch
        try:
            await self._broker.publish(self._next, body, self._inbox)
        except NoAnswer as error:
            self._outstanding = 0
            _log.info("not pulled", consumer=self._name, why=str(error))

    async def _on_message(self, message: Msg) -> None:
        self._heard_at = asyncio.get_running_loop().time()
        status = (message.headers or {}).get(STATUS)
        if status is not None:
            self._on_status(status, message.headers or {})
            return
        self._is("")
        self._outstanding = max(0, self._outstanding - 1)
        self._held[message.reply] = self._heard_at
        key = message.subject.split(".")[self._key]
        queue = self._queues.get(key)
        if queue is not None:
            queue.append(message)
            return
        self._queues[key] = deque((message,))
        task = asyncio.get_running_loop().create_task(self._work(key))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _on_status(self, status: str, headers: dict[str, str]) -> None:
        if status == "100":  # idle heartbeat
            self._is("")
            return
        pending = int(headers.get("Nats-Pending-Messages", "0"))
        if status in ("408", "404"):  # the pull has expired with that many not delivered
            self._is("")
            self._outstanding = max(0, self._outstanding - pending) if pending else 0
            self._wake.set()
            return
        self._is("there is no such consumer" if status == NO_RESPONDERS else headers.get(DESCRIPTION, status))
        asyncio.get_running_loop().call_later(_AGAIN_S, self._lost)

    def _is(self, trouble: str) -> None:
        """What keeps the entries from coming; "" for nothing. Said when it changes."""
        if trouble == self._trouble:
            return
        self._trouble = trouble
        if trouble:
            _log.warning("the consumer was interrupted", consumer=self._name, why=trouble)
        else:
            _log.info("the consumer delivers again", consumer=self._name)
        self._tell(trouble)

    async def _work(self, key: str) -> None:
        """Handle the queue of one key, one after the other, until it is empty."""
        queue = self._queues[key]
        while queue:
            message = queue.popleft()
            done = await self._handle(message)
            self._held.pop(message.reply, None)
            await self._say(message.reply, b"+ACK" if done else b"-NAK")
            if len(self._held) + self._outstanding <= BATCH // 2:
                self._wake.set()
        del self._queues[key]

    async def _handle(self, message: Msg) -> bool:
        """Until the handler returns: again and again, so that nothing of this key overtakes the entry."""
        subject = message.subject.split(".")
        retry_s = _FIRST_RETRY_S
        while not self._stop.is_set():
            try:
                await self._handler(subject, message.data)
            except Exception:  # noqa: BLE001 - it is logged whole and the entry handled again
                _log.exception("an entry was not handled, again", consumer=self._name, entry=message.subject)
            else:
                return True
            try:
                async with asyncio.timeout(retry_s):
                    await self._stop.wait()
            except TimeoutError:
                retry_s = min(retry_s * 2, _LONGEST_RETRY_S)
        return False

    async def _keep(self) -> None:
        """Tell the broker of entries that take long, so that it does not deliver them elsewhere as well."""
        loop = asyncio.get_running_loop()
        while True:
            await asyncio.sleep(_IN_PROGRESS_S)
            for reply, since in list(self._held.items()):
                if loop.time() - since >= _IN_PROGRESS_S:
                    await self._say(reply, b"+WPI")

    async def _say(self, reply: str, word: bytes) -> None:
        try:
            await self._broker.publish(reply, word)
        except NoAnswer as error:  # the entry will be delivered again
            _log.info("not acknowledged", consumer=self._name, why=str(error))
