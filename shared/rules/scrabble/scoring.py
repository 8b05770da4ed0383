"""What a play is worth (§9): premiums count only under the tiles of this turn, in cross words too."""

from collections.abc import Mapping
from typing import Final, NamedTuple

from shared.rules.scrabble.board import LETTER_TIMES, WORD_TIMES, laid, run
from shared.rules.scrabble.tiles import RACK, VALUES

BINGO: Final = 50
"""For all seven tiles in one play."""


class Scored(NamedTuple):
    """The words that a play forms, in capital letters, the main word first, and its points."""

    words: tuple[str, ...]
    points: int


def score(
    board: str, tiles: Mapping[int, str], *, across: bool, values: Mapping[str, int] = VALUES
) -> Scored:
    """The play that lays ``tiles`` (signs by square) in one row (``across``) or column.

    ``values`` are by tile; letters that are not there, small ones, are blanks and worth nothing.
    """
    cells = laid(board, tiles)
    words: list[str] = []
    points = 0
    first = next(iter(tiles))
    runs = [run(cells, first, across=across)]
    runs += [run(cells, square, across=not across) for square in tiles]
    for squares in runs:
        if len(squares) == 1:
            continue
        total, times = 0, 1
        for square in squares:
            value = values.get(cells[square], 0)
            if square in tiles:
                value *= LETTER_TIMES[square]
                times *= WORD_TIMES[square]
            total += value
        words.append("".join(cells[square] for square in squares).upper())
        points += total * times
    return Scored(tuple(words), points + (BINGO if len(tiles) == RACK else 0))
