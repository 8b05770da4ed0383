"""The verifier and the ratings in a first commit: their numbers follow from each other, or it says so."""

from typing import Any

import pytest

from services.audit.domain import verify
from shared.events.match import Terms
from shared.ratings import snapshot
from tests.support.matches import rewritten
from tests.support.rated import IVAN, JANA, chess

RATED = snapshot("chess", Terms(), [(2221, 3), (2600, 40)])


def _forged(what: str, value: Any) -> list[bytes]:
    """A rated match in which one number of the first seat was changed, and the chain made anew."""

    def change(commit: dict[str, Any]) -> None:
        commit["events"][0]["rated"]["seats"][0][what] = value

    return rewritten(chess("audited", (JANA, IVAN), RATED, "first").lines, 1, change)


@pytest.mark.rule("B9")
def test_a_rated_match_is_in_order() -> None:
    report = verify(chess("audited", (JANA, IVAN), RATED, "first").lines)
    assert report.ok, report.difference


@pytest.mark.rule("B9")
@pytest.mark.parametrize(
    ("what", "value", "says"),
    [
        ("changes", [48, -12], "changes of seat 0"),
        ("rating", 2600, "changes of seat 0"),
        ("newcomer", False, "newcomer"),
        ("games", 10, "newcomer"),
        ("rating", 10**15, "so far away"),
    ],
)
def test_a_number_that_does_not_follow_is_found_in_the_first_commit(what: str, value: Any, says: str) -> None:
    report = verify(_forged(what, value))
    assert report.difference is not None
    assert (report.difference.n, report.difference.field) == (1, "events[0].rated")
    assert says in report.difference.sentence
