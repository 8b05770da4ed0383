"""Valkey is killed and comes back empty during play: what it holds may be lost, no game notices."""

import asyncio
import shutil

import aiohttp
import pytest

from services.cli.embedded import EmbeddedValkey
from tests.faults.people import crowd
from tests.faults.told import bear_out
from tests.support.api import Api, key
from tests.support.cluster import Cluster

PASSWORD = "correct horse battery"  # noqa: S105 - of a test's player
TRIES = 10  # at one nickname, as services.lobby.accounts.Limits says


async def log_in(api: Api, nickname: str, password: str = PASSWORD) -> int:
    """The status."""
    body = {"nickname": nickname, "password": password}
    return (await api.post("/v1/sessions", body)).status


async def test_play_and_signing_in_go_on_without_valkey(
    cluster: Cluster, http: aiohttp.ClientSession
) -> None:
    valkey = cluster.valkey
    if not isinstance(valkey, EmbeddedValkey):
        pytest.skip("a container's data cannot be taken away")
    api = Api(http, cluster.address)
    names = [f"v{key()[-12:]}"[:16], f"w{key()[-12:]}"[:16]]
    for name in names:
        assert (await api.post("/v1/players", {"nickname": name, "password": PASSWORD})).status == 201
    async with crowd(http, cluster.address, pairs=1) as people:
        await people.open(4, target=5)
        await people.told.more(50)
        assert valkey.process is not None
        valkey.process.kill()
        await asyncio.to_thread(valkey.process.wait)
        await people.told.more(50)
        assert await log_in(api, names[0]) < 300
        # Guessing is slowed down all the same: the instance counts for itself.
        guesses = [await log_in(api, names[1], "wrong horse battery") for _ in range(TRIES + 1)]
        assert guesses == [401] * TRIES + [429]
        shutil.rmtree(valkey.data_dir / "appendonlydir")
        await asyncio.to_thread(valkey.start)
        await people.told.more(50)
        assert await log_in(api, names[0]) < 300
        await people.rest()
        async with cluster.nats.broker("audit") as audit:
            await bear_out(audit, people.told, people.matches)
        assert not people.told.again, people.told.figures()
    for name in ("lobby", "game", "gateway"):
        assert cluster.processes[name].running
