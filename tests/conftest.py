"""What every area uses: one real broker, with our own rights, and one real Valkey per process; figures."""

import os
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack

import aiohttp
import pytest

from shared.adapters.nats_connection import Broker
from tests.support.running import OWN_WORDS
from tests.support.servers import NatsServer, ValkeyServer, new_nats, new_valkey

os.environ.update(OWN_WORDS)

ConnectAs = Callable[[str], Awaitable[Broker]]


@pytest.fixture(scope="session")
def nats_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NatsServer]:
    """The shared broker, provisioned. Use keys of your own (``shared.ids.new_id``); do not stop it."""
    server = new_nats(tmp_path_factory.mktemp("nats"))
    server.start()
    yield server
    server.process.stop()


@pytest.fixture
def own_nats_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NatsServer]:
    """A broker of the test's own, provisioned, to be killed, paused and restarted."""
    server = new_nats(tmp_path_factory.mktemp("own-nats"))
    server.start()
    yield server
    server.process.stop()


@pytest.fixture(scope="session")
def valkey_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ValkeyServer]:
    """The shared Valkey; ``.url`` is what redis clients take. Use key names of your own."""
    server = new_valkey(tmp_path_factory.mktemp("valkey"))
    server.start()
    yield server
    server.stop()


@pytest.fixture
async def connect_as(nats_server: NatsServer) -> AsyncIterator[ConnectAs]:
    """Connections to the shared broker by user, closed after the test."""
    async with AsyncExitStack() as stack:

        async def connect(user: str) -> Broker:
            return await stack.enter_async_context(nats_server.broker(user))

        yield connect


@pytest.fixture
async def http() -> AsyncIterator[aiohttp.ClientSession]:
    """An HTTP client that keeps its connections for the test."""
    timeout = aiohttp.ClientTimeout(total=30, sock_connect=5)
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0), timeout=timeout) as session:
        yield session


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Show what tests have measured: their property ``figures``."""
    for report in terminalreporter.getreports("passed"):
        for name, text in report.user_properties:
            if name == "figures":
                terminalreporter.write_line(f"{report.nodeid}\n    {text}")
