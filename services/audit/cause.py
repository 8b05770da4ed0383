"""What a player's act must look like: judged in the state before it, by what is demanded there."""

from collections.abc import Callable
from typing import Any, Final

from services.audit.chain import is_hash
from services.audit.report import Differs
from shared.clocks import CHESS
from shared.draws import string_hash
from shared.events.match import (
    TAGS,
    AutoFinishSet,
    AutoRollSet,
    BeaverAccepted,
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
    MatchEvent,
    MovePlayed,
    NextPressed,
    ResignationAccepted,
    ResignationDeclined,
    ResignationOffered,
    Resigned,
    SeatLeft,
    SeatReady,
    StringRevealed,
    TimeAsked,
)
from shared.match import MatchState, Phase, demands
from shared.match.deciding import (
    claimable,
    may_ask_time,
    may_auto_finish,
    may_offer_draw,
    may_resign,
    may_switch,
    resignable,
    takes_part,
)
from shared.problems import Refused
from shared.rules.protocol import Judging

PATH: Final = "events[0]"
ASKED_MS: Final = 120_000
"""What a player may once a game add to his move (B4)."""

EXTENSION_MS: Final = 300_000
"""What both get by agreement (B7)."""

_DEMANDED: Final[dict[type, str]] = {
    SeatReady: "ready",
    StringRevealed: "reveal",
    DiceRolled: "roll",
    MovePlayed: "play",
    DoubleOffered: "double",
    DoubleTaken: "take",
    DoublePassed: "pass",
    DoubleBeavered: "beaver",
    BeaverAccepted: "accept_beaver",
    ResignationAccepted: "accept_resignation",
    ResignationDeclined: "decline_resignation",
    NextPressed: "next",
}
"""The events that answer a demand, with the command behind each."""


def _resigning(state: MatchState, seat: int) -> bool:
    return state.rules.traits.consent and may_resign(state, seat)


def _may_offer(state: MatchState, _: int) -> bool:
    terms = state.created.terms.clock
    time = state.phase in (Phase.GATHERING, Phase.PLAYING)
    return terms is not None and terms.kind == CHESS and time and state.extension is None


_FREE: Final[dict[type, Callable[[MatchState, int], bool]]] = {
    ResignationOffered: _resigning,
    Resigned: lambda state, seat: not state.rules.traits.consent and may_resign(state, seat),
    AutoRollSet: may_switch,
    AutoFinishSet: may_auto_finish,
    SeatLeft: lambda _, __: True,
    DrawOffered: may_offer_draw,
    DrawDeclined: lambda state, seat: state.draw_offer not in (None, seat),
    DrawAgreed: lambda state, seat: state.draw_offer not in (None, seat),
    DrawClaimed: lambda _, __: True,
    TimeAsked: may_ask_time,
    ExtensionOffered: _may_offer,
    ExtensionAccepted: lambda state, seat: state.extension not in (None, seat),
}
"""The events that nobody asks for, and where they are allowed to who takes part."""


def caused(state: MatchState, seat: int, event: MatchEvent) -> MatchEvent:
    """The event that ``seat`` could cause here where ``event`` stands; raises ``Differs`` if none."""
    kind = type(event)
    tag = TAGS[kind]
    if kind not in _DEMANDED and kind not in _FREE:
        raise Differs(PATH, "the act of a player", tag, f"Nobody causes {tag}; it only follows by itself.")
    if not (isinstance(event, DiceRolled) and state.recorded):
        actor: int | None = getattr(event, "seat", seat)
        if actor != seat:
            raise Differs(f"{PATH}.seat", seat, actor, f"Seat {seat} acted in the name of seat {actor}.")
    if kind in _DEMANDED:
        _demanded(state, seat, kind)
    elif not (takes_part(state, seat) and _FREE[kind](state, seat)):
        raise Differs(PATH, _waits(state), tag, f"Seat {seat} may not do that here.")
    make = _MAKE.get(kind)
    return make(state, seat, event) if make else event


def _demanded(state: MatchState, seat: int, kind: type) -> None:
    command = _DEMANDED[kind]
    for demand in demands(state):
        if demand.seat == seat and command in demand.commands:
            return
    raise Differs(
        PATH, _waits(state), f"seat {seat}: {command}", f"Seat {seat} may not {_plain(command)} here."
    )


def _waits(state: MatchState) -> str:
    return "; ".join(f"seat {d.seat}: {', '.join(d.commands)}" for d in demands(state))


def _plain(command: str) -> str:
    return command.replace("_", " ")


def _ready(_: MatchState, seat: int, event: SeatReady) -> MatchEvent:
    if event.hash and not is_hash(event.hash):
        raise Differs(f"{PATH}.hash", "32 bytes in hex", event.hash, "No hash can look like this.")
    return SeatReady(seat, event.hash)


def _revealed(state: MatchState, seat: int, event: StringRevealed) -> MatchEvent:
    committed = state.hashes[seat]
    if not is_hash(event.string) or string_hash(bytes.fromhex(event.string)) != committed:
        raise Differs(
            f"{PATH}.string",
            f"32 bytes in hex with the SHA-256 {committed}",
            event.string,
            f"Seat {seat} committed itself to another string.",
        )
    return event


def unjudged(state: MatchState, event: MatchEvent) -> str | None:
    """What ``event`` would have to be judged by and is not here, as a list of words; else None."""
    if not isinstance(event, MovePlayed) or not isinstance(state.rules, Judging):
        return None
    return state.rules.missing(state.position, event.move)


def _moved(state: MatchState, seat: int, event: MovePlayed) -> MatchEvent:
    rules = state.rules
    try:
        if isinstance(rules, Judging) and unjudged(state, event) is not None:
            move = rules.believed(state.position, seat, event.move)
        else:
            move = rules.read(state.position, seat, event.move)
    except Refused as refused:
        raise Differs(
            f"{PATH}.move", "a legal move", event.move, f"{event.move} is not legal: {refused.problem.detail}"
        ) from refused
    if move != event.move:
        raise Differs(f"{PATH}.move", move, event.move, "The move is not in its canonical text.")
    return MovePlayed(seat, move, rules.position(rules.play(state.position, seat, move)))


def _claimed(state: MatchState, seat: int, event: DrawClaimed) -> MatchEvent:
    if event.move and event.move not in state.rules.legal(state.position, seat):
        raise Differs(f"{PATH}.move", "a legal move", event.move, "The announced move is not legal.")
    if claimable(state, seat, event.move) is None:
        raise Differs(PATH, "no claim", "draw_claimed", f"Seat {seat} had no draw to claim.")
    return event


def _resigned(state: MatchState, seat: int, event: ResignationOffered) -> MatchEvent:
    if state.recorded:
        if event.worth not in (worths := resignable(state)):
            raise Differs(f"{PATH}.worth", list(worths), event.worth, "A resignation cannot be worth that.")
        return event
    return ResignationOffered(seat, state.rules.forfeit(state.position, seat, "resigned").points)


def _for_money(state: MatchState) -> bool:
    """Whether the cube decides what is paid: only there can somebody lack the money to take."""
    staked = state.created.staked
    return staked is not None and not staked.fixed


_MAKE: Final[dict[type, Callable[[MatchState, int, Any], MatchEvent]]] = {
    SeatReady: _ready,
    StringRevealed: _revealed,
    MovePlayed: _moved,
    DoubleOffered: lambda state, seat, event: DoubleOffered(
        seat, 2 * state.cube.value, drop=event.drop and _for_money(state)
    ),
    DoubleTaken: lambda state, seat, _: DoubleTaken(seat, 2 * state.cube.value),
    DoubleBeavered: lambda state, seat, event: DoubleBeavered(
        seat, 4 * state.cube.value, drop=event.drop and _for_money(state)
    ),
    BeaverAccepted: lambda state, seat, _: BeaverAccepted(seat, 2 * state.cube.value),
    ResignationOffered: _resigned,
    AutoRollSet: lambda state, seat, _: AutoRollSet(seat, not state.auto_roll[seat]),
    TimeAsked: lambda _, seat, __: TimeAsked(seat, ASKED_MS),
    DrawClaimed: _claimed,
    ExtensionAccepted: lambda _, seat, __: ExtensionAccepted(seat, EXTENSION_MS),
}
"""Events that say more than who acted: made again from the state, to be compared."""


def over(state: MatchState) -> None:
    """Raise ``Differs`` if the match is over: nothing may follow."""
    if state.phase is Phase.OVER:
        raise Differs("n", None, state.n + 1, "The match was over; nothing may follow its end.")
