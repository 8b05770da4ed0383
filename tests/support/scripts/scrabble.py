"""The golden matches of scrabble: every way in which a game can end, for two to four (boardgames §9)."""

from functools import partial
from typing import Final

from shared.clocks import PER_MOVE
from shared.commands import Leave, Play, Resign
from shared.events.match import Seat, Terms
from shared.match import MatchState
from shared.match.timing import CLAIM_AFTER_MS
from shared.problems import Refused
from shared.rules.scrabble import State
from shared.rules.scrabble.board import EMPTY, SIZE, SQUARES, start_name
from shared.rules.scrabble.turns import stood
from shared.rules.scrabble.words import OWN
from tests.support.matches import MemoryGame
from tests.support.scrabble import greedy
from tests.support.scripts import common
from tests.support.scripts.boards import Script
from tests.support.scripts.common import away

HOUSE: Final = Terms(cube=False, clock=PER_MOVE, absence="forfeit")
PLAYERS: Final = ("pannanovakova", "pborisdvorak", "pcyrilmaly", "pdanavelka")


def best(state: MatchState, legal: tuple[str, ...]) -> str:
    """The play worth most, else the exchange of the whole rack, else a pass."""
    return greedy(state.position, state.position.turn, legal)


def idle(_: MatchState, legal: tuple[str, ...]) -> str:
    """Exchange a tile and pass, by turns."""
    return next((move for move in legal if move.startswith("-") and move != "-"), "-")


def bluff(state: MatchState, legal: tuple[str, ...]) -> str:
    """As many tiles as fit somewhere, whatever they spell; unless the play before awaits its judgement."""
    if "accept" in legal:
        return "accept"
    position: State = state.position
    seat = position.turn
    rack = stood(position).racks[seat].replace("?", "e")
    for number in range(len(rack), 0, -1):
        for square in range(SQUARES):
            cells = position.board[square : square - square % SIZE + SIZE]
            signs = iter(rack[:number])
            word = "".join(sign if sign != EMPTY else next(signs, "") for sign in cells)
            move = f"{start_name(square, across=True)} {_whole(cells, word, number)}"
            try:
                return state.rules.read(position, seat, move)
            except Refused:
                continue
    return "-"


def _whole(cells: str, word: str, number: int) -> str:
    """The beginning of ``word`` that lays ``number`` tiles, and the tiles that lie on after it."""
    end = laid = 0
    while end < len(word) and (laid < number or cells[end] != EMPTY):
        laid += cells[end] == EMPTY
        end += 1
    return word[:end]


def begun(name: str, seats: int = 2, turns: int = 0, *, challenge: bool = False) -> MemoryGame:
    """A match of so many that has begun, after so many ``turns``; its list is the small one."""
    table = tuple(Seat(player) for player in PLAYERS[:seats])
    options = {"dictionary": OWN.id, "challenge": challenge}
    game = MemoryGame(name, HOUSE, seats=table, rules="scrabble", options=options)
    game.start()
    game.play_on(best, until=lambda state: state.half_moves >= turns)
    return game


def played(name: str, seats: int = 2, *, challenge: bool = False) -> MemoryGame:
    """To the end; ``name`` finds a game that ends as it shall."""
    game = begun(name, seats, challenge=challenge)
    game.play_on(best)
    return game


def bluffed(name: str, seats: int = 2, last: str = "accept") -> MemoryGame:
    """Everybody lays whatever he has until somebody is out; the last play is accepted, or challenged first.

    A play that is withdrawn then goes back to the rack, and its player lays it again.
    """
    game = begun(name, seats, challenge=True)
    game.play_on(
        bluff, until=lambda state: "accept" in state.rules.legal(state.position, state.position.turn)
    )
    game.send(game.demanded()[0], Play(last))
    game.play_on(bluff)
    return game


def nobody_plays(name: str, turns: int, seats: int = 2) -> MemoryGame:
    """After some turns nobody lays a tile any more."""
    game = begun(name, seats, turns)
    game.play_on(idle)
    return game


def challenged(name: str) -> MemoryGame:
    """A word that there is none of is withdrawn, a good one stands; then to the end."""
    game = begun(name, 2, challenge=True)
    seat = game.demanded()[0]
    rack: str = game.state.position.racks[seat]
    game.send(seat, Play(f"8H {rack.replace('?', '')[:4]}"))
    game.send(1 - seat, Play("challenge"))
    game.turn(best)
    game.send(seat, Play("challenge"))
    game.play_on(best)
    return game


def gave_up(name: str, seats: int, *commands: Leave | Resign) -> MemoryGame:
    """One after the other of those to move gives up; then to the end."""
    return common.gave_up(begun(name, seats, 2 * seats), commands, best)


def left_open(name: str) -> MemoryGame:
    """One of three leaves while his play, of no word that there is, may be challenged: it stands."""
    game = begun(name, 3, 6, challenge=True)
    seat = game.demanded()[0]
    game.turn(bluff)
    game.send(seat, Leave())
    game.play_on(best)
    return game


def too_late(name: str, seats: int = 2) -> MemoryGame:
    """The two minutes of the seat to move are over; then to the end."""
    game = begun(name, seats, 2 * seats + 1)
    game.at_deadline(CLAIM_AFTER_MS)
    game.hears()
    game.play_on(best)
    return game


def absent(name: str, seats: int) -> MemoryGame:
    """One who is not to move stays away; then to the end."""
    game = begun(name, seats, 2 * seats)
    away(game, (game.demanded()[0] + 1) % seats)
    game.play_on(best)
    return game


def annulled(name: str) -> MemoryGame:
    """One of two leaves before each had two turns."""
    game = begun(name, 2, 3)
    game.send(0, Leave())
    return game


SCRIPTS: Final[dict[str, Script]] = {
    "out": partial(bluffed, "scrabble/out"),
    "out-of-four": partial(bluffed, "scrabble/out-of-four", 4),
    "out-withdrawn": partial(bluffed, "scrabble/out-withdrawn", 2, "challenge"),
    "stuck": partial(played, "scrabble/stuck"),
    "stuck-of-three": partial(played, "scrabble/stuck-of-three", 3),
    "challenged": partial(challenged, "scrabble/challenged"),
    "empty-rounds": partial(nobody_plays, "scrabble/empty-rounds", 6),
    "empty-rounds-of-four": partial(nobody_plays, "scrabble/empty-rounds-of-four", 8, 4),
    "draw": partial(nobody_plays, "scrabble/draw 10", 0),
    "resigned": partial(gave_up, "scrabble/resigned", 2, Resign()),
    "left": partial(gave_up, "scrabble/left", 2, Leave()),
    "left-open": partial(left_open, "scrabble/left-open"),
    "two-of-four-left": partial(gave_up, "scrabble/two-of-four-left", 4, Leave(), Leave()),
    "three-of-four-gave-up": partial(
        gave_up, "scrabble/three-of-four-gave-up", 4, Leave(), Resign(), Leave()
    ),
    "one-of-three-left": partial(gave_up, "scrabble/one-of-three-left", 3, Leave()),
    "flag": partial(too_late, "scrabble/flag"),
    "flag-of-three": partial(too_late, "scrabble/flag-of-three", 3),
    "absent": partial(absent, "scrabble/absent", 2),
    "absent-of-three": partial(absent, "scrabble/absent-of-three", 3),
    "annulled": partial(annulled, "scrabble/annulled"),
}
