"""Every game at every version that was ever played. Adding a game is one folder and one line here."""

from typing import Any, Final

from shared.problems import Refused
from shared.rules import (
    abalone,
    backgammon,
    battleship,
    chess,
    draughts,
    fevga,
    gomoku,
    gomoku3d,
    hypergammon,
    long_nardy,
    nackgammon,
    plakoto,
    prsi,
    reversi,
    scrabble,
)
from shared.rules.protocol import Rules

AnyRules = Rules[Any]


_GAMES: Final[tuple[AnyRules, ...]] = (
    abalone.RULES,
    backgammon.RULES,
    battleship.RULES,
    chess.RULES,
    draughts.RULES,
    fevga.RULES,
    gomoku.RULES,
    gomoku3d.RULES,
    hypergammon.RULES,
    long_nardy.RULES,
    nackgammon.RULES,
    plakoto.RULES,
    prsi.RULES,
    reversi.RULES,
    scrabble.RULES,
)

RULES: Final[dict[tuple[str, int], AnyRules]] = {(r.name, r.version): r for r in _GAMES}
CURRENT: Final[dict[str, AnyRules]] = {name: r for (name, _), r in sorted(RULES.items())}

SHARING: Final[dict[str, str]] = {"gomoku3d": "gomoku"}
"""Games that share the ratings and counters of another (B8): that one is their kind; others are their own."""


def rules(name: str, version: int | None = None) -> AnyRules:
    """The rules of ``name`` at ``version`` (None: the newest); raises ``Refused("unknown_game")``."""
    found = CURRENT.get(name) if version is None else RULES.get((name, version))
    if found is None:
        if name in CURRENT:
            raise Refused("unknown_game", f"There is no version {version} of {name}.")
        raise Refused("unknown_game", f"There is no game {name[:40]!r}; there are {', '.join(CURRENT)}.")
    return found
