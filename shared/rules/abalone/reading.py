"""Moves as people and programs write them, and why a text is no legal move.

Understood is ``a1d4`` with any case, with a sign or a blank between the cells. Besides it the notation of the
game's manual: ``a1-b2``, the rearmost marble and the cell before it, for a whole line that moves, and
``a1a3-b1``, both ends of a line and where the first of them goes.
"""

import re
from typing import Final

from shared.problems import Refused
from shared.rules.abalone.board import CELLS, DIRECTION, NAMES, RAY_BITS, RAYS, cells
from shared.rules.abalone.moves import BROADSIDES, BY_TEXT, MOST, front, moves
from shared.rules.written import plain

_CELL: Final = re.compile(r"[a-i][1-9]")
_MOVE: Final = re.compile(r"[a-i][1-9](?:\s*[-–:x×]?\s*[a-i][1-9]){1,2}")


def read(mine: int, theirs: int, text: str) -> str:
    """The canonical move; raises ``Refused("unreadable_move")`` or ``Refused("illegal_move")``."""
    legal = moves(mine, theirs)
    if text in legal:
        return text
    named = _named(text)
    found = _beside(named) if len(named) > 2 else _along(mine, theirs, named[0], named[1])  # noqa: PLR2004 - from and to
    if found in legal:
        return found
    raise Refused("illegal_move", _why_not(mine, theirs, named))


def _named(text: str) -> list[int]:
    """The two or three cells that are written."""
    text = plain(text)
    if not _MOVE.fullmatch(text):
        raise Refused("unreadable_move", "Write from where to where, for example a1d4.")
    found: list[str] = _CELL.findall(text)
    missing = [name for name in found if name not in CELLS]
    if missing:
        raise Refused("unreadable_move", f"The board has no cell {missing[0]}.")
    return [CELLS[name] for name in found]


def _along(mine: int, theirs: int, start: int, end: int) -> str:
    """The move as it is written, or the whole line from ``start`` on if only its next cell is named."""
    written = NAMES[start] + NAMES[end]
    direction = DIRECTION.get((start, end))
    if direction is None or RAYS[start][direction][0] != end:
        return written
    last = front(RAY_BITS[start][direction], mine, theirs)
    return written if last < 0 else NAMES[start] + NAMES[RAYS[start][direction][last]]


def _beside(named: list[int]) -> str:
    """The broadside of the line between the first two cells that brings the first to the third."""
    one, other, target = named
    along, motion = DIRECTION.get((one, other)), DIRECTION.get((one, target))
    if along is None or motion is None or RAYS[one][motion][0] != target:
        return ""
    group = [one, *RAYS[one][along][: RAYS[one][along].index(other) + 1]]
    there = [cell for member in group for cell in RAYS[member][motion][:1]]
    wanted = (sum(1 << cell for cell in group), sum(1 << cell for cell in there))
    return next((text for left, reached, text in BROADSIDES if (left, reached) == wanted), "")


def _why_not(mine: int, theirs: int, named: list[int]) -> str:
    """Why these cells are no legal move."""
    start, end = named[0], named[-1]
    if not mine >> start & 1:
        return f"No marble of yours lies on {NAMES[start]}."
    if len(named) == 2 and (start, end) in DIRECTION:  # noqa: PLR2004 - from and to
        return _why_not_along(mine, theirs, start, DIRECTION[start, end])
    text = NAMES[start] + NAMES[end] if len(named) == 2 else _beside(named)  # noqa: PLR2004 - as above
    for group, there in BY_TEXT.get(text, ()):
        if group & mine == group:
            taken = next(cells(there & (mine | theirs)))
            return f"{NAMES[taken]} is not free; a line that moves beside itself pushes nothing."
    return "Up to three marbles of one line move one step, along it or beside it."


def _why_not_along(mine: int, theirs: int, start: int, direction: int) -> str:
    ray = RAY_BITS[start][direction]
    last = front(ray, mine, theirs)
    own = 1 + next((at for at, bit in enumerate(ray) if not mine & bit), len(ray))
    pushed = next((at for at, bit in enumerate(ray[own - 1 :]) if not theirs & bit), len(ray) - own + 1)
    if last >= 0:
        why = f"That way {NAMES[start]} moves as {NAMES[start]}{NAMES[RAYS[start][direction][last]]}."
    elif own > MOST:
        why = f"{own} marbles lie in that line; no more than three move at once."
    elif own > len(ray):
        why = "Your own marbles do not leave the board."
    elif pushed >= own:
        why = f"{own} cannot push {pushed}: it takes more to push than are pushed."
    else:
        why = "One of your own marbles lies behind those that would be pushed."
    return why
