"""Games as JSON objects, each game with fields of its own; the game's word for this form says which."""

from collections.abc import Sequence
from typing import Final

from shared.export import board
from shared.export.form import Form
from shared.export.json import abalone

NAME: Final = "json"
WRITERS: Final = {abalone.WORD: abalone.render}
"""By the game's word for this form."""


def _render(stored: Sequence[bytes], names: Sequence[str]) -> bytes:
    game = board.read(stored, names, NAME)
    return WRITERS[game.word](game)


FORM: Final = Form(
    name=NAME,
    media="application/json",
    purpose="a game of abalone with its positions",
    named=True,
    render=_render,
)
