"""The floor that the server is measured against: the same path with the rules, views and fold taken out.

A bare gateway passes every frame of a socket on as a NATS request; a bare game appends it at the next n with
expected sequence 0; the broker hands the stored entry on; the gateway sends it to the match's two sockets.
Same broker, same adapters, same settings. ``python -m tests.bench.floor game|gateway`` is one process of it.
"""

import asyncio
import os
import sys
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any

import msgspec
import uvloop
from aiohttp import WSMsgType, web

from shared.adapters.nats_connection import Broker
from shared.adapters.nats_log import NatsLog
from shared.subjects import GAMES, command, commands, sender_and_key

PADDING = "x" * 300  # a real commit of a move has about 500 bytes


class Echo(msgspec.Struct):
    """What a client of the floor sends, what is stored, and what both clients get."""

    id: str
    match: str
    n: int = 0
    padding: str = PADDING


_ECHO = msgspec.json.Decoder(Echo)
_ENCODE = msgspec.json.Encoder().encode


async def _broker(user: str) -> Broker:
    broker = Broker(os.environ["FLOOR_NATS"], user=user, password=os.environ[f"FLOOR_{user.upper()}"])
    await broker.connect()
    return broker


async def game() -> None:
    """Append whatever is asked for."""
    broker = await _broker("game")
    log = NatsLog(broker, GAMES)
    newest: dict[str, int] = {}
    locks: dict[str, asyncio.Lock] = {}

    async def answer(subject: str, data: bytes) -> bytes:
        _, match = sender_and_key(subject)
        async with locks.setdefault(match, asyncio.Lock()):
            echo = _ECHO.decode(data)
            echo.n = newest.get(match, 0) + 1
            stored = _ENCODE(echo)
            await log.append(match, echo.n, stored)
            newest[match] = echo.n
        return b'{"n":%d}' % echo.n

    await broker.serve(commands("game"), "game", answer)
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    await asyncio.Event().wait()


async def _send(socket: web.WebSocketResponse, text: str) -> None:
    with suppress(ConnectionError):  # the load generator is through and has gone away
        await socket.send_str(text)


class Gateway:
    """Echo between sockets and the broker."""

    def __init__(self, broker: Broker) -> None:
        self._broker = broker
        self._log = NatsLog(broker, GAMES)
        self._sockets: dict[str, list[web.WebSocketResponse]] = {}
        self._tasks: set[asyncio.Task[Any]] = set()

    def _spawn(self, work: Coroutine[Any, Any, Any]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _watch(self, match: str) -> None:
        sockets = self._sockets[match]

        def on_entry(_n: int, data: bytes) -> None:
            text = data.decode()
            for socket in sockets:
                if not socket.closed:
                    self._spawn(_send(socket, text))

        await self._log.follow(match, 0, on_entry)

    async def socket(self, request: web.Request) -> web.WebSocketResponse:
        """Take frames of one client of ``?match=``."""
        ws = web.WebSocketResponse(compress=False)
        await ws.prepare(request)
        match = request.query["match"]
        watched = match in self._sockets
        known = self._sockets.setdefault(match, [])
        known.append(ws)
        if not watched:
            await self._watch(match)
        subject = command("gateway", "game", match)
        async for message in ws:
            if message.type is WSMsgType.TEXT:
                self._spawn(self._broker.request(subject, message.data.encode(), 10_000))
        known.remove(ws)
        return ws


async def gateway() -> None:
    """Serve sockets."""
    app = web.Application()
    app.router.add_get("/socket", Gateway(await _broker("gateway")).socket)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    sys.stdout.write(f"ready {runner.addresses[0][1]}\n")
    sys.stdout.flush()
    await asyncio.Event().wait()


if __name__ == "__main__":
    uvloop.run({"game": game, "gateway": gateway}[sys.argv[1]]())
