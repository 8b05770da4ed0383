"""What the tests of faults share: an HTTP client, and services of their own to be killed and paused."""

from collections.abc import AsyncIterator, Callable, Iterator

import aiohttp
import pytest

from tests.faults.told import Figures
from tests.support.cluster import Cluster


@pytest.fixture
async def http() -> AsyncIterator[aiohttp.ClientSession]:
    """An HTTP client that keeps its connections for the test."""
    timeout = aiohttp.ClientTimeout(total=30, sock_connect=5)
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0), timeout=timeout) as session:
        yield session


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """Broker, Valkey, lobby, game and gateway of this folder's own; each test leaves all of them running."""
    with Cluster(tmp_path_factory.mktemp("faults"), services=("lobby", "game", "gateway")) as running:
        yield running


@pytest.fixture
def figures(record_property: Callable[[str, object], None]) -> Figures:
    """Takes what was measured, in one line; it is shown at the end of the run."""
    return lambda text: record_property("figures", text)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Show the figures."""
    for report in terminalreporter.getreports("passed"):
        for name, text in report.user_properties:
            if name == "figures":
                terminalreporter.write_line(f"{report.nodeid}\n    {text}")
