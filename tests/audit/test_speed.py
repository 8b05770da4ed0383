"""How fast a log is verified: the goal is 3,000 backgammon plies a second on one core."""

from time import process_time

import pytest

from services.audit.domain import verify
from services.cli import mat
from services.cli.importer_plan import plan
from tests.support.recorded import FILES
from tests.support.replay import played

FLOOR = 1_500
"""Half of the goal, so that a busy machine does not fail; the figure itself is printed (``-s``)."""


@pytest.mark.nightly
def test_plies_per_second() -> None:
    logs = [played(plan(mat.parse(file.read_bytes(), file.name))).lines for file in FILES]
    begin = process_time()
    plies = sum(verify(log).plies for log in logs)
    rate = plies / (process_time() - begin)
    print(f"{plies} plies verified at {rate:.0f} plies/s of one core")  # noqa: T201 - the figure is the point
    assert rate > FLOOR
