"""Placements and shots as people and programs write them.

A placement: ``a1-a4 c1-c3 j10``, or cell by cell ``a1 a2 a3 a4``, in any order, with blanks, commas or
nothing between. A shot: ``b7``, ``B7``, ``b-7``, ``b 7``, with its answer behind it or not.
"""

import re
from typing import Final

from shared.problems import Refused
from shared.rules.battleship.board import CELLS, NAMES, ROWS, SIZE
from shared.rules.written import plain

_LONGEST: Final = 500
_CELL: Final = r"[a-j](?:10|[1-9])(?!\d)"
_SHIP: Final = re.compile(rf"({_CELL})(?:\s*-\s*({_CELL}))?[\s,;]*")
_NAMED: Final = re.compile(r"[a-z]\d{1,3}")
_WRITTEN: Final = re.compile(rf"(?:{_NAMED.pattern}|[\s,;-])+")
_SHOT: Final = re.compile(r"([a-j])\s*[-:,]?\s*(10|[1-9])(?:\s+(?:miss|hit|sunk))?")


def placed(text: str) -> list[int]:
    """The cells that ``text`` names, each once; raises ``Refused("unreadable_move")`` or ``illegal_move``."""
    text, at = plain(text, longest=_LONGEST), 0
    found: list[int] = []
    while (ship := _SHIP.match(text, at)) is not None:
        found += _line(ship[1], ship[2] or ship[1])
        at = ship.end()
    if not found or at < len(text):
        _on_the_board(text)
        raise Refused("unreadable_move", "Write all ships by their ends, for example a1-a4 c1-c3 e5.")
    if twice := next((cell for cell in found if found.count(cell) > 1), None):
        raise Refused("illegal_move", f"{NAMES[twice]} is named twice.")
    return found


def is_cell(text: str) -> bool:
    """Whether ``text`` is a single cell, such as a shot is."""
    return _SHOT.fullmatch(plain(text)) is not None


def _on_the_board(text: str) -> None:
    """Raise ``Refused("illegal_move")`` where ``text`` names cells, and one of them is not on the board."""
    if _WRITTEN.fullmatch(text) is None:
        return
    if off := next((cell for cell in _NAMED.findall(text) if cell not in CELLS), None):
        raise Refused(
            "illegal_move", f"{off} is not on the board: rows are a to {ROWS[-1]}, columns 1 to {SIZE}."
        )


def _line(begin: str, end: str) -> list[int]:
    """The cells from one to the other."""
    first, last = sorted((CELLS[begin], CELLS[end]))
    if first // SIZE == last // SIZE:
        return list(range(first, last + 1))
    if (last - first) % SIZE:
        raise Refused("illegal_move", f"{begin} and {end} are neither in one row nor in one column.")
    return list(range(first, last + 1, SIZE))


def shot(text: str) -> str:
    """The name of the cell that ``text`` means; raises ``Refused("unreadable_move")``."""
    text = plain(text)
    cell = _SHOT.fullmatch(text)
    if cell is None:
        _on_the_board(text)
        raise Refused("unreadable_move", "Write the cell, for example b7: its row, then its column.")
    return cell[1] + cell[2]
