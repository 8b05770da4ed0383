"""What the tests of faults share: services of their own, to be killed and paused."""

from collections.abc import Callable, Iterator

import pytest

from tests.faults.told import Figures
from tests.support.cluster import Cluster


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """Broker, Valkey, lobby, game and gateway of this folder's own; each test leaves all of them running."""
    with Cluster(tmp_path_factory.mktemp("faults"), services=("lobby", "game", "gateway")) as running:
        yield running


@pytest.fixture
def figures(record_property: Callable[[str, object], None]) -> Figures:
    """Takes what was measured, in one line; it is shown at the end of the run."""
    return lambda text: record_property("figures", text)
