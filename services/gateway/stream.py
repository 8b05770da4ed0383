"""The same views as server-sent events, for programs that read them with fetch."""

import asyncio
import socket
import sys
from collections import deque
from typing import Final

import msgspec
from aiohttp import web

from services.gateway.call import Call
from services.gateway.problems import RETRY_MS, Limited
from services.gateway.resume import resume
from services.gateway.watches import Watch, over, result_of
from services.gateway.wire import bound_send_buffer
from shared.problems import Problem, problem
from shared.wire import frames

MOST_WAITING: Final = 64  # views that a slow reader has not taken; then a spectator gets only the newest
MEDIA: Final = "text/event-stream"
_ENCODE: Final = msgspec.json.Encoder().encode
_LAST_ACK: Final = slice(56, 60)  # tcpi_last_ack_recv in struct tcp_info (linux/tcp.h), in ms


class Stream:
    """A viewer of ``Watches`` whose views wait in a short queue until the reader takes them."""

    def __init__(self, watch: Watch, player: str) -> None:
        """Nothing is sent yet."""
        self.watch = watch
        self.seat = watch.state.seat_of(player) if player else None
        self.gone = False
        self._live = False
        self._waiting: deque[bytes] = deque()
        self._ended = False
        self._arrived = asyncio.Event()

    def show(self, watch: Watch) -> None:
        """See ``Viewer``."""
        if not self._live or self._ended:
            return
        if len(self._waiting) >= MOST_WAITING:
            if self.seat is not None:
                self.finish(problem("rate_limited", "You do not read fast enough.", retry_after_ms=RETRY_MS))
                return
            self._waiting.clear()
        self.give(watch.payload(self.seat))
        self._end_if_over()

    def tell(self, presence: bytes) -> None:
        """See ``Viewer``; who does not keep up sees it in the next view."""
        if self._live and not self._ended and len(self._waiting) < MOST_WAITING:
            self._put("presence", presence)

    def fail(self, why: Problem) -> None:
        """See ``Viewer``."""
        self.finish(why)

    def say(self, frame: frames.ServerFrame) -> None:
        """See ``Follower``."""
        self._put(str(frame.__struct_config__.tag), _ENCODE(frame))

    def give(self, view: bytes) -> None:
        """See ``Follower``."""
        self._put("view", view, f"id: {_number(view)}\n")

    def begin(self, n: int) -> None:  # noqa: ARG002 - the queue keeps the order by itself
        """See ``Follower``."""
        self._live = True
        self._end_if_over()

    def finish(self, why: Problem | None = None) -> None:
        """Nothing comes after this (and after ``why``); what is finished stays so."""
        if self._ended:
            return
        if why is not None:
            self.say(frames.Refused(why, match=self.watch.match))
        self._ended = True
        self._arrived.set()

    async def next(self, within_s: float) -> bytes | None:
        """What waits; empty after ``within_s`` without anything; None at the end."""
        if not self._waiting and not self._ended:
            self._arrived.clear()
            try:
                async with asyncio.timeout(within_s):
                    await self._arrived.wait()
            except TimeoutError:
                return b""
        if not self._waiting:
            return None
        data = b"".join(self._waiting)
        self._waiting.clear()
        return data

    def _end_if_over(self) -> None:
        state = self.watch.state
        if over(state):
            self.say(frames.Ended(state.match, state.n, result_of(state)))
            self.finish()

    def _put(self, event: str, data: bytes, head: str = "") -> None:
        self._waiting.append(f"{head}event: {event}\ndata: ".encode() + data + b"\n\n")
        self._arrived.set()


class _N(msgspec.Struct, frozen=True):
    n: int


_N_OF: Final = msgspec.json.Decoder(_N)


def _number(view: bytes) -> int:
    return _N_OF.decode(view).n


class Reader:
    """The other end of a stream, who sends nothing: it is heard by what it acknowledges (see ``Tenant``)."""

    def __init__(self, transport: asyncio.Transport | None) -> None:
        """Heard now, as it has asked for the stream."""
        self._transport = transport
        self._viewer: Stream | None = None
        self._replaced = False

    @property
    def silent_s(self) -> float:
        """See ``Tenant``; 0 where the system does not tell: such a stream counts as alive."""
        return self._unacknowledged_s() or 0.0

    def is_dead(self, after_s: float) -> bool:
        """Whether it is known that nothing was heard for ``after_s``."""
        return (self._unacknowledged_s() or 0.0) > after_s

    def _unacknowledged_s(self) -> float | None:
        """For how many seconds its host has acknowledged nothing; None where the system does not tell."""
        if sys.platform != "linux" or self._transport is None or self._transport.is_closing():
            return None
        own: socket.socket = self._transport.get_extra_info("socket")
        info = own.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _LAST_ACK.stop)
        return int.from_bytes(info[_LAST_ACK], sys.byteorder) / 1000

    def reads(self, viewer: Stream) -> None:
        """What it is sent."""
        self._viewer = viewer
        if self._replaced:
            viewer.finish(problem("replaced"))

    def give_way(self) -> None:
        """See ``Tenant``."""
        self._replaced = True
        if self._viewer is not None:
            self._viewer.finish(problem("replaced"))

    def cut(self) -> None:
        """End it at once; what was not sent yet is thrown away."""
        if self._transport is not None:
            self._transport.abort()


async def stream(call: Call) -> web.StreamResponse:
    """Views of one match until it ends, the token runs out, or either side goes away."""
    gateway = call.gateway
    match = call.text("match")
    after = call.number("after")
    last = call.request.headers.get("Last-Event-ID", "")
    if last.isascii() and last.isdigit():
        after = int(last[:15])
    reader = Reader(call.request.transport)
    wait = gateway.places.enter(call.player, reader)
    if wait > 0:
        raise Limited(wait, "Your sockets and streams push each other out again and again; open fewer.")
    try:
        viewer = await gateway.watches.enter(match, lambda watch: Stream(watch, call.player), call.purse)
        try:
            await resume(gateway.watches, viewer, after, call.purse)
            reader.reads(viewer)
            return await _serve(call, viewer, reader)
        finally:
            viewer.gone = True
            gateway.watches.leave(viewer.watch, viewer)
    finally:
        gateway.places.leave(call.player, reader)


async def _serve(call: Call, viewer: Stream, reader: Reader) -> web.StreamResponse:
    gateway = call.gateway
    response = web.StreamResponse(
        headers={
            "Content-Type": MEDIA,
            "Cache-Control": "no-store",
            "X-Accel-Buffering": "no",
            **call.headers,
        }
    )
    heartbeat_s = gateway.limits.heartbeat_ms / 1000
    await response.prepare(call.request)
    bound_send_buffer(call.request.transport, gateway.limits.send_buffer_bytes)
    gateway.streams.add(viewer)
    try:
        data: bytes | None = b"retry: 1000\n\n"
        while data is not None:
            async with asyncio.timeout(2 * heartbeat_s):
                await response.write(data or b": still here\n\n")
            data = await viewer.next(heartbeat_s / 4)  # as often as a socket is pinged
            if reader.is_dead(2 * heartbeat_s):
                reader.cut()
                return response
            if call.who is not None and gateway.tokens.over_ms(call.who) >= 0:
                viewer.finish(problem("token_expired"))
    except ConnectionError:
        return response  # the reader went away
    except TimeoutError:
        reader.cut()  # it is there and does not read
        return response
    finally:
        gateway.streams.discard(viewer)
    await response.write_eof()
    return response
