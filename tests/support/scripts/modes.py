"""The golden matches of backgammon in other modes: giveaway, the game with a draw, jacoby, gammons off."""

from collections.abc import Callable
from functools import partial
from typing import Any, Final

from shared.commands import AcceptResignation, Leave, Resign, SetAutoRoll
from shared.events.match import Terms
from shared.match import MatchState
from shared.match.deciding import cube_rests
from tests.support.matches import MemoryGame, first_move, last_move
from tests.support.scripts.common import begun, left, played

GIVEAWAY: Final = {"mode": "giveaway"}
DRAW: Final = {"mode": "draw"}
NO_CUBE: Final = Terms(cube=False)

run = partial(played, choose=first_move, other=first_move)
"""Both run home."""

gammoned = partial(played, choose=first_move, other=last_move)
"""Seat 0 runs home, seat 1 leaves his rearmost checkers behind."""


def giveaway(seed: str, rules: str = "backgammon", *, home: bool = True) -> MemoryGame:
    """Who is off first loses; both run ``home``, or play anything."""
    return (run if home else played)(seed, rules, options=GIVEAWAY, terms=NO_CUBE)


def jacoby_doubled() -> MemoryGame:
    """With jacoby a gammon counts once the cube was turned."""
    game = MemoryGame("backgammon/jacoby-doubled 0", Terms(jacoby=True))
    game.start()
    game.doubled(first_move)
    for seat in (0, 1):
        game.send(seat, SetAutoRoll(on=True))
    game.play_on(first_move, last_move)
    return game


def before_the_last_roll(seed: str) -> MemoryGame:
    """White is off and Black has not rolled yet."""
    game = begun(seed, options=DRAW)
    game.play_on(first_move, until=lambda state: max(_off(state)) > 9)
    for seat in (0, 1):
        game.send(seat, SetAutoRoll(on=False))
    game.play_on(first_move, until=cube_rests)
    return game


def _off(state: MatchState) -> list[int]:
    boards: tuple[tuple[int, ...], tuple[int, ...]] = state.position.boards
    return [mine[0] for mine in boards]


def last_roll_resigned() -> MemoryGame:
    """Black, far behind with none off, resigns instead of his last roll: a gammon."""
    game = before_the_last_roll("backgammon/before-the-last-roll 23")
    black, _ = game.demanded()
    game.send(black, Resign(confirm=True))
    game.send(1 - black, AcceptResignation())
    return game


def left_before_the_last_roll() -> MemoryGame:
    """White, who can lose no more, leaves before Black's last roll: a draw."""
    game = before_the_last_roll("backgammon/before-the-last-roll 35")
    black, _ = game.demanded()
    game.send(1 - black, Leave())
    return game


def _of(name: str, play: Callable[..., MemoryGame], seed: int, **more: Any) -> Callable[[], MemoryGame]:
    return partial(play, f"backgammon/{name} {seed}", **more)


SCRIPTS: Final[dict[str, Callable[[], MemoryGame]]] = {
    "giveaway": _of("giveaway", giveaway, 42, home=False),
    "giveaway-left": _of("giveaway-left", left, 0, options=GIVEAWAY, terms=NO_CUBE),
    "draw": _of("draw-drawn", run, 288, options=DRAW),
    "draw-gammon-escaped": _of("draw-gammon-escaped", played, 151, options=DRAW),
    "draw-gammon": _of("draw-gammon", gammoned, 127, options=DRAW),
    "draw-white-wins": _of("draw-single", run, 66, options=DRAW),
    "draw-black-first": _of("draw-black-first", run, 16, options=DRAW),
    "draw-last-roll-resigned": last_roll_resigned,
    "draw-left-before-the-last-roll": left_before_the_last_roll,
    "jacoby": _of("jacoby", gammoned, 37, terms=Terms(jacoby=True)),
    "jacoby-doubled": jacoby_doubled,
    "gammons-off": _of("gammons-off", gammoned, 31, terms=Terms(gammons=False)),
    "no-triple": _of("no-triple", gammoned, 11, options={"triple": False}),
}
