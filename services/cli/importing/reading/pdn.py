"""PDN: Czech draughts (GameType 29), squares by letter and number. Writing is ``shared.export.pdn``."""

import re
from typing import Final

from services.cli.importing.reading import tagged
from services.cli.importing.reading.boards import Ending, RecordedGame
from services.cli.importing.reading.file import RecordError, text_of
from services.cli.importing.reading.tagged import Tagged
from services.cli.importing.reading.words import games_of

_RESULTS: Final = {
    "1-0": Ending(line=0, known=True, winner=0),
    "2-0": Ending(line=0, known=True, winner=0),
    "0-1": Ending(line=0, known=True, winner=1),
    "0-2": Ending(line=0, known=True, winner=1),
    "1/2-1/2": Ending(line=0, known=True),
    "½-½": Ending(line=0, known=True),
    "1-1": Ending(line=0, known=True),
    "*": Ending(line=0),
}
_CZECH: Final = "29"
"""The ``GameType`` of files that name none."""
_NUMBERED: Final = re.compile(r"\d+([-x:]\d+)+")
_PIECES: Final = re.compile(r"(K?)([a-h][1-8]|\d{1,2}+)(?:-([a-h][1-8]|\d{1,2}+))?", re.IGNORECASE)
_NUMBERS: Final = ({*map(str, range(21, 33))}, {*map(str, range(1, 13))})
"""The squares at the start of White and Black where squares are numbers."""


def read(data: bytes, file: str) -> tuple[RecordedGame, ...]:
    """The games in a file's bytes; raises ``RecordError``."""
    found = tagged.games(text_of(data, file), file, _RESULTS)
    return tuple(_game(game, number, file) for number, game in enumerate(found, 1))


def _game(game: Tagged, number: int, file: str) -> RecordedGame:
    kinds = {word.partition(",")[0]: rules for word, rules in games_of("pdn").items()}
    kind = game.tag("GameType").partition(",")[0].strip() or _CZECH
    if kind not in kinds:
        known = f"{kinds[_CZECH].name} here is GameType {_CZECH}, Czech draughts"
        raise RecordError(file, game.line_of("GameType"), f"GameType {kind} is another game; {known}")
    rules = kinds[kind]
    start: str = rules.position(rules.setup(2, {}, 0))
    if "FEN" in game.tags and not _is_start(game.tag("FEN"), start):
        raise RecordError(file, game.line_of("FEN"), "the game does not begin from the starting position")
    numbered = next((ply for ply in game.moves if _NUMBERED.fullmatch(ply.text.rstrip("!?*"))), None)
    if numbered is not None:
        reason = f"{numbered.text} names squares by numbers; a letter and a number can be read, as c3-d4"
        raise RecordError(file, numbered.line, reason)
    return tagged.recorded(game, number, file, rules.name, _RESULTS)


def _is_start(fen: str, start: str) -> bool:
    """Whether a FEN is the position at the start, with its squares named or numbered."""
    sides = [_squares(part) for part in fen.rstrip(".").split(":")]
    _, *own = [_squares(part) for part in start.split(":")]
    return fen[:1].upper() == "W" and sides[1:] in (own, list(_NUMBERS))


def _squares(side: str) -> set[str]:
    """The squares of one side of a FEN, as they are named; a king makes it another position."""
    found: set[str] = set()
    for king, first, last in _PIECES.findall(side[1:]):
        ranged = first.isdigit() and last.isdigit()
        found |= {*map(str, range(int(first), int(last) + 1))} if ranged else {king + first.lower()}
    return found
