"""How fast finished matches are rated from an empty start: part of `make bench`.

Run it as `python -m tests.bench.ratings [--matches 100000]`. The log of all matches is filled first (with a
relaxed flush, which reading does not notice); then the broker is started anew as it is shipped, one rating
service takes everything in, and afterwards the fold and the leaderboards are built from its entries. The
floor is a bare writer that stores entries of the same size with as many in flight, and does nothing else.
"""

import argparse
import asyncio
import random
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Final

import msgspec
import uvloop

from services.cli.embedded import TEMPLATE, EmbeddedNats, EmbeddedValkey
from services.rating.handlers import DURABLE, Ratings
from shared import subjects
from shared.adapters import redis_standings
from shared.adapters.nats_connection import Broker
from shared.adapters.nats_consumer import BATCH
from shared.adapters.nats_facts import NatsFacts
from shared.adapters.nats_log import NatsLog
from shared.adapters.nats_provision import provision
from shared.adapters.redis_standings import RedisStandings
from shared.ids import new_id
from shared.ratings import snapshot
from tests.support.rated import FORFEIT, IVAN, JANA, chess
from tests.support.servers import free_port

_PLAYERS: Final = 5_000
_WINDOW: Final = 500  # stored without waiting before it is asked whether all arrived
_FLOOR: Final = 20_000
_GOAL: Final = 0.33  # of the floor: an entry costs one read, one write, and two commits' decoding


class _Filler:
    """Finished matches, copies of one that was played: its first commit, two moves and its last."""

    def __init__(self) -> None:
        rated = snapshot("chess", FORFEIT, [(2400, 0), (2400, 0)])
        played = chess("bench", (JANA, IVAN), rated, "first")
        self._match = played.match.encode()
        self._lines = [(n, played.lines[n - 1]) for n in (1, 4, 5, len(played.lines))]
        self.per_match = len(self._lines)
        self._rng = random.Random(1)

    def commits(self) -> list[tuple[str, int, bytes]]:
        """One more match of two of the players."""
        match = new_id("m")
        first, second = self._rng.sample(range(_PLAYERS), 2)
        changed = {
            self._match: match,
            JANA.encode(): f"pfirst{first:06}",
            IVAN.encode(): f"pfirst{second:06}",
        }
        lines: list[tuple[str, int, bytes]] = []
        for n, stored in self._lines:
            line = stored
            for old, new in changed.items():
                line = line.replace(old, new.encode())
            lines.append((match, n, line))
        return lines


async def _fill(server: EmbeddedNats, matches: int) -> int:
    """Store so many finished matches; how many commits that are."""
    await provision(server.url, server.passwords, settings_known_safe=True)
    broker = Broker(server.url, user="game", password=server.passwords["game"])
    await broker.connect()
    log, filler = NatsLog(broker, subjects.GAMES), _Filler()
    for start in range(0, matches, _WINDOW):
        part = [commit for _ in range(min(_WINDOW, matches - start)) for commit in filler.commits()]
        for match, n, line in part[:-1]:
            await broker.publish(subjects.entry(subjects.GAMES, match, n), line)
        await log.append(*part[-1])
    await broker.close()
    return matches * filler.per_match


async def _floor(facts: NatsFacts, size: int) -> float:
    """Entries a second that a bare writer stores, ``BATCH`` in flight."""
    names = iter([new_id("m") for _ in range(_FLOOR)])

    async def write() -> None:
        for name in names:
            await facts.put("floor", name, name.encode().ljust(size, b"x"))

    began = time.perf_counter()
    await asyncio.gather(*(write() for _ in range(BATCH)))
    return _FLOOR / (time.perf_counter() - began)


class _Counting(NatsFacts):
    """The rating log of a bench: counts what is stored, and knows the size of an entry."""

    stored = 0
    size = 0
    until = 0
    through: asyncio.Event

    async def put(self, group: str, key: str, data: bytes) -> bytes:
        """See ``Facts.put``."""
        standing = await super().put(group, key, data)
        self.stored += 1
        self.size = len(data)
        if self.stored == self.until:
            self.through.set()
        return standing


async def _rated(server: EmbeddedNats, valkey: EmbeddedValkey, matches: int) -> dict[str, Any]:
    broker = Broker(server.url, user="rating", password=server.passwords["rating"])
    await broker.connect()
    redis = redis_standings.connect(valkey.url)
    facts, games = _Counting(broker, subjects.RATINGS), NatsLog(broker, subjects.GAMES)
    facts.until, facts.through = matches, asyncio.Event()
    ratings = Ratings(games, facts, RedisStandings(redis))
    began, cpu = time.perf_counter(), time.process_time()
    consuming = await games.consume(DURABLE, ratings.on_commit)
    await facts.through.wait()
    wall_s, cpu_s = time.perf_counter() - began, time.process_time() - cpu
    await consuming.close()
    began = time.perf_counter()
    fold = await ratings.caught_up()
    folded_s = time.perf_counter() - began
    began = time.perf_counter()
    await ratings.projector.reach(fold)
    projected_s = time.perf_counter() - began
    games_of_all = sum(fold.tally("chess", f"pplayer{number:06}").games for number in range(_PLAYERS))
    if games_of_all != 2 * matches:
        raise AssertionError(f"{games_of_all} rated games instead of {2 * matches}")
    floor = await _floor(facts, facts.size)
    await redis.aclose()
    await broker.close()
    return {
        "matches_per_s": round(matches / wall_s),
        "cpu_us_per_match": round(cpu_s / matches * 1e6, 1),
        "floor_per_s": round(floor),
        "ratio": round(matches / wall_s / floor, 2),
        "fold_s": round(folded_s, 2),
        "projection_s": round(projected_s, 2),
        "wall_s": wall_s,
    }


async def _run(matches: int, directory: Path) -> dict[str, Any]:
    relaxed = directory / "relaxed.conf"
    relaxed.write_text(TEMPLATE.read_text().replace(", sync_interval: always", ""))
    server = EmbeddedNats(directory / "nats", free_port(), free_port(), template=relaxed)
    valkey = EmbeddedValkey(directory / "valkey")
    server.start()
    valkey.start()
    try:
        commits = await _fill(server, matches)
        server.stop()
        server.template = TEMPLATE
        server.start()
        figures = await _rated(server, valkey, matches)
    finally:
        server.stop()
        valkey.stop()
    wall_s = figures.pop("wall_s")
    return {
        "matches": matches,
        "events_per_s": round(commits / wall_s),
        **figures,
        "goal": f"ratio > {_GOAL}",
        "met": figures["ratio"] > _GOAL,
    }


def run(matches: int = 100_000) -> dict[str, Any]:
    """Rate so many finished matches from an empty start."""
    with tempfile.TemporaryDirectory(prefix="kronika-") as directory:
        return uvloop.run(_run(matches, Path(directory)))


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description="Rating finished matches from an empty start.")
    parser.add_argument("--matches", type=int, default=100_000)
    figures = run(parser.parse_args().matches)
    sys.stdout.write(msgspec.json.format(msgspec.json.encode(figures)).decode() + "\n")


if __name__ == "__main__":
    main()
