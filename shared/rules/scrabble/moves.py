"""Moves as canonical text, as GCG has them (§9).

``8H KOLO`` lays tiles across from H8, ``H8 KOLO`` down; a small letter is a blank, ``.`` a tile that lies
there. ``-AB?`` exchanges these tiles, ``-`` passes. Where plays may be challenged, ``challenge upheld`` is a
challenge that withdraws the play before, ``challenge failed`` one after which it stands: players write
``challenge``, the list of words judges once, and the log keeps its verdict (ADR 0015). ``accept`` lets the
play stand that ends the game.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple

from shared.rules.scrabble.board import EMPTY, SIZE, laid, run, start_name
from shared.rules.scrabble.tiles import in_order, tile_of

NO_PLAY: Final = "-"
CHALLENGE: Final = "challenge"
"""What players write; no canonical move."""

UPHELD: Final = "challenge upheld"
FAILED: Final = "challenge failed"
JUDGED: Final = (UPHELD, FAILED)
ACCEPT: Final = "accept"


class Placement(NamedTuple):
    """Signs by square, in order, in one row (``across``) or column."""

    tiles: dict[int, str]
    across: bool

    @property
    def from_rack(self) -> str:
        """The tiles that it takes from the rack, in order."""
        return in_order(tile_of(sign) for sign in self.tiles.values())


def is_play(move: str) -> bool:
    """Whether this canonical move lays tiles."""
    return not move.startswith(NO_PLAY) and move not in (ACCEPT, *JUDGED)


def exchange(tiles: str) -> str:
    """The canonical exchange of these tiles."""
    return NO_PLAY + in_order(tiles)


def placement(move: str) -> Placement:
    """What a canonical play lays where."""
    start, _, word = move.partition(" ")
    across = start[0].isdecimal()
    column, row = (start[-1], start[:-1]) if across else (start[0], start[1:])
    square = (int(row) - 1) * SIZE + ord(column) - ord("A")
    step = 1 if across else SIZE
    tiles = {square + step * place: sign for place, sign in enumerate(word) if sign != EMPTY}
    return Placement(tiles, across)


def written(board: str, tiles: Mapping[int, str], *, across: bool) -> str:
    """The canonical play that lays ``tiles`` on ``board``, in one row or column.

    A single tile goes across where it forms a word that way, else down.
    """
    cells = laid(board, tiles)
    first = next(iter(tiles))
    if len(tiles) == 1:
        across = len(run(cells, first, across=True)) > 1
    squares = run(cells, first, across=across)
    word = "".join(tiles.get(square, EMPTY) for square in squares)
    return f"{start_name(squares[0], across=across)} {word}"
