"""Moves as people and programs write them: the level and the square there.

Understood are ``2b3``, ``2B3``, ``2-b3``, ``2 b3``, and the square first, ``b3-2``; marks of comment at the
end.
"""

import re
from typing import Final

from shared.problems import Refused
from shared.rules.written import plain

_LEVEL_FIRST: Final = re.compile(r"([1-4])\s*[-,:/]?\s*([a-d][1-4])")
_SQUARE_FIRST: Final = re.compile(r"([a-d][1-4])\s*[-,:/]?\s*([1-4])")


def written(text: str) -> str:
    """The name of the cell; raises ``Refused("unreadable_move")``."""
    text = plain(text)
    if found := _LEVEL_FIRST.fullmatch(text):
        return found[1] + found[2]
    if found := _SQUARE_FIRST.fullmatch(text):
        return found[2] + found[1]
    raise Refused(
        "unreadable_move", "Write the level from 1 to 4 and the square, a1 to d4: 2b3, for example."
    )
