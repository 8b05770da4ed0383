"""How a match ended, told to people."""

import msgspec
import pytest

from shared.match import Phase
from shared.match.ending import ending
from tests.support.story import Story

OVER = msgspec.structs.replace(Story().started().state, phase=Phase.OVER)


@pytest.mark.parametrize(
    ("winner", "cause", "told"),
    [
        (0, "played", "Ann has won"),
        (1, "resigned", "Bob has won, the opponent resigned"),
        (1, "flag", "Bob has won, the opponent's time was up"),
        (0, "next", "Ann has won, the opponent did not press Next"),
        (None, "played", "Drawn"),
        (None, "agreed", "Drawn by agreement"),
        (None, "cancelled: annulled", "Cancelled: annulled"),
    ],
)
def test_the_last_row_says_who_won_and_why(winner: int | None, cause: str, told: str) -> None:
    assert ending(msgspec.structs.replace(OVER, winner=winner, cause=cause), ("Ann", "Bob")) == told
