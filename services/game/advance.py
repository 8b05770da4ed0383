"""What follows by itself after a command: draws, forced passes, auto-roll and -finish, ends. Pure."""

from collections.abc import Sequence

from services.game.draft import Draft
from shared import series
from shared.chance import Draw
from shared.events.match import (
    DiceRolled,
    GameEnded,
    MatchCancelled,
    MatchEnded,
    MatchStarted,
    MovePlayed,
    SeatKicked,
    SeatOut,
    SecretRevealed,
    TurnPassed,
)
from shared.match import MatchState, Phase
from shared.match.following import TOO_LONG, endless, next_game
from shared.match.timing import throws_out
from shared.rules.protocol import BETWEEN_TWO, Chance, Departing, Over, Players, Result, must_pass


def advance(draft: Draft) -> None:
    """Go on until a player must decide or the match is over."""
    while _step(draft):
        pass


def _step(draft: Draft) -> bool:
    state = draft.state
    match state.phase:
        case Phase.GATHERING if all(state.ready):
            _start(draft)
        case Phase.REVEALING if all(s or not h for h, s in zip(state.hashes, state.strings, strict=True)):
            _start(draft)
        case Phase.BETWEEN if all(state.next_pressed):
            draft.add(next_game(draft.state))
        case Phase.PLAYING if (late := throws_out(state)) is not None:
            draft.add(SeatKicked(late))
        case Phase.PLAYING if state.resignation is None and state.cube.offered is None:
            return _play_on(draft)
        case _:
            return False
    return True


def _start(draft: Draft) -> None:
    draft.add(MatchStarted())
    draft.add(next_game(draft.state))


def _play_on(draft: Draft) -> bool:
    state = draft.state
    match state.rules.waiting(state.position):
        case Over(result=result):
            end_game(draft, result, "played")
            return True
        case _ if endless(state):
            cancel(draft, TOO_LONG)
            return True
        case Chance(draw=spec, seat=seat):
            return _draw(draft, spec, seat)
        case Players(seats=seats):
            return any(_move(draft, seat) for seat in seats)


def _draw(draft: Draft, spec: Draw, seat: int | None) -> bool:
    state = draft.state
    if state.recorded:
        return False
    if seat is not None and not (state.auto_roll[seat] or state.auto_finish[seat]):
        return False
    roll(draft, spec, seat)
    return True


def roll(draft: Draft, spec: Draw, seat: int | None) -> None:
    """Draw ``spec`` for ``seat`` from the match's secret."""
    draft.add(DiceRolled(dice=draft.draw(spec), seat=seat, draw=draft.state.draws))


def _move(draft: Draft, seat: int) -> bool:
    state = draft.state
    rules = state.rules
    if must_pass(rules, state.position, seat):
        draft.add(TurnPassed(seat))
        return True
    if state.auto_finish[seat]:
        move = rules.finishing_move(state.position, seat)
        if move is not None:
            play(draft, seat, move, auto=True)
            return True
    return False


def play(draft: Draft, seat: int, move: str, *, auto: bool = False) -> None:
    """``seat`` plays the canonical legal ``move``."""
    state = draft.state
    after = state.rules.play(state.position, seat, move)
    draft.add(MovePlayed(seat=seat, move=move, position=state.rules.position(after), auto=auto))


def give_up(draft: Draft, seats: Sequence[int], how: str, cause: str) -> None:
    """``seats`` (mostly one) give the game in hand up: it is over for that, or the others play on (§0.6).

    ``how`` is what the rules judge (resigned, left, flag), ``cause`` what the log says. Several go by their
    numbers where one can go alone; else they have lost together.
    """
    state = draft.state
    if not isinstance(state.rules, Departing):
        alone = len(seats) == 1
        result = state.rules.forfeit(state.position, seats[0], how) if alone else None
        end_game(draft, result or Result.lost_by(tuple(seats), state.seats), cause)
        return
    for seat in seats:
        draft.add(SeatOut(seat, cause))
        waiting = state.rules.waiting(draft.state.position)
        if isinstance(waiting, Over):
            end_game(draft, waiting.result, cause)
            return


def end_game(draft: Draft, result: Result, cause: str) -> None:
    """The game is over with ``result``; its points are the result's worth times the cube (rules §5.1)."""
    state = draft.state
    terms = state.created.terms
    points = series.points(terms, result, state.cube.value)
    winner = result.winner
    score = state.score
    void = series.is_single(terms) and winner is not None and _stakes_back(state, winner)
    counted = not void and (winner is None or not _won_by_computer(state, winner))  # S8, S13
    if winner is not None and counted:
        score = (*score[:winner], score[winner] + points, *score[winner + 1 :])
    draft.add(
        GameEnded(
            game=state.game,
            winner=winner,
            kind=result.kind,
            cause=cause,
            points=points,
            score=score,
            counted=counted,
            places=result.places if state.seats != BETWEEN_TWO else (),
        )
    )
    if void:
        cancel(draft, "won by the computer")
    elif series.is_single(terms):
        end_match(draft, winner, cause)
    elif (leader := series.decided(state.created, score, state.game)) is not None:
        end_match(draft, leader, cause)


def _won_by_computer(state: MatchState, winner: int) -> bool:
    """Whether ``winner`` is absent or thrown out; who is back before the end wins himself (rules §7)."""
    return state.kicked[winner] or (state.ghosted[winner] and not state.returning[winner])


def _stakes_back(state: MatchState, winner: int) -> bool:
    """Whether a single game counts for nothing: the winner was taken over (S18: also if all are gone)."""
    return state.taken_over[winner] or state.kicked[winner]


def end_match(draft: Draft, winner: int | None, cause: str) -> None:
    """The match is decided; its secret is revealed in the same commit."""
    draft.add(MatchEnded(winner=winner, score=draft.state.score, cause=cause))
    draft.add(SecretRevealed(draft.secret.hex()))


def leader(state: MatchState, seats: Sequence[int]) -> int | None:
    """Who of ``seats`` has most points of the match; None where several have, or there is nobody."""
    best = max((state.score[seat] for seat in seats), default=0)
    leading = [seat for seat in seats if state.score[seat] == best]
    return leading[0] if len(leading) == 1 else None


def cancel(draft: Draft, cause: str) -> None:
    """The match ends without a result; its secret is revealed all the same."""
    draft.add(MatchCancelled(cause))
    draft.add(SecretRevealed(draft.secret.hex()))
