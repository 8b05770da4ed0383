"""Moves as people and programs write them: a cell such as ``h8``, or which symbols one takes.

Understood are ``h8``, ``H8``, ``h-8``, ``h 8``, ``h08``; ``circles``, ``o``, ``black`` and ``crosses``,
``x``, ``white``, as the symbols are also called, and the Czech words; marks of comment at the end.
"""

import re
from typing import Final

from shared.problems import Refused
from shared.rules.written import plain

CIRCLES: Final = "circles"
CROSSES: Final = "crosses"
SIDES: Final = (CIRCLES, CROSSES)

_WORDS: Final = {
    CIRCLES: ("circles", "circle", "o", "black", "kolečka", "kolečko", "kolecka", "kolecko"),
    CROSSES: ("crosses", "cross", "x", "white", "křížky", "křížek", "krizky", "krizek"),
}
_SIDE_OF: Final[dict[str, str]] = {word: side for side, words in _WORDS.items() for word in words}
_CELL: Final = re.compile(r"([a-z])\s*[-,:]?\s*0?([1-9][0-9]?)")


def written(text: str) -> str:
    """The cell or side that ``text`` names, in its canonical text; on the board or not.

    Raises ``Refused("unreadable_move")``.
    """
    text = plain(text)
    if text in _SIDE_OF:
        return _SIDE_OF[text]
    cell = _CELL.fullmatch(text)
    if cell is None:
        raise Refused("unreadable_move", "Write the cell, for example h8: its column, then its row.")
    return "".join(cell.groups())
