"""Moves as people and programs write them, and why a text is no legal move.

Understood are ``c3-d4``, ``c3d4``, ``c3 d4``; ``c3:e5``, ``c3xe5``, and a capture with a hyphen or nothing,
but no other move with the sign of a capture; big letters, marks of comment at the end. Of a capture any
squares between may be left out as long as it stays clear which one is meant, and a king's may be those of any
way in which the same pieces are taken. A text that leaves none out means just that capture.
"""

import re
from typing import Final

from shared.problems import Refused
from shared.rules.draughts.board import BETWEEN, NAMES, SQUARES
from shared.rules.draughts.moves import CAPTURES, Mover, capture_text, captures, capturing, moves
from shared.rules.written import plain

_SQUARE: Final = re.compile(r"[a-h][1-8]")
_MOVE: Final = re.compile(r"[a-h][1-8](?:\s*[-–:x×*]?\s*[a-h][1-8])+")
_SIGNS: Final = frozenset(":x×*")
"""What stands between the squares of a capture only."""

_LONGEST_TEXT: Final = 100


def read(mover: Mover, text: str) -> str:
    """The canonical move; raises ``Refused("unreadable_move")`` or ``Refused("illegal_move")``."""
    legal = moves(mover)
    if text in legal:
        return text
    text = plain(text, "*", _LONGEST_TEXT)
    path = _path(text)
    if CAPTURES not in legal[0]:
        move = f"{NAMES[path[0]]}-{NAMES[path[-1]]}"
        if len(path) != 2 or move not in legal:  # noqa: PLR2004 - from and to
            raise Refused("illegal_move", _no_move(mover, path))
        if _SIGNS & {*text}:
            raise Refused("illegal_move", f"Nothing can be captured here; without a capture it is {move}.")
        return move
    meant = _through(mover, path)
    possible = [
        capture
        for capture in captures(mover)
        if capture.path[0] == path[0] and (capture.path[-1], capture.taken) in meant
    ]
    whole = [capture for capture in possible if capture.taken.bit_count() == len(path) - 1]
    found = sorted(capture_text(capture) for capture in whole or possible)
    if len(found) > 1:
        raise Refused("unreadable_move", f"Several captures begin and end so; write {' or '.join(found)}.")
    if not found:
        raise Refused("illegal_move", _no_capture(mover, path))
    return found[0]


def _path(text: str) -> list[int]:
    """The squares that are written, at least two."""
    if not _MOVE.fullmatch(text):
        raise Refused("unreadable_move", "Write from where to where: c3-d4, or c3:e5 for a capture.")
    found: list[str] = _SQUARE.findall(text)
    light = [name for name in found if name not in SQUARES]
    if light:
        raise Refused("unreadable_move", f"{light[0]} is a light square; all pieces stand on dark ones.")
    return [SQUARES[name] for name in found]


def _through(mover: Mover, path: list[int]) -> set[tuple[int, int]]:
    """Ends and taken sets of the captures that can be made by way of ``path``, landing anywhere besides."""
    onward = capturing(mover).get(path[0])
    if onward is None:
        return set()
    stops, end = path[1:-1], path[-1]
    found: set[tuple[int, int]] = set()
    seen: set[tuple[int, int, int]] = set()
    open_ends = [(path[0], 0, 0)]
    while open_ends:
        square, taken, passed = open_ends.pop()
        ahead = onward(square, taken)
        if not ahead and square == end and passed == len(stops):
            found.add((square, taken))
        if taken and passed < len(stops) and square == stops[passed]:
            passed += 1
        for there, by_then in ahead:
            state = (there, by_then, passed)
            if state not in seen:
                seen.add(state)
                open_ends.append(state)
    return found


def _wrong_start(mover: Mover, start: int) -> str:
    if (mover.men | mover.kings) >> start & 1:
        return ""
    return f"No piece of yours stands on {NAMES[start]}."


def _no_capture(mover: Mover, path: list[int]) -> str:
    """Why ``path`` is not played where a capture is compulsory."""
    start = path[0]
    if wrong := _wrong_start(mover, start):
        return wrong
    example = moves(mover)[0]
    able = capturing(mover)
    if start in able:
        mine = next(move for move in moves(mover) if move.startswith(NAMES[start]))
        return f"The piece on {NAMES[start]} must capture, to the end: {mine}."
    if mover.men >> start & 1 and all(mover.kings >> square & 1 for square in able):
        return f"A king can capture, so a king must: {example}."
    return f"A capture is compulsory: {example}."


def _no_move(mover: Mover, path: list[int]) -> str:
    """Why ``path`` is not played where nothing can be captured."""
    start, end = path[0], path[-1]
    if wrong := _wrong_start(mover, start):
        return wrong
    if len(path) > 2:  # noqa: PLR2004 - from and to
        return "Only a capture has more than two squares, and nothing can be captured here."
    if not mover.free >> end & 1:
        return f"{NAMES[end]} is not free."
    if mover.men >> start & 1:
        return "A man goes one square diagonally forward; nothing can be captured here."
    between = BETWEEN.get((start, end))
    if between is None:
        return f"{NAMES[start]} and {NAMES[end]} are not on one diagonal."
    return f"The way from {NAMES[start]} to {NAMES[end]} is not free, and nothing can be captured there."
