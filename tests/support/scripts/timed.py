"""The golden matches with clocks, flags, absence and outages."""

from collections.abc import Callable
from typing import Final

from shared.clocks import BLITZ, PER_MOVE, STANDARD, chess_clock
from shared.commands import (
    AcceptExtension,
    AskTime,
    Kick,
    Next,
    OfferExtension,
    Ready,
    ReportPresent,
    Reveal,
    SetAutoRoll,
)
from shared.draws import string_hash
from shared.events.match import Seat, Terms
from shared.match import demands
from shared.match.timing import CLAIM_AFTER_MS
from tests.support.matches import SEATS, MemoryGame, Picker
from tests.support.scripts.common import away, resign


def blitz_kick() -> MemoryGame:
    """A blitz match to 2. A late move is good until the kick; then the computer plays on, for nothing."""
    game, pick = MemoryGame("blitz kick", Terms(target=2, clock=BLITZ, flag="kick")), Picker("blitz kick")
    game.start()
    game.send(0, SetAutoRoll(on=True))
    game.play_on(pick.move, until=lambda state: state.draws > 4)
    late, _ = game.demanded()
    game.at_deadline(CLAIM_AFTER_MS)
    game.hears()
    game.after(900)
    game.turn(pick.move)  # late, but nobody has thrown him out
    game.play_on(pick.move, until=lambda state: demands(state)[0].seat == late)
    game.at_deadline(CLAIM_AFTER_MS)
    game.hears()
    game.send(1 - late, Kick())
    game.play_on(pick.move)
    game.next()
    seat = game.doubled(pick.move)
    resign(game, 1 - seat, pick)
    return game


def blitz_auto_roll() -> MemoryGame:
    """A single blitz game with auto-roll: passes that the server makes earn what a quick turn earns."""
    game, pick = MemoryGame("blitz auto roll", Terms(clock=BLITZ, flag="kick")), Picker("blitz auto roll")
    game.start()
    for seat in (0, 1):
        game.send(seat, SetAutoRoll(on=True))
    while not game.over:
        game.after(1_000 + 500 * pick.below(28))
        game.turn(pick.move)
    return game


def lost_on_time() -> MemoryGame:
    """A chess clock: 5 minutes more agreed on before the start, one offer lapses, seat 1 runs out."""
    game, pick = MemoryGame("lost on time", Terms(clock=chess_clock(3))), Picker("lost on time")
    game.send(0, OfferExtension())
    game.send(1, AcceptExtension())
    game.start()
    game.to_roll(pick.move)
    mover, _ = game.demanded()
    game.send(mover, OfferExtension())
    game.turn(pick.move)
    game.turn(pick.move)
    game.play_on(pick.move, until=lambda state: demands(state)[0].seat == 1)
    game.after(479_000 - 60_000)
    game.turn(pick.move)
    game.play_on(pick.move, until=lambda state: state.draws > 9 and demands(state)[0].seat == 1)
    game.at_deadline(CLAIM_AFTER_MS + 37)
    game.hears()
    return game


def time_asked() -> MemoryGame:
    """Two minutes a move: one asks for two more and uses them, later he needs more than he has."""
    game, pick = MemoryGame("time asked", Terms(clock=PER_MOVE)), Picker("time asked")
    game.start()
    seat = game.to_roll(pick.move)
    game.after(119_000)
    game.send(seat, AskTime())
    game.after(100_000)
    game.turn(pick.move)
    game.play_on(pick.move, until=lambda state: state.draws > 4 and demands(state)[0].seat == seat)
    game.at_deadline(CLAIM_AFTER_MS)
    game.hears()
    return game


def _one_game(seed: str, terms: Terms) -> MemoryGame:
    game, pick = MemoryGame(seed, terms), Picker(seed)
    game.start()
    game.doubled(pick.move, taken=False)
    return game


def next_expired() -> MemoryGame:
    """Seat 1 presses Next with the last millisecond, seat 0 does not: the match is lost."""
    game = _one_game("next expired", Terms(target=3, clock=STANDARD, flag="kick"))
    game.at_deadline(0)
    game.send(1, Next(), late_ms=0)
    game.at_deadline(CLAIM_AFTER_MS)
    game.hears()
    return game


def nobody_next() -> MemoryGame:
    """Nobody presses Next: the match is cancelled."""
    game = _one_game("nobody next", Terms(target=3, clock=STANDARD, flag="kick"))
    game.at_deadline(CLAIM_AFTER_MS)
    game.hears()
    return game


def ghost() -> MemoryGame:
    """A ghost takes over and hands back, then accepts a resignation, which wins it nothing; Next expires."""
    game = MemoryGame("ghost", Terms(target=2, clock=STANDARD, flag="kick", absence="ghost"))
    pick = Picker("ghost")
    game.start()
    game.play_on(pick.move, until=lambda state: state.draws > 4)
    seat, _ = game.demanded()
    away(game, seat)
    game.turn(pick.move)
    game.hears(ReportPresent(seat))
    game.play_on(pick.move, until=lambda state: state.draws > 12)
    away(game, 1 - seat)
    game.play_on(pick.move, until=lambda state: state.draws > 16)
    resign(game, seat, pick)
    game.send(seat, Next())
    game.at_deadline(CLAIM_AFTER_MS)
    game.hears()
    return game


def _gone_after(name: str, half_moves: int) -> MemoryGame:
    """At a table where absence is a forfeit seat 0 falls silent after so many half-moves."""
    game, pick = MemoryGame(name, Terms(clock=PER_MOVE, absence="forfeit")), Picker(name)
    game.start()
    game.play_on(pick.move, until=lambda state: state.half_moves == half_moves)
    away(game, 0)
    return game


def absent() -> MemoryGame:
    """Two half-moves of both are played: whoever stays away loses."""
    return _gone_after("absent", 4)


def annulled() -> MemoryGame:
    """Three half-moves are played: the game of an absent player is annulled."""
    return _gone_after("annulled", 3)


def outage() -> MemoryGame:
    """Twice nothing works: an overdue claim finds nothing to claim, a move is charged without the outage."""
    game, pick = MemoryGame("outage", Terms(clock=chess_clock(1))), Picker("outage")
    game.start()
    game.play_on(pick.move, until=lambda state: state.draws > 2)
    game.outage(5_000, 90_000, 10)
    game.hears()
    game.turn(pick.move)
    game.outage(1_000, 40_000, 400)
    game.turn(pick.move)
    game.at_deadline(CLAIM_AFTER_MS)
    game.hears()
    return game


def not_ready() -> MemoryGame:
    """Only seat 1 gets ready within two minutes: there is no match."""
    game = MemoryGame("not ready", Terms(clock=PER_MOVE))
    game.send(1, Ready())
    game.at_deadline(CLAIM_AFTER_MS)
    game.hears()
    return game


def not_revealed() -> MemoryGame:
    """Both commit to strings, one reveals with the last millisecond, the other never does."""
    game = MemoryGame("not revealed", Terms(absence="ghost"))
    for seat in (0, 1):
        game.send(seat, Ready(string_hash(bytes(32 * [seat]))))
    game.outage(30_000, 20_000, 1_000)
    game.at_deadline(20_000)
    game.send(1, Reveal(bytes(32 * [1]).hex()), late_ms=0)
    game.at_deadline(CLAIM_AFTER_MS)
    game.hears()
    return game


def kicked_by_the_computer() -> MemoryGame:
    """Seat 0 runs out of time against a bot, which does not wait: the computer plays both sides."""
    seats = (SEATS[0], Seat("pcomputer", bot=True))
    game = MemoryGame("kicked by the computer", Terms(clock=BLITZ, flag="kick"), seats=seats)
    pick = Picker("kicked by the computer")
    game.start()
    game.play_on(pick.move, until=lambda state: state.draws > 5 and demands(state)[0].seat == 0)
    game.at_deadline(CLAIM_AFTER_MS)
    game.hears()
    game.play_on(pick.move)
    return game


def kicked_by_the_ghost() -> MemoryGame:
    """Seat 0 stands at 0:00 when the opponent vanishes, whose ghost throws him out; nobody's win counts."""
    game = MemoryGame("kicked by the ghost", Terms(clock=BLITZ, flag="kick", absence="ghost"))
    pick = Picker("kicked by the ghost")
    game.start()
    game.play_on(pick.move, until=lambda state: state.draws > 4 and demands(state)[0].seat == 0)
    game.at_deadline(CLAIM_AFTER_MS)
    game.hears()
    away(game, 1)
    game.play_on(pick.move)
    return game


SCRIPTS: Final[dict[str, Callable[[], MemoryGame]]] = {
    "blitz-kick": blitz_kick,
    "blitz-auto-roll": blitz_auto_roll,
    "lost-on-time": lost_on_time,
    "time-asked": time_asked,
    "next-expired": next_expired,
    "nobody-next": nobody_next,
    "ghost": ghost,
    "absent": absent,
    "annulled": annulled,
    "outage": outage,
    "not-ready": not_ready,
    "not-revealed": not_revealed,
    "kicked-by-the-computer": kicked_by_the_computer,
    "kicked-by-the-ghost": kicked_by_the_ghost,
}
