"""What the log and the reply multiplexer cost: appends per second, requests, followers; part of `make bench`.

Run it as `python -m tests.bench.log`.
"""

import asyncio
import gc
import resource
import sys
import tempfile
import time
from pathlib import Path

from services.cli.embedded import EmbeddedNats
from shared import subjects
from shared.adapters.nats_connection import Broker
from shared.adapters.nats_log import NatsLog
from shared.adapters.nats_provision import provision
from shared.ids import new_id
from tests.support.servers import free_port

_WRITERS = 64
_SECONDS = 5.0
_REQUESTS = 20_000
_FOLLOWED = 2_000


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


async def appends(game: Broker) -> int:
    """Concurrent writers, each waiting for its acknowledgement from the disk."""
    log = NatsLog(game, subjects.GAMES)
    done = 0
    end = time.perf_counter() + _SECONDS

    async def write() -> None:
        nonlocal done
        key, n = new_id("m"), 0
        while time.perf_counter() < end:
            n += 1
            await log.append(key, n, b"x" * 420)
            done += 1

    cpu, start = time.process_time(), time.perf_counter()
    await asyncio.gather(*(write() for _ in range(_WRITERS)))
    wall = time.perf_counter() - start
    used = time.process_time() - cpu
    _say(
        f"append: {done / wall:,.0f}/s with {_WRITERS} writers, sync always; "
        f"{used / done * 1e6:.0f} µs of this process each"
    )
    return done


async def requests(gateway: Broker) -> None:
    """Direct Get of one entry, one process's CPU for each: publish, reply, future."""
    subject = f"$JS.API.DIRECT.GET.GAMES.game.{new_id('m')}.1"

    async def ask() -> None:
        for _ in range(_REQUESTS // _WRITERS):
            await gateway.ask(subject, b"", 5_000)

    cpu, start = time.process_time(), time.perf_counter()
    await asyncio.gather(*(ask() for _ in range(_WRITERS)))
    used, wall = time.process_time() - cpu, time.perf_counter() - start
    _say(
        f"request: {used / _REQUESTS * 1e6:.1f} µs of CPU each, {_REQUESTS / wall:,.0f}/s, {_WRITERS} at a time"
    )


async def follows(game: Broker, gateway: Broker) -> None:
    """Memory and CPU of followed logs, at rest and for each entry."""
    writer, reader = NatsLog(game, subjects.GAMES), NatsLog(gateway, subjects.GAMES)
    keys = [new_id("m") for _ in range(_FOLLOWED)]
    got = 0

    def on_entry(_n: int, _data: bytes) -> None:
        nonlocal got
        got += 1

    gc.collect()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    following = [await reader.follow(key, 0, on_entry) for key in keys]
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    cpu = time.process_time()
    await asyncio.sleep(10)
    rest = (time.process_time() - cpu) / 10
    for key in keys:
        await writer.append(key, 1, b"x")
    while got < _FOLLOWED:
        await asyncio.sleep(0.01)
    _say(
        f"follow: {grown / _FOLLOWED:.2f} KiB and {rest * 1000 / _FOLLOWED * 1000:.2f} µs/s at rest for each of {_FOLLOWED}"
    )
    for one in following:
        await one.close()


async def scan(gateway: Broker) -> None:
    """Everything, in order."""
    count = 0

    def on_entry(_key: str, _n: int, _data: bytes) -> None:
        nonlocal count
        count += 1

    start = time.perf_counter()
    await NatsLog(gateway, subjects.GAMES).scan(on_entry)
    _say(f"scan: {count / (time.perf_counter() - start):,.0f} entries/s ({count} entries)")


async def run(directory: Path) -> None:
    """All of it on one fresh server."""
    server = EmbeddedNats(directory, free_port(), free_port())
    server.start()
    try:
        await provision(server.url, server.passwords)
        game, gateway = (
            Broker(server.url, user=u, password=server.passwords[u]) for u in ("game", "gateway")
        )
        await game.connect()
        await gateway.connect()
        await appends(game)
        await requests(gateway)
        await scan(gateway)
        await follows(game, gateway)
        await game.close()
        await gateway.close()
    finally:
        server.stop()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        asyncio.run(run(Path(temporary)))
