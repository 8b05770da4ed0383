"""Lines that a test makes go dead: nothing comes through any more, and nobody is told."""

import asyncio
import ctypes
import struct
from contextlib import suppress
from socket import SOL_SOCKET
from typing import Final, Self

_SO_ATTACH_FILTER: Final = 26  # Linux, asm-generic/socket.h; Python has no name for it
_DROP: Final = ctypes.create_string_buffer(struct.pack("HBBI", 0x06, 0, 0, 0))  # return 0: keep nothing


def deafen(transport: asyncio.BaseTransport) -> None:
    """Let the kernel drop every packet to ``transport`` from now on, unacknowledged.

    ``Line`` passes bytes on, so that the gateway's packets are acknowledged whatever becomes of them; here
    they are lost, as on a line that is cut.
    """
    program = struct.pack("HP", 1, ctypes.addressof(_DROP))
    transport.get_extra_info("socket").setsockopt(SOL_SOCKET, _SO_ATTACH_FILTER, program)


class Line:
    """Passes TCP connections on to ``port``; use it as ``async with Line(port) as line``."""

    def __init__(self, port: int) -> None:
        """Everything goes through at first."""
        self.port = 0
        self._to = port
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._writers: set[asyncio.StreamWriter] = set()
        self._alive = asyncio.Event()
        self._alive.set()

    @property
    def address(self) -> str:
        """Where clients connect."""
        return f"http://127.0.0.1:{self.port}"

    def drop_everything(self) -> None:
        """From now on neither side hears the other, nor learns that it does not."""
        self._alive.clear()

    def heal(self) -> None:
        """What was held back comes through, as when a line is back soon enough."""
        self._alive.set()

    async def __aenter__(self) -> Self:
        """Listen."""
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        """Break everything."""
        if self._server is not None:
            self._server.close()
        for writer in self._writers:
            writer.transport.abort()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        back, forth = await asyncio.open_connection("127.0.0.1", self._to)
        self._writers |= {writer, forth}
        for work in (self._pass(reader, forth), self._pass(back, writer)):
            task = asyncio.get_running_loop().create_task(work)
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while data := await reader.read(65_536):
                await self._alive.wait()
                writer.write(data)
            await self._alive.wait()
        writer.transport.abort()
