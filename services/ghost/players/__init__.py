"""Computer players. A player sees what a person in its seat sees, and chooses; it is never asked to draw."""

from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from services.ghost.players.battleship import AnyCell, BattleshipPlayer
from services.ghost.players.greedy import Greedy
from services.ghost.players.heuristic import Heuristic
from services.ghost.players.nard import NardEvaluation, mode
from services.ghost.players.protocol import Doubling, Drawing, Player, Seen, answer
from services.ghost.players.prsi import PrsiPlayer
from services.ghost.players.sage import Sage, sage_answers
from services.ghost.players.scrabble import SHORT, AnyWord, ScrabblePlayer
from services.ghost.players.search import Searcher, searcher
from services.ghost.players.seeded import Seeded
from services.ghost.players.uci import Uci, uci_answers
from shared.events.match import Level
from shared.rules.battleship.game import Battleship
from shared.rules.nard.game import Nard
from shared.rules.nard.hitting import HITS
from shared.rules.prsi.game import Prsi
from shared.rules.registry import AnyRules
from shared.rules.scrabble.game import Scrabble

__all__ = [
    "Doubling",
    "Drawing",
    "Greedy",
    "Heuristic",
    "Player",
    "Sage",
    "ScrabblePlayer",
    "Searcher",
    "Seeded",
    "Seen",
    "Uci",
    "answer",
    "own_player",
    "sage_answers",
    "uci_answers",
]

_SEEDED: Final = Seeded()
_HEURISTIC: Final = Heuristic()
_BATTLESHIP: Final = BattleshipPlayer()
_PRSI: Final = PrsiPlayer()
_ANY_CELL: Final = AnyCell()
_ANY_WORD: Final = AnyWord()
_SCRABBLE: Final = ScrabblePlayer()
_SHORT_WORDS: Final = ScrabblePlayer(SHORT)


def own_player(rules: AnyRules, options: Mapping[str, Any], level: int = Level.UNSAID) -> Player:
    """Our own player, always there, for this game under these options, at a ``Level``.

    ``UNTHINKING`` takes any move. ``BY_THUMB`` goes by rules of thumb where there are any: for games of hits,
    played to win; in the open board games it looks one move ahead, in scrabble
    it knows short words. Else it is the best that we have.
    """
    if level == Level.UNTHINKING:
        return _unthinking(rules)
    if (player := _with_secrets(rules, level)) is not None:
        return player
    if not isinstance(rules, Nard):
        return searcher(rules, shallow=level == Level.BY_THUMB) or _SEEDED
    if level == Level.BY_THUMB and rules.movement is HITS and mode(rules, options) != "giveaway":
        return _HEURISTIC
    return _evaluating(rules)


def _unthinking(rules: AnyRules) -> Player:
    """The player that takes any move; in battleship nobody may know which, or he hides his fleet from it."""
    if isinstance(rules, Battleship):
        return _ANY_CELL
    return _ANY_WORD if isinstance(rules, Scrabble) else _SEEDED


def _with_secrets(rules: AnyRules, level: int) -> Player | None:
    """The player for a game in which something is hidden; None for the open ones."""
    if isinstance(rules, Prsi):
        return _PRSI
    if isinstance(rules, Battleship):
        return _BATTLESHIP
    if isinstance(rules, Scrabble):
        return _SHORT_WORDS if level == Level.BY_THUMB else _SCRABBLE
    return None


@cache
def _evaluating(rules: Nard) -> Player:
    return Greedy(NardEvaluation(rules))
