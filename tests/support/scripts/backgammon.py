"""The golden matches of backgammon without clocks: cube, resignations, luck, ends."""

from collections.abc import Callable
from typing import Any, Final

from shared.commands import (
    AcceptBeaver,
    AutoFinish,
    Beaver,
    DeclineResignation,
    Double,
    Leave,
    Pass,
    Ready,
    Resign,
    SetAutoRoll,
    Take,
)
from shared.events.match import Seat, Terms
from shared.match.deciding import may_auto_finish, may_resign
from tests.support.matches import SEATS, MemoryGame, Picker, last_move, rewritten
from tests.support.scripts import common
from tests.support.scripts.common import resign


def played(seed: str, *, careless: bool = False, terms: Terms | None = None) -> MemoryGame:
    """A single game to its end; ``careless``: seat 1 plays to be gammoned."""
    game = MemoryGame(seed, terms or Terms())
    game.start()
    pick = Picker(seed)
    game.play_on(pick.move, last_move if careless else None)
    return game


def single() -> MemoryGame:
    """An ordinary game."""
    return played("single 2")


def gammon() -> MemoryGame:
    """Somebody bears off everything before the other has borne off one."""
    return played("gammon 1")


def backgammon() -> MemoryGame:
    """... and the loser still has a checker on the bar or in the winner's home."""
    return played("backgammon 1")


def match_to_3() -> MemoryGame:
    """With the Crawford game, and a double in the first game after it."""
    return common.match_to_3("match to 3")


def roll_each_game() -> MemoryGame:
    """A match to 2 in which every game begins with an opening roll."""
    game = MemoryGame("roll each game", Terms(target=2, first_move="roll_each_game"))
    game.start()
    pick = Picker("roll each game")
    resign(game, 0, pick)
    game.next()
    resign(game, 1, pick)
    game.next()
    resign(game, 0, pick)
    return game


def double_passed() -> MemoryGame:
    """A double that is passed costs the value before it."""
    return common.double_passed("double passed")


def beaver_accepted() -> MemoryGame:
    """X doubles to 2, Y beavers to 4, X plays on: the cube is Y's at 4."""
    game, seat, pick = _beavered("beaver accepted")
    game.send(seat, AcceptBeaver())
    game.play_on(pick.move)
    return game


def beaver_refused() -> MemoryGame:
    """X doubles to 2, Y beavers to 4, X gives up and loses 2."""
    game, seat, _ = _beavered("beaver refused")
    game.send(seat, Pass())
    return game


def _beavered(seed: str) -> tuple[MemoryGame, int, Picker]:
    game, pick = MemoryGame(seed, Terms(beaver=True)), Picker(seed)
    game.start()
    seat = game.to_roll(pick.move)
    game.send(seat, Double())
    game.send(1 - seat, Beaver())
    return game, seat, pick


def resignation() -> MemoryGame:
    """Declined, offered again on the next turn, accepted: a single game."""
    game, pick = MemoryGame("resignation"), Picker("resignation")
    game.start()
    game.play_on(pick.move, until=lambda state: may_resign(state, 0))
    game.send(0, Resign())
    game.send(1, DeclineResignation())
    resign(game, 0, pick)
    return game


def resigned_gammon() -> MemoryGame:
    """60 pips behind and nothing on the bar: after a confirmation it costs a gammon."""
    return common.resigned_gammon("resigned gammon", auto=False)


def resignation_retired() -> MemoryGame:
    """As ``resigned_gammon``, stored in the shape that resignations had in the drafts of the log."""
    game = resigned_gammon()
    n = len(game.lines) - 1

    def retire(commit: dict[str, Any]) -> None:
        offer = commit["events"][0]
        commit["events"][0] = {"type": "resignation_offered", "seat": offer["seat"], "gammon": True}

    game.lines[:] = rewritten(game.lines, n, retire)
    return game


def quit_at_once() -> MemoryGame:
    """Quit while a double has been taken: the worst still possible, times the cube."""
    game, pick = MemoryGame("quit"), Picker("quit")
    game.start()
    seat = game.doubled(pick.move)
    game.send(seat, Leave())
    return game


def left_between() -> MemoryGame:
    """A match to 5 that ends because somebody leaves instead of pressing Next."""
    game, pick = MemoryGame("left between", Terms(target=5)), Picker("left between")
    game.start()
    resign(game, 0, pick)
    game.send(1, Leave())
    return game


def auto_roll() -> MemoryGame:
    """Both let the server roll, one from before the start, one for some turns only."""
    game, pick = MemoryGame("auto roll"), Picker("auto roll")
    game.send(0, SetAutoRoll(on=True))
    game.start()
    game.play_on(pick.move, until=lambda state: state.draws > 6)
    game.send(1, SetAutoRoll(on=True))
    game.play_on(pick.move, until=lambda state: state.draws > 20)
    game.send(0, SetAutoRoll(on=False))
    game.play_on(pick.move)
    return game


def auto_finish() -> MemoryGame:
    """The checkers have passed: one seat, then the other, lets the server play to the end."""
    game, pick = MemoryGame("auto finish 1"), Picker("auto finish 1")
    game.start()
    game.play_on(pick.move, until=lambda state: may_auto_finish(state, 0))
    game.send(0, AutoFinish())
    game.play_on(pick.move, until=lambda state: state.draws % 5 == 0)
    if not game.over:
        game.send(1, AutoFinish())
    return game


def luck_strings() -> MemoryGame:
    """Seat 0 and seat 1 bring luck of their own."""
    game, pick = MemoryGame("luck strings"), Picker("luck strings")
    game.start((bytes(range(32)), bytes(range(100, 132))))
    game.play_on(pick.move)
    return game


def one_luck_string() -> MemoryGame:
    """Only seat 1 brings luck; the other trusts it. Over after a passed double."""
    game = MemoryGame("one luck string")
    game.start((None, bytes(range(200, 232))))
    game.doubled(Picker("one luck string").move, taken=False)
    return game


def recorded() -> MemoryGame:
    """The dice of every roll are given; the second roll of the opening decides."""
    game, pick = MemoryGame("recorded", chance="recorded"), Picker("recorded")
    game.start()
    game.turn(pick.move, (4, 4))
    game.turn(pick.move, pick.dice(opening=True))
    while not game.over:
        game.turn(pick.move, pick.dice() if "roll" in game.demanded()[1] else ())
    return game


def cancelled() -> MemoryGame:
    """Somebody leaves before the start."""
    game = MemoryGame("cancelled")
    game.send(0, Ready())
    game.send(1, Leave())
    return game


def cube_at_64() -> MemoryGame:
    """Six doubles, every one taken; there is no seventh."""
    game, pick = MemoryGame("cube at 64"), Picker("cube at 64")
    game.start()
    while game.state.cube.value < 64:
        game.doubled(pick.move)
        game.turn(pick.move)
    game.play_on(pick.move)
    return game


def against_the_computer() -> MemoryGame:
    """Seat 1 is the computer's; the ghost gives its commands."""
    game = MemoryGame("against the computer", seats=(SEATS[0], Seat("pcomputer", bot=True)))
    game.start()
    pick = Picker("against the computer")
    game.play_on(pick.move)
    return game


def unfinished() -> MemoryGame:
    """A match that still goes on."""
    game, pick = MemoryGame("unfinished", Terms(target=5)), Picker("unfinished")
    game.start((bytes(32 * [7]), None))
    game.play_on(pick.move, until=lambda state: state.draws > 8)
    game.send(game.to_roll(pick.move), Double())
    game.send(game.demanded()[0], Take())
    return game


SCRIPTS: Final[dict[str, Callable[[], MemoryGame]]] = {
    "single": single,
    "gammon": gammon,
    "backgammon": backgammon,
    "match-to-3": match_to_3,
    "roll-each-game": roll_each_game,
    "double-passed": double_passed,
    "beaver-accepted": beaver_accepted,
    "beaver-refused": beaver_refused,
    "resignation": resignation,
    "resigned-gammon": resigned_gammon,
    "resignation-retired": resignation_retired,
    "quit": quit_at_once,
    "left-between": left_between,
    "auto-roll": auto_roll,
    "auto-finish": auto_finish,
    "luck-strings": luck_strings,
    "one-luck-string": one_luck_string,
    "recorded": recorded,
    "cancelled": cancelled,
    "cube-at-64": cube_at_64,
    "against-the-computer": against_the_computer,
    "unfinished": unfinished,
}
