"""What golden matches of every game have in common."""

from collections.abc import Iterable
from typing import Any

from shared.commands import AcceptResignation, Double, Leave, Pass, ReportAbsent, Resign, SetAutoRoll
from shared.events.match import Seat, Terms
from shared.match import MatchState
from shared.match.deciding import may_resign
from tests.support.matches import SEATS, SINGLE, Choose, MemoryGame, Picker


def begun(
    seed: str,
    rules: str = "backgammon",
    *,
    options: dict[str, Any] | None = None,
    terms: Terms = SINGLE,
    seats: tuple[Seat, ...] = SEATS,
) -> MemoryGame:
    """A match that both sides begin with auto-roll on: half as many commits, and nobody doubles."""
    game = MemoryGame(seed, terms, seats=seats, rules=rules, options=options)
    for seat in (0, 1):
        game.send(seat, SetAutoRoll(on=True))
    game.start()
    return game


def played(
    seed: str,
    rules: str = "backgammon",
    *,
    options: dict[str, Any] | None = None,
    terms: Terms = SINGLE,
    choose: Choose | None = None,
    other: Choose | None = None,
) -> MemoryGame:
    """A single game to its end; any moves, or seat 0's as ``choose`` and seat 1's as ``other`` says."""
    game, pick = begun(seed, rules, options=options, terms=terms), Picker(seed)
    game.play_on(choose or pick.move, other or pick.move)
    return game


def resign(game: MemoryGame, seat: int, pick: Picker) -> None:
    """``seat`` resigns on its next turn, whatever it costs, and that is accepted."""
    game.play_on(pick.move, until=lambda state: may_resign(state, seat))
    game.send(seat, Resign(confirm=True))
    game.send(1 - seat, AcceptResignation())


def resigned_gammon(seed: str, rules: str = "backgammon", *, auto: bool = True) -> MemoryGame:
    """Who is far enough behind on his turn resigns at once: after a confirmation it costs a gammon."""
    game, pick = begun(seed, rules) if auto else MemoryGame(seed, rules=rules), Picker(seed)
    if not auto:
        game.start()
    game.play_on(pick.move, until=lambda state: _far_behind(state) is not None)
    seat = _far_behind(game.state)
    assert seat is not None
    game.send(seat, Resign(confirm=True))
    game.send(1 - seat, AcceptResignation())
    return game


def _far_behind(state: MatchState) -> int | None:
    return next(
        (
            seat
            for seat in (0, 1)
            if may_resign(state, seat) and state.rules.forfeit(state.position, seat, "resigned").points > 1
        ),
        None,
    )


def left(
    seed: str, rules: str = "backgammon", *, options: dict[str, Any] | None = None, terms: Terms = SINGLE
) -> MemoryGame:
    """Seat 1 leaves in the middle of the game: it costs the worst that is still possible."""
    game, pick = begun(seed, rules, options=options, terms=terms), Picker(seed)
    game.play_on(pick.move, until=lambda state: state.half_moves == 12)
    game.send(1, Leave())
    return game


def double_passed(seed: str, rules: str = "backgammon") -> MemoryGame:
    """A double that is passed costs the value before it."""
    game = MemoryGame(seed, rules=rules)
    game.start()
    game.doubled(Picker(seed).move, taken=False)
    return game


def match_to_3(seed: str, rules: str = "backgammon") -> MemoryGame:
    """2:0 by a taken double, 2:1 in the Crawford game, 2:2 by a passed double, then all or nothing."""
    game, pick = MemoryGame(seed, Terms(target=3), rules=rules), Picker(seed)
    game.start()
    leader = game.doubled(pick.move)
    resign(game, 1 - leader, pick)
    game.next()
    resign(game, leader, pick)
    game.next()
    seat = game.to_roll(pick.move)
    while seat == leader:
        game.turn(pick.move)
        seat = game.to_roll(pick.move)
    game.send(seat, Double())
    game.send(leader, Pass())
    game.next()
    game.doubled(pick.move)
    game.play_on(pick.move)
    return game


def gave_up(game: MemoryGame, commands: Iterable[Leave | Resign], choose: Choose) -> MemoryGame:
    """One after the other of those to move gives up, a turn between; then to the end."""
    for command in commands:
        game.send(game.demanded()[0], command)
        if not game.over:
            game.turn(choose)
    game.play_on(choose)
    return game


def away(game: MemoryGame, seat: int) -> None:
    """The player of ``seat`` falls silent now and is reported when the grace is over."""
    grace_ms = game.state.created.terms.grace_ms
    since_ms = game.state.at_ms
    game.after(grace_ms)
    game.hears(ReportAbsent(seat, since_ms))
