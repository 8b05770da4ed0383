"""How long reading one match of 60 commits takes in a stream that holds a million: part of `make bench`.

Run it as `python -m tests.bench.rebuild [--commits 1000000]`. The commits of all matches are stored mixed,
as they are in real life, so that the 60 lie scattered over the whole stream. Filling speaks to the broker
without waiting for each answer and with a relaxed flush, which reading does not notice.
"""

import argparse
import random
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import msgspec
import uvloop
from rich.progress import Progress

from services.cli.embedded import TEMPLATE, EmbeddedNats
from shared import subjects
from shared.adapters.nats_connection import Broker
from shared.adapters.nats_log import NatsLog
from shared.adapters.nats_provision import provision
from shared.ids import new_id
from tests.support.servers import free_port

PER_MATCH = 60
_COMMIT_BYTES = 420  # about what a played move takes
_WINDOW = 2_000  # stored without waiting before it is asked whether all arrived
_READS = 2_000
_WARM_UP = 200
_GOAL_MS = 2.0


async def fill(broker: Broker, matches: list[str], progress: Progress) -> None:
    """Store ``PER_MATCH`` commits of each match, round after round."""
    log = NatsLog(broker, subjects.GAMES)
    filler = b'{"v":1,"filler":"' + b"x" * (_COMMIT_BYTES - 19) + b'"}'
    task = progress.add_task("filling", total=len(matches) * PER_MATCH)
    for n in range(1, PER_MATCH + 1):
        for start in range(0, len(matches), _WINDOW):
            part = matches[start : start + _WINDOW]
            for match in part[:-1]:
                await broker.publish(subjects.entry(subjects.GAMES, match, n), filler)
            await log.append(part[-1], n, filler)
            progress.advance(task, len(part))


async def measure(broker: Broker, matches: list[str]) -> list[float]:
    """Milliseconds of each of ``_READS`` reads of random matches, one after the other."""
    log = NatsLog(broker, subjects.GAMES)
    chance = random.Random(1)
    times: list[float] = []
    for i in range(_WARM_UP + _READS):
        match = chance.choice(matches)
        start = time.perf_counter()
        entries = await log.read(match)
        if i >= _WARM_UP:
            times.append((time.perf_counter() - start) * 1000)
        if len(entries) != PER_MATCH:
            raise AssertionError(f"{match} has {len(entries)} entries")
    return times


async def _run(commits: int, directory: Path) -> dict[str, Any]:
    relaxed = directory / "relaxed.conf"
    relaxed.write_text(TEMPLATE.read_text().replace(", sync_interval: always", ""))
    server = EmbeddedNats(directory / "nats", free_port(), free_port(), template=relaxed)
    server.start()
    try:
        await provision(server.url, server.passwords, settings_known_safe=True)
        broker = Broker(server.url, user="game", password=server.passwords["game"])
        await broker.connect()
        matches = [new_id("m") for _ in range(commits // PER_MATCH)]
        with Progress() as progress:
            await fill(broker, matches, progress)
        cpu = time.process_time()
        times = sorted(await measure(broker, matches))
        cpu = time.process_time() - cpu
        await broker.close()
    finally:
        server.stop()
    p50 = statistics.median(times)
    return {
        "commits": len(matches) * PER_MATCH,
        "commits_per_match": PER_MATCH,
        "p50_ms": round(p50, 2),
        "p99_ms": round(times[int(len(times) * 0.99)], 2),
        "reader_cpu_ms": round(cpu * 1000 / (_WARM_UP + _READS), 2),
        "goal": f"p50 < {_GOAL_MS} ms",
        "met": p50 < _GOAL_MS,
    }


def run(commits: int = 1_000_000) -> dict[str, Any]:
    """Fill a stream with so many commits, read matches from it."""
    with tempfile.TemporaryDirectory(prefix="kronika-") as directory:
        return uvloop.run(_run(commits, Path(directory)))


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description="Reading one match out of a large stream.")
    parser.add_argument("--commits", type=int, default=1_000_000)
    figures = run(parser.parse_args().commits)
    sys.stdout.write(msgspec.json.format(msgspec.json.encode(figures)).decode() + "\n")


if __name__ == "__main__":
    main()
