"""A backgammon-like board as text, drawn from a view. Pure."""

from collections.abc import Sequence
from typing import Any, Final

from services.cli.replay_seat import beside
from shared.match import MatchView

CHECKERS: Final = ("●", "○")
_DICE: Final = " ⚀⚁⚂⚃⚄⚅"
_ROWS: Final = 5
_WIDTH: Final = 3
_POINTS: Final = 24
_BAR: Final = 25
_TOP: Final = "┌13─14─15─16─17─18─┬───┬19─20─21─22─23─24─┐"
_BOTTOM: Final = "└12─11─10──9──8──7─┴───┴─6──5──4──3──2──1─┘"


def is_drawable(board: dict[str, Any] | None) -> bool:
    """Whether the position has what is drawn here: two boards of 26 counts by own point."""
    boards = board.get("boards") if board else None
    return isinstance(boards, list) and [len(one) for one in boards] == [26, 26]  # pyright: ignore[reportUnknownVariableType,reportUnknownArgumentType] - plain data


def draw(view: MatchView) -> str:
    """The board from seat 0's side, with bar, off, pips, dice and cube beside it."""
    board: dict[str, Any] = view.board or {}
    boards: Sequence[Sequence[int]] = board["boards"]
    upper = [_row(boards, range(13, 25), 1, row) for row in range(_ROWS)]
    lower = [_row(boards, range(12, 0, -1), 0, row) for row in reversed(range(_ROWS))]
    sides = _sides(view, board)
    lines = [_TOP, *upper, f"│{'':18}│BAR│{'':18}│", *lower, _BOTTOM]
    return "\n".join(f"  {line}  {sides.get(place, '')}".rstrip() for place, line in enumerate(lines))


def _row(boards: Sequence[Sequence[int]], points: Sequence[int], bar_seat: int, row: int) -> str:
    """One row of checkers; ``row`` 0 lies at the edge. The bar holds ``bar_seat``'s in this half."""
    cells = [_cell(boards, point, row) for point in points]
    bar = _stack(boards[bar_seat][_BAR], CHECKERS[bar_seat], row)
    half = len(cells) // 2
    return f"│{''.join(cells[:half])}│{bar}│{''.join(cells[half:])}│"


def _cell(boards: Sequence[Sequence[int]], point: int, row: int) -> str:
    for seat, own in ((0, point), (1, _POINTS + 1 - point)):
        if boards[seat][own]:
            return _stack(boards[seat][own], CHECKERS[seat], row)
    return " · " if row == 0 else " " * _WIDTH


def _stack(count: int, checker: str, row: int) -> str:
    """What a stack of ``count`` shows in ``row``: the last row tells the number if there are more."""
    if row >= count:
        return " " * _WIDTH
    if row == _ROWS - 1 and count > _ROWS:
        return f"{count:^{_WIDTH}}"
    return f" {checker} "


def _sides(view: MatchView, board: dict[str, Any]) -> dict[int, str]:
    """What stands to the right, by line of the drawing."""
    pips, off = board["pips"], board["off"]
    mark = {seat: "▶ " if board["turn"] == seat and view.phase == "playing" else "  " for seat in (0, 1)}
    sides = {
        1: f"{mark[1]}{CHECKERS[1]} seat 1   {view.score[1]} points",
        2: f"  {pips[1]} pips, {off[1]} off   {beside(view, 1)}",
        10: f"  {pips[0]} pips, {off[0]} off   {beside(view, 0)}",
        11: f"{mark[0]}{CHECKERS[0]} seat 0   {view.score[0]} points",
    }
    if board["dice"]:
        sides[6] = (
            "  " + " ".join(_DICE[die] for die in board["dice"]) + "  " + "-".join(map(str, board["dice"]))
        )
    cube = view.cube
    if cube is not None:
        shown = f"  [{cube.offered or cube.value}]"
        if cube.offered is not None:
            sides[5 if cube.by == 1 else 7] = f"{shown} offered by {CHECKERS[cube.by or 0]}"
        elif cube.owner is None:
            sides[7] = f"{shown} in the middle"
        else:
            sides[3 if cube.owner == 1 else 9] = f"{shown} owned by {CHECKERS[cube.owner]}"
    if view.crawford:
        sides[5] = "  Crawford"
    return sides
