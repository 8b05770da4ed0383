"""Durable moves per second and latency, and the floor of the same path in the same run.

The path is gateway, broker and game (and the lobby, which opens the tables), a process each; the floor
runs the broker and two bare processes (``floor``). Both are loaded by the same generator, first as fast as it
goes, then at half of that rate, in turns, because these machines are noisy. The whole house, in which clock
and ghost read every commit too, is measured beside them.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any, Final

import msgspec

from tests.bench.load import Figures, Plan
from tests.bench.processes import cpu_s
from tests.support.cluster import Cluster
from tests.support.servers import new_nats

ROUNDS: Final = 3
PAIRS: Final = 48
SECONDS: Final = 6.0
GOAL_RATIO: Final = 0.5
GOAL_P99: Final = 3.0


class System:
    """Something to load: where it listens and its backend processes by name."""

    def __init__(self, target: str, url: str, pids: dict[str, int]) -> None:
        self.target = target
        self.url = url
        self.pids = pids


PATH: Final = ("lobby", "game", "gateway")
HOUSE: Final = (*PATH, "clock", "ghost")


@contextmanager
def kronika(directory: Path, services: tuple[str, ...]) -> Generator[System]:
    """These services of Kronika."""
    with Cluster(directory, services=services) as cluster:
        pids = {name: process.pid for name, process in cluster.processes.items()}
        yield System("kronika", cluster.address, {"nats": _pid(cluster.nats), **pids})


@contextmanager
def floor(directory: Path) -> Generator[System]:
    """The bare path."""
    nats = new_nats(directory)
    nats.start()
    environment = {
        **os.environ,
        "FLOOR_NATS": nats.url,
        "FLOOR_GAME": nats.passwords["game"],
        "FLOOR_GATEWAY": nats.passwords["gateway"],
    }
    processes = {
        name: subprocess.Popen(  # noqa: S603 - our own module
            [sys.executable, "-m", "tests.bench.floor", name],
            env=environment,
            stdout=subprocess.PIPE,
            text=True,
        )
        for name in ("game", "gateway")
    }
    try:
        said = {name: (p.stdout.readline() if p.stdout else "").split() for name, p in processes.items()}
        pids = {name: process.pid for name, process in processes.items()}
        yield System("floor", f"http://127.0.0.1:{said['gateway'][1]}", {"nats": _pid(nats), **pids})
    finally:
        for process in processes.values():
            process.kill()
            process.wait()
        nats.process.stop()


def _pid(nats: Any) -> int:
    return int(nats.process.process.pid)


def load(system: System, *, pairs: int, seconds: float, rate: float = 0.0) -> dict[str, Any]:
    """Load ``system`` and give the figures, with CPU microseconds per move of each backend process."""
    plan = Plan(url=system.url, target=system.target, pairs=pairs, seconds=seconds, rate=rate)
    generator = subprocess.Popen(
        [sys.executable, "-m", "tests.bench.load"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert generator.stdin is not None
    assert generator.stdout is not None
    generator.stdin.write(msgspec.json.encode(plan))
    generator.stdin.close()
    # The generator signs its players in before the span begins; CPU is taken from its own begin to its end.
    samples: list[tuple[float, dict[str, float]]] = []
    while generator.poll() is None:
        samples.append((time.monotonic(), {name: cpu_s(pid) for name, pid in system.pids.items()}))
        time.sleep(0.1)
    figures = msgspec.json.decode(generator.stdout.read(), type=Figures)
    first = min(samples, key=lambda sample: abs(sample[0] - figures.begin))[1]
    last = min(samples, key=lambda sample: abs(sample[0] - figures.end))[1]
    moves = max(figures.moves, 1)
    return {
        "moves_per_s": round(figures.moves / figures.seconds),
        "p50_ms": figures.p50_ms,
        "p99_ms": figures.p99_ms,
        "refused": figures.refused,
        "cpu_us_per_move": {n: round((last[n] - first[n]) / moves * 1e6) for n in system.pids},
    }


def run(rounds: int = ROUNDS, pairs: int = PAIRS, seconds: float = SECONDS) -> dict[str, Any]:
    """Figures of both, and the two ratios that have goals."""
    found: dict[str, list[tuple[dict[str, Any], dict[str, Any]]]] = {"kronika": [], "floor": []}
    with (
        tempfile.TemporaryDirectory() as directory,
        kronika(Path(directory) / "k", PATH) as real,
        floor(Path(directory) / "f") as bare,
    ):
        for _ in range(rounds):
            for system in (bare, real):
                full = load(system, pairs=pairs, seconds=seconds)
                half = load(system, pairs=pairs, seconds=seconds, rate=full["moves_per_s"] / 2)
                found[system.target].append((full, half))
    with tempfile.TemporaryDirectory() as directory, kronika(Path(directory), HOUSE) as house:
        whole = load(house, pairs=pairs, seconds=seconds)
    both = list(zip(found["kronika"], found["floor"], strict=True))
    ratio = median(k[0]["moves_per_s"] / f[0]["moves_per_s"] for k, f in both)
    p99 = median(k[1]["p99_ms"] / f[1]["p99_ms"] for k, f in both)
    best = {name: max(turns, key=lambda turn: turn[0]["moves_per_s"]) for name, turns in found.items()}
    return {
        "kronika": {"full": best["kronika"][0], "half": best["kronika"][1]},
        "floor": {"full": best["floor"][0], "half": best["floor"][1]},
        "whole_house": whole,
        "moves_per_s_over_floor": {
            "value": round(ratio, 2),
            "goal": f">= {GOAL_RATIO}",
            "met": ratio >= GOAL_RATIO,
        },
        "p99_at_half_load_over_floor": {
            "value": round(p99, 2),
            "goal": f"<= {GOAL_P99}",
            "met": p99 <= GOAL_P99,
        },
    }


if __name__ == "__main__":
    sys.stdout.write(msgspec.json.format(msgspec.json.encode(run())).decode() + "\n")
