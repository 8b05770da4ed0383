"""How a running part is: its own health address, asked over plain HTTP."""

import asyncio
import shutil
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec

_ANSWER_S: Final = 1.0
_LONGEST: Final = 65_536
_FULL: Final = 1 << 20  # bytes; with less the broker cannot even begin a block
_ROOM: Final = 16 << 20  # bytes; so much, or a tenth of a small disk, is worth trying again
_SILENT: Final = "its health address does not answer"
_OK: Final = 200


class _Ready(msgspec.Struct):
    """The body of ``/health/ready`` of our services."""

    why: dict[str, str] = {}


class _Healthz(msgspec.Struct):
    """The body of nats-server's ``/healthz``."""

    error: str = ""


async def answers_ok(host: str, port: int, path: str) -> bool:
    """Whether ``GET path`` is answered with 200; False for everything else, refused connections included."""
    return (await _get(host, port, path))[0] == _OK


async def service_trouble(port: int) -> str:
    """Why the service with its probes on ``port`` is not ready; empty if it is."""
    status, body = await _get("127.0.0.1", port, "/health/ready")
    if status == _OK:
        return ""
    with suppress(msgspec.MsgspecError):
        why = msgspec.json.decode(body, type=_Ready).why
        return "; ".join(f"{what}: {reason}" for what, reason in why.items()) or f"it answers {status}"
    return _SILENT if status == 0 else f"it answers {status}"


async def broker_trouble(monitor_port: int, store: Path) -> str:
    """Why the broker that keeps its streams in ``store`` cannot store; empty if it can, as far as it says."""
    status, body = await _get("127.0.0.1", monitor_port, "/healthz")
    free = _free(store)
    if free < _FULL:
        return f"the disk of {store} is full; nothing can be stored until there is room"
    if status == _OK:
        return ""
    with suppress(msgspec.MsgspecError):
        return f"JetStream stores nothing ({msgspec.json.decode(body, type=_Healthz).error})"
    return _SILENT if status == 0 else f"its health address answers {status}"


async def broker_can_be_cured(monitor_port: int, store: Path) -> bool:
    """Whether starting it again would help: it says that it is unwell, and there is room on the disk.

    After a failed write JetStream stores nothing until a restart, whatever room there is.
    """
    status, _ = await _get("127.0.0.1", monitor_port, "/healthz")
    return status not in {0, _OK} and _free(store) >= min(_ROOM, shutil.disk_usage(store).total // 10)


def _free(store: Path) -> int:
    return shutil.disk_usage(store).free


async def _get(host: str, port: int, path: str) -> tuple[int, bytes]:
    """Status and body; 0 when there is no answer."""
    with suppress(OSError, TimeoutError, ValueError, IndexError):
        async with asyncio.timeout(_ANSWER_S):
            reader, writer = await asyncio.open_connection(host, port)
            try:
                writer.write(f"GET {path} HTTP/1.0\r\nHost: {host}\r\n\r\n".encode())
                head, _, body = (await reader.read(_LONGEST)).partition(b"\r\n\r\n")
            finally:
                writer.close()
            return int(head.split(b" ", 2)[1]), body
    return 0, b""
