"""The golden matches of abalone: every way in which a game can end (rules of the board games §5)."""

from functools import partial
from typing import Any, Final

from shared.match import MatchState
from shared.rules.abalone import RULES
from tests.support.matches import MemoryGame, Picker
from tests.support.scripts import boards
from tests.support.scripts.boards import Script, begun, steered, told

TO_AND_FRO: Final = "c3d3 g7f7 d3c3 f7g7 "
TO_AND_FRO_DAISY: Final = "a2a3 i6i7 a3a2 i7i6 "
DAISY: Final = {"start": "belgian_daisy"}


def from_the_middle(cell: str) -> int:
    """How many steps a cell lies from e5."""
    row, column = ord(cell[0]) - ord("e"), int(cell[1]) - 5
    return max(abs(row), abs(column), abs(row - column))


def pushing(state: MatchState, legal: tuple[str, ...]) -> str:
    """The move that ejects, or else pushes outwards and goes to the middle most."""
    seat: int = state.position.turn

    def worth(move: str) -> int:
        view = RULES.view(RULES.play(state.position, seat, move), None)
        mine, theirs = (sum(map(from_the_middle, view["marbles"][each])) for each in (seat, 1 - seat))
        return 100 * view["ejected"][seat] + 2 * theirs - mine

    return max(legal, key=worth)


def six_marbles(name: str, seed: int, options: dict[str, Any] | None = None) -> MemoryGame:
    """Seat 0 pushes, seat 1 plays anything."""
    game, _ = begun(name, options=options)
    game.play_on(pushing, Picker(f"abalone/six-marbles {seed}").move)
    return game


def no_ejection() -> MemoryGame:
    """Two hundred plies without a marble pushed off."""
    game, pick = begun("abalone/no-ejection")
    game.play_on(steered(pick, lambda state: state.result is None and bool(state.earlier)))
    return game


SCRIPTS: Final[dict[str, Script]] = {
    "six-marbles": partial(six_marbles, "abalone/six-marbles", 0),
    "six-marbles-daisy": partial(six_marbles, "abalone/six-marbles-daisy", 2, DAISY),
    "repetition": partial(told, "abalone/repetition", 2 * TO_AND_FRO),
    "repetition-daisy": partial(told, "abalone/repetition-daisy", 2 * TO_AND_FRO_DAISY, DAISY),
    "no-ejection": no_ejection,
    "flag": partial(boards.flagged, "abalone/flag", 10),
    "resigned": partial(boards.resigned, "abalone/resigned"),
    "agreed": partial(boards.agreed, "abalone/agreed"),
}
