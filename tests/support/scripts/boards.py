"""What golden matches of the board games have in common (rules of the board games §0)."""

from collections.abc import Callable, Iterable
from typing import Any, Final

from shared.clocks import PER_MOVE, chess_clock
from shared.commands import AcceptDraw, AskTime, DeclineDraw, Leave, OfferDraw, Play, Resign
from shared.events.match import Terms
from shared.match import MatchState
from shared.match.timing import CLAIM_AFTER_MS
from tests.support.matches import Choose, MemoryGame, Picker
from tests.support.scripts.common import away

BOARDS: Final = Terms(cube=False, clock=PER_MOVE, absence="forfeit")
"""As the house has them: two minutes a move, who stays away loses (B3, B12)."""

Script = Callable[[], MemoryGame]


def begun(
    name: str, *, terms: Terms = BOARDS, options: dict[str, Any] | None = None
) -> tuple[MemoryGame, Picker]:
    """A match ``game/how-it-ends`` that has begun, and choices for it."""
    game = MemoryGame(name, terms, rules=name.partition("/")[0], options=options)
    game.start()
    return game, Picker(name)


def tell(game: MemoryGame, moves: str | Iterable[str]) -> None:
    """These moves in any notation, each by whoever is to move."""
    for move in moves.split() if isinstance(moves, str) else moves:
        game.send(game.demanded()[0], Play(move))


def told(name: str, moves: str | Iterable[str], options: dict[str, Any] | None = None) -> MemoryGame:
    """A match of these moves."""
    game, _ = begun(name, options=options)
    tell(game, moves)
    return game


def steered(pick: Picker, keeps: Callable[[Any], bool]) -> Choose:
    """Any move after which ``keeps`` holds of the position, if there is one; else any."""

    def choose(state: MatchState, legal: tuple[str, ...]) -> str:
        start = pick.below(len(legal))
        for move in (*legal[start:], *legal[:start]):
            if keeps(state.rules.play(state.position, state.position.turn, move)):
                return move
        return legal[start]

    return choose


def after(half_moves: int) -> Callable[[MatchState], bool]:
    """Whether so many half-moves are played."""
    return lambda state: state.half_moves >= half_moves


def played(name: str, seed: int = 0, options: dict[str, Any] | None = None) -> MemoryGame:
    """Any moves to the end; ``seed`` finds a game that ends as it shall."""
    game, _ = begun(name, options=options)
    game.play_on(Picker(f"{name} {seed}").move)
    return game


def resigned(name: str) -> MemoryGame:
    """Who is not to move resigns, which needs no consent."""
    game, pick = begun(name)
    game.play_on(pick.move, until=after(9))
    game.send(1 - game.demanded()[0], Resign())
    return game


def agreed(name: str) -> MemoryGame:
    """A draw is declined, offered anew after a move and lapses, then offered out of turn and accepted."""
    game, pick = begun(name)
    game.play_on(pick.move, until=after(8))
    seat, _ = game.demanded()
    game.send(seat, OfferDraw())
    game.send(1 - seat, DeclineDraw())
    game.turn(pick.move)
    game.send(seat, OfferDraw())
    game.turn(pick.move)
    seat, _ = game.demanded()
    game.send(1 - seat, OfferDraw())
    game.send(seat, AcceptDraw())
    return game


def flagged(name: str, minutes: int) -> MemoryGame:
    """A chess clock of so many minutes: seat 1 thinks until his flag falls, with a draw on offer."""
    game, pick = begun(name, terms=chess_clock_terms(minutes))
    game.play_on(pick.move, until=lambda state: state.half_moves >= 6 and state.position.turn == 1)
    game.after(40_000)
    game.turn(pick.move)
    game.play_on(pick.move, until=lambda state: state.half_moves >= 11 and state.position.turn == 1)
    game.send(0, OfferDraw())
    fall(game)
    return game


def chess_clock_terms(minutes: int) -> Terms:
    """The house's terms with so many minutes a game for each (B5)."""
    return Terms(cube=False, clock=chess_clock(minutes), absence="forfeit")


def fall(game: MemoryGame) -> None:
    """Who is to move lets his time run out."""
    game.at_deadline(CLAIM_AFTER_MS)
    game.hears()


def overran(name: str) -> MemoryGame:
    """Two minutes a move: seat 0 asks for two more and uses them; on a later move he lets his time pass."""
    game, pick = begun(name)
    game.play_on(pick.move, until=lambda state: state.half_moves >= 4 and state.position.turn == 0)
    game.after(118_000)
    game.send(0, AskTime())
    game.after(119_000)
    game.turn(pick.move)
    game.turn(pick.move)
    fall(game)
    return game


def absent(name: str, half_moves: int) -> MemoryGame:
    """After so many half-moves seat 0 falls silent: before the fourth the game is annulled (B13)."""
    game, pick = begun(name)
    game.play_on(pick.move, until=after(half_moves))
    away(game, 0)
    return game


def left(name: str, half_moves: int) -> MemoryGame:
    """Seat 1 leaves on purpose after so many half-moves: a disconnect without grace (B13)."""
    game, pick = begun(name)
    game.play_on(pick.move, until=after(half_moves))
    game.send(1, Leave())
    return game
