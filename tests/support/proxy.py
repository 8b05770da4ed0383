"""A proxy before the broker that loses what a test wants lost: single messages, answers, the connection."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Self

Lose = Callable[[str], bool]
LosePayload = Callable[[bytes], bool]


class Proxy:
    """Passes one or many NATS connections on to ``port``; use it as ``async with Proxy(port) as proxy``.

    ``lose`` is asked with the subject of each message that goes to a client, ``lose_payload`` with its
    headers and bytes; True loses it.
    """

    def __init__(self, port: int) -> None:
        """Passes everything on at first."""
        self.port = 0
        self.lose: Lose = lambda _subject: False
        self.lose_payload: LosePayload = lambda _payload: False
        self._to = port
        self._server: asyncio.Server | None = None
        self._writers: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def url(self) -> str:
        """Where clients connect."""
        return f"nats://127.0.0.1:{self.port}"

    async def __aenter__(self) -> Self:
        """Listen."""
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        """Drop everything."""
        if self._server is not None:
            self._server.close()
        self.cut()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def cut(self) -> None:
        """Break all connections, as a pulled cable would."""
        for writer in list(self._writers):
            writer.transport.abort()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            back, forth = await asyncio.open_connection("127.0.0.1", self._to)
        except OSError:
            writer.transport.abort()
            return
        self._writers |= {writer, forth}
        for work in (self._pass(reader, forth), self._filter(back, writer)):
            task = asyncio.get_running_loop().create_task(work)
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while data := await reader.read(65_536):
                writer.write(data)
        writer.transport.abort()

    async def _filter(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError, asyncio.IncompleteReadError):
            while line := await reader.readline():
                words = line.split()
                payload = b""
                if words[0] in (b"MSG", b"HMSG"):
                    payload = await reader.readexactly(int(words[-1]) + 2)
                    if self.lose(words[1].decode()) or self.lose_payload(payload):
                        continue
                writer.write(line + payload)
        writer.transport.abort()
