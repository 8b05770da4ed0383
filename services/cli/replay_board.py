"""A board of 24 points as text, drawn from a view: whichever way its two sides go. Pure.

The numbers in the frame are seat 0's, those outside are seat 1's: moves are written in the mover's own.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from services.cli.replay_seat import CHECKERS, beside
from shared.match import MatchView

_DICE: Final = " ⚀⚁⚂⚃⚄⚅"
_ROWS: Final = 5
_WIDTH: Final = 3
_POINTS: Final = 24
_BAR: Final = 25
_UPPER: Final = range(13, 25)
_LOWER: Final = range(12, 0, -1)

# Lines of the frame, counted from its upper edge (0): seat 1's things stand in the upper half, seat 0's below
_MIDDLE: Final = _ROWS + 1  # between the halves
_TOP: Final = 1
_BOTTOM: Final = _MIDDLE + _ROWS
_NAME: Final = (_BOTTOM, _TOP)  # by seat
_FACTS: Final = (_BOTTOM - 1, _TOP + 1)
_OWNED: Final = (_BOTTOM - 2, _TOP + 2)  # its cube
_OFFERED: Final = (_MIDDLE + 1, _MIDDLE - 1)  # its double
_CENTRED: Final = _MIDDLE + 1  # nobody's cube
_NOTE: Final = _MIDDLE - 1  # what is said where nobody can double
_WALL: Final = "│"


def is_drawable(board: Mapping[str, Any] | None) -> bool:
    """Whether the position has what is drawn here: two boards of 26 counts by own point."""
    boards = board.get("boards") if board else None
    return isinstance(boards, list) and [len(one) for one in boards] == [26, 26]  # pyright: ignore[reportUnknownVariableType,reportUnknownArgumentType] - plain data


def draw(view: MatchView) -> str:
    """The board from seat 0's side, with bar, off, pips, dice and cube beside it."""
    board = view.board or {}
    position = _Position(board)
    bar = "BAR" if position.has_bar else " " * _WIDTH
    space = " " * (_WIDTH * len(_UPPER) // 2)
    lines = [
        _edge(_UPPER, "┌┬┐"),
        *(position.row(_UPPER, 1, row) for row in range(_ROWS)),
        f"{_WALL}{space}{_WALL}{bar}{_WALL}{space}{_WALL}",
        *(position.row(_LOWER, 0, row) for row in reversed(range(_ROWS))),
        _edge(_LOWER, "└┴┘"),
    ]
    sides = _sides(view, board)
    framed = [f"  {line}  {sides.get(place, '')}".rstrip() for place, line in enumerate(lines)]
    framed[0], framed[-1] = (f" {CHECKERS[0]}{framed[end][2:]}" for end in (0, -1))
    return "\n".join((position.counted(_UPPER), *framed, position.counted(_LOWER)))


def _edge(points: Sequence[int], corners: str) -> str:
    """One edge of the frame, with seat 0's numbers in it."""
    numbers = [f"{point:─>2}─" if point in _LOWER else f"{point}─" for point in points]
    half = len(numbers) // 2
    left, middle, right = corners
    return f"{left}{''.join(numbers[:half])}{middle}───{middle}{''.join(numbers[half:])}{right}"


class _Position:
    """What stands where, by seat 0's points."""

    def __init__(self, board: Mapping[str, Any]) -> None:
        self.boards: Sequence[Sequence[int]] = board["boards"]
        self.parallel = board.get("geometry") == "parallel"
        self.pinned: Sequence[Sequence[int]] = board.get("pinned") or ((), ())
        self.has_bar = not self.parallel and "pinned" not in board  # where blots are hit

    def own(self, seat: int, point: int) -> int:
        """What ``seat`` calls the point that seat 0 calls ``point``."""
        if seat == 0:
            return point
        if self.parallel:
            return (point + _POINTS // 2 - 1) % _POINTS + 1
        return _POINTS + 1 - point

    def counted(self, points: Sequence[int]) -> str:
        """Seat 1's numbers of these points, for outside the frame."""
        numbers = [f"{self.own(1, point):>2} " for point in points]
        half = len(numbers) // 2
        return f" {CHECKERS[1]} {''.join(numbers[:half])}{'':{_WIDTH + 2}}{''.join(numbers[half:])}".rstrip()

    def row(self, points: Sequence[int], bar_seat: int, row: int) -> str:
        """One row of checkers; ``row`` 0 lies at the edge. The bar holds ``bar_seat``'s in this half."""
        cells = [self._cell(point, row) for point in points]
        bar = _stack(self.boards[bar_seat][_BAR], CHECKERS[bar_seat], row)
        half = len(cells) // 2
        return f"{_WALL}{''.join(cells[:half])}{_WALL}{bar}{_WALL}{''.join(cells[half:])}{_WALL}"

    def _cell(self, point: int, row: int) -> str:
        """A pinned checker lies in brackets at the edge, and what holds it upon it."""
        for seat in (0, 1):
            if self.own(seat, point) in self.pinned[seat]:
                above = self.boards[1 - seat][self.own(1 - seat, point)]
                return _stack(above, CHECKERS[1 - seat], row, 1) if row else f"({CHECKERS[seat]})"
        for seat in (0, 1):
            if count := self.boards[seat][self.own(seat, point)]:
                return _stack(count, CHECKERS[seat], row)
        return " · " if row == 0 else " " * _WIDTH


def _stack(count: int, checker: str, row: int, first: int = 0) -> str:
    """What a stack of ``count`` from row ``first`` on shows in ``row``.

    The last row tells the number if there are more.
    """
    if row - first >= count:
        return " " * _WIDTH
    if row == _ROWS - 1 and count > _ROWS - first:
        return f"{count:^{_WIDTH}}"
    return f" {checker} "


def _sides(view: MatchView, board: Mapping[str, Any]) -> dict[int, str]:
    """What stands to the right, by line of the frame."""
    pips, off = board["pips"], board["off"]
    mark = {seat: "▶ " if board["turn"] == seat and view.phase == "playing" else "  " for seat in (0, 1)}
    points = [f"{score} point{'' if score == 1 else 's'}" for score in view.score]
    sides = {
        _NAME[1]: f"{mark[1]}{CHECKERS[1]} seat 1   {points[1]}",
        _FACTS[1]: f"  {pips[1]} pips, {off[1]} off   {beside(view, 1)}",
        _FACTS[0]: f"  {pips[0]} pips, {off[0]} off   {beside(view, 0)}",
        _NAME[0]: f"{mark[0]}{CHECKERS[0]} seat 0   {points[0]}",
    }
    if board["dice"]:
        sides[_MIDDLE] = (
            "  " + " ".join(_DICE[die] for die in board["dice"]) + "  " + "-".join(map(str, board["dice"]))
        )
    cube = view.cube
    if cube is not None:
        shown = f"  [{cube.offered or cube.value}]"
        if cube.offered is not None:
            by = cube.by or 0
            sides[_OFFERED[by]] = f"{shown} offered by {CHECKERS[by]}"
        elif cube.owner is None:
            sides[_CENTRED] = f"{shown} in the middle"
        else:
            sides[_OWNED[cube.owner]] = f"{shown} owned by {CHECKERS[cube.owner]}"
    if view.crawford:
        sides[_NOTE] = "  Crawford"
    if board.get("last_turn") and board["turn"] is not None:
        sides[_NOTE] = f"  the last roll of the game, for {CHECKERS[board['turn']]}"
    return sides
