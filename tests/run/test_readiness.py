"""A service that cannot do its work says so where a supervisor looks, and takes it back when it can again."""

import json
from typing import Any

import pytest

from shared.adapters.nats_provision import provision
from tests.support.probing import get, probes_of, ready
from tests.support.running import program
from tests.support.servers import NatsServer


def environment(server: NatsServer, user: str) -> dict[str, str]:
    return {
        "KRONIKA_NATS_URL": server.url,
        "KRONIKA_NATS_USER": user,
        "KRONIKA_NATS_PASSWORD": server.passwords[user],
        "KRONIKA_PROBE_PORT": "0",
    }


async def api(server: NatsServer, what: str) -> None:
    async with server.broker("provision_game") as provisioner:
        answer: dict[str, Any] = json.loads(await provisioner.request(f"$JS.API.{what}", b"", 5_000))
        assert answer.get("success"), answer


async def test_a_ghost_without_its_consumer_is_not_ready(own_nats_server: NatsServer) -> None:
    await api(own_nats_server, "CONSUMER.DELETE.GAMES.ghost")
    async with program("-m", "services.ghost", **environment(own_nats_server, "ghost")) as running:
        address = await probes_of(running)
        await ready(address, ["consumer"])
        await provision(own_nats_server.url, own_nats_server.passwords)
        await ready(address, [])
        await api(own_nats_server, "CONSUMER.DELETE.GAMES.ghost")
        await ready(address, ["consumer"])


@pytest.mark.parametrize("user", ["gateway", "ghost"])
async def test_who_cannot_read_the_matches_is_not_ready(own_nats_server: NatsServer, user: str) -> None:
    await api(own_nats_server, "STREAM.DELETE.GAMES")
    async with program("-m", "tests.support.tiny_service", **environment(own_nats_server, user)) as running:
        address = await probes_of(running)
        await running.says('"ready"')
        status, body = await get(f"{address}/health/ready")
        assert (status, list(json.loads(body)["why"])) == (503, ["GAMES"])
        await provision(own_nats_server.url, own_nats_server.passwords)
        await ready(address, [])
