"""PDN: Czech draughts (GameType 29), squares by letter and number. Writing is ``shared.export.pdn``."""

import re
from typing import Final

from services.cli.records import tagged
from services.cli.records.record import Ending, RecordedGame, RecordError, game_of, text_of
from services.cli.records.tagged import Tagged

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
_NUMBERED: Final = re.compile(r"\d+([-x:]\d+)+")
_PIECES: Final = re.compile(r"(K?)([a-h][1-8]|\d+)(?:-([a-h][1-8]|\d+))?", re.IGNORECASE)
_NUMBERS: Final = ({*map(str, range(21, 33))}, {*map(str, range(1, 13))})
"""The squares at the start of White and Black where squares are numbers."""


def read(data: bytes, file: str) -> tuple[RecordedGame, ...]:
    """The games in a file's bytes; raises ``RecordError``."""
    found = tagged.games(text_of(data, file), file, _RESULTS)
    return tuple(_game(game, number, file) for number, game in enumerate(found, 1))


def _game(game: Tagged, number: int, file: str) -> RecordedGame:
    rules = game_of("pdn")
    own = rules.traits.exports["pdn"].partition(",")[0]
    kind = game.tag("GameType").partition(",")[0].strip() or own
    if kind != own:
        reason = f"GameType {kind} is another game; {rules.name} here is GameType {own}, Czech draughts"
        raise RecordError(file, game.line_of("GameType"), reason)
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
