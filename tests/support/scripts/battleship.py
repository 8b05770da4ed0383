"""The golden matches of battleship: every way in which a game can end, placing included (boardgames §7)."""

from functools import partial
from typing import Any, Final

from shared.commands import AskTime, Leave, Play, Resign
from shared.events.match import Terms
from shared.match import MatchState
from shared.match.timing import CLAIM_AFTER_MS
from shared.rules.battleship.board import NAMES, Fleet
from tests.support.matches import Choose, MemoryGame, Picker
from tests.support.scripts.boards import BOARDS, Script, after, fall
from tests.support.scripts.common import away

ONE: Final = "a1-a4 c1-c3 e1-e3 a6-a7 c5-c6 e5-e6 a9 c8 e8 g1"
TWO: Final = "j1-j4 a10-c10 e10-g10 f6-f7 h6-h7 j6-j7 a1 c1 e1 g1"


Options = dict[str, Any]


def begun(name: str, options: Options | None = None, terms: Terms = BOARDS) -> tuple[MemoryGame, Picker]:
    """A match in which both are to place."""
    game = MemoryGame(name, terms, rules="battleship", options=options)
    game.start()
    return game, Picker(name)


def placed(name: str, half_moves: int = 0, options: Options | None = None) -> tuple[MemoryGame, Picker]:
    """Both have placed, seat 1 first, and so many shots were fired."""
    game, pick = begun(name, options=options)
    game.send(1, Play(TWO))
    game.send(0, Play(ONE))
    game.play_on(sharp(pick), until=after(half_moves))
    return game, pick


def sharp(pick: Picker, misses: int = 3) -> Choose:
    """Shots of which at most one in ``misses`` hits nothing: who shoots knows too much, for a short game."""

    def choose(state: MatchState, legal: tuple[str, ...]) -> str:
        theirs: Fleet = state.position.fleets[1 - state.position.turn]
        afloat = {NAMES[cell] for ship in theirs for cell in ship}
        found = [cell for cell in legal if cell in afloat]
        return legal[pick.below(len(legal))] if not pick.below(misses) else found[pick.below(len(found))]

    return choose


def sunk(name: str, options: Options | None = None) -> MemoryGame:
    """To the last cell of a fleet."""
    game, pick = placed(name, options=options)
    game.play_on(sharp(pick))
    return game


def suggested(name: str, fleet: str) -> MemoryGame:
    """Another fleet, placed as it is suggested; to the end."""
    game, pick = begun(name, options={"fleet": fleet})
    for _ in range(2):
        game.turn(pick.move)
    game.play_on(sharp(pick))
    return game


def not_placed(name: str, seat: int) -> MemoryGame:
    """``seat`` asks for more time while he places, and lets that pass too."""
    game, _ = begun(name)
    game.send(seat, AskTime())
    game.send(1 - seat, Play(TWO))
    fall(game)
    return game


def nobody_placed(name: str) -> MemoryGame:
    """Both let their time pass."""
    game, _ = begun(name)
    fall(game)
    return game


def thrown_out(name: str) -> MemoryGame:
    """Who is late with his fleet is thrown out; the computer places and shoots for him, and loses."""
    game, pick = begun(name, terms=Terms(cube=False, clock=BOARDS.clock, flag="kick", absence="ghost"))
    game.send(0, Play(ONE))
    game.at_deadline(CLAIM_AFTER_MS)
    game.hears()
    game.turn(pick.move)
    game.play_on(sharp(pick), pick.move)
    return game


def overran(name: str) -> MemoryGame:
    """After nine shots, seat 1 lets his two minutes pass."""
    game, _ = placed(name, 9)
    fall(game)
    return game


def resigned(name: str) -> MemoryGame:
    """After seven shots who is not to shoot resigns."""
    game, _ = placed(name, 7)
    game.send(1 - game.demanded()[0], Resign())
    return game


def left(name: str, half_moves: int) -> MemoryGame:
    """Seat 0 leaves after so many shots."""
    game, _ = placed(name, half_moves)
    game.send(0, Leave())
    return game


def left_placing(name: str) -> MemoryGame:
    """Seat 1 has placed; seat 0 leaves."""
    game, _ = begun(name)
    game.send(1, Play(TWO))
    game.send(0, Leave())
    return game


def absent_placing(name: str) -> MemoryGame:
    """Seat 1 has placed; seat 0 falls silent before he has."""
    game, _ = begun(name)
    game.send(1, Play(TWO))
    away(game, 0)
    return game


def absent(name: str, half_moves: int) -> MemoryGame:
    """Seat 1 falls silent after so many shots."""
    game, _ = placed(name, half_moves)
    away(game, 1)
    return game


SCRIPTS: Final[dict[str, Script]] = {
    "fleet-sunk": partial(sunk, "battleship/fleet-sunk"),
    "extra-shot": partial(sunk, "battleship/extra-shot", {"extra_shot_on_hit": True}),
    "five-ships": partial(suggested, "battleship/five-ships", "5,4,3,3,2"),
    "not-placed": partial(not_placed, "battleship/not-placed", 0),
    "nobody-placed": partial(nobody_placed, "battleship/nobody-placed"),
    "thrown-out": partial(thrown_out, "battleship/thrown-out"),
    "flag": partial(overran, "battleship/flag"),
    "resigned": partial(resigned, "battleship/resigned"),
    "left": partial(left, "battleship/left", 4),
    "left-annulled": partial(left, "battleship/left-annulled", 3),
    "left-placing": partial(left_placing, "battleship/left-placing"),
    "absent-placing": partial(absent_placing, "battleship/absent-placing"),
    "absent": partial(absent, "battleship/absent", 6),
}
