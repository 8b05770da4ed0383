"""The boards in a view of a hitting game of the tables, and what the match makes of a double."""

from typing import NamedTuple, cast

from services.ghost.players.protocol import Seen
from shared.match import MatchView
from shared.rules.nard.board import Board
from shared.rules.nard.hitting import played


class Boards(NamedTuple):
    """Both sides, each in its own points (0 off, 25 bar)."""

    mine: Board
    theirs: Board

    def after(self, play: str) -> "Boards":
        """The boards after a legal play of mine."""
        return Boards(*played(self.mine, self.theirs, play))


def boards(seen: Seen) -> Boards:
    """The boards as the view shows them to its seat."""
    assert seen.view.board is not None  # noqa: S101 - nobody is asked to decide before the game is set up
    sides = cast("list[list[int]]", seen.view.board["boards"])
    return Boards(tuple(sides[seen.seat]), tuple(sides[1 - seen.seat]))


def dice(seen: Seen) -> tuple[int, int]:
    """The two dice that its seat has rolled and is to play."""
    assert seen.view.board is not None  # noqa: S101 - as above
    one, two = cast("list[int]", seen.view.board["dice"])
    return one, two


def away(view: MatchView, seat: int) -> int:
    """The points that ``seat`` still needs; 0 where the match is not played to points."""
    return max(view.target - view.score[seat], 1) if view.target else 0
