"""Games as transcripts: their moves on one line, as it is usual for the game; its word here says which."""

from collections.abc import Sequence
from typing import Final

from shared.export import board
from shared.export.form import Form
from shared.export.txt import reversi

NAME: Final = "txt"
WRITERS: Final = {reversi.WORD: reversi.render}
"""By the game's word for this form."""


def _render(stored: Sequence[bytes], names: Sequence[str]) -> bytes:
    game = board.read(stored, names, NAME)
    return WRITERS[game.word](game)


FORM: Final = Form(
    name=NAME,
    media="text/plain; charset=utf-8",
    purpose="a transcript of reversi",
    named=True,
    render=_render,
)
