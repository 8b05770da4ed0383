"""A game of draughts as PDN: squares by letter and number, every square of a capture, ``x`` between them.

The game's word for this form is the value of ``GameType``.
"""

from collections.abc import Sequence
from typing import Final

from shared.export import board, tagged
from shared.export.form import Form

NAME: Final = "pdn"


def _render(stored: Sequence[bytes], names: Sequence[str]) -> bytes:
    game = board.read(stored, names, NAME)
    moves = (ply.written.replace(":", "x") for ply in game.plies)
    return tagged.written(game, {"GameType": game.word}, moves)


FORM: Final = Form(
    name=NAME,
    media="text/plain; charset=utf-8",
    purpose="Portable Draughts Notation",
    named=True,
    render=_render,
)
