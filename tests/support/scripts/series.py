"""The golden series: mixed matches and Tavli, with and without tie-breaks, and the ways out of them."""

from collections.abc import Callable
from functools import partial
from typing import Final

from shared.clocks import PER_MOVE, STANDARD
from shared.commands import Kick, Leave, Next
from shared.events.match import Terms
from shared.match import demands
from shared.match.timing import CLAIM_AFTER_MS
from tests.support.matches import MemoryGame, Picker, first_move, last_move
from tests.support.scripts.common import away, begun, resign

MIXED: Final = Terms(series="mixed")
TAVLI: Final = Terms(series="tavli", cube=False)
HOUSE: Final = Terms(series="mixed", clock=STANDARD, flag="kick", absence="ghost")


def whole(seed: str, terms: Terms, wild: tuple[str, ...]) -> MemoryGame:
    """A series to its end; in the ``wild`` games of it any moves, in the others both run home."""
    game, pick = begun(seed, terms=terms), Picker(seed)
    while True:
        game.play_on(pick.move if game.state.rules.name in wild else first_move)
        if game.over:
            return game
        game.next()


def cube() -> MemoryGame:
    """A mixed match with doubles: one passed, one taken and then resigned, one passed after Long nardy."""
    game, pick = MemoryGame("mixed/cube 0", MIXED), Picker("mixed/cube 0")
    game.start()
    seat = game.doubled(pick.move, taken=False)
    game.next()
    game.doubled(pick.move)
    resign(game, 1 - seat, pick)
    game.next()
    game.doubled(pick.move, taken=False)
    return game


def roll_each_game() -> MemoryGame:
    """Every game of a mixed match begins with an opening roll; in Long nardy it decides and no more."""
    seed = "mixed/roll-each-game 0"
    game, pick = begun(seed, terms=Terms(series="mixed", first_move="roll_each_game")), Picker(seed)
    for loser in (0, 1, 0):
        resign(game, loser, pick)
        if not game.over:
            game.next()
    return game


def left_between() -> MemoryGame:
    """Who leads leaves instead of pressing Next, and has lost."""
    game, pick = begun("mixed/left-between 0", terms=MIXED), Picker("mixed/left-between 0")
    resign(game, 0, pick)
    game.send(1, Leave())
    return game


def next_expired() -> MemoryGame:
    """Before Long nardy seat 0 does not press Next."""
    game, pick = begun("mixed/next-expired 0", terms=HOUSE), Picker("mixed/next-expired 0")
    resign(game, 1, pick)
    game.send(1, Next())
    game.at_deadline(CLAIM_AFTER_MS)
    game.hears()
    return game


def lost_on_time() -> MemoryGame:
    """Seat 0 runs out of time in Long nardy, which costs that game; the series goes on to its end."""
    seed = "mixed/lost-on-time 0"
    game, pick = begun(seed, terms=Terms(series="mixed", clock=PER_MOVE)), Picker(seed)
    resign(game, 0, pick)
    game.next()
    game.play_on(pick.move, until=lambda state: state.half_moves > 3 and demands(state)[0].seat == 0)
    game.at_deadline(CLAIM_AFTER_MS)
    game.hears()
    game.next()
    resign(game, 1, pick)
    return game


def ghost_tie_break() -> MemoryGame:
    """2:2 after three games; a ghost wins the tie-break, which counts nothing, so there is one more."""
    seed = "mixed/ghost-tie-break 9"
    game, pick = MemoryGame(seed, HOUSE), Picker(seed)
    game.start()
    leader = game.doubled(pick.move)
    resign(game, 1 - leader, pick)
    for _ in range(2):
        game.next()
        resign(game, leader, pick)
    game.next()
    away(game, leader)
    game.play_on(pick.move)
    game.next()
    resign(game, leader, pick)
    return game


def left_in_plakoto() -> MemoryGame:
    """Seat 0 leaves the second game of a Tavli, which costs it double; the series goes on."""
    seed = "tavli/left-in-plakoto 0"
    game, pick = begun(seed, terms=TAVLI), Picker(seed)
    resign(game, 1, pick)
    game.next()
    game.play_on(pick.move, until=lambda state: state.half_moves > 3)
    game.send(0, Leave())
    game.next()
    resign(game, 1, pick)
    game.next()
    resign(game, 1, pick)
    return game


def kicked() -> MemoryGame:
    """Seat 1 is thrown out of Plakoto; the computer wins it for nobody, and the tie-break decides."""
    seed = "tavli/kicked 0"
    terms = Terms(series="tavli", cube=False, clock=STANDARD, flag="kick")
    game, pick = begun(seed, terms=terms), Picker(seed)
    resign(game, 1, pick)
    game.next()
    game.play_on(pick.move, until=lambda state: state.half_moves > 3 and demands(state)[0].seat == 1)
    game.at_deadline(CLAIM_AFTER_MS)
    game.hears()
    game.send(0, Kick())
    game.play_on(pick.move)
    game.next()
    resign(game, 0, pick)
    game.next()
    resign(game, 0, pick)
    return game


def no_triple() -> MemoryGame:
    """By tradition a backgammon in the first game counts two; then seat 1 leaves."""
    game = begun("tavli/no-triple 32", terms=TAVLI, options={"triple": False})
    game.play_on(first_move, last_move)
    game.send(1, Leave())
    return game


SCRIPTS: Final[dict[str, dict[str, Callable[[], MemoryGame]]]] = {
    "mixed": {
        "three-games": partial(whole, "mixed/three-games 11", MIXED, ("hypergammon",)),
        "tie-break": partial(whole, "mixed/tie-break 55", MIXED, ("hypergammon",)),
        "cube": cube,
        "roll-each-game": roll_each_game,
        "left-between": left_between,
        "next-expired": next_expired,
        "lost-on-time": lost_on_time,
        "ghost-tie-break": ghost_tie_break,
    },
    "tavli": {
        "three-games": partial(whole, "tavli/three-games 12", TAVLI, ("plakoto",)),
        "plakoto-draw": partial(whole, "tavli/plakoto-draw 321", TAVLI, ("plakoto",)),
        "left-in-plakoto": left_in_plakoto,
        "kicked": kicked,
        "no-triple": no_triple,
    },
}
