"""The lower half of a socket: writing, keeping pace with the reader, heartbeat, closing."""

import asyncio
import contextlib
import socket
from collections.abc import Coroutine
from typing import Any, Final

import msgspec
from aiohttp import web

from services.gateway import outgoing
from services.gateway.limits import Limits
from shared.pregame import ENGLISH, chosen
from shared.wire import frames

CLOSE_TIMEOUT_S: Final = 2.0
_LONGEST_REASON: Final = 120  # RFC 6455 §5.5: 125 bytes with the code
_ENCODE: Final = msgspec.json.Encoder().encode


def bound_send_buffer(transport: asyncio.BaseTransport | None, most: int) -> None:
    """The kernel's buffer is a part of the queue: left alone it grows to 4 MB where nobody reads."""
    if transport is not None:
        own: socket.socket = transport.get_extra_info("socket")
        own.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, most)


class Wire:
    """One WebSocket from the server's side. Writing never waits: the transport's buffer is the queue.

    When that buffer is over its limit the wire is ``congested``: a spectator's views are left out until it
    is not, a seat's socket is closed, so that memory stays flat whoever reads slowly.
    """

    def __init__(self, limits: Limits) -> None:
        """Nothing is open before ``open``."""
        self.ws: web.WebSocketResponse[Any] = web.WebSocketResponse(
            autoping=False,  # pongs are heard by us: a socket lives only by inbound frames
            compress=False,
            max_msg_size=limits.frame_bytes,
            timeout=CLOSE_TIMEOUT_S,
            decode_text=False,
        )
        self.closing = False
        self.language = ENGLISH
        self.heard_at = asyncio.get_running_loop().time()
        self._limits = limits
        self._transport: asyncio.Transport | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    async def open(self, request: web.BaseRequest) -> None:
        """Shake hands."""
        await self.ws.prepare(request)
        self.language = chosen(request.headers.get("Accept-Language", ""))
        transport = request.transport
        if transport is None:
            raise ConnectionError("the client went away during the handshake")
        self._transport = transport
        bound_send_buffer(transport, self._limits.send_buffer_bytes)

    @property
    def buffered(self) -> int:
        """How many bytes wait for the client to read."""
        return 0 if self._transport is None else self._transport.get_write_buffer_size()

    @property
    def congested(self) -> bool:
        """Whether the client reads too slowly for more to be put before it."""
        return self.buffered > self._limits.send_buffer_bytes

    def write(self, frame: bytes) -> None:
        """Send a finished frame; nothing after the close frame."""
        transport = self._transport
        if transport is not None and not self.closing and not transport.is_closing():
            transport.write(frame)

    def send(self, frame: frames.ServerFrame) -> None:
        """Send a frame that is no view; who does not take even these is closed."""
        if self.congested:
            self.close_slow()
        else:
            self.write(outgoing.text(_ENCODE(frame)))

    def close_soon(self, code: int, reason: str) -> None:
        """Close with ``code``; returns at once, nothing is sent after it."""
        if not self.closing:
            self.closing = True
            self.spawn(self._close(code, reason))

    def close_slow(self) -> None:
        """Close because the client does not read what it is sent."""
        self.close_soon(frames.CLOSE_TOO_SLOW, "you do not read fast enough")

    def beat(self, now: float) -> int:
        """Ping the silent, close the dead; ``now`` by the loop's clock, in seconds.

        Gives for how many ms nothing was heard. Pinged early, so that the start of a silence is well known.
        """
        silent_ms = int((now - self.heard_at) * 1000)
        if silent_ms > 2 * self._limits.heartbeat_ms:
            self.close_soon(frames.CLOSE_SILENT, "nothing was heard from you")
        elif silent_ms > self._limits.heartbeat_ms // 4:
            self.write(outgoing.PING)
        return silent_ms

    def spawn(self, work: Coroutine[Any, Any, None], name: str | None = None) -> None:
        """Do ``work`` beside reading; ``finish`` waits for it."""
        task = asyncio.get_running_loop().create_task(work, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def finish(self, needless: str) -> None:
        """Let the close frame go out; work named ``needless`` is given up."""
        self.closing = True
        for task in self._tasks:
            if task.get_name() == needless:
                task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=CLOSE_TIMEOUT_S + 1)

    async def _close(self, code: int, reason: str) -> None:
        transport = self._transport
        with contextlib.suppress(ConnectionError):
            await self.ws.close(code=code, message=reason.encode()[:_LONGEST_REASON], drain=False)
        if transport is not None and transport.get_write_buffer_size() > 0:
            transport.abort()  # it had its time to read
