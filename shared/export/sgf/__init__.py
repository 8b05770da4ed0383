"""Matches in the Smart Game Format: those of backgammon as gnubg keeps them, games with stones as in Go."""

from collections.abc import Sequence
from typing import Final

from shared.export import agreed, board, tables
from shared.export.form import Form, begun
from shared.export.sgf import backgammon, boards

NAME: Final = "sgf"


def _render(stored: Sequence[bytes], names: Sequence[str]) -> bytes:
    created = begun(stored)
    if any(agreed.exports(game, created).get(NAME) in boards.KINDS for game in agreed.kinds(created)):
        return boards.render(board.read(stored, names, NAME)).encode()
    return backgammon.render(tables.read(created, stored, names, NAME)).encode()


FORM: Final = Form(
    name=NAME,
    media="application/x-go-sgf; charset=utf-8",  # what .sgf is known as, whatever the game
    purpose="Smart Game Format",
    named=True,
    render=_render,
)
