"""What a command does to a match: ``decide`` gives the events of its commit, or refuses. Pure."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from services.game import offers
from services.game.absent import annuls, report_absent, report_present
from services.game.advance import advance, cancel, end_match, give_up, leader, play, roll
from services.game.draft import NOBODY, Covered, Draft
from services.game.drawing import accept_draw, claim_draw, decline_draw, offer_draw
from services.game.judge import demanded
from services.game.outages import NONE, Outages, give_back
from services.game.timed import (
    Moment,
    accept_extension,
    ask_time,
    asks_in_time,
    charge,
    claim,
    in_time,
    kick,
    offer_extension,
)
from services.game.waiting import wait_for_proof
from shared import series, stakes
from shared.catalogue import CHANCES
from shared.commands import (
    AcceptBeaver,
    AcceptDraw,
    AcceptExtension,
    AcceptResignation,
    AskTime,
    AutoFinish,
    Beaver,
    ClaimDraw,
    ClaimFlag,
    ClockCommand,
    CreateMatch,
    DeclineDraw,
    DeclineResignation,
    Double,
    Kick,
    Leave,
    MatchCommand,
    Next,
    OfferDraw,
    OfferExtension,
    Pass,
    Play,
    Ready,
    ReportAbsent,
    ReportPresent,
    Resign,
    Reveal,
    Roll,
    SetAutoRoll,
    Take,
)
from shared.draws import STRING_BYTES, possible, secret_hash, string_hash
from shared.events.match import (
    AutoFinishSet,
    AutoRollSet,
    DiceRolled,
    Level,
    MatchCreated,
    NextPressed,
    Pinned,
    SeatLeft,
    SeatReady,
    StringRevealed,
)
from shared.ids import is_id
from shared.match import MatchState, Phase
from shared.match.deciding import may_auto_finish, may_switch, takes_part
from shared.problems import Refused
from shared.ratings import wrong_rating
from shared.rules.protocol import Chance, seats_text
from shared.rules.registry import AnyRules
from shared.series import SESSION

HEX_HASH: Final = 64


def create(command: CreateMatch, secret: bytes) -> tuple[MatchCreated]:
    """The events of commit 1; raises ``Refused`` for a game, seats, terms or options that cannot be."""
    created = MatchCreated(
        rules=command.rules,
        rules_version=command.rules_version,
        seats=command.seats,
        secret_hash=secret_hash(secret),
        terms=command.terms,
        options=command.options,
        chance=command.chance,
        table=command.table,
        games=command.games,
        rated=command.rated,
        staked=command.staked,
        tournament=command.tournament,
    )
    _check_seats(command)
    if command.chance not in CHANCES:
        raise Refused("invalid_options", f"chance is one of {', '.join(CHANCES)}.")
    if wrong := series.wrong_series(created.terms, created.options, created.games):
        raise Refused("invalid_options", wrong)
    if created.games and created.games[0] != Pinned(created.rules, created.rules_version):
        raise Refused("invalid_options", "games: a series begins with its first game.")
    for number in range(1, max(1, len(created.games)) + 1):
        _check_game(created, series.rules_at(created, number))
    if wrong := wrong_rating(created):
        raise Refused("invalid_options", f"rated: {wrong}")
    if wrong := stakes.wrong(created):
        raise Refused("invalid_options", wrong)
    return (created,)


def _check_seats(command: CreateMatch) -> None:
    players = [seat.player for seat in command.seats]
    if len(set(players)) < len(players) or not all(map(is_id, players)):
        raise Refused("invalid_options", "seats: every seat needs a player of its own.")
    if any(seat.level not in tuple(Level) or (seat.level and not seat.bot) for seat in command.seats):
        raise Refused("invalid_options", "level: 0 to 3, where the computer sits.")


def _check_game(created: MatchCreated, game: AnyRules) -> None:
    """One of the match's games: its seats, its options, and what they leave of the terms."""
    least, most = game.seats
    if not least <= len(created.seats) <= most:
        raise Refused("invalid_options", f"seats: {game.name} is for {seats_text(game)}.")
    options = series.options_of(game, created.options) if created.games else created.options
    recorded = created.chance == "recorded"
    if wrong := series.unpinned(game, options):
        raise Refused("invalid_options", wrong)
    game.setup(len(created.seats), options, 0)
    offered = game.offers(options)
    if wrong := series.impossible(created.terms, offered, len(created.seats), recorded=recorded):
        raise Refused("invalid_options", wrong)
    if created.terms.cube and game.traits.cube and not offered.cube:
        raise Refused("invalid_options", "cube: there is none with these options.")


def decide(
    state: MatchState,
    seat: int,
    command: MatchCommand,
    secret: bytes,
    moment: Moment | None = None,
    *,
    outages: Outages = NONE,
    covered: Covered = NOBODY,
) -> Draft:
    """What ``command`` of ``seat`` causes in ``state``; raises ``Refused`` and changes nothing.

    Chance comes from ``secret`` alone, so that a retry or a conflict decides the same again. ``moment``
    (by default the state's own time) is compared with recorded times only. What ``outages`` took from the
    clock that runs is given back first, and all else is judged after that. ``covered`` is what the ledger
    said about the money that ``cover.raised`` names. Who is out of a game that the others play on can do
    nothing in it.
    """
    moment = moment or Moment(state.at_ms, state.at_ms)
    judge = _DECIDE.get(type(command))
    if judge is None:
        raise Refused("command_not_allowed", n=state.n)
    draft = Draft(state, secret, moment.now_ms, covered=covered)
    give_back(draft, outages, moment.now_ms)
    state, returned = draft.state, len(draft.events)
    if not takes_part(state, seat):
        raise Refused("seat_out", n=state.n)
    if not isinstance(command, _UNTIMED):
        in_time(state, seat, moment)
    if isinstance(command, AskTime):
        asks_in_time(state, moment)
    judge(draft, seat, command)
    advance(draft)
    if isinstance(command, SetAutoRoll) and len(draft.events) > returned + 1:
        in_time(state, seat, moment)  # the switch itself is free, but here it has rolled
    charge(state, draft, moment)
    return draft


def report(
    state: MatchState, command: ClockCommand, secret: bytes, now_ms: int, *, outages: Outages = NONE
) -> Draft:
    """What the clock service's word causes, judged at ``now_ms``; raises ``Refused``.

    A claim that comes too early only because of what ``outages`` took is accepted: its commit holds just
    the time given back, and whoever armed the timer arms it anew from that. A flag falls, and an absence
    counts, only as far as a gateway is known to have been there: no outage may be found there afterwards.
    """
    draft = Draft(state, secret, now_ms)
    give_back(draft, outages, now_ms)
    state = draft.state
    match command:
        case ClaimFlag():
            wait_for_proof(state, outages, now_ms)
            try:
                claim(draft, now_ms)
            except Refused as refused:
                if not draft.events or refused.problem.code != "too_early":
                    raise
        case ReportAbsent():
            report_absent(draft, command, outages.proven_ms(now_ms), outages)
        case ReportPresent():
            report_present(draft, command)
    advance(draft)
    charge(state, draft, Moment(now_ms, now_ms))
    return draft


def _ready(draft: Draft, seat: int, command: Ready) -> None:
    demanded(draft.state, seat, "ready")
    if command.hash and not _is_hex(command.hash, HEX_HASH):
        raise Refused("invalid", "hash is the lower-case hex SHA-256 of 32 bytes.", n=draft.state.n)
    if command.hash and command.hash in draft.state.hashes:
        raise Refused("invalid", "That is another seat's hash; your luck must be your own.", n=draft.state.n)
    draft.add(SeatReady(seat, command.hash))


def _reveal(draft: Draft, seat: int, command: Reveal) -> None:
    demanded(draft.state, seat, "reveal")
    if not _is_hex(command.string, 2 * STRING_BYTES):
        raise Refused("invalid", "string is 32 bytes in lower-case hex.", n=draft.state.n)
    if string_hash(bytes.fromhex(command.string)) != draft.state.hashes[seat]:
        raise Refused("reveal_mismatch", n=draft.state.n)
    draft.add(StringRevealed(seat, command.string))


def _is_hex(text: str, length: int) -> bool:
    return len(text) == length and set(text) <= set("0123456789abcdef")


def _roll(draft: Draft, seat: int, command: Roll) -> None:
    state = draft.state
    if state.phase is Phase.PLAYING and state.cube.offered is None and state.resignation is None:
        waiting = state.rules.waiting(state.position)
    else:
        waiting = None
    demanded(draft.state, seat, "roll")
    if not isinstance(waiting, Chance):
        raise Refused("wrong_phase", n=state.n)
    if not state.recorded:
        if command.dice:
            raise Refused("dice_not_accepted", "The dice of this match are drawn.", n=state.n)
        roll(draft, waiting.draw, seat)
        return
    if not possible(waiting.draw, command.dice):
        raise Refused("dice_not_accepted", "A recorded match needs the dice that fell.", n=state.n)
    draft.add(DiceRolled(dice=command.dice, seat=waiting.seat))


def _play(draft: Draft, seat: int, command: Play) -> None:
    demanded(draft.state, seat, "play")
    state = draft.state
    play(draft, seat, state.rules.read(state.position, seat, command.move))


def _next(draft: Draft, seat: int, _: Next) -> None:
    demanded(draft.state, seat, "next")
    draft.add(NextPressed(seat))


def _set_auto_roll(draft: Draft, seat: int, command: SetAutoRoll) -> None:
    traits = draft.state.rules.traits
    if not traits.rolled_start or traits.unasked:
        raise Refused("wrong_phase", "Nothing is rolled in this game.", n=draft.state.n)
    if draft.state.auto_roll[seat] is command.on:
        raise Refused("unchanged", f"Auto-roll is {'on' if command.on else 'off'} already.", n=draft.state.n)
    if not may_switch(draft.state, seat):
        raise Refused("too_often", n=draft.state.n)
    draft.add(AutoRollSet(seat, command.on))


def _auto_finish(draft: Draft, seat: int, _: AutoFinish) -> None:
    if not may_auto_finish(draft.state, seat):
        raise Refused("auto_finish_unavailable", n=draft.state.n)
    draft.add(AutoFinishSet(seat))


def _leave(draft: Draft, seat: int, _: Leave) -> None:
    """Quit: a game is lost at the worst result still possible (S15); between games the match is (S5)."""
    state = draft.state
    draft.add(SeatLeft(seat))
    match state.phase:
        case Phase.PLAYING if state.created.terms.absence == "forfeit" and annuls(state, draft.now_ms):
            cancel(draft, "annulled")
        case Phase.PLAYING:
            give_up(draft, (seat,), "left", "left")
        case Phase.BETWEEN if state.created.terms.target == SESSION:
            end_match(draft, leader(state, range(state.seats)), "closed")
        case Phase.BETWEEN:
            stay = [other for other in range(state.seats) if other != seat]
            end_match(draft, leader(state, stay), "left")
        case _:
            cancel(draft, "left before the start")


_DECIDE: Final[Mapping[type, Callable[[Draft, int, Any], None]]] = {
    Ready: _ready,
    Reveal: _reveal,
    Roll: _roll,
    Play: _play,
    Double: offers.double,
    Take: offers.take,
    Pass: offers.pass_,
    Beaver: offers.beaver,
    AcceptBeaver: offers.accept_beaver,
    Resign: offers.resign,
    AcceptResignation: offers.accept_resignation,
    DeclineResignation: offers.decline_resignation,
    OfferDraw: lambda draft, seat, _: offer_draw(draft, seat),
    AcceptDraw: lambda draft, seat, _: accept_draw(draft, seat),
    DeclineDraw: lambda draft, seat, _: decline_draw(draft, seat),
    ClaimDraw: claim_draw,
    Next: _next,
    SetAutoRoll: _set_auto_roll,
    AutoFinish: _auto_finish,
    AskTime: lambda draft, seat, _: ask_time(draft, seat),
    OfferExtension: lambda draft, seat, _: offer_extension(draft, seat),
    AcceptExtension: lambda draft, seat, _: accept_extension(draft, seat),
    Kick: lambda draft, seat, _: kick(draft, seat, draft.now_ms),
    Leave: _leave,
}

_UNTIMED: Final = (SetAutoRoll, Kick, OfferExtension)
"""Commands that are good although a clock has run out: they decide nothing, or are about that very clock."""
