"""What each event changes in a match. Total over the known events; an unknown one never gets this far.

Facts are applied and nothing is judged. The verifier judges.
"""

from collections.abc import Callable
from typing import Any, Final, TypeVar

import msgspec

from shared import clocks, series
from shared import cube as cubes
from shared.clocks import Clocks
from shared.cube import Cube
from shared.events.match import (
    AutoFinishSet,
    AutoRollSet,
    BeaverAccepted,
    ChoiceExpired,
    ClockCharged,
    DiceRolled,
    DoubleBeavered,
    DoubleOffered,
    DoublePassed,
    DoubleTaken,
    DrawAgreed,
    DrawClaimed,
    DrawDeclined,
    DrawOffered,
    ExtensionAccepted,
    ExtensionOffered,
    FlagFell,
    GameEnded,
    GameStarted,
    MatchCancelled,
    MatchCreated,
    MatchEnded,
    MatchEvent,
    MatchStarted,
    MovePlayed,
    NextExpired,
    NextPressed,
    ResignationAccepted,
    ResignationDeclined,
    ResignationOffered,
    Resigned,
    SeatAbsent,
    SeatGhosted,
    SeatKicked,
    SeatLeft,
    SeatOut,
    SeatReady,
    SeatReturned,
    SecretRevealed,
    StartExpired,
    StringRevealed,
    TimeAsked,
    TimeReturned,
    TurnPassed,
)
from shared.match.deciding import demands
from shared.match.state import GameRecord, LastMove, MatchState, Phase, Resignation
from shared.match.timing import charged, given_back
from shared.rules.protocol import PASS, Chance, Departing, Players

T = TypeVar("T")
_replace: Final = msgspec.structs.replace


def put(values: tuple[T, ...], seat: int, value: T) -> tuple[T, ...]:
    """``values`` with ``value`` at ``seat``."""
    return (*values[:seat], value, *values[seat + 1 :])


def created(match: str, event: MatchCreated) -> MatchState:
    """The state that ``match_created`` opens (before any commit is counted)."""
    seats = len(event.seats)
    return MatchState(
        match=match,
        n=0,
        head="",
        at_ms=0,
        created=event,
        rules=series.rules_at(event, 1),
        options=series.agreed(event, 1),
        has_cube=series.has_cube(event, 1),
        phase=Phase.GATHERING,
        decisions=(1,) * seats,
        ready=(False,) * seats,
        hashes=("",) * seats,
        strings=("",) * seats,
        auto_roll=(False,) * seats,
        auto_finish=(False,) * seats,
        next_pressed=(False,) * seats,
        switched=(0,) * seats,
        kicked=(False,) * seats,
        ghosted=(False,) * seats,
        returning=(False,) * seats,
        taken_over=(False,) * seats,
        resign_spent=(False,) * seats,
        draw_spent=(False,) * seats,
        moved=(False,) * seats,
        score=(0,) * seats,
    )


def _ready(state: MatchState, event: SeatReady) -> MatchState:
    ready = put(state.ready, event.seat, value=True)
    hashes = put(state.hashes, event.seat, event.hash)
    phase = Phase.REVEALING if all(ready) and any(hashes) else state.phase
    return _replace(state, ready=ready, hashes=hashes, phase=phase)


def _revealed(state: MatchState, event: StringRevealed) -> MatchState:
    return _replace(state, strings=put(state.strings, event.seat, event.string))


def _started(state: MatchState, _: MatchStarted) -> MatchState:
    return _replace(state, phase=Phase.PLAYING)


def _new_clocks(state: MatchState) -> Clocks | None:
    terms = state.created.terms.clock
    return None if terms is None else clocks.new(terms, state.seats, state.extra_ms)


def _game_started(state: MatchState, event: GameStarted) -> MatchState:
    played = series.rules_at(state.created, event.game)
    return _replace(
        state,
        rules=played,
        options=series.agreed(state.created, event.game),
        has_cube=series.has_cube(state.created, event.game),
        phase=Phase.PLAYING,
        game=event.game,
        first=event.first,
        crawford=event.crawford,
        crawford_used=state.crawford_used or event.crawford,
        position=played.setup(state.seats, series.options_of(played, state.created.options), event.first),
        cube=Cube(),
        resignation=None,
        auto_finish=(False,) * state.seats,
        next_pressed=(False,) * state.seats,
        clocks=_new_clocks(state),
        extension=None,
        flagged=None,
        kicked=(False,) * state.seats,
        ghosted=(False,) * state.seats,
        returning=(False,) * state.seats,
        taken_over=(False,) * state.seats,
        half_moves=0,
        settled_ms=None,
        resign_spent=(False,) * state.seats,
        draw_offer=None,
        draw_spent=(False,) * state.seats,
        moved=(False,) * state.seats,
        last_move=None,
    )


def _rolled(state: MatchState, event: DiceRolled) -> MatchState:
    position = state.rules.settle(state.position, event.dice)
    first = state.first
    if first is None:
        match state.rules.waiting(position):
            case Players(seats=(seat,)) | Chance(seat=int(seat)):
                first = seat
            case _:
                pass
    draws = state.draws if event.draw is None else event.draw + 1
    return _replace(state, position=position, first=first, draws=draws)


def _moved(state: MatchState, event: MovePlayed) -> MatchState:
    made = state.rules.half_moves(state.position, event.move)  # a choice of sides is none
    return _replace(
        _handed_back(state, event.seat),
        half_moves=state.half_moves + made,
        turns=state.turns + 1,
        moved=put(state.moved, event.seat, value=True) if made else state.moved,
        position=state.rules.play(state.position, event.seat, event.move),
        last_move=LastMove(
            state.position,
            event.seat,
            event.move,
            ghost=state.ghosted[event.seat],
            computer=state.created.seats[event.seat].bot or state.kicked[event.seat],
        ),
        extension=None if state.extension == event.seat else state.extension,
        draw_offer=state.draw_offer if state.draw_offer == event.seat else None,
        draw_spent=put(state.draw_spent, event.seat, value=False),
        resign_spent=put(state.resign_spent, event.seat, value=False),
    )


def _handed_back(state: MatchState, seat: int) -> MatchState:
    """The ghost's turn is over: a player who is back has his seat again."""
    if not state.returning[seat]:
        return state
    return _replace(
        state,
        ghosted=put(state.ghosted, seat, value=False),
        returning=put(state.returning, seat, value=False),
    )


def _passed_turn(state: MatchState, event: TurnPassed) -> MatchState:
    return _replace(
        _handed_back(state, event.seat),
        turns=state.turns + 1,
        position=state.rules.play(state.position, event.seat, PASS),
        resign_spent=put(state.resign_spent, event.seat, value=False),
    )


def _offered(state: MatchState, event: DoubleOffered) -> MatchState:
    return _replace(state, cube=cubes.offer(state.cube, event.seat, drop=event.drop))


def _taken(state: MatchState, event: DoubleTaken) -> MatchState:
    return _replace(state, cube=cubes.take(state.cube, event.seat))


def _beavered(state: MatchState, event: DoubleBeavered) -> MatchState:
    return _replace(state, cube=cubes.beaver(state.cube, event.seat, drop=event.drop))


def _beaver_accepted(state: MatchState, _: BeaverAccepted) -> MatchState:
    return _replace(state, cube=cubes.accept_beaver(state.cube))


def _resigning(state: MatchState, event: ResignationOffered) -> MatchState:
    return _replace(
        state,
        resignation=Resignation(event.seat, event.worth),
        resign_spent=put(state.resign_spent, event.seat, value=True),
    )


def _declined(state: MatchState, _: ResignationDeclined) -> MatchState:
    return _replace(state, resignation=None)


def _draw_offered(state: MatchState, event: DrawOffered) -> MatchState:
    spent = put(state.draw_spent, event.seat, value=True)
    return _replace(state, draw_offer=event.seat, draw_spent=spent)


def _draw_declined(state: MatchState, _: DrawDeclined) -> MatchState:
    return _replace(state, draw_offer=None)


def _auto_roll(state: MatchState, event: AutoRollSet) -> MatchState:
    switched = put(state.switched, event.seat, state.switched[event.seat] + 1)
    return _replace(state, auto_roll=put(state.auto_roll, event.seat, event.on), switched=switched)


def _auto_finish(state: MatchState, event: AutoFinishSet) -> MatchState:
    return _replace(state, auto_finish=put(state.auto_finish, event.seat, value=True))


def _game_ended(state: MatchState, event: GameEnded) -> MatchState:
    record = GameRecord(
        game=event.game,
        rules=state.rules.name,
        first=state.first,
        crawford=state.crawford,
        cube=state.cube.value,
        winner=event.winner,
        kind=event.kind,
        cause=event.cause,
        points=event.points,
        counted=event.counted,
        score=event.score,
        places=event.places,
    )
    return _replace(
        state,
        phase=Phase.BETWEEN,
        score=event.score,
        games=(*state.games, record),
        cube=Cube(value=state.cube.value, owner=state.cube.owner),
        resignation=None,
        draw_offer=None,
        extension=None,
        flagged=None,
    )


def _time_asked(state: MatchState, event: TimeAsked) -> MatchState:
    if state.clocks is None:
        return state
    choice, added = state.choice, state.clocks
    if choice is None:
        added = clocks.add(added, event.seat, event.ms)
    else:
        until_ms = put(choice.until_ms, event.seat, choice.until_ms[event.seat] + event.ms)
        choice = _replace(choice, until_ms=until_ms)
    added = _replace(added, extended=put(added.extended, event.seat, value=True))
    flagged = None if state.flagged == event.seat else state.flagged
    return _replace(state, clocks=added, choice=choice, flagged=flagged)


def _extension_offered(state: MatchState, event: ExtensionOffered) -> MatchState:
    return _replace(state, extension=event.seat)


def _extension_accepted(state: MatchState, event: ExtensionAccepted) -> MatchState:
    if state.clocks is None:
        return _replace(state, extension=None, extra_ms=state.extra_ms + event.ms)
    more = state.clocks
    for seat in range(state.seats):
        more = clocks.add(more, seat, event.ms)
    return _replace(state, extension=None, clocks=more, flagged=None)


def _flag_fell(state: MatchState, event: FlagFell) -> MatchState:
    return _replace(state, flagged=event.seat)


def _kicked(state: MatchState, event: SeatKicked) -> MatchState:
    halted = None if state.clocks is None else _replace(state.clocks, running=None)
    return _replace(state, kicked=put(state.kicked, event.seat, value=True), clocks=halted, flagged=None)


def _out(state: MatchState, event: SeatOut) -> MatchState:
    if not isinstance(state.rules, Departing):
        return state
    return _replace(
        state,
        position=state.rules.depart(state.position, event.seat),
        flagged=None if state.flagged == event.seat else state.flagged,
    )


def _ghosted(state: MatchState, event: SeatGhosted) -> MatchState:
    halted = state.clocks
    if halted is not None and halted.running == event.seat:
        halted = _replace(halted, running=None)
    return _replace(
        state,
        ghosted=put(state.ghosted, event.seat, value=True),
        returning=put(state.returning, event.seat, value=False),
        taken_over=put(state.taken_over, event.seat, value=True),
        clocks=halted,
        flagged=None if state.flagged == event.seat else state.flagged,
    )


def _returned(state: MatchState, event: SeatReturned) -> MatchState:
    playing = any(d.seat == event.seat and "play" in d.commands for d in demands(state))
    marked = _replace(state, returning=put(state.returning, event.seat, value=True))
    return marked if playing else _handed_back(marked, event.seat)


def _next(state: MatchState, event: NextPressed) -> MatchState:
    return _replace(state, next_pressed=put(state.next_pressed, event.seat, value=True))


def _ended(state: MatchState, event: MatchEnded) -> MatchState:
    return _replace(state, phase=Phase.OVER, winner=event.winner, cause=event.cause)


def _cancelled(state: MatchState, event: MatchCancelled) -> MatchState:
    return _replace(state, phase=Phase.OVER, winner=None, cause=f"cancelled: {event.cause}")


def _secret(state: MatchState, event: SecretRevealed) -> MatchState:
    return _replace(state, secret=event.secret)


def _unchanged(
    state: MatchState,
    _: DoublePassed
    | Resigned
    | ResignationAccepted
    | DrawAgreed
    | DrawClaimed
    | SeatLeft
    | SeatAbsent
    | StartExpired
    | NextExpired
    | ChoiceExpired,
) -> MatchState:
    # What follows from these stands in the same commit as ``game_ended`` or ``match_ended``.
    return state


_EVOLVE: Final[dict[type, Callable[[MatchState, Any], MatchState]]] = {
    SeatReady: _ready,
    StringRevealed: _revealed,
    MatchStarted: _started,
    GameStarted: _game_started,
    DiceRolled: _rolled,
    MovePlayed: _moved,
    TurnPassed: _passed_turn,
    DoubleOffered: _offered,
    DoubleTaken: _taken,
    DoublePassed: _unchanged,
    DoubleBeavered: _beavered,
    BeaverAccepted: _beaver_accepted,
    Resigned: _unchanged,
    ResignationOffered: _resigning,
    ResignationAccepted: _unchanged,
    ResignationDeclined: _declined,
    DrawOffered: _draw_offered,
    DrawDeclined: _draw_declined,
    DrawAgreed: _unchanged,
    DrawClaimed: _unchanged,
    AutoRollSet: _auto_roll,
    AutoFinishSet: _auto_finish,
    ClockCharged: charged,
    TimeAsked: _time_asked,
    TimeReturned: given_back,
    ExtensionOffered: _extension_offered,
    ExtensionAccepted: _extension_accepted,
    FlagFell: _flag_fell,
    SeatKicked: _kicked,
    SeatOut: _out,
    SeatAbsent: _unchanged,
    SeatGhosted: _ghosted,
    SeatReturned: _returned,
    StartExpired: _unchanged,
    NextExpired: _unchanged,
    ChoiceExpired: _unchanged,
    GameEnded: _game_ended,
    NextPressed: _next,
    SeatLeft: _unchanged,
    MatchEnded: _ended,
    MatchCancelled: _cancelled,
    SecretRevealed: _secret,
}


def apply(state: MatchState, event: MatchEvent) -> MatchState:
    """The state after one event; ``match_created`` is only ever the first of a log."""
    return _EVOLVE[type(event)](state, event)
