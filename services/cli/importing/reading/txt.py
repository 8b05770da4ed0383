"""Transcripts of reversi, a game a line: its squares in order, then Black's discs at the end.

Passes may be left out. The empty squares are the winner's; a line without discs is a game without a result.
Lines that begin with ``#`` are comments. Writing is ``shared.export.txt.reversi``.
"""

import re
from typing import Final

from services.cli.importing.reading.boards import Ending, Ply, RecordedGame
from services.cli.importing.reading.file import MAX_GAMES, MAX_PLIES, RecordError, text_of
from services.cli.importing.reading.words import game_of
from shared.export.txt.reversi import WORD
from shared.rules.protocol import PASS

_GAME: Final = re.compile(r"((?:[a-h][1-8]|pass|pa|ps|--|[\s,;])*?)(?:(?<![^\s,;])(\d{1,2}))?", re.IGNORECASE)
_MOVE: Final = re.compile(r"[a-h][1-8]|pass|pa|ps|--", re.IGNORECASE)
_ALL: Final = 64
_LONGEST_SHOWN: Final = 60
_LONGEST_LINE: Final = 6 * MAX_PLIES


def read(data: bytes, file: str) -> tuple[RecordedGame, ...]:
    """The games in a file's bytes; raises ``RecordError``."""
    found: list[RecordedGame] = []
    for line, text in enumerate(text_of(data, file).split("\n"), 1):
        plain = text.strip()
        if plain and not plain.startswith("#"):
            found.append(_game(plain, line, file, len(found) + 1))
    if not found:
        raise RecordError(file, 1, "there is no game in this file")
    return tuple(found)


def _game(text: str, line: int, file: str, number: int) -> RecordedGame:
    if number > MAX_GAMES:
        raise RecordError(file, line, f"the file has too many games (at most {MAX_GAMES})")
    game = _GAME.fullmatch(text) if len(text) <= _LONGEST_LINE else None
    if game is None:
        shown = repr(text[:_LONGEST_SHOWN])
        raise RecordError(file, line, f"a game is its squares and Black's discs, as 'f5d6c3 30', not {shown}")
    discs = None if game[2] is None else int(game[2])
    if discs is not None and discs > _ALL:
        raise RecordError(file, line, f"Black cannot have {discs} discs; the board has {_ALL} squares")
    return RecordedGame(
        file=file,
        number=number,
        line=line,
        game=game_of("txt", WORD).name,
        names=("?", "?"),
        plies=tuple(Ply(line, _move(move.lower())) for move in _MOVE.findall(game[1])),
        ending=_ending(discs, line),
        score=None if discs is None else (discs, _ALL - discs),
    )


def _move(text: str) -> str:
    return text if text[-1].isdigit() else PASS


def _ending(discs: int | None, line: int) -> Ending:
    if discs is None:
        return Ending(line=line)
    half = _ALL // 2
    return Ending(line=line, known=True, winner=None if discs == half else int(discs < half))
