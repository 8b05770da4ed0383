"""The scripts of the golden logs, by the name of their file.

``python -m tests.support.golden`` lists them, ``--write`` writes those that do not exist yet. A stored golden
log is never overwritten, for a stored match is not either.
"""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import msgspec

from shared.clocks import BLITZ, PER_MOVE, STANDARD, chess_clock
from shared.commands import (
    AcceptBeaver,
    AcceptExtension,
    AcceptResignation,
    AskTime,
    AutoFinish,
    Beaver,
    DeclineResignation,
    Double,
    Kick,
    Leave,
    Next,
    OfferExtension,
    Pass,
    Ready,
    ReportAbsent,
    ReportPresent,
    Resign,
    SetAutoRoll,
    Take,
)
from shared.events.match import Seat, Terms
from shared.match import demands
from shared.match.deciding import may_auto_finish, may_resign
from shared.match.timing import CLAIM_AFTER_MS
from tests.support.matches import SEATS, MemoryGame, Picker, last_move, rewritten

FOLDER: Final = Path(__file__).parent.parent / "golden" / "backgammon"
RESULTS: Final = FOLDER / "results.json"


class Golden(msgspec.Struct, frozen=True):
    """How a golden match ended, for whoever replays its log."""

    score: tuple[int, ...]
    winner: int | None
    cause: str
    commits: int


def golden(game: MemoryGame) -> Golden:
    """The result of ``game``."""
    return Golden(game.state.score, game.state.winner, game.state.cause, len(game.lines))


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


def _resign(game: MemoryGame, seat: int, pick: Picker) -> None:
    """``seat`` resigns on its next turn, whatever it costs, and that is accepted."""
    game.play_on(pick.move, until=lambda state: may_resign(state, seat))
    game.send(seat, Resign(confirm=True))
    game.send(1 - seat, AcceptResignation())


def match_to_3() -> MemoryGame:
    """2:0 by a taken double, 2:1 in the Crawford game, 2:2 by a passed double, then all or nothing."""
    game = MemoryGame("match to 3", Terms(target=3))
    game.start()
    pick = Picker("match to 3")
    leader = game.doubled(pick.move)
    _resign(game, 1 - leader, pick)
    game.next()
    _resign(game, leader, pick)
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


def roll_each_game() -> MemoryGame:
    """A match to 2 in which every game begins with an opening roll."""
    game = MemoryGame("roll each game", Terms(target=2, first_move="roll_each_game"))
    game.start()
    pick = Picker("roll each game")
    _resign(game, 0, pick)
    game.next()
    _resign(game, 1, pick)
    game.next()
    _resign(game, 0, pick)
    return game


def double_passed() -> MemoryGame:
    """A double that is passed costs the value before it."""
    game = MemoryGame("double passed")
    game.start()
    game.doubled(Picker("double passed").move, taken=False)
    return game


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
    _resign(game, 0, pick)
    return game


def resigned_gammon() -> MemoryGame:
    """60 pips behind and nothing on the bar: after a confirmation it costs a gammon."""
    game, pick = MemoryGame("resigned gammon"), Picker("resigned gammon")
    game.start()
    game.play_on(
        pick.move,
        until=lambda s: any(
            may_resign(s, x) and s.rules.forfeit(s.position, x, "resigned").points > 1 for x in (0, 1)
        ),
    )
    state = game.state
    seat = next(x for x in (0, 1) if may_resign(state, x))
    game.send(seat, Resign(confirm=True))
    game.send(1 - seat, AcceptResignation())
    return game


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
    _resign(game, 0, pick)
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
    _resign(game, 1 - seat, pick)
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


def _away(game: MemoryGame, seat: int) -> None:
    """The player of ``seat`` falls silent now and is reported when the grace is over."""
    grace_ms = game.state.created.terms.grace_ms
    since_ms = game.state.at_ms
    game.after(grace_ms)
    game.hears(ReportAbsent(seat, since_ms))


def ghost() -> MemoryGame:
    """A ghost takes over and hands back, then accepts a resignation, which wins it nothing; Next expires."""
    game = MemoryGame("ghost", Terms(target=2, clock=STANDARD, flag="kick", absence="ghost"))
    pick = Picker("ghost")
    game.start()
    game.play_on(pick.move, until=lambda state: state.draws > 4)
    seat, _ = game.demanded()
    _away(game, seat)
    game.turn(pick.move)
    game.hears(ReportPresent(seat))
    game.play_on(pick.move, until=lambda state: state.draws > 12)
    _away(game, 1 - seat)
    game.play_on(pick.move, until=lambda state: state.draws > 16)
    _resign(game, seat, pick)
    game.send(seat, Next())
    game.at_deadline(CLAIM_AFTER_MS)
    game.hears()
    return game


def absent() -> MemoryGame:
    """Two half-moves of both are played: whoever stays away loses."""
    game, pick = MemoryGame("absent", Terms(clock=PER_MOVE, absence="forfeit")), Picker("absent")
    game.start()
    game.play_on(pick.move, until=lambda state: state.half_moves == 4)
    _away(game, 0)
    return game


def annulled() -> MemoryGame:
    """Three half-moves are played: the game of an absent player is annulled."""
    game, pick = MemoryGame("annulled", Terms(clock=PER_MOVE, absence="forfeit")), Picker("annulled")
    game.start()
    game.play_on(pick.move, until=lambda state: state.half_moves == 3)
    _away(game, 0)
    return game


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
}


def stored(name: str) -> list[bytes]:
    """The stored lines of one golden log."""
    return (FOLDER / f"{name}.ndjson").read_bytes().splitlines()


def results() -> dict[str, Golden]:
    """How every golden match ended."""
    return msgspec.json.decode(RESULTS.read_bytes(), type=dict[str, Golden])


def _write() -> None:
    known = results() if RESULTS.exists() else {}
    for name, script in SCRIPTS.items():
        path = FOLDER / f"{name}.ndjson"
        if path.exists():
            continue
        game = script()
        path.write_bytes(b"".join(line + b"\n" for line in game.lines))
        known[name] = golden(game)
        print(name, known[name])  # noqa: T201 - a tool of the developers
    ordered = {name: known[name] for name in SCRIPTS}
    RESULTS.write_bytes(msgspec.json.format(msgspec.json.encode(ordered), indent=2) + b"\n")


if __name__ == "__main__":
    if "--write" in sys.argv:
        _write()
    else:
        print(*SCRIPTS, sep="\n")  # noqa: T201 - a tool of the developers
