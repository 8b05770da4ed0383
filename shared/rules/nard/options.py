"""What a table may choose in these games: modes and single rules, with defaults (rules §1.3, §2, §4)."""

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from shared.rules.options import Option, check


class Chosen(msgspec.Struct, frozen=True):
    """The rules of one game as they were agreed on.

    ``mode``: ``normal``, ``giveaway`` (§2.7) or ``draw`` (§2.8). ``opening_dice_played``: the winner of the
    opening roll plays its dice instead of rolling afresh (§1.3). ``resign_gammon_requires_none_off``: who has
    borne off a checker resigns a single game (§4). ``triple`` and ``koks`` bound what a game is worth.
    """

    mode: str = "normal"
    opening_dice_played: bool = True
    resign_gammon_requires_none_off: bool = False
    triple: bool = True
    koks: int = 3

    @property
    def most(self) -> int:
        """The most that a game is worth before the cube."""
        return min(self.koks, 3 if self.triple else 2)


DEFAULT: Final = Chosen()
FROM_HEAD: Final = Chosen(opening_dice_played=False, resign_gammon_requires_none_off=True)
"""Where every checker starts from the head (§1.3, §4)."""
FROM_HEAD_TO_TWO: Final = msgspec.structs.replace(FROM_HEAD, triple=False)
"""The same where a game is worth two at most (§2.5, §2.6)."""

_DRAW: Final = (
    " draw: when the side that began bears off everything first, the other has one roll more, to draw the"
    " game or to lose less."
)


def mode(*, draw: bool) -> Option:
    """How the game is played; with ``draw`` where the starter's opponent may have a last roll."""
    return Option(
        "mode",
        ("normal", "giveaway", "draw") if draw else ("normal", "giveaway"),
        "normal: who bears off everything first wins. giveaway: he loses, always a single game."
        + (_DRAW if draw else ""),
    )


RESIGN_NONE_OFF: Final = Option(
    "resign_gammon_requires_none_off",
    (False, True),
    "A resignation from 60 pips behind costs a gammon only if the one who resigns has borne off none.",
)
OPENING_DICE: Final = Option(
    "opening_dice_played",
    (False, True),
    "Who wins the opening roll plays its two dice; otherwise he rolls both afresh.",
)
TRIPLE: Final = Option(
    "triple",
    (True, False),
    "A backgammon is worth 3; otherwise it counts as a gammon, as in Portes by tradition.",
)
KOKS: Final = Option(
    "koks",
    (3, 2),
    "What koks is worth: the loser has none off and a checker in his first quarter; 2 is as mars.",
)


def chosen(game: str, offered: tuple[Option, ...], default: Chosen, given: Mapping[str, Any]) -> Chosen:
    """``default`` with what is ``given``; raises ``Refused("invalid_options")``."""
    check(game, offered, given)
    return msgspec.structs.replace(default, **given) if given else default
