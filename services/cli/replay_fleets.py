"""Two seas side by side as text, drawn from a view: what shots have shown, and ships as far as it holds them.

``■`` a ship that no shot has found, ``x`` a hit, ``#`` sunk, ``o`` a miss, ``·`` nothing known. Pure.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, Final

from services.cli.replay_seat import beside, score_of, to_move
from shared.match import MatchView
from shared.rules.battleship.board import NAMES, ROWS, SIZE

_CELL: Final = 3
_GAP: Final = " " * 6
_LEGEND: Final = "■ ship   x hit   # sunk   o miss"


def is_drawable(board: Mapping[str, Any] | None) -> bool:
    """Whether it tells by seat what was missed, hit and sunk."""
    return board is not None and {"misses", "hits", "sunk", "ships"} <= board.keys()


def draw(view: MatchView) -> str:
    """Each seat's sea with what is known of it, under whose it is; below, what of its fleet is left."""
    board = view.board or {}
    seas = [_sea(view, board, seat) for seat in range(len(view.seats))]
    width = max(len(line) for sea in seas for line in sea)
    lines = (_GAP.join(f"{part:<{width}}" for part in parts) for parts in zip(*seas, strict=True))
    return "\n".join(f"  {line}".rstrip() for line in (*lines, "", _LEGEND))


def _sea(view: MatchView, board: Mapping[str, Any], seat: int) -> list[str]:
    signs = _signs(board, seat)
    head = f"{to_move(view, seat)}seat {seat}   {score_of(view, seat)}{beside(view, seat)}"
    numbers = "".join(f"{column + 1:>{_CELL}}" for column in range(SIZE))
    rows = (
        f"{row} " + "".join(f"{signs.get(name, '·'):>{_CELL}}" for name in NAMES[at * SIZE : (at + 1) * SIZE])
        for at, row in enumerate(ROWS)
    )
    return [head, f"  {numbers}", *rows, "", *_left(board, seat)]


def _signs(board: Mapping[str, Any], seat: int) -> dict[str, str]:
    """By cell what is known of it; what a shot has shown outweighs what lies there."""
    ships: Sequence[Sequence[str]] = board["ships"][seat] or ()
    shown: tuple[tuple[str, Iterable[str]], ...] = (
        ("■", chain.from_iterable(ships)),
        ("o", board["misses"][seat]),
        ("x", board["hits"][seat]),
        ("#", chain.from_iterable(board["sunk"][seat])),
    )
    return {cell: sign for sign, cells in shown for cell in cells}


def _left(board: Mapping[str, Any], seat: int) -> tuple[str, str]:
    """Which ships are afloat, by length, and which sunk."""
    if not board["placed"][seat]:
        return ("no fleet placed yet", f"ships {_lengths(board['fleet'])}")
    sunk = [len(ship) for ship in board["sunk"][seat]]
    afloat = list(board["fleet"])
    for length in sunk:
        afloat.remove(length)
    return (f"afloat {_lengths(afloat)}", f"sunk   {_lengths(sunk)}")


def _lengths(ships: Iterable[int]) -> str:
    return " ".join(map(str, sorted(ships, reverse=True))) or "none"
