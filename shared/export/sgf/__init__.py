"""Matches in the Smart Game Format: those of backgammon as gnubg keeps them, games with stones as in Go."""

from collections.abc import Sequence
from typing import Final

from shared.events.match import MatchCreated
from shared.export import agreed, board, record
from shared.export.form import Form, begun
from shared.export.sgf import backgammon, boards

NAME: Final = "sgf"


def _why_not(created: MatchCreated) -> str:
    return agreed.why_not(created, NAME)


def _render(stored: Sequence[bytes], names: Sequence[str]) -> bytes:
    created = begun(stored)
    if any(agreed.exports(game, created).get(NAME) in boards.KINDS for game in agreed.kinds(created)):
        return boards.render(board.read(stored, names, NAME)).encode()
    return backgammon.render(record.read(created, stored, names, NAME)).encode()


FORM: Final = Form(
    name=NAME,
    media="application/x-go-sgf; charset=utf-8",  # what .sgf is known as, whatever the game
    purpose="Smart Game Format",
    named=True,
    why_not=_why_not,
    render=_render,
)
