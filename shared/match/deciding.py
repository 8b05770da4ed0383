"""Who must decide, and what he may answer. ``decide`` and the verifier judge by this, views show it."""

from typing import Final

import msgspec

from shared import clocks, series
from shared import cube as cubes
from shared.match.state import MatchState, Phase
from shared.rules.protocol import KINDS, Chance, Departing, Players, Result, Waiting

SWITCHES: Final = 20
"""So often a seat may switch auto-roll within one decision: a log does not grow by clicking."""


class Demand(msgspec.Struct, frozen=True):
    """``seat`` must answer with one of ``commands``."""

    seat: int
    commands: tuple[str, ...]


def may_double(state: MatchState, seat: int) -> bool:
    """Whether ``seat``, about to roll, may double (S9, S11; rules §3)."""
    return (
        state.has_cube
        and not state.crawford
        and not state.auto_roll[seat]
        and cubes.may_double(state.cube, seat)
        and not cube_rests(state)
    )


def cube_rests(state: MatchState) -> bool:
    """Whether the game waits for a roll before which nobody may double (rules §2.8)."""
    waiting = None if state.phase is not Phase.PLAYING else state.rules.waiting(state.position)
    return isinstance(waiting, Chance) and waiting.cube_rests


def may_beaver(state: MatchState) -> bool:
    """Whether the double on offer may be answered with a beaver (S10)."""
    return state.created.terms.beaver and cubes.may_beaver(state.cube)


def takes_part(state: MatchState, seat: int) -> bool:
    """Whether ``seat`` has not given up a game that the others play on, nor got its place in it."""
    if state.phase is not Phase.PLAYING or not isinstance(state.rules, Departing):
        return True
    return state.rules.plays(state.position, seat)


def may_resign(state: MatchState, seat: int, deciding: tuple[Demand, ...] | None = None) -> bool:
    """Whether ``seat`` may resign: where it needs consent, on its own turn, once, nothing else pending.

    Nor may it where it can lose nothing: there is nothing to consent to (rules §2.8). ``deciding`` are the
    demands of ``state``, if they are known already.
    """
    if state.phase is not Phase.PLAYING or state.resignation or state.cube.offered:
        return False
    if not takes_part(state, seat):
        return False
    if not state.rules.traits.consent:
        return True
    if not state.recorded:
        deciding = demands(state) if deciding is None else deciding
        if state.resign_spent[seat] or all(demand.seat != seat for demand in deciding):
            return False
    return can_lose(state, seat)


def can_lose(state: MatchState, seat: int) -> bool:
    """Whether giving up now would cost ``seat`` anything: who waits for a last roll has it behind him."""
    return state.rules.forfeit(state.position, seat, "resigned").points > 0


def resignable(state: MatchState) -> tuple[int, ...]:
    """What a resignation by consent may be worth in the game in hand, before the cube."""
    worths = tuple(KINDS)
    return worths if series.offered(state.created, state.game).gammons else worths[:1]


def may_offer_draw(state: MatchState, seat: int) -> bool:
    """Whether ``seat`` may offer a draw: all have moved, none is on offer, once for each move of its own."""
    return (
        state.phase is Phase.PLAYING
        and state.rules.traits.draws
        and state.draw_offer is None
        and not state.draw_spent[seat]
        and all(state.moved)
    )


def claimable(state: MatchState, seat: int, move: str = "") -> Result | None:
    """The draw that ``seat`` may claim, with ``move`` announced if given; None if there is none."""
    if state.phase is not Phase.PLAYING or not state.rules.traits.draws:
        return None
    if not any(demand.seat == seat and "play" in demand.commands for demand in demands(state)):
        return None
    return state.rules.claim(state.position, seat, move)


def may_auto_finish(state: MatchState, seat: int) -> bool:
    """Whether ``seat`` may have the rest of the game played for it: nobody can interfere any more (S12)."""
    return (
        state.phase is Phase.PLAYING
        and not state.recorded
        and not state.auto_finish[seat]
        and state.rules.finishing_move(state.position, seat) is not None
    )


def demands(state: MatchState) -> tuple[Demand, ...]:
    """Every seat that must decide now, with the commands that answer; empty only when the match is over."""
    match state.phase:
        case Phase.GATHERING:
            return tuple(Demand(seat, ("ready",)) for seat, done in enumerate(state.ready) if not done)
        case Phase.REVEALING:
            return tuple(
                Demand(seat, ("reveal",))
                for seat, (hashed, string) in enumerate(zip(state.hashes, state.strings, strict=True))
                if hashed and not string
            )
        case Phase.BETWEEN:
            return tuple(Demand(seat, ("next",)) for seat, done in enumerate(state.next_pressed) if not done)
        case Phase.OVER:
            return ()
        case Phase.PLAYING:
            return _offers(state) or _turn(state, state.rules.waiting(state.position))


def _offers(state: MatchState) -> tuple[Demand, ...]:
    if state.resignation is not None:
        answerer = state.opponent(state.resignation.seat)
        return (Demand(answerer, ("accept_resignation", "decline_resignation")),)
    if state.cube.by is None:
        return ()
    answerer = state.opponent(state.cube.by)
    if state.cube.drop:
        return (Demand(answerer, ("pass",)),)
    if state.cube.beavered:
        return (Demand(answerer, ("accept_beaver", "pass")),)
    return (Demand(answerer, ("take", "pass", "beaver") if may_beaver(state) else ("take", "pass")),)


def _turn(state: MatchState, waiting: Waiting) -> tuple[Demand, ...]:
    match waiting:
        case Players(seats=seats):
            return tuple(Demand(seat, ("play",)) for seat in seats)
        case Chance(seat=None):
            # Nature draws unasked; only in a recorded match must somebody say what fell.
            here = (seat for seat in range(state.seats) if takes_part(state, seat))
            return tuple(Demand(seat, ("roll",)) for seat in here) if state.recorded else ()
        case Chance(seat=int(seat)):
            return (Demand(seat, ("roll", "double") if may_double(state, seat) else ("roll",)),)
        case _:
            return ()


def allowed(state: MatchState, seat: int, deciding: tuple[Demand, ...] | None = None) -> tuple[str, ...]:
    """Every command that ``seat`` may give now: the answers demanded of it, then what it may do besides."""
    if state.phase is Phase.OVER or not takes_part(state, seat):
        return ()
    deciding = demands(state) if deciding is None else deciding
    commands = [name for demand in deciding if demand.seat == seat for name in demand.commands]
    if may_resign(state, seat, deciding):
        commands.append("resign")
    if may_switch(state, seat):
        commands.append("set_auto_roll")
    if may_auto_finish(state, seat):
        commands.append("auto_finish")
    commands += _drawing(state, seat)
    commands += _timed(state, seat)
    return (*commands, "leave")


def _drawing(state: MatchState, seat: int) -> list[str]:
    """What ``seat`` may do about a draw."""
    commands = ["offer_draw"] if may_offer_draw(state, seat) else []
    if state.draw_offer not in (None, seat):
        commands += ["accept_draw", "decline_draw"]
    if claimable(state, seat) is not None:
        commands.append("claim_draw")
    return commands


def may_switch(state: MatchState, seat: int) -> bool:
    """Whether ``seat`` may switch auto-roll, where anything is rolled, once more."""
    traits = state.rules.traits
    return traits.rolled_start and not traits.unasked and state.switched[seat] < SWITCHES


def may_ask_time(state: MatchState, seat: int) -> bool:
    """Whether ``seat`` may add time to its own move with a limit (B4): once a game, not after the flag."""
    terms, now = state.created.terms.clock, state.clocks
    if terms is None or terms.kind != clocks.MOVE or now is None:
        return False
    pays = now.running == seat if state.choice is None else seat in state.choice.seats
    return pays and not now.extended[seat] and state.at_zero != seat


def _timed(state: MatchState, seat: int) -> list[str]:
    """What ``seat`` may do about time: ask for it (B4), offer or accept an extension (B7), kick (S13)."""
    terms = state.created.terms.clock
    if terms is None or state.phase not in (Phase.GATHERING, Phase.PLAYING):
        return []
    commands = ["ask_time"] if may_ask_time(state, seat) else []
    if terms.kind == clocks.CHESS and state.extension != seat:
        commands.append("offer_extension" if state.extension is None else "accept_extension")
    if state.created.terms.flag == "kick" and state.at_zero not in (None, seat):
        commands.append("kick")
    return commands
