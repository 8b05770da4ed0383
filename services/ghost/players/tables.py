"""The boards in a view of a game of the tables."""

from typing import Any, NamedTuple, cast

from services.ghost.players.protocol import Seen
from shared.rules.nard.board import Board
from shared.rules.nard.hitting import played


class Boards(NamedTuple):
    """Both sides, each in its own points (0 off, 25 bar)."""

    mine: Board
    theirs: Board

    def after(self, play: str) -> "Boards":
        """The boards after a legal play of mine, in a game of hits."""
        return Boards(*played(self.mine, self.theirs, play))


def board_of(seen: Seen) -> dict[str, Any]:
    """All that the view shows of the game."""
    assert seen.view.board is not None  # noqa: S101 - nobody is asked to decide before the game is set up
    return seen.view.board


def boards(seen: Seen) -> Boards:
    """The boards as the view shows them to its seat."""
    sides = cast("list[list[int]]", board_of(seen)["boards"])
    return Boards(tuple(sides[seen.seat]), tuple(sides[1 - seen.seat]))


def dice(seen: Seen) -> tuple[int, int]:
    """The two dice that its seat has rolled and is to play."""
    one, two = cast("list[int]", board_of(seen)["dice"])
    return one, two
