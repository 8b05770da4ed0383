"""What one viewer sees of a match. A view is made from the state and the viewer's seat, from nothing else."""

from collections.abc import Callable
from typing import Any, Final

import msgspec

from shared import clocks, series
from shared.cube import Cube
from shared.events.match import TAGS, DiceRolled, MovePlayed
from shared.match.colours import colours
from shared.match.deciding import Demand, allowed, demands, takes_part
from shared.match.following import next_game
from shared.match.shapes import (
    ClockView,
    CubeView,
    FairnessView,
    LastView,
    MatchView,
    NextGame,
    OfferView,
    ResultView,
    SeatView,
    SeriesView,
    UntilView,
)
from shared.match.state import LastMove, MatchState, Phase
from shared.match.timing import Deadline, Kind, deadline, plays_itself
from shared.match.words import words
from shared.rules.protocol import Players, Revealing, Telling
from shared.wire.lobby import plays_at, terms_view
from shared.wire.presence import COMPUTER, GHOST, IS_UNKNOWN, Presence

PLAYER: Final = "player"
"""Who made a move that neither a ghost nor the computer made."""

INLINE_MOVES: Final = 100
"""Up to so many legal moves stand in the view; more are asked for with ``GET …/legal``."""

_NOTHING: Final = LastView("", (), None, None, None)


def legal(state: MatchState, seat: int | None, deciding: tuple[Demand, ...] | None = None) -> tuple[str, ...]:
    """The legal moves of ``seat`` where it must play now; else, and while an offer is open, none.

    None either in a game whose moves are not listed (``Traits.listed``).
    """
    if seat is None or not state.rules.traits.listed:
        return ()
    deciding = demands(state) if deciding is None else deciding
    if not any(d.seat == seat and "play" in d.commands for d in deciding):
        return ()
    return state.rules.legal(state.position, seat)


class Views:
    """All views of one state. What every viewer sees alike is made once, whoever asks first."""

    __slots__ = ("_board", "_common", "_deciding", "_last", "_opened", "_state")

    def __init__(
        self, state: MatchState, present: tuple[Presence, ...] = (), *, opened: bool = False
    ) -> None:
        """The views of ``state``; ``present`` by seat, where anything is known of it (``presences``).

        ``opened``: as it is replayed when the match is over: all its secrets are open, and nobody may do
        anything any more.
        """
        self._state = state
        self._opened = opened
        self._deciding = demands(state)
        self._common = _common(state, self._deciding, present or presences(state))
        open_to_all = state.rules.traits.open
        self._board = _board(state, None, opened=opened) if open_to_all else None
        self._last = _last(state, None) if open_to_all else None

    def of(self, seat: int | None) -> MatchView:
        """The match as ``seat`` (None: a spectator) may see it.

        Who is out of a game that the others play on sees of the board what a spectator sees.
        """
        state = self._state
        shown = seat if seat is None or takes_part(state, seat) else None
        moves = () if self._opened else legal(state, seat, self._deciding)
        return msgspec.structs.replace(
            self._common,
            seat=seat,
            decision=None if seat is None else state.decisions[seat],
            recommend_auto_roll=seat is not None and _wants_auto_roll(state, seat),
            may=() if seat is None or self._idle(seat) else allowed(state, seat, self._deciding),
            until=self._common.until if seat is None else _until(state, seat) or self._common.until,
            board=self._board or _board(state, shown, opened=self._opened),
            legal=moves if 0 < len(moves) <= INLINE_MOVES else None,
            legal_count=len(moves),
            suggested=bool(moves) and not state.rules.traits.open and _suggested(state),
            last=self._last or _last(state, _mover(state) if self._opened else shown),
        )

    def _idle(self, seat: int) -> bool:
        """Whether the player may do nothing: the match is only replayed, or somebody else plays his seat.

        That is a ghost, or the computer after a kick.
        """
        state = self._state
        if self._opened:
            return True
        person = not state.created.seats[seat].bot
        return person and state.phase is Phase.PLAYING and plays_itself(state, seat)


def view(
    state: MatchState, seat: int | None, present: tuple[Presence, ...] = (), *, opened: bool = False
) -> MatchView:
    """The match as ``seat`` (or a spectator) may see it; ``present`` and ``opened`` as for ``Views``."""
    return Views(state, present, opened=opened).of(seat)


def presences(
    state: MatchState, of: Callable[[str], Presence] = lambda _player: IS_UNKNOWN
) -> tuple[Presence, ...]:
    """By seat, who is there: the player as ``of`` knows him, or who plays for him.

    Between games and after the last nobody plays for anybody: Next is a person's own. Of who is out of a game
    that the others play on nothing is told: he may be where he likes.
    """
    playing = state.phase is Phase.PLAYING
    found: list[Presence] = []
    for seat, taken in enumerate(state.created.seats):
        if taken.bot or (playing and state.kicked[seat]):
            found.append(Presence(COMPUTER))
        elif not takes_part(state, seat):
            found.append(IS_UNKNOWN)
        elif playing and state.ghosted[seat]:
            found.append(Presence(GHOST, of(taken.player).since_ms))
        else:
            found.append(of(taken.player))
    return tuple(found)


def _common(state: MatchState, deciding: tuple[Demand, ...], present: tuple[Presence, ...]) -> MatchView:
    """A view with everything in it that does not depend on the viewer."""
    due = deadline(state)
    return MatchView(
        match=state.match,
        n=state.n,
        at_ms=state.at_ms,
        rules=state.rules.name,
        rules_version=state.rules.version,
        target=state.created.terms.target,
        series=_series(state),
        terms=terms_view(state.created.terms),
        options=state.options,
        phase=state.phase.value,
        game=state.game,
        first=state.first,
        crawford=state.crawford,
        seats=_seats(state, present),
        score=state.score,
        cube=_cube(state, state.cube),
        resignation=_resignation(state),
        draw_offer=state.draw_offer,
        clock=_clock(state, due),
        until=None if due is None else UntilView(due.kind, due.at_ms),
        recommend_auto_roll=False,
        decide=deciding,
        position="" if state.position is None else state.rules.position(state.position),
        diagram=state.games,
        following=_following(state),
        result=_result(state),
        fairness=FairnessView(
            state.created.chance,
            state.created.secret_hash,
            state.hashes,
            state.strings,
            state.secret,
            state.draws,
        ),
        rated=state.created.rated,
        staked=state.created.staked,
        seat=None,
        decision=None,
        may=(),
        board=None,
        legal=None,
        legal_count=0,
        suggested=False,
        listed=state.rules.traits.listed,
        last=_NOTHING,
    )


def _until(state: MatchState, seat: int) -> UntilView | None:
    """Until when ``seat`` may choose, where several do at once: it may have asked for more time."""
    choice = state.choice
    if choice is None or seat not in choice.seats or plays_itself(state, seat):
        return None
    return UntilView(Kind.CHOOSE, choice.until_ms[seat])


def _result(state: MatchState) -> ResultView | None:
    if state.phase is not Phase.OVER:
        return None
    single = state.created.terms.target is None and not state.created.games
    places = state.games[-1].places if single and state.games else ()
    return ResultView(state.winner, state.score, state.cause, places)


def _board(state: MatchState, seat: int | None, *, opened: bool) -> dict[str, Any] | None:
    """The rules' own view; once the game in hand is over, however it ended, with its secrets shown."""
    rules, position = state.rules, state.position
    if position is None:
        return None
    if isinstance(rules, Revealing) and (opened or state.phase in (Phase.BETWEEN, Phase.OVER)):
        position = rules.revealed(position)
    return rules.view(position, seat)


def _suggested(state: MatchState) -> bool:
    waiting = state.rules.waiting(state.position)
    return isinstance(waiting, Players) and waiting.suggested


def _seats(state: MatchState, present: tuple[Presence, ...]) -> tuple[SeatView, ...]:
    coloured = colours(state)
    playing = state.phase is Phase.PLAYING
    return tuple(
        SeatView(
            player=taken.player,
            bot=taken.bot,
            ready=state.ready[seat],
            next=state.next_pressed[seat],
            kicked=playing and state.kicked[seat],
            ghost=playing and state.ghosted[seat],
            out=not takes_part(state, seat),
            presence=present[seat].state,
            since_ms=present[seat].since_ms,
            auto_roll=state.auto_roll[seat],
            auto_finish=state.auto_finish[seat],
            score=state.score[seat],
            colour=None if coloured is None else coloured[seat],
            level=plays_at(taken),
        )
        for seat, taken in enumerate(state.created.seats)
    )


def _cube(state: MatchState, cube: Cube) -> CubeView | None:
    if not state.has_cube:
        return None
    return CubeView(
        value=cube.value, owner=cube.owner, offered=cube.offered, by=cube.by, beavered=cube.beavered
    )


def _series(state: MatchState) -> SeriesView | None:
    names = tuple(game.rules for game in state.created.games)
    return SeriesView(state.created.terms.series, names[:-1], names[-1]) if names else None


def _following(state: MatchState) -> NextGame | None:
    if state.phase is not Phase.BETWEEN:
        return None
    following = next_game(state)
    upcoming = following.rules or state.rules.name
    return NextGame(following.game, upcoming, following.first, following.crawford)


def _clock(state: MatchState, due: Deadline | None) -> ClockView | None:
    terms = state.created.terms.clock
    if terms is None:
        return None
    now = state.clocks or clocks.new(terms, state.seats, state.extra_ms)
    return ClockView(
        kind=terms.kind,
        left_ms=now.left_ms,
        shown_s=tuple(clocks.shown_s(left) for left in now.left_ms),
        running=now.running,
        since_ms=None if now.running is None else now.since_ms,
        deadline_ms=None if due is None or due.kind is not Kind.FLAG else due.at_ms,
        answering=now.answering,
        flagged=state.at_zero,
        extension=state.extension,
    )


def _wants_auto_roll(state: MatchState, seat: int) -> bool:
    """In blitz the roll costs time of the clock: recommended until it is on (S11)."""
    return state.created.terms.clock == clocks.BLITZ and not state.auto_roll[seat]


def _resignation(state: MatchState) -> OfferView | None:
    offer = state.resignation
    if offer is None:
        return None
    return OfferView(offer.seat, offer.worth, _counted(state, offer.worth) * state.cube.value)


def _counted(state: MatchState, worth: int) -> int:
    return series.counted(state.created.terms, worth, state.cube.value)


def _last(state: MatchState, seat: int | None) -> LastView:
    made = state.last_move
    written = None if made is None else state.rules.write(made.before, made.seat, made.move, seat)
    events = state.last_events
    moves = [place for place, event in enumerate(events) if isinstance(event, MovePlayed)]
    done = {moves[-1]: _told(state, made, written, seat)} if moves and made is not None else {}
    return LastView(
        words=words(
            events,
            done,
            drawn=None if state.rules.traits.open else lambda event: _drawn(state, event),
            counted=lambda worth: _counted(state, worth),
        ),
        events=tuple(TAGS[type(event)] for event in events),
        seat=None if made is None else made.seat,
        move=written,
        by=None if made is None else _player_of(made),
    )


def _told(state: MatchState, made: LastMove, written: str | None, seat: int | None) -> str:
    """What was done with the last move, as ``seat`` may know it: in words of the rules or by the notation."""
    if isinstance(state.rules, Telling):
        return state.rules.tell(made.before, made.seat, made.move, seat)
    return f"played {written}" if written else "moved"


def _drawn(state: MatchState, event: DiceRolled) -> str:
    """What was drawn in a game where not everything is open."""
    if isinstance(state.rules, Telling):
        return state.rules.tell_draw(event.dice, opening=state.last_move is None)
    return "Chance has decided."


def _mover(state: MatchState) -> int | None:
    """From where nothing of the last move is hidden."""
    return None if state.last_move is None else state.last_move.seat


def _player_of(made: LastMove) -> str:
    if made.ghost:
        return GHOST
    return COMPUTER if made.computer else PLAYER
