"""One connection to the broker: requests through a small reply multiplexer, serving, and a watchdog.

nats-py's own ``request`` costs two to three times as much, its read loop can die while it still says that
it is connected, and an error from the server closes it for good. So this adapter uses only its publish and
subscribe, watches the round trip itself, and says through ``on_closed`` when the process has to start anew.
"""

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, Final, TypeVar

import msgspec
import structlog
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.errors import Error as NatsError
from nats.errors import SlowConsumerError

from shared.adapters.nats_serving import Serving, Subscribed
from shared.ports.bus import Answer, NoAnswer
from shared.ports.log import Following

STATUS: Final = "Status"
DESCRIPTION: Final = "Description"
NO_RESPONDERS: Final = "503"
_CONNECT_S: Final = 10.0
_WATCH_S: Final = 2.0  # between two looks at the connection
_ROUND_TRIP_S: Final = 3.0  # a message to ourselves must be back by then
_STUCK_S: Final = 30.0  # a reconnection that has not even failed once for so long is dead
_CANCEL_AGAIN_S: Final = 0.05
_BUFFERED_BYTES: Final = 64 * 1024 * 1024  # in a subscription that cannot keep up; beyond it messages drop
_LATE_ANSWER: Final = 'permissions violation for publish to "_r_.'  # the broker's name of an asker's inbox

_log = structlog.get_logger("broker")


class BrokerUnreachable(Exception):  # noqa: N818 - what the operator reads
    """The broker could not be reached or did not let us in; the text says where and why."""


class NoResponders(NoAnswer):
    """Nobody listens on the subject, so what was asked has not happened."""


class Disconnected(NoAnswer):
    """The connection broke while the answer was awaited."""


class Reply(msgspec.Struct, frozen=True):
    """One message that came back: its headers (``Status`` for the broker's own) and its bytes."""

    headers: dict[str, str]
    data: bytes


class _LeanClient(Client):
    """nats-py's client with headers read in a tenth of the time: each message of a log carries five.

    Should a later nats-py not call this, it is only slower.
    """

    @staticmethod
    def _parse_header_lines(raw: bytes) -> dict[str, str]:  # pyright: ignore[reportIncompatibleMethodOverride]
        try:  # as the broker writes them
            return dict(line.split(": ", 1) for line in raw.decode().strip().split("\r\n"))
        except ValueError:  # as others may
            pass
        headers: dict[str, str] = {}
        for line in raw.decode("utf-8", "replace").split("\r\n"):
            name, colon, value = line.partition(":")
            if colon:
                headers[name.strip()] = value.strip()
        return headers


class _Many:
    """Collects the messages of one answer up to the one that carries a status."""

    __slots__ = ("future", "replies")

    def __init__(self, future: "asyncio.Future[list[Reply]]") -> None:
        self.future = future
        self.replies: list[Reply] = []


T = TypeVar("T")
OnMessage = Callable[[Msg], Awaitable[None]]


class Broker:
    """A connection as one user with his rights. ``Bus`` for the services, raw requests for the adapters.

    ``on_closed`` is called once when the connection cannot be used any more (closed by the server, rights
    violated, reconnection stuck): leave the process, whoever supervises it starts it anew. ``closed`` is
    then resolved with a sentence that says why.
    """

    def __init__(
        self, url: str, *, user: str, password: str, on_closed: Callable[[], None] | None = None
    ) -> None:
        """Nothing happens before ``connect``. ``url`` may name several servers, with commas between."""
        self.user = user
        self._url = url
        self._password = password
        self._on_closed = on_closed
        self._nats = _LeanClient()
        self._inbox = f"_INBOX_{user}.{secrets.token_hex(6)}"
        self._reply_prefix = f"{self._inbox}."
        self._tokens = 0
        self._one: dict[str, asyncio.Future[Msg]] = {}
        self._many: dict[str, _Many] = {}
        self._reconnected: list[Callable[[], None]] = []
        self._served: set[Serving] = set()
        self._background: set[asyncio.Task[Any]] = set()
        self._leaving = False
        self._alive_at = 0.0
        self._last_error = ""
        self.closed: asyncio.Future[str] | None = None

    # ---- life

    async def connect(self) -> None:
        """Connect, or raise ``BrokerUnreachable``; afterwards it reconnects by itself, without end."""
        loop = asyncio.get_running_loop()
        self.closed = loop.create_future()
        self._alive_at = loop.time()
        connecting = loop.create_task(
            self._nats.connect(
                servers=self._url.split(","),
                user=self.user,
                password=self._password,
                name=f"kronika {self.user}",
                error_cb=self._failed,
                closed_cb=self._was_closed,
                disconnected_cb=self._was_disconnected,
                reconnected_cb=self._was_reconnected,
                max_reconnect_attempts=-1,
                reconnect_time_wait=0.1,  # pyright: ignore[reportArgumentType] - it only sleeps for so long
                ping_interval=10,
                pending_size=0,  # while disconnected a publish is refused, not stored at some later time
                inbox_prefix=f"_INBOX_{self.user}",
            )
        )
        try:
            await self._established(connecting, self.closed)
            await self._subscribe(f"{self._inbox}.*", self._on_reply)
        except BaseException:  # told to stop meanwhile, too: nothing must be left that reconnects for ever
            self._leaving = True
            await _end(connecting)
            await self.close()
            raise
        self.spawn(self._watch())

    async def close(self) -> None:
        """Stop serving, send what is still to be sent, close. Never raises because the broker is away."""
        self._leaving = True
        for task in list(self._background):
            task.cancel()
        for serving in list(self._served):
            await serving.close()
        if self._nats.is_connected:
            try:
                await self._nats.flush(2)
            except (NatsError, OSError) as error:
                _log.info("not everything was sent before closing", why=str(error))
        if not self._nats.is_closed:
            await self._nats.close()
        self._abandon(Disconnected("this connection was closed"))

    @property
    def is_connected(self) -> bool:
        """Whether the connection stands, as far as nats-py knows."""
        return self._nats.is_connected

    @property
    def server_version(self) -> tuple[int, int, int]:
        """The version of the broker that we are connected to."""
        version = self._nats.connected_server_version
        return version.major, version.minor, version.patch

    def on_reconnect(self, callback: Callable[[], None]) -> Callable[[], None]:
        """Call ``callback`` after every reconnect; the result removes it again."""
        self._reconnected.append(callback)
        return lambda: self._reconnected.remove(callback)

    async def force_reconnect(self) -> None:
        """Drop the connection and make a new one."""
        self._abandon(Disconnected("the connection is renewed"))
        await self._nats.force_reconnect()

    def spawn(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Run ``work`` in the background, at the longest until this connection is closed."""
        task = asyncio.get_running_loop().create_task(work)
        self._background.add(task)
        task.add_done_callback(self._background.discard)
        return task

    # ---- asking

    async def request(self, subject: str, data: bytes, timeout_ms: int) -> bytes:
        """The answer to ``data`` sent to ``subject``; raises ``NoAnswer``."""
        message = await self.ask(subject, data, timeout_ms)
        if message.headers and message.headers.get(STATUS) == NO_RESPONDERS:
            raise NoResponders(f"nobody listens on {subject}")
        return message.data

    async def ask(
        self, subject: str, data: bytes, timeout_ms: int, headers: dict[str, str] | None = None
    ) -> Msg:
        """As ``request`` with the whole message, whatever status it carries."""
        loop = asyncio.get_running_loop()
        token = self._token()
        future: asyncio.Future[Msg] = loop.create_future()
        self._one[token] = future
        timer = loop.call_later(timeout_ms / 1000, _expire, future, subject)
        try:
            await self.publish(subject, data, self._reply_prefix + token, headers)
            return await future
        finally:
            timer.cancel()
            self._one.pop(token, None)

    async def ask_many(self, subject: str, data: bytes, timeout_ms: int) -> list[Reply]:
        """All messages of a many-message answer; the last one carries ``Status``."""
        loop = asyncio.get_running_loop()
        token = self._token()
        future: asyncio.Future[list[Reply]] = loop.create_future()
        self._many[token] = _Many(future)
        timer = loop.call_later(timeout_ms / 1000, _expire, future, subject)
        try:
            await self.publish(subject, data, self._reply_prefix + token)
            return await future
        finally:
            timer.cancel()
            self._many.pop(token, None)

    async def publish(
        self, subject: str, data: bytes = b"", reply: str = "", headers: dict[str, str] | None = None
    ) -> None:
        """Send and forget; raises ``Disconnected`` when there is no connection to send it over."""
        try:
            await self._nats.publish(subject, data, reply, headers)
        except NatsError as error:
            raise Disconnected(f"not sent to {subject}: {error or type(error).__name__}") from error

    # ---- listening

    async def subscribe(self, subject: str, on_message: OnMessage, group: str = "") -> Following:
        """Call ``await on_message(msg)`` for each message, one after the other; do little in it."""
        return await self._subscribe(subject, on_message, group)

    def inbox(self, name: str) -> str:
        """A subject of our own for a subscription of one's own."""
        return f"{self._inbox}.own.{name}.{self._token()}"

    async def serve(self, subject: str, group: str, answer: Answer) -> Following:
        """Answer requests on ``subject``, shared among the instances of ``group``. See ``Bus.serve``.

        When this returns the broker knows of it: whoever is told that we are ready finds us.
        """
        serving = Serving(self.publish, answer, self._served.discard)
        self._served.add(serving)
        serving.start(await self._subscribe(subject, serving.on_request, group))
        try:
            await self._round_trip()  # the broker takes one thing after the other
        except NoAnswer as error:  # the connection broke; with the next one the broker is told anew
            _log.info("not known to be served yet", subject=subject, why=str(error))
        return serving

    # ---- inside

    async def _established(self, connecting: asyncio.Task[None], closed: asyncio.Future[str]) -> None:
        await asyncio.wait((connecting, closed), timeout=_CONNECT_S, return_when="FIRST_COMPLETED")
        if not connecting.done():
            why = closed.result() if closed.done() else self._last_error or "no answer"
            raise BrokerUnreachable(f"The broker at {self._url} cannot be used by {self.user!r}: {why}")
        connecting.result()

    async def _subscribe(self, subject: str, on_message: OnMessage, group: str = "") -> Subscribed:
        subscription = await self._nats.subscribe(  # pyright: ignore[reportUnknownMemberType] - see its future=
            subject, group, cb=on_message, pending_bytes_limit=_BUFFERED_BYTES
        )
        return Subscribed(self._nats, subscription)

    def _token(self) -> str:
        self._tokens += 1
        return str(self._tokens)

    async def _on_reply(self, message: Msg) -> None:
        token = message.subject.rpartition(".")[2]
        future = self._one.pop(token, None)
        if future is not None:
            if not future.done():
                future.set_result(message)
            return
        many = self._many.get(token)
        if many is None:
            return  # it came after its asker had given up
        headers = message.headers or {}
        many.replies.append(Reply(headers, message.data))
        if STATUS in headers and not many.future.done():
            many.future.set_result(many.replies)

    async def _watch(self) -> None:
        """Send a message to ourselves every 2 s; if it does not come back, connect anew."""
        loop = asyncio.get_running_loop()
        while True:
            await asyncio.sleep(_WATCH_S)
            if self._nats.is_connected:
                try:
                    await self._round_trip()
                    self._alive_at = loop.time()
                except NoAnswer:
                    if self._nats.is_connected:
                        _log.warning("no round trip, connecting anew", user=self.user)
                        await self.force_reconnect()
            elif loop.time() - self._alive_at > _STUCK_S:
                self._fail("the reconnection is stuck")
                return

    async def _round_trip(self) -> None:
        """A message to ourselves and back: the writer, the reader and our own inbox all work."""
        loop = asyncio.get_running_loop()
        token = self._token()
        future: asyncio.Future[Msg] = loop.create_future()
        self._one[token] = future
        timer = loop.call_later(_ROUND_TRIP_S, _expire, future, "ourselves")
        try:
            await self.publish(self._reply_prefix + token)
            await future
        finally:
            timer.cancel()
            self._one.pop(token, None)

    def _abandon(self, why: NoAnswer) -> None:
        """Tell everyone who waits for an answer that it will not come over this connection."""
        for future in list(self._one.values()):
            if not future.done():
                future.set_exception(why)
        for many in list(self._many.values()):
            if not many.future.done():
                many.future.set_exception(why)

    def _fail(self, why: str) -> None:
        if self._leaving or self.closed is None or self.closed.done():
            return
        _log.error("the broker connection is lost for good", user=self.user, why=why)
        self.closed.set_result(why)
        self._abandon(Disconnected(why))
        if self._on_closed is not None:
            self._on_closed()

    async def _failed(self, error: Exception) -> None:
        text = str(error) or type(error).__name__
        self._last_error = text
        self._alive_at = asyncio.get_running_loop().time()
        lowered = text.lower()
        if _LATE_ANSWER in lowered:
            # The broker takes an answer for 10 s; a process that was paused or has too much to do is later.
            _log.info("an answer came too late for the broker", user=self.user)
        elif "permissions violation" in lowered or "authorization violation" in lowered:
            self._fail(text)
        elif isinstance(error, SlowConsumerError):
            _log.warning("messages were dropped, too many wait", user=self.user, subject=error.subject)
        elif isinstance(error, (OSError, NatsError)):
            _log.info("broker", user=self.user, error=text)
        else:
            _log.error("a callback failed", user=self.user, exc_info=error)

    async def _was_closed(self) -> None:
        self._fail(f"closed by the server: {self._last_error or 'no reason given'}")

    async def _was_disconnected(self) -> None:
        self._abandon(Disconnected("the connection broke"))
        if not self._leaving:
            lost = sum(serving.connection_lost() for serving in self._served)
            _log.info("disconnected", user=self.user, answers_lost=lost)

    async def _was_reconnected(self) -> None:
        self._alive_at = asyncio.get_running_loop().time()
        _log.info("reconnected", user=self.user)
        for callback in list(self._reconnected):
            callback()


async def _end(task: asyncio.Task[None]) -> None:
    """Cancel it until it has ended: Python 3.11 may swallow what comes just as a ``wait_for`` is done."""
    while not task.done():
        task.cancel()
        await asyncio.wait((task,), timeout=_CANCEL_AGAIN_S)


def _expire(future: "asyncio.Future[Any]", subject: str) -> None:
    if not future.done():
        future.set_exception(NoAnswer(f"no answer from {subject} in time"))
