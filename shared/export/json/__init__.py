"""Games as JSON objects, each game with fields of its own; the game's word for this form says which."""

from typing import Final

from shared.export.board import by_word
from shared.export.form import Form
from shared.export.json import abalone

NAME: Final = "json"
WRITERS: Final = {abalone.WORD: abalone.render}
"""By the game's word for this form."""

FORM: Final[Form] = by_word(NAME, "application/json", "a game of abalone with its positions", WRITERS)
