"""What an idle live match costs in memory: game and gateway together, the players' sockets not counted.

So many matches are played to 60 commits and then left alone, all watched by two sockets of the same two
players; what the two processes have grown by is divided by the number of matches.
"""

import asyncio
import tempfile
from pathlib import Path
from typing import Any, Final

import aiohttp

from tests.bench.load import Meter, Plan, Player
from tests.bench.processes import resident_bytes
from tests.support.cluster import Cluster

MATCHES: Final = 400
WARM: Final = 40  # matches before the first measurement, so that what is allocated once is not counted
COMMITS: Final = 60
GOAL_KB: Final = 20.0


async def _fill(count: int, players: list[Player]) -> None:
    """Play ``count`` more matches of ``players`` to ``COMMITS`` commits and leave them watched."""
    for _ in range(count):
        table = await players[0].call("POST", "/v1/tables", {"game": "backgammon", "target": 13})
        joined = await players[1].call("POST", f"/v1/tables/{table['id']}/join", {})
        match = joined["match"]
        await asyncio.gather(*(player.play(match, until=COMMITS) for player in players))


async def _measure(cluster: Cluster) -> dict[str, Any]:
    plan = Plan(url=cluster.address, target="kronika", pairs=1, seconds=0)
    pids = {name: cluster.processes[name].pid for name in ("game", "gateway")}
    async with aiohttp.ClientSession() as http:
        players = [Player(Meter(plan), http), Player(Meter(plan), http)]
        for player in players:
            await player.sign_in()
        await _fill(WARM, players)
        before = {name: resident_bytes(pid) for name, pid in pids.items()}
        await _fill(MATCHES, players)
        after = {name: resident_bytes(pid) for name, pid in pids.items()}
    kb = {name: round((after[name] - before[name]) / MATCHES / 1024, 1) for name in pids}
    total = round(sum(kb.values()), 1)
    return {
        "matches": MATCHES,
        "commits_each": COMMITS,
        "kb_per_match": kb,
        "total_kb": total,
        "goal": f"< {GOAL_KB} KB",
        "met": total < GOAL_KB,
    }


def run() -> dict[str, Any]:
    """KB per idle live match by process, and together."""
    with (
        tempfile.TemporaryDirectory(prefix="kronika-") as directory,
        Cluster(Path(directory), services=("lobby", "game", "gateway")) as cluster,
    ):
        return asyncio.run(_measure(cluster))
