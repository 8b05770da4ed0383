"""Games as transcripts: their moves on one line, as it is usual for the game; its word here says which."""

from typing import Final

from shared.export.board import by_word
from shared.export.form import Form
from shared.export.txt import reversi

NAME: Final = "txt"
WRITERS: Final = {reversi.WORD: reversi.render}
"""By the game's word for this form."""

FORM: Final[Form] = by_word(NAME, "text/plain; charset=utf-8", "a transcript of reversi", WRITERS)
