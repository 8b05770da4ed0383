"""The golden matches of Czech draughts: every way in which a game can end (rules of the board games §4)."""

from collections.abc import Callable
from functools import partial
from typing import Final

from shared.rules.draughts import State
from shared.rules.draughts.endings import Material, material
from shared.rules.draughts.moves import moves
from tests.support.matches import MemoryGame, Picker
from tests.support.scripts import boards
from tests.support.scripts.boards import Script, begun, steered, tell

Wanted = Callable[[Material | None], bool]


def _quiet(state: State, wanted: Wanted) -> bool:
    """Whether the game goes on with such a balance, and nothing is to be taken."""
    taken = any(":" in move for move in moves(state.mover))
    return state.result is None and not taken and wanted(material(state.men, state.kings))


def drawn_out(name: str, seed: int, wanted: Wanted) -> MemoryGame:
    """Whoever can keep such a balance without a man's move does so."""
    game, _ = begun(name)
    game.play_on(
        steered(Picker(f"{name} {seed}"), lambda state: bool(state.earlier) and _quiet(state, wanted))
    )
    return game


def repetition() -> MemoryGame:
    """Each side has a king, and they go to and fro."""
    game, _ = begun("draughts/repetition")
    pick = Picker("draughts/repetition 41")
    game.play_on(pick.move, until=lambda state: all(state.position.kings))
    tell(game, 2 * "e1-h4 g1-h2 h4-e1 h2-g1 ")
    return game


SCRIPTS: Final[dict[str, Script]] = {
    "no-pieces": partial(boards.played, "draughts/no-pieces", 83),
    "blocked": partial(boards.played, "draughts/blocked", 249),
    "repetition": repetition,
    "fifteen-moves": partial(drawn_out, "draughts/fifteen-moves", 72, lambda balance: balance is None),
    "three-kings": partial(
        drawn_out,
        "draughts/three-kings",
        2826,
        lambda balance: balance is not None and balance.kind == "three kings",
    ),
    "material": partial(boards.played, "draughts/material", 30),
    "flag": partial(boards.flagged, "draughts/flag", 4),
    "resigned": partial(boards.resigned, "draughts/resigned"),
    "agreed": partial(boards.agreed, "draughts/agreed"),
}
