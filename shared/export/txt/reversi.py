"""A game of reversi as a transcript: its squares in order without passes, then Black's discs, on one line.

Where the board has decided, the empty squares are the winner's; where it has not, who won otherwise has all
64, and a draw is 32 (our own convention). Without a result no number follows. What the rest of the world
wants to know stands in comments above, which begin with ``#``.
"""

from typing import Any, Final

from shared.export.board import SITE, BoardGame, line
from shared.rules.protocol import PASS, Over

WORD: Final = "Othello"
_ALL: Final = 64


def render(game: BoardGame) -> bytes:
    """The game as a file."""
    black, white = map(line, game.by_players)
    day = "" if game.day is None else game.day.strftime(" %Y-%m-%d")
    head = [f"{SITE} {game.match}{day}", f"black: {black}", f"white: {white}", game.how]
    comments = "".join(f"# {text}\n" for text in head if text)
    moves = "".join(ply.written for ply in game.plies if ply.move != PASS)
    return f"{comments}{moves} {_discs(game)}".rstrip().encode() + b"\n"


def _discs(game: BoardGame) -> str:
    """Black's discs at the end, "" where the game has no result."""
    if isinstance(game.rules.waiting(game.position), Over):
        shown: dict[str, Any] = game.rules.view(game.position, None)
        return str(shown["score"][game.first])
    return game.result(str(_ALL), "0", str(_ALL // 2), "")
