"""Which form a file has, and the plans of the matches in it. Pure."""

import re
from collections.abc import Callable, Sequence
from pathlib import PurePath
from typing import Final

from services.cli.importing.planning import boards, tables
from services.cli.importing.planning.steps import Plan
from services.cli.importing.reading import json, mat, pdn, pgn, sgf, txt
from services.cli.importing.reading.boards import RecordedGame
from services.cli.importing.reading.file import RecordError, text_of

Read = Callable[[bytes, str], Sequence[RecordedGame]]


def _boards(read: Read) -> Callable[[bytes, str], list[Plan]]:
    return lambda data, file: [boards.plan(game) for game in read(data, file)]


FORMS: Final[dict[str, Callable[[bytes, str], list[Plan]]]] = {
    "mat": lambda data, file: [tables.plan(mat.parse(data, file))],
    "pgn": _boards(pgn.read),
    "pdn": _boards(pdn.read),
    "sgf": _boards(sgf.read),
    "txt": _boards(txt.read),
    "json": _boards(json.read),
}
"""By name, which is also what files of the form end in. Another form is a module and a line here."""

_BY_ENDING: Final = FORMS.keys() - {"txt"}  # any form may be called .txt
_ANY_LINE: Final = re.IGNORECASE | re.MULTILINE
_BY_CONTENT: Final = (
    ("json", re.compile(r"\A\s*\{")),
    ("sgf", re.compile(r"\A\s*\(\s*;")),
    ("mat", re.compile(r"^[ \t]*(?:\d+\s*-?\s*points?\s+match|money|unlimited)\b", _ANY_LINE)),
    ("pdn", re.compile(r"^[ \t]*\[\s*GameType\b", _ANY_LINE)),
    ("pgn", re.compile(r"^[ \t]*\[\s*\w+\s+\"", _ANY_LINE)),
    ("txt", re.compile(r"^[ \t]*[a-h][1-8]", _ANY_LINE)),
)
"""What stands in the heads of files, the surest signs first."""

_HEAD: Final = 1 << 13
"""So many bytes are looked at to recognise a form."""


def plans(data: bytes, file: str, form: str = "") -> list[Plan]:
    """The plans of all matches in a file's bytes; raises ``RecordError`` if one of them cannot be replayed.

    ``form`` is a name of ``FORMS``; "" recognises it by the file's ending, else by what stands in it.
    """
    name = form or _recognised(data, file)
    if name not in FORMS:
        raise RecordError(file, 1, f"{name!r} is no form that can be read; there are {', '.join(FORMS)}")
    return FORMS[name](data, file)


def _recognised(data: bytes, file: str) -> str:
    ending = PurePath(file).suffix.lower().removeprefix(".")
    if ending == "ndjson":
        raise RecordError(file, 1, "this is a log, which is not played again; kronika audit verify judges it")
    if ending in _BY_ENDING:
        return ending
    head = text_of(data[:_HEAD], file)
    for name, sign in _BY_CONTENT:
        if sign.search(head):
            return name
    if ending in FORMS:
        return ending
    raise RecordError(file, 1, f"this is in no known form ({', '.join(FORMS)}); name it with --form")
