"""Abalone as a JSON object: ``start``, ``moves`` and the ``final`` position.

Writing is ``shared.export.json.abalone``.
"""

import re
from typing import Any, Final

import msgspec

from services.cli.importing.reading.boards import Ending, Ply, RecordedGame
from services.cli.importing.reading.file import MAX_PLIES, RecordError, text_of
from services.cli.importing.reading.words import game_of
from shared.export.json.abalone import WORD

_STRING: Final = re.compile(r'"(?:\\.|[^"\\])*"')
_WINNERS: Final = {"black": 0, "white": 1, "draw": None}
_BYTE: Final = re.compile(r"\(byte (\d+)\)")


class _Told(msgspec.Struct, frozen=True, kw_only=True):
    """What is read of the object; what else stands there is passed over."""

    moves: tuple[str, ...]
    start: str = ""
    final: str = ""
    black: str = "?"
    white: str = "?"
    result: str = ""
    ended: str = ""


def read(data: bytes, file: str) -> tuple[RecordedGame, ...]:
    """The game in a file's bytes; raises ``RecordError``."""
    text = text_of(data, file)
    try:
        told = msgspec.json.decode(text, type=_Told)
    except (msgspec.DecodeError, RecursionError) as error:
        at = _BYTE.search(str(error))
        line = text.encode()[: int(at[1])].count(b"\n") + 1 if at else 1
        raise RecordError(file, line, f"not a game as JSON: {error}") from error
    if len(told.moves) > MAX_PLIES:
        raise RecordError(file, 1, f"the game is too long (at most {MAX_PLIES} moves)")
    if told.result and told.result not in _WINNERS:
        reason = f"result is one of {', '.join(_WINNERS)}, not {told.result!r}"
        raise RecordError(file, _line(text, '"result"'), reason)
    options: dict[str, Any] = {"start": told.start} if told.start else {}
    end = _line(text, '"final"') if told.final else text.rstrip().count("\n") + 1
    return (
        RecordedGame(
            file=file,
            number=1,
            line=1,
            game=game_of("json", WORD).name,
            names=(told.black or "?", told.white or "?"),
            plies=_plies(text, told.moves),
            ending=_ending(told, end),
            options=options,
            final=told.final,
        ),
    )


def _ending(told: _Told, line: int) -> Ending:
    if not told.result:
        return Ending(line=line)
    return Ending(line=line, known=True, winner=_WINNERS[told.result], cause=told.ended)


def _line(text: str, name: str) -> int:
    """Where something first stands in the text."""
    return text.count("\n", 0, max(0, text.find(name))) + 1


def _plies(text: str, moves: tuple[str, ...]) -> tuple[Ply, ...]:
    """The moves with their lines."""
    at = max(0, text.find("[", text.find('"moves"')))
    lines: list[int] = []
    line = text.count("\n", 0, at) + 1
    for found in _STRING.finditer(text, at):
        line += text.count("\n", at, found.start())
        at = found.start()
        lines.append(line)
        if len(lines) == len(moves):
            break
    return tuple(Ply(line, move) for line, move in zip(lines, moves, strict=False))
