"""The golden matches of prší: every way in which a game can end, for two to five (boardgames §8)."""

from functools import partial
from typing import Any, Final

from shared.clocks import PER_MOVE
from shared.commands import Leave, Play, Resign
from shared.events.match import Seat, Terms
from shared.match import MatchState
from shared.match.timing import CLAIM_AFTER_MS
from tests.support.matches import Choose, MemoryGame, Picker, first_move
from tests.support.scripts import common
from tests.support.scripts.boards import Script
from tests.support.scripts.common import away

HOUSE: Final = Terms(cube=False, clock=PER_MOVE, absence="forfeit")
PLAYERS: Final = ("pannanovakova", "pborisdvorak", "pcyrilmaly", "pdanavelka", "pemilstary")


def begun(name: str, seats: int, turns: int = 0, **options: Any) -> MemoryGame:
    """A match of so many that has begun, after so many ``turns`` in which whoever can play a card does."""
    table = tuple(Seat(player) for player in PLAYERS[:seats])
    game = MemoryGame(name, HOUSE, seats=table, rules="prsi", options=options)
    game.start()
    game.play_on(first_move, until=lambda state: state.half_moves >= turns)
    return game


def patient(_: MatchState, legal: tuple[str, ...]) -> str:
    """Draw, or stand: no card is ever played."""
    return "stand" if "stand" in legal else "draw"


def hesitant(pick: Picker) -> Choose:
    """Draw every other time, so that the stock runs out."""

    def choose(state: MatchState, legal: tuple[str, ...]) -> str:
        return patient(state, legal) if pick.below(2) else legal[0]

    return choose


def played(name: str, seats: int, **options: Any) -> MemoryGame:
    """To the end."""
    game = begun(name, seats, **options)
    game.play_on(first_move)
    return game


def drawn_out(name: str, seats: int, **options: Any) -> MemoryGame:
    """The stock runs out at least once; then to the end."""
    game = begun(name, seats, **options)
    game.play_on(hesitant(Picker(name)), until=lambda state: state.draws > 2 or state.half_moves >= 60)
    game.play_on(first_move)
    return game


def stalemate(name: str, seats: int) -> MemoryGame:
    """Nobody plays a card until none is left to draw."""
    game = begun(name, seats)
    game.play_on(patient)
    return game


def wrong_card(name: str) -> MemoryGame:
    """Seat to move plays a card that does not fit, and draws; then to the end."""
    game = begun(name, 2, 4)
    state = game.state
    seat = game.demanded()[0]
    legal = state.rules.legal(state.position, seat)
    hand: list[str] = state.rules.view(state.position, seat)["hand"]
    game.send(seat, Play(next(card for card in hand if not any(move.startswith(card) for move in legal))))
    game.play_on(first_move)
    return game


def gave_up(name: str, seats: int, *commands: Leave | Resign) -> MemoryGame:
    """One after the other of those to move gives up; then to the end."""
    return common.gave_up(begun(name, seats, 2 * seats), commands, first_move)


def left_under(name: str, seats: int, pending: int) -> MemoryGame:
    """Who faces so many pending cards leaves instead of drawing them; then to the end."""
    game = begun(name, seats, 2 * seats)
    game.play_on(first_move, until=lambda state: state.position.pending == pending)
    game.send(game.demanded()[0], Leave())
    game.play_on(first_move)
    return game


def left_after_the_first(name: str) -> MemoryGame:
    """One of three has no cards any more; another leaves, and so the game is over."""
    game = begun(name, 3, 6)
    game.play_on(first_move, until=lambda state: bool(state.position.out))
    game.send(game.demanded()[0], Leave())
    return game


def too_late(name: str, seats: int) -> MemoryGame:
    """The two minutes of the seat to move are over; then to the end."""
    game = begun(name, seats, seats + 1)
    game.at_deadline(CLAIM_AFTER_MS)
    game.hears()
    game.play_on(first_move)
    return game


def absent(name: str, seats: int) -> MemoryGame:
    """One who is not to move stays away; then to the end."""
    game = begun(name, seats, 2 * seats)
    away(game, (game.demanded()[0] + 1) % seats)
    game.play_on(first_move)
    return game


def annulled(name: str) -> MemoryGame:
    """One of three leaves before each had two turns."""
    game = begun(name, 3, 5)
    game.send(0, Leave())
    return game


SCRIPTS: Final[dict[str, Script]] = {
    "out-of-cards": partial(played, "prsi/out-of-cards", 2),
    "five-places": partial(played, "prsi/five-places", 5),
    "first-of-three": partial(played, "prsi/first-of-three", 3, play_on=False, deal=5),
    "turned-over": partial(drawn_out, "prsi/turned-over", 2),
    "reshuffled": partial(drawn_out, "prsi/reshuffled", 4, reshuffle=True),
    "stalemate": partial(stalemate, "prsi/stalemate", 2),
    "stalemate-of-three": partial(stalemate, "prsi/stalemate-of-three", 3),
    "wrong-card": partial(wrong_card, "prsi/wrong-card"),
    "resigned": partial(gave_up, "prsi/resigned", 2, Resign()),
    "left": partial(gave_up, "prsi/left", 2, Leave()),
    "left-under-a-seven": partial(left_under, "prsi/left-under-a-seven", 4, 2),
    "left-after-the-first": partial(left_after_the_first, "prsi/left-after-the-first"),
    "two-of-four-left": partial(gave_up, "prsi/two-of-four-left", 4, Leave(), Leave()),
    "one-of-three-left": partial(gave_up, "prsi/one-of-three-left", 3, Leave()),
    "three-of-four-gave-up": partial(gave_up, "prsi/three-of-four-gave-up", 4, Leave(), Resign(), Leave()),
    "flag": partial(too_late, "prsi/flag", 2),
    "flag-of-four": partial(too_late, "prsi/flag-of-four", 4),
    "absent": partial(absent, "prsi/absent", 2),
    "absent-of-three": partial(absent, "prsi/absent-of-three", 3),
    "annulled": partial(annulled, "prsi/annulled"),
}
