"""A game as PGN, in its export format: the moves in SAN."""

from collections.abc import Sequence
from typing import Final

from shared.export import board, tagged
from shared.export.form import Form

NAME: Final = "pgn"


def _render(stored: Sequence[bytes], names: Sequence[str]) -> bytes:
    game = board.read(stored, names, NAME)
    return tagged.written(game, {"PlyCount": str(len(game.plies))}, (ply.written for ply in game.plies))


FORM: Final = Form(
    name=NAME,
    media="application/vnd.chess-pgn; charset=utf-8",
    purpose="Portable Game Notation, for chess programs",
    named=True,
    render=_render,
)
