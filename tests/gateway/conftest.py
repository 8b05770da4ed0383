"""Service processes for the tests of a file of this area, and clients of them."""

from collections.abc import AsyncIterator, Iterator

import aiohttp
import pytest

from tests.support.api import Api
from tests.support.cluster import Cluster
from tests.support.servers import NatsServer, ValkeyServer


@pytest.fixture(scope="module")  # not longer: others start services of their own on the shared broker
def cluster(
    tmp_path_factory: pytest.TempPathFactory, nats_server: NatsServer, valkey_server: ValkeyServer
) -> Iterator[Cluster]:
    """Lobby, game, ledger, rating and gateway as processes on the shared servers; do not stop them."""
    directory = tmp_path_factory.mktemp("cluster")
    services = ("lobby", "game", "ledger", "rating", "gateway")
    setting = {"KRONIKA_MAIN_GAME": "backgammon"}
    with Cluster(
        directory, services=services, environment=setting, nats=nats_server, valkey=valkey_server
    ) as running:
        yield running


@pytest.fixture
async def http() -> AsyncIterator[aiohttp.ClientSession]:
    """An HTTP client that keeps its connections for the test."""
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:
        yield session


@pytest.fixture
def api(cluster: Cluster, http: aiohttp.ClientSession) -> Api:
    """The gateway's API, as nobody."""
    return Api(http, cluster.address)
