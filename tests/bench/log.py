"""What the log and the reply multiplexer cost: appends per second, requests, followers, a scan.

Run it as `python -m tests.bench.log`. CPU is that of this process alone, not of the broker.
"""

import asyncio
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Awaitable
from pathlib import Path
from typing import Any

import msgspec
import uvloop

from services.cli.embedded import EmbeddedNats
from shared import subjects
from shared.adapters.nats_connection import Broker
from shared.adapters.nats_log import NatsLog
from shared.adapters.nats_provision import provision
from shared.ids import new_id
from tests.support.servers import free_port
from tests.support.waiting import until

_WRITERS = 64
_SECONDS = 5.0
_REQUESTS = 20_000
_FOLLOWED = 2_000
_AT_REST_S = 10
_COMMIT = b"x" * 420


async def _timed(work: Awaitable[Any]) -> tuple[float, float]:
    """Wall and CPU seconds that ``work`` took."""
    wall, cpu = time.perf_counter(), time.process_time()
    await work
    return time.perf_counter() - wall, time.process_time() - cpu


async def appends(game: Broker) -> dict[str, Any]:
    """Concurrent writers, each waiting for its acknowledgement from the disk."""
    log = NatsLog(game, subjects.GAMES)
    done = 0
    end = time.perf_counter() + _SECONDS

    async def write() -> None:
        nonlocal done
        key, n = new_id("m"), 0
        while time.perf_counter() < end:
            n += 1
            await log.append(key, n, _COMMIT)
            done += 1

    wall, cpu = await _timed(asyncio.gather(*(write() for _ in range(_WRITERS))))
    return {"per_s": round(done / wall), "cpu_us": round(cpu / done * 1e6, 1), "writers": _WRITERS}


async def requests(gateway: Broker) -> dict[str, Any]:
    """Direct Get of one entry: publish, reply, future."""
    subject = f"$JS.API.DIRECT.GET.GAMES.game.{new_id('m')}.1"

    async def ask() -> None:
        for _ in range(_REQUESTS // _WRITERS):
            await gateway.ask(subject, b"", 5_000)

    wall, cpu = await _timed(asyncio.gather(*(ask() for _ in range(_WRITERS))))
    return {"per_s": round(_REQUESTS / wall), "cpu_us": round(cpu / _REQUESTS * 1e6, 1)}


async def follows(game: Broker, gateway: Broker) -> dict[str, Any]:
    """Memory (of Python objects) and CPU of followed logs at rest, CPU for each entry."""
    writer, reader = NatsLog(game, subjects.GAMES), NatsLog(gateway, subjects.GAMES)
    keys = [new_id("m") for _ in range(_FOLLOWED)]
    got: set[str] = set()
    tracemalloc.start()
    following = [await reader.follow(key, 0, lambda _n, _data, key=key: got.add(key)) for key in keys]
    grown = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    _, at_rest = await _timed(asyncio.sleep(_AT_REST_S))
    await asyncio.gather(*(writer.append(key, 1, _COMMIT) for key in keys))
    await until(lambda: len(got) == _FOLLOWED)
    for one in following:
        await one.close()
    return {
        "followed": _FOLLOWED,
        "bytes_each": round(grown / _FOLLOWED),
        "cpu_us_per_s_each_at_rest": round(at_rest / _AT_REST_S / _FOLLOWED * 1e6, 2),
    }


async def scan(gateway: Broker) -> dict[str, Any]:
    """Everything, in order."""
    count = 0

    def on_entry(_key: str, _n: int, _data: bytes) -> None:
        nonlocal count
        count += 1

    wall, cpu = await _timed(NatsLog(gateway, subjects.GAMES).scan(on_entry))
    return {"per_s": round(count / wall), "cpu_us": round(cpu / count * 1e6, 1), "entries": count}


async def _run(directory: Path) -> dict[str, Any]:
    server = EmbeddedNats(directory, free_port(), free_port())
    server.start()
    try:
        await provision(server.url, server.passwords)
        game, gateway = (
            Broker(server.url, user=user, password=server.passwords[user]) for user in ("game", "gateway")
        )
        await game.connect()
        await gateway.connect()
        figures = {
            "append": await appends(game),
            "request": await requests(gateway),
            "scan": await scan(gateway),
            "follow": await follows(game, gateway),
        }
        await game.close()
        await gateway.close()
    finally:
        server.stop()
    return figures


def run() -> dict[str, Any]:
    """All of it on one fresh server."""
    with tempfile.TemporaryDirectory(prefix="kronika-") as directory:
        return uvloop.run(_run(Path(directory)))


if __name__ == "__main__":
    sys.stdout.write(msgspec.json.format(msgspec.json.encode(run())).decode() + "\n")
