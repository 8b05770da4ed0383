"""A board of letters as text, drawn from a view: premium squares, words, racks as far as it holds them. Pure.

Small letters are blanks. An empty square that multiplies is drawn as usual in the field's text boards.
"""

from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import Any, Final

from services.cli.replay_seat import beside, to_move
from shared.match import MatchView
from shared.rules.scrabble.board import EMPTY, PREMIUMS, SIZE

_PREMIUM: Final = {"T": "=", "D": "-", "t": '"', "d": "'", EMPTY: "·"}
_LEGEND: Final = "= word ×3   - word ×2   \" letter ×3   ' letter ×2   small letter: a blank"
_WRAPPED: Final = 40  # so many tiles of the bag stand in a line
_COLUMNS: Final = "   " + " ".join(chr(ord("A") + column) for column in range(SIZE))


def is_drawable(board: Mapping[str, Any] | None) -> bool:
    """Whether there are rows of letters, and racks of tiles beside them."""
    if board is None or not {"board", "racks", "tiles", "bag"} <= board.keys():
        return False
    return [len(row) for row in board["board"]] == [SIZE] * SIZE


def draw(view: MatchView) -> str:
    """The board; beside it each seat with its score and its rack, or how many tiles it has, and the bag."""
    board = view.board or {}
    rows: Sequence[str] = board["board"]
    lines = [_COLUMNS, *(f"{at + 1:>2} {_row(row, at)}" for at, row in enumerate(rows))]
    beside_it = zip_longest(lines, ["", *_told(view, board)], fillvalue="")
    drawn = [f"{line:<{len(_COLUMNS)}}    {said}" for line, said in beside_it]
    return "\n".join(f"  {line}".rstrip() for line in (*drawn, "", _LEGEND))


def _row(row: str, at: int) -> str:
    premiums = PREMIUMS[at * SIZE : (at + 1) * SIZE]
    return " ".join(
        _PREMIUM[premium] if sign == EMPTY else sign for sign, premium in zip(row, premiums, strict=True)
    )


def _told(view: MatchView, board: Mapping[str, Any]) -> list[str]:
    lines: list[str] = []
    for seat in range(len(view.seats)):
        rack: str | None = board["racks"][seat]
        gone = "gave up" if seat in board["gone"] else ""
        parts = [f"seat {seat}", f"{board['scores'][seat]:>4}", gone, beside(view, seat)]
        lines += [
            to_move(view, seat) + "  ".join(part for part in parts if part),
            f"  {rack or _tiles(board['tiles'][seat])}{_corrected(board, seat)}",
        ]
    left: str | None = board["left"]
    lines += ["", f"  bag {_tiles(board['bag'])}"]
    if left and view.phase != "playing":
        lines += [f"  {left[at : at + _WRAPPED]}" for at in range(0, len(left), _WRAPPED)]
    if board["open"]:
        lines.append("  the play may be challenged")
    return lines


def _corrected(board: Mapping[str, Any], seat: int) -> str:
    """What the tiles left over took or gave at the end; it is in the score."""
    corrections: Sequence[int] | None = board["corrections"]
    return f"   {corrections[seat]:+} for tiles left" if corrections and corrections[seat] else ""


def _tiles(count: int) -> str:
    return "1 tile" if count == 1 else f"{count or 'no'} tiles"
