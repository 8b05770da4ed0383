"""What must follow by itself: the one event, if any, that the rules of a match demand next.

Written independently of ``services.game``, so that one mistake does not excuse itself.
"""

from services.audit.clock import choice_ends, computers
from shared import series
from shared.events.match import (
    ChoiceExpired,
    DiceRolled,
    DoublePassed,
    DrawAgreed,
    DrawClaimed,
    FlagFell,
    GameEnded,
    MatchCancelled,
    MatchEnded,
    MatchEvent,
    MatchStarted,
    MovePlayed,
    NextExpired,
    ResignationAccepted,
    Resigned,
    SeatAbsent,
    SeatGhosted,
    SeatKicked,
    SeatLeft,
    SeatOut,
    SecretRevealed,
    StartExpired,
    TurnPassed,
)
from shared.match import MatchState, Phase
from shared.match.deciding import takes_part
from shared.match.following import TOO_LONG, endless, next_game
from shared.rules.protocol import KINDS, TABLE, Chance, Departing, Over, Players, Result, must_pass


def due(state: MatchState, last: MatchEvent) -> MatchEvent | None:
    """The event that must follow ``last`` in the same commit; None if a player must act, or nobody.

    Dice and secret are left empty in it: ``shared.draws`` and the revealed secret say what they must be.
    """
    match last:
        case MatchEnded() | MatchCancelled():
            return SecretRevealed("")
        case GameEnded():
            return _match_ended(state, last)
        case DoublePassed() | Resigned() | ResignationAccepted() | DrawAgreed() | DrawClaimed():
            return _ended_by_word(state, last)
        case SeatLeft() | FlagFell() | SeatAbsent() | StartExpired() | NextExpired() | ChoiceExpired():
            return _gone(state, last)
        case SeatOut():
            return _out(state, last)
        case _:
            return _by_phase(state, last)


def _gone(
    state: MatchState, last: SeatLeft | FlagFell | SeatAbsent | StartExpired | NextExpired | ChoiceExpired
) -> MatchEvent | None:
    match last:
        case SeatLeft(seat=seat):
            return _left(state, seat)
        case FlagFell(seat=seat):
            if state.created.terms.flag != "loss":
                return _thrown_out(state)
            return _given_up(state, seat, "flag", "flag")
        case SeatAbsent():
            return _absent(state, last)
        case StartExpired():
            return MatchCancelled("not ready" if state.phase is Phase.GATHERING else "not revealed")
        case NextExpired() | ChoiceExpired():
            return _unready(state, last)


def _ended_by_word(
    state: MatchState, last: DoublePassed | Resigned | ResignationAccepted | DrawAgreed | DrawClaimed
) -> MatchEvent | None:
    """How a game ends that its players end themselves: given up, or drawn by agreement or on a claim."""
    match last:
        case DoublePassed(seat=seat):
            result, cause = _lost(state, seat, 1), "passed"
        case DrawAgreed():
            result, cause = Result.drawn(state.seats), "agreed"
        case DrawClaimed(seat=seat, move=move):
            result, cause = state.rules.claim(state.position, seat, move), "claimed"
        case Resigned(seat=seat):
            return _given_up(state, seat, "resigned", "resigned")
        case ResignationAccepted():
            offer = state.resignation
            result, cause = None if offer is None else _lost(state, offer.seat, offer.worth), "resigned"
    return None if result is None else concluded(state, result, cause)


def _given_up(state: MatchState, seat: int, how: str, cause: str) -> SeatOut | GameEnded:
    """What it means that ``seat`` gives up: it is out, or the game is over."""
    if isinstance(state.rules, Departing):
        return SeatOut(seat, cause)
    return concluded(state, state.rules.forfeit(state.position, seat, how), cause)


def _out(state: MatchState, last: SeatOut) -> MatchEvent | None:
    """How the game ends that one has given up, unless the others play on."""
    match state.rules.waiting(state.position):
        case Over(result=result):
            return concluded(state, result, last.cause)
        case _:
            late = _too_late_to_choose(state) if last.cause == "flag" else []
            return SeatOut(late[0], "flag") if late else _by_phase(state, last)


def _too_late_to_choose(state: MatchState) -> list[int]:
    """Who still takes part and has not chosen in time; while several choose no clock runs that could fall."""
    ends, choice, computer = choice_ends(state), state.choice, computers(state)
    if ends is None or choice is None:
        return []
    late = [seat for seat in choice.seats if choice.until_ms[seat] <= ends and not computer[seat]]
    return [seat for seat in late if takes_part(state, seat)]


def _lost(state: MatchState, loser: int, worth: int) -> Result:
    places = tuple(2 if seat == loser else 1 for seat in range(state.seats))
    return Result(places=places, kind=KINDS[worth], points=worth)


def concluded(state: MatchState, result: Result, cause: str) -> GameEnded:
    """How the present game must end with ``result``: points are its worth times the cube."""
    points = series.points(state.created.terms, result, state.cube.value)
    winner = result.winner
    absent = winner is not None and state.ghosted[winner] and not state.returning[winner]
    helped = winner is not None and series.is_single(state.created.terms) and state.taken_over[winner]
    counted = winner is None or not (state.kicked[winner] or absent or helped)
    gained = points if counted else 0
    return GameEnded(
        game=state.game,
        winner=winner,
        kind=result.kind,
        cause=cause,
        points=points,
        score=tuple(had + gained if seat == winner else had for seat, had in enumerate(state.score)),
        counted=counted,
        places=result.places if state.seats not in (1, 2) else (),
    )


def _match_ended(state: MatchState, last: GameEnded) -> MatchEnded | MatchCancelled | None:
    terms = state.created.terms
    helped = last.winner is not None and (state.kicked[last.winner] or state.taken_over[last.winner])
    if series.is_single(terms) and helped:
        return MatchCancelled("won by the computer")
    winner = (
        last.winner if series.is_single(terms) else series.decided(state.created, state.score, state.game)
    )
    if winner is None and not series.is_single(terms):
        return None
    return MatchEnded(winner=winner, score=state.score, cause=last.cause)


def _thrown_out(state: MatchState) -> SeatKicked | None:
    """Who stands at 0:00 against the computer is thrown out by it: nobody else could (S13)."""
    late = state.flagged
    if late is None or state.created.terms.flag != "kick":
        return None
    other = state.opponent(late)
    absent = state.ghosted[other] and not state.returning[other]
    return SeatKicked(late) if state.created.seats[other].bot or state.kicked[other] or absent else None


def _annulled(state: MatchState, since_ms: int) -> bool:
    """Whether who is gone since ``since_ms`` undoes the match (B13): he owes no answer, pays no luck."""
    if state.resignation is not None or state.cube.offered is not None:
        return False
    if state.created.staked is not None and state.rules.traits.pool.system != TABLE:
        return False
    return state.game == 1 and (state.settled_ms is None or since_ms < state.settled_ms)


def _absent(state: MatchState, last: SeatAbsent) -> MatchEvent:
    if state.created.terms.absence == "ghost":
        return SeatGhosted(last.seat)
    if _annulled(state, last.since_ms):
        return MatchCancelled("annulled")
    return _given_up(state, last.seat, "left", "absent")


def _unready(state: MatchState, last: NextExpired | ChoiceExpired) -> MatchEvent:
    ready = [seat for seat in range(state.seats) if takes_part(state, seat) and seat not in last.seats]
    if not ready:
        return MatchCancelled("next" if isinstance(last, NextExpired) else "not chosen")
    if isinstance(last, ChoiceExpired):
        return _unchosen(state, last.seats)
    return MatchEnded(winner=_first_of(state, ready), score=state.score, cause="next")


def _unchosen(state: MatchState, late: tuple[int, ...]) -> MatchEvent:
    if state.created.terms.flag == "kick":
        return SeatKicked(late[0])
    if len(late) == 1 or isinstance(state.rules, Departing):
        return _given_up(state, late[0], "flag", "flag")
    chose = state.seats - len(late)
    places = tuple(chose + 1 if seat in late else 1 for seat in range(state.seats))
    return concluded(state, Result(places=places, kind="forfeit", points=1 if chose == 1 else 0), "flag")


def _first_of(state: MatchState, seats: list[int]) -> int | None:
    """Who of ``seats`` is ahead of all others of them."""
    ahead = [one for one in seats if all(state.score[one] > state.score[o] for o in seats if o != one)]
    return ahead[0] if ahead else None


def _left(state: MatchState, seat: int) -> MatchEvent:
    if state.phase is Phase.PLAYING:
        if state.created.terms.absence == "forfeit" and _annulled(state, state.at_ms):
            return MatchCancelled("annulled")
        return _given_up(state, seat, "left", "left")
    if state.phase is not Phase.BETWEEN:
        return MatchCancelled("left before the start")
    if state.created.terms.target == series.SESSION:
        ahead = _first_of(state, list(range(state.seats)))
        return MatchEnded(winner=ahead, score=state.score, cause="closed")
    stay = [other for other in range(state.seats) if other != seat]
    return MatchEnded(winner=_first_of(state, stay), score=state.score, cause="left")


def _by_phase(state: MatchState, last: MatchEvent) -> MatchEvent | None:
    if isinstance(last, MatchStarted):
        return next_game(state)
    match state.phase:
        case Phase.GATHERING | Phase.REVEALING:
            opened = zip(state.hashes, state.strings, strict=True)
            ready = all(state.ready) and all(string or not hashed for hashed, string in opened)
            return MatchStarted() if ready else None
        case Phase.BETWEEN:
            return next_game(state) if all(state.next_pressed) else None
        case Phase.PLAYING if (kick := _thrown_out(state)) is not None:
            return kick
        case Phase.PLAYING:
            pending = state.resignation is not None or state.cube.offered is not None
            return None if pending else _in_play(state)
        case Phase.OVER:
            return None


def _in_play(state: MatchState) -> MatchEvent | None:
    rules = state.rules
    match rules.waiting(state.position):
        case Over(result=result):
            return concluded(state, result, "played")
        case _ if endless(state):
            return MatchCancelled(TOO_LONG)
        case Chance(seat=seat):
            unasked = seat is None or state.auto_roll[seat] or state.auto_finish[seat]
            if state.recorded or not unasked:
                return None
            return DiceRolled(dice=(), seat=seat, draw=state.draws)
        case Players(seats=seats):
            return next((event for seat in seats if (event := _moves_itself(state, seat))), None)


def _moves_itself(state: MatchState, seat: int) -> MatchEvent | None:
    rules = state.rules
    if must_pass(rules, state.position, seat):
        return TurnPassed(seat)
    move = rules.finishing_move(state.position, seat) if state.auto_finish[seat] else None
    if move is None:
        return None
    after = rules.play(state.position, seat, move)
    return MovePlayed(seat=seat, move=move, position=rules.position(after), auto=True)
