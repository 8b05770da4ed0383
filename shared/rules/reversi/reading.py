"""Moves as people and programs write them: ``f5``, ``F5``, ``f-5``, ``f 5``; ``pass``, ``PA``, ``--``."""

import re
from typing import Final

from shared.problems import Refused
from shared.rules.protocol import PASS
from shared.rules.written import plain

_SQUARE: Final = re.compile(r"([a-h])\s*[-:,]?\s*([1-8])")
_PASSES: Final = frozenset({PASS, "pa", "ps", "-", "--"})


def written(text: str) -> str:
    """The square or pass that ``text`` names; raises ``Refused("unreadable_move")``."""
    text = plain(text)
    if text in _PASSES:
        return PASS
    square = _SQUARE.fullmatch(text)
    if square is None:
        raise Refused("unreadable_move", "Write the square, for example f5: its column, then its row.")
    return square[1] + square[2]
