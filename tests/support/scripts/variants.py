"""The golden matches of the other games of the family: one for each way in which each can end."""

from collections.abc import Callable
from functools import partial
from typing import Any, Final

from shared.commands import Leave, Play
from shared.events.match import Terms
from tests.support.matches import MemoryGame, first_move, last_move
from tests.support.scripts.common import double_passed, left, match_to_3, played, resigned_gammon
from tests.support.scripts.modes import DRAW, NO_CUBE, gammoned, giveaway, run

OPENING: Final = {"opening_dice_played": True}

Script = Callable[[], MemoryGame]


def _of(rules: str, name: str, play: Callable[..., MemoryGame], seed: int, **more: Any) -> Script:
    return partial(play, f"{rules}/{name} {seed}", rules, **more)


BUILT: Final = (
    ((5, 5), "24/9 24/19"),
    ((5, 5), "24/19(4)"),
    ((6, 2), "19/11"),
    ((5, 5), "24/19(4)"),
    ((4, 4), "24/20 19/7"),
    ((6, 5), "19/8"),
    ((3, 3), "24/21 19/10"),
    ((6, 5), "19/13 19/14"),
    ((6, 2), "13/5"),  # 14/6 would close the prime
)
"""How seat 0 plays in ``prime_not_closed``."""


def prime_not_closed() -> MemoryGame:
    """Recorded: seat 1 rolls nothing but threes and never leaves his head, seat 0 builds in front of it.

    Five of the six points are made; the sixth, with a checker in reach of it, may not be.
    """
    game = MemoryGame("fevga/prime-not-closed", NO_CUBE, rules="fevga", chance="recorded")
    game.start()
    game.turn(first_move, (6, 1))
    for dice, move in BUILT:
        game.turn(first_move, dice)
        game.send(0, Play(move))
        game.turn(first_move, (3, 3))
    game.send(1, Leave())
    return game


HYPERGAMMON: Final[dict[str, Script]] = {
    "single": _of("hypergammon", "single", run, 36),
    "gammon": _of("hypergammon", "gammon", played, 31, other=last_move),
    "backgammon": _of("hypergammon", "backgammon", gammoned, 17),
    "double-passed": _of("hypergammon", "double-passed", double_passed, 0),
    "resigned-gammon": _of("hypergammon", "resigned-gammon", resigned_gammon, 57),
    "left": _of("hypergammon", "left", left, 3),
    "giveaway": _of("hypergammon", "giveaway", giveaway, 14, home=False),
    "draw": _of("hypergammon", "draw-drawn", played, 51, options=DRAW),
    "jacoby": _of("hypergammon", "jacoby", gammoned, 0, terms=Terms(jacoby=True)),
    "match-to-3": _of("hypergammon", "match-to-3", match_to_3, 4),
}

NACKGAMMON: Final[dict[str, Script]] = {
    "single": _of("nackgammon", "single", run, 30),
    "gammon": _of("nackgammon", "gammon", played, 4, other=last_move),
    "backgammon": _of("nackgammon", "backgammon", gammoned, 4),
    "double-passed": _of("nackgammon", "double-passed", double_passed, 0),
    "resigned-gammon": _of("nackgammon", "resigned-gammon", resigned_gammon, 1),
    "left": _of("nackgammon", "left", left, 0),
    "giveaway": _of("nackgammon", "giveaway", giveaway, 37, home=False),
    "match-to-3": _of("nackgammon", "match-to-3", match_to_3, 6),
}

LONG_NARDY: Final[dict[str, Script]] = {
    "oin": _of("long_nardy", "oin", run, 29),
    "mars": _of("long_nardy", "mars", gammoned, 6),
    "koks": _of("long_nardy", "koks", gammoned, 32),
    "koks-2": _of("long_nardy", "koks-2", gammoned, 39, options={"koks": 2}),
    "double-passed": _of("long_nardy", "double-passed", double_passed, 0),
    "resigned-gammon": _of("long_nardy", "resigned-gammon", resigned_gammon, 6),
    "left": _of("long_nardy", "left", left, 0),
    "opening-dice": _of("long_nardy", "opening-dice", left, 0, options=OPENING),
    "giveaway": _of("long_nardy", "giveaway", giveaway, 4),
    "draw": _of("long_nardy", "draw-drawn", run, 10, options=DRAW),
    "draw-mars-escaped": _of("long_nardy", "draw-mars-escaped", gammoned, 33, options=DRAW),
    "match-to-3": _of("long_nardy", "match-to-3", match_to_3, 2),
}

PLAKOTO: Final[dict[str, Script]] = {
    "single": _of("plakoto", "single", run, 27),
    "double": _of("plakoto", "double", gammoned, 17),
    "mother-caught": _of("plakoto", "mother-caught", played, 59),
    "mothers-both": _of("plakoto", "mothers-both", played, 71),
    "resigned-gammon": _of("plakoto", "resigned-gammon", resigned_gammon, 8),
    "left": _of("plakoto", "left", left, 0),
    "opening-dice": _of("plakoto", "opening-dice", left, 0, options=OPENING),
    "giveaway": _of("plakoto", "giveaway", giveaway, 0),
    "giveaway-mother-caught": _of("plakoto", "giveaway-mother-caught", giveaway, 23, home=False),
}

FEVGA: Final[dict[str, Script]] = {
    "single": _of("fevga", "single", run, 6),
    "double": _of("fevga", "double", gammoned, 23),
    "prime-not-closed": prime_not_closed,
    "resigned-gammon": _of("fevga", "resigned-gammon", resigned_gammon, 4),
    "left": _of("fevga", "left", left, 0),
    "opening-dice": _of("fevga", "opening-dice", left, 0, options=OPENING),
    "giveaway": _of("fevga", "giveaway", giveaway, 28),
}

SCRIPTS: Final[dict[str, dict[str, Script]]] = {
    "hypergammon": HYPERGAMMON,
    "nackgammon": NACKGAMMON,
    "long_nardy": LONG_NARDY,
    "plakoto": PLAKOTO,
    "fevga": FEVGA,
}
