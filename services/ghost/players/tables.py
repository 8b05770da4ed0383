"""The boards in a view of a game of the tables, and what the match makes of a result."""

from typing import Any, NamedTuple, cast

from services.ghost.players.protocol import Seen
from shared.match import MatchView
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


def away(view: MatchView, seat: int) -> int:
    """The points that ``seat`` still needs; 0 where the match is not played to points."""
    return max(view.target - view.score[seat], 1) if view.target else 0


def pass_loses_match(seen: Seen) -> bool:
    """Whether the doubler, who would win the cube as it stands, needs no more than that."""
    view = seen.view
    return view.cube is not None and 0 < away(view, 1 - seen.seat) <= view.cube.value


def gammon_counts(seen: Seen, seat: int) -> bool:
    """Whether a gammon of ``seat`` is worth more than a single game, with the cube as it is or is offered."""
    view = seen.view
    cube = 1 if view.cube is None else view.cube.offered or view.cube.value
    return not 0 < away(view, seat) <= cube
