"""Games between two that end in every way, made in memory: for tests of files."""

from collections.abc import Callable
from typing import Any, Final

from shared.commands import AcceptDraw, Leave, OfferDraw, Resign
from shared.events.match import Terms
from shared.match import MatchState
from tests.support.matches import MemoryGame, Picker

FORMS: Final[tuple[tuple[str, str, dict[str, Any]], ...]] = (
    ("chess", "pgn", {}),
    ("draughts", "pdn", {}),
    ("abalone", "json", {}),
    ("abalone", "json", {"start": "belgian_daisy"}),
    ("gomoku", "sgf", {}),
    ("gomoku", "sgf", {"size": 19}),
    ("gomoku", "sgf", {"variant": "pro"}),
    ("gomoku", "sgf", {"variant": "swap", "size": 20}),
    ("gomoku", "sgf", {"variant": "swap2"}),
    ("reversi", "sgf", {}),
    ("reversi", "txt", {}),
)
"""Which game has which form, with options that the form must tell."""

PLIES: Final = 12
"""So many symbols or moves are played before something else than a move ends a game."""

BOARDS: Final = Terms(cube=False)


def begun(
    rules: str,
    options: dict[str, Any],
    seed: str = "",
    *,
    plies: int | None = PLIES,
    terms: Terms = BOARDS,
    chance: str = "committed",
) -> MemoryGame:
    """A game of so many random half-moves; None: to its end."""
    told = f"{rules} {sorted(options.items())} {seed}"
    game, pick = MemoryGame(told, terms, rules=rules, options=options, chance=chance), Picker(told)
    game.start()

    def enough(state: MatchState) -> bool:
        return plies is not None and state.half_moves >= plies

    game.play_on(pick.move, until=enough)
    return game


def played(rules: str, options: dict[str, Any]) -> MemoryGame:
    """To the end, as the board decides."""
    return begun(rules, options, plies=None)


def resigned(rules: str, options: dict[str, Any]) -> MemoryGame:
    """Seat 0 gives up."""
    game = begun(rules, options)
    game.send(0, Resign())
    return game


def agreed(rules: str, options: dict[str, Any]) -> MemoryGame:
    """Both agree on a draw."""
    game = begun(rules, options)
    seat, _ = game.demanded()
    game.send(1 - seat, OfferDraw())
    game.send(seat, AcceptDraw())
    return game


def left(rules: str, options: dict[str, Any]) -> MemoryGame:
    """Seat 1 leaves."""
    game = begun(rules, options)
    game.send(1, Leave())
    return game


def running(rules: str, options: dict[str, Any]) -> MemoryGame:
    """Nobody has won yet."""
    return begun(rules, options)


STORIES: Final[dict[str, Callable[[str, dict[str, Any]], MemoryGame]]] = {
    "played": played,
    "resigned": resigned,
    "agreed": agreed,
    "left": left,
    "running": running,
}
"""By name; each takes a game and its options."""
