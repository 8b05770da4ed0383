"""PGN: chess in SAN or UCI; many games may stand in one file. Writing is ``shared.export.pgn``."""

from typing import Final

from services.cli.importing.reading import tagged
from services.cli.importing.reading.boards import Ending, RecordedGame
from services.cli.importing.reading.file import RecordError, text_of
from services.cli.importing.reading.tagged import Tagged
from services.cli.importing.reading.words import game_of

_RESULTS: Final = {
    "1-0": Ending(line=0, known=True, winner=0),
    "0-1": Ending(line=0, known=True, winner=1),
    "1/2-1/2": Ending(line=0, known=True),
    "1/2": Ending(line=0, known=True),
    "½-½": Ending(line=0, known=True),
    "*": Ending(line=0),
}
_CHESS: Final = ""  # a game that has no tag for its name
_USUAL: Final = ("", "?", "standard", "normal")
_COUNTERS: Final = 4  # in a FEN these many fields are the position, the others count moves


def read(data: bytes, file: str) -> tuple[RecordedGame, ...]:
    """The games in a file's bytes; raises ``RecordError``."""
    found = tagged.games(text_of(data, file), file, _RESULTS)
    return tuple(_game(game, number, file) for number, game in enumerate(found, 1))


def _game(game: Tagged, number: int, file: str) -> RecordedGame:
    rules = game_of("pgn", _CHESS)
    if game.tag("Variant").lower() not in (*_USUAL, rules.name):
        reason = f"{game.tag('Variant')} is another game; only {rules.name} by the usual rules can be played"
        raise RecordError(file, game.line_of("Variant"), reason)
    start: str = rules.position(rules.setup(2, {}, 0))
    if "FEN" in game.tags and game.tag("FEN").split()[:_COUNTERS] != start.split()[:_COUNTERS]:
        raise RecordError(file, game.line_of("FEN"), "the game does not begin from the starting position")
    return tagged.recorded(game, number, file, rules.name, _RESULTS)
