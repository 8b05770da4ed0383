"""The golden matches of reversi: every way in which a game can end (rules of the board games §6)."""

from functools import partial
from typing import Final

from tests.support.reversi import BLOCKED, WIPED_OUT
from tests.support.scripts import boards
from tests.support.scripts.boards import Script, told

SCRIPTS: Final[dict[str, Script]] = {
    "full-board": partial(boards.played, "reversi/full-board", 209),
    "draw": partial(boards.played, "reversi/draw", 3),
    "wiped-out": partial(told, "reversi/wiped-out", WIPED_OUT),
    "mutual-block": partial(told, "reversi/mutual-block", BLOCKED),
    "flag": partial(boards.flagged, "reversi/flag", 5),
    "resigned": partial(boards.resigned, "reversi/resigned"),
    "agreed": partial(boards.agreed, "reversi/agreed"),
}
