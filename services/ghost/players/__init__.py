"""Computer players. A player sees what a person in its seat sees, and chooses; it is never asked to draw."""

from services.ghost.players.heuristic import Heuristic
from services.ghost.players.protocol import Player, Seen, answer
from services.ghost.players.sage import Sage
from services.ghost.players.seeded import Seeded
from shared.rules.nard.game import Nard
from shared.rules.nard.hitting import HITS
from shared.rules.registry import AnyRules

__all__ = ["Heuristic", "Player", "Sage", "Seeded", "Seen", "answer", "own_player", "sage_plays"]

_SEEDED = Seeded()
_HEURISTIC = Heuristic()


def own_player(rules: AnyRules, level: int = 0) -> Player:
    """Our own player for this game, always there: for the hitting games of the tables one that thinks.

    At ``level`` 1 nobody thinks.
    """
    return _HEURISTIC if _hits(rules) and level != 1 else _SEEDED


def sage_plays(rules: AnyRules) -> bool:
    """Whether ``Sage`` knows this game."""
    return _hits(rules)


def _hits(rules: AnyRules) -> bool:
    return isinstance(rules, Nard) and rules.movement is HITS
