"""How fast a log is verified: 3,000 plies of backgammon, or 20 matches of 60 plies of any game, a second."""

from time import process_time

import pytest

from services.audit.domain import verify
from services.cli.importing.planning.tables import plan
from services.cli.importing.reading import mat
from shared.rules.registry import CURRENT
from tests.bench.audit import GOAL_PER_S, measured
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


@pytest.mark.nightly
@pytest.mark.parametrize("game", CURRENT)
def test_matches_of_sixty_plies_per_second(game: str) -> None:
    figures = measured(game)
    print(f"{game}: {figures}")  # noqa: T201 - as above
    assert figures["matches_per_s"] >= GOAL_PER_S
