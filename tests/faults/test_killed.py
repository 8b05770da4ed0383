"""Kill -9, again and again, under ``kronika up``: nothing acknowledged is lost or doubled, all goes on."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import aiohttp
import pytest

from tests.faults.house import house
from tests.faults.people import crowd
from tests.faults.told import Figures, bear_out

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc")
MIXED: Final = ("game", "nats", "game", "gateway", "game", "nats")
LONG: Final = {
    "game": ("game",) * 20,
    "nats": ("nats",) * 10,
    "all": ("game", "nats", "gateway", "lobby", "ghost", "valkey") * 3,
}


async def killed(
    data: Path, http: aiohttp.ClientSession, kills: Sequence[str], *, pairs: int, each: int, moves: int
) -> str:
    """Kill one part after the other, each after so many more moves, while all is played. Gives figures."""
    in_flight = 0
    async with house(data) as running, crowd(http, running.address, pairs=pairs) as people:
        await people.open(each, target=13)
        for name in kills:
            await people.told.more(moves)
            in_flight += people.in_flight
            running.kill(name)
            await running.back(name)
        await people.go_on(20)
        await people.rest()
        async with running.broker("audit") as audit:
            commits = await bear_out(audit, people.told, people.matches)
        told = people.told.figures()
        assert "Traceback" not in running.log("game")
        assert in_flight > 0
    what = (
        f"{len(kills)} kills with {in_flight} commands in flight, {pairs * each} matches, {commits} commits"
    )
    return f"{what}; {told}"


async def test_nothing_acknowledged_is_lost(
    tmp_path: Path, http: aiohttp.ClientSession, figures: Figures
) -> None:
    figures(await killed(tmp_path, http, MIXED, pairs=2, each=10, moves=60))


@pytest.mark.nightly
@pytest.mark.parametrize("killing", LONG)
async def test_nothing_acknowledged_is_lost_in_200_matches(
    tmp_path: Path, http: aiohttp.ClientSession, killing: str, figures: Figures
) -> None:
    figures(await killed(tmp_path, http, LONG[killing], pairs=20, each=10, moves=1_000))
