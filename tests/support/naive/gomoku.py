"""Lines of gomoku (§1), read a second time: the whole board written out along every line.

Written from the rules page alone, without a look at ``shared.rules``. A board is one text, row after row, of
``o``, ``x`` and ``.``.
"""

import re
from collections.abc import Iterator


def lines(board: str, size: int) -> Iterator[str]:
    """Every row, every column, every diagonal one way and the other."""
    for at in range(size):
        yield board[at * size : (at + 1) * size]
        yield board[at::size]
        yield board[at :: size + 1][: size - at]  # from the top row down to the right
        yield board[at :: size - 1][: at + 1]  # from the top row down to the left
    for at in range(1, size):
        yield board[at * size :: size + 1]  # from the left column down to the right
        yield board[(at + 1) * size - 1 :: size - 1][: size - at]  # from the right column down to the left


def longest(board: str, size: int, sign: str) -> set[int]:
    """How long the runs of a symbol are."""
    return {len(run) for run in re.findall(f"{sign}+", "|".join(lines(board, size)))}


def won(board: str, size: int, sign: str) -> bool:
    """Whether a symbol has five in a row somewhere, neither more nor less."""
    return 5 in longest(board, size, sign)
