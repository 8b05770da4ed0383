"""A game of abalone as a JSON object: the start, the moves, and the position that they lead to.

These three are what tournaments hand round; the players, the day, the result and how it came about stand
beside them. ``result`` is ``black``, ``white`` or ``draw``, and absent where there is none.
"""

from typing import Final

import msgspec

from shared.export.board import BoardGame, line

WORD: Final = "Abalone"


class Told(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The file."""

    start: str
    moves: tuple[str, ...]
    final: str
    black: str
    white: str
    match: str
    date: str = ""
    result: str = ""
    ended: str = ""


def render(game: BoardGame) -> bytes:
    """The game as a file."""
    black, white = map(line, game.by_players)
    told = Told(
        start=game.options["start"],
        moves=tuple(ply.written for ply in game.plies),
        final=game.rules.position(game.position),
        black=black,
        white=white,
        match=game.match,
        date="" if game.day is None else game.day.strftime("%Y-%m-%d"),
        result=game.result("black", "white", "draw", ""),
        ended=game.how,
    )
    return msgspec.json.format(msgspec.json.encode(told), indent=1) + b"\n"
