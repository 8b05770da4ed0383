"""Czech draughts (§4), read a second time: whole paths, square by square, one condition after another.

Written from the rules page alone, without a look at ``shared.rules``. A board maps the name of a square to
``w`` or ``b`` for a man, ``W`` or ``B`` for a king.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

Board = Mapping[str, str]


class Way(NamedTuple):
    """One way to move: every square on which the piece stands, and the squares of the pieces it takes."""

    path: tuple[str, ...]
    taken: frozenset[str]


def shifted(square: str, right: int, up: int) -> str | None:
    """The square so far away, None off the board."""
    file, row = ord(square[0]) + right, int(square[1]) + up
    return f"{chr(file)}{row}" if "a" <= chr(file) <= "h" and 1 <= row <= 8 else None


def diagonal(square: str, right: int, up: int) -> list[str]:
    """All squares in one direction."""
    found: list[str] = []
    there = shifted(square, right, up)
    while there is not None:
        found.append(there)
        there = shifted(there, right, up)
    return found


DIRECTIONS = [(right, up) for right in (-1, 1) for up in (-1, 1)]


def forward(colour: str) -> list[tuple[int, int]]:
    """Where men go."""
    return [(right, 1 if colour == "w" else -1) for right in (-1, 1)]


def jumps(board: Board, colour: str, square: str, piece: str, taken: frozenset[str]) -> list[tuple[str, str]]:
    """Every single jump from ``square``: what is jumped and where one lands, the landing rule apart.

    ``board`` is without the piece that captures. Men jump next to them and forward, kings any distance.
    """
    found: list[tuple[str, str]] = []
    for right, up in DIRECTIONS if piece.isupper() else forward(colour):
        line = diagonal(square, right, up)
        for distance, over in enumerate(line):
            if over not in board:
                if piece.isupper():
                    continue
                break
            if board[over].lower() == colour or over in taken:
                break
            for landing in line[distance + 1 :]:
                if landing in board:
                    break
                found.append((over, landing))
                if piece.islower():
                    break
            break
    return found


def captures(board: Board, colour: str, start: str) -> Iterator[Way]:
    """All ways to capture with the piece on ``start``, to their end."""
    piece = board[start]
    others = {square: other for square, other in board.items() if square != start}

    def go_on(way: Way) -> Iterator[Way]:
        here = jumps(others, colour, way.path[-1], piece, way.taken)
        if not here and way.taken:
            yield way
        for over, landing in here:
            taken = way.taken | {over}
            beside = [there for other, there in here if other == over]
            better = [there for there in beside if jumps(others, colour, there, piece, taken)]
            if not better or landing in better:
                yield from go_on(Way((*way.path, landing), taken))

    return go_on(Way((start,), frozenset()))


def ways(board: Board, colour: str) -> list[Way]:
    """Every legal way to move, several of which may be one move."""
    mine = sorted(square for square, piece in board.items() if piece.lower() == colour)
    for pieces in (
        [square for square in mine if board[square].isupper()],
        [square for square in mine if board[square].islower()],
    ):
        found = [way for square in pieces for way in captures(board, colour, square)]
        if found:
            return found
    return [Way((start, end), frozenset()) for start in mine for end in steps(board, colour, start)]


def steps(board: Board, colour: str, start: str) -> Iterator[str]:
    """Where the piece on ``start`` goes without a capture."""
    king = board[start].isupper()
    for right, up in DIRECTIONS if king else forward(colour):
        for there in diagonal(start, right, up):
            if there in board:
                break
            yield there
            if not king:
                break


def after(board: Board, way: Way) -> dict[str, str]:
    """The board after a move."""
    start, end = way.path[0], way.path[-1]
    left = {square: piece for square, piece in board.items() if square != start and square not in way.taken}
    piece = board[start]
    far = "8" if piece.lower() == "w" else "1"
    return left | {end: piece.upper() if end.endswith(far) else piece}
