"""A match told in memory: given a state, when a seat commands, then these events follow (or a refusal)."""

from typing import Any

import msgspec

from services.game.domain import create, decide, report
from services.game.judge import timely
from services.game.outages import NONE, Outages
from services.game.timed import Moment
from shared.catalogue import HOUSES
from shared.commands import (
    ClaimFlag,
    ClockCommand,
    CreateMatch,
    MatchCommand,
    Next,
    Play,
    Ready,
    ReportAbsent,
)
from shared.cube import Cube
from shared.events.base import FIRST_PREV, By, Commit
from shared.events.codec import decode_match, encode
from shared.events.match import GameEnded, GameStarted, MatchEvent, Pinned, Seat, Terms
from shared.fold import step
from shared.match import MatchState
from shared.match.timing import run_on
from shared.problems import Refused
from shared.rules.nard.board import Board, board
from shared.rules.nard.game import State
from shared.series import SERIES

SECRET = bytes(range(32))
MATCH = "mstory234567"
PLAYERS = ("palice234567", "pbob23456789")
HASH = "0" * 64


def games_of(series: str) -> tuple[Pinned, ...]:
    """The games of a series at the first version of their rules, the tie-break last; () without one."""
    played = SERIES.get(series)
    return () if played is None else tuple(Pinned(game, 1) for game in (*played.games, played.tie))


def terms_of(series: str, house: str = "nardy") -> Terms:
    """The terms of a series as a house has them."""
    return msgspec.structs.replace(HOUSES[house].match, series=series, cube=SERIES[series].cube)


def match_to(target: int, house: str = "duels") -> Terms:
    """The terms of a match to ``target`` as a house has them."""
    return msgspec.structs.replace(HOUSES[house].match, target=target)


class Story:
    """One match, in memory; ``log`` holds the stored bytes."""

    def __init__(
        self,
        terms: Terms | None = None,
        chance: str = "committed",
        secret: bytes = SECRET,
        *,
        rules: str = "backgammon",
        options: dict[str, Any] | None = None,
    ) -> None:
        """A created match of ``rules`` between two players; in a series of what it begins with."""
        terms = terms or Terms()
        games = games_of(terms.series)
        self.secret = secret
        self.now_ms = 1_000_000
        self.outages: Outages = NONE
        self.log: list[bytes] = []
        self._state: MatchState | None = None
        command = CreateMatch(
            rules=games[0].rules if games else rules,
            rules_version=1,
            seats=tuple(Seat(player) for player in PLAYERS),
            terms=terms,
            options=options or {},
            chance=chance,
            games=games,
        )
        self._commit(By(service="lobby"), create(command, secret))

    @property
    def state(self) -> MatchState:
        """The match as it stands."""
        assert self._state is not None
        return self._state

    @property
    def events(self) -> tuple[MatchEvent, ...]:
        """Everything that has happened so far."""
        return tuple(event for line in self.log for event in decode_match(line).events)

    def _commit(self, by: By, events: tuple[MatchEvent, ...]) -> None:
        state = self._state
        n = 1 if state is None else state.n + 1
        stored = encode(
            Commit(
                match=MATCH,
                n=n,
                at_ms=self.now_ms,
                arrived_ms=self.now_ms,
                command=f"c{n}",
                command_hash=HASH,
                by=by,
                salt="",
                prev=FIRST_PREV if state is None else state.head,
                events=events,
            )
        )
        self.log.append(stored)
        self._state = step(state, stored)

    def given(self, **changes: Any) -> "Story":
        """The same match, but standing elsewhere (``position``, ``score``, ``cube`` …)."""
        moved = msgspec.structs.replace(self.state, **changes)
        if moved.clocks is not None and "clocks" not in changes:  # whoever is to decide now begins to pay now
            moved = msgspec.structs.replace(moved, clocks=msgspec.structs.replace(moved.clocks, running=None))
        self._state = run_on(msgspec.structs.replace(moved, at_ms=self.now_ms))
        return self

    def started(self) -> "Story":
        """Both seats ready, the first game begun."""
        self.when(0, Ready())
        self.when(1, Ready())
        return self

    def to_roll(self, seat: int, mine: Board | None = None, theirs: Board | None = None) -> "Story":
        """``seat`` is to roll; the boards as given or as they are."""
        boards = self.boards(seat, mine, theirs)
        return self.given(position=self._standing(boards, seat, ()))

    def to_play(
        self, seat: int, dice: tuple[int, int], mine: Board | None = None, theirs: Board | None = None
    ) -> "Story":
        """``seat`` has rolled ``dice`` and is to play."""
        boards = self.boards(seat, mine, theirs)
        return self.given(position=self._standing(boards, seat, dice))

    def _standing(self, boards: tuple[Board, Board], turn: int, dice: tuple[int, ...]) -> State:
        """The position in hand with other boards: same options, same side that began, nobody pinned."""
        now: State = self.state.position
        pinned = None if now.pinned is None else ((), ())
        return msgspec.structs.replace(now, boards=boards, turn=turn, dice=dice, result=None, pinned=pinned)

    def boards(self, seat: int, mine: Board | None, theirs: Board | None) -> tuple[Board, Board]:
        """The boards by seat; a missing one is as it stands."""
        now: tuple[Board, Board] = self.state.position.boards
        mine, theirs = mine or now[seat], theirs or now[1 - seat]
        return (mine, theirs) if seat == 0 else (theirs, mine)

    def moment(self, late_ms: int = 0) -> Moment:
        """Now; a command that was sent now is judged ``late_ms`` later."""
        return Moment(self.outages.counted(self.now_ms), self.now_ms + late_ms)

    def after(self, ms: int) -> "Story":
        """So much later."""
        self.now_ms += ms
        return self

    def hears(self, command: ClockCommand) -> tuple[MatchEvent, ...]:
        """The clock service says so; the events that follow are stored."""
        events = self._reported(command)
        self._commit(By(service="clock"), events)
        return events

    def _reported(self, command: ClockCommand) -> tuple[MatchEvent, ...]:
        return tuple(report(self.state, command, self.secret, self.now_ms, outages=self.outages).events)

    def claim(self) -> tuple[MatchEvent, ...]:
        """The clock service claims a flag now; the events that follow are stored."""
        return self.hears(ClaimFlag())

    def claim_refusal(self, command: ClockCommand | None = None) -> str:
        """The code with which a claim (or another ``command`` of the clock) is refused now."""
        try:
            events = self._reported(command or ClaimFlag())
        except Refused as refused:
            return refused.problem.code
        raise AssertionError(f"the claim was accepted: {events}")

    def when(self, seat: int, command: MatchCommand) -> tuple[MatchEvent, ...]:
        """``seat`` gives ``command``; the events that follow are stored."""
        events = tuple(
            decide(self.state, seat, command, self.secret, self.moment(), outages=self.outages).events
        )
        self._commit(By(seat=seat), events)
        return events

    def next_game(self) -> "Story":
        """Both press Next."""
        self.begins()
        return self

    def begins(self) -> GameStarted:
        """Both press Next; how the next game began."""
        self.when(0, Next())
        return next(event for event in self.when(1, Next()) if isinstance(event, GameStarted))

    def vanishes(self, seat: int) -> tuple[MatchEvent, ...]:
        """The player of ``seat`` falls silent now and is reported when his grace is over; what follows."""
        since_ms = self.now_ms
        return self.after(self.state.created.terms.grace_ms).hears(ReportAbsent(seat, since_ms))

    def wins(self, seat: int, worth: int = 1, cube: int = 1) -> GameEnded:
        """``seat`` bears off its last checker: a single, a gammon or a backgammon (1, 2, 3) at this cube."""
        self.given(cube=Cube(value=cube, owner=None if cube == 1 else seat))
        checkers = sum(self.state.position.boards[seat])
        self.to_play(seat, (6, 5), race({2: 1}, checkers), lost(worth, checkers))
        return next(event for event in self.when(seat, Play("2/off")) if isinstance(event, GameEnded))

    def level(self) -> "Story":
        """The three games of a series are played, the score is level, and both are to press Next.

        Mixed 2:2; Tavli 1:1, its Plakoto a draw.
        """
        self.wins(0, worth=2 if self.state.created.terms.series == "mixed" else 1)
        if self.next_game().state.rules.name == "plakoto":
            self.catches_both_mothers(1)
        else:
            self.wins(1)
        self.next_game().wins(1)
        return self

    def catches_both_mothers(self, seat: int) -> GameEnded:
        """In Plakoto ``seat`` pins the other's mother on its 24 while its own is pinned there: a draw."""
        caught, catching = race({24: 1, 4: 13, 3: 1}), race({24: 1, 6: 13, 1: 1})
        self.to_play(seat, (2, 1), caught, catching)
        mother = ((24,), ()) if seat == 0 else ((), (24,))
        self.given(position=msgspec.structs.replace(self.state.position, pinned=mother))
        return next(event for event in self.when(seat, Play("3/1 4/3")) if isinstance(event, GameEnded))

    def refusal(self, seat: int, command: MatchCommand, expected: int | None = -1) -> str:
        """The code with which ``command`` is refused; fails if it is not. ``expected`` -1: the newest n."""
        try:
            timely(self.state, seat, self.state.n if expected == -1 else expected)
            events = tuple(
                decide(self.state, seat, command, self.secret, self.moment(), outages=self.outages).events
            )
        except Refused as refused:
            return refused.problem.code
        raise AssertionError(f"{command} was accepted: {events}")


def race(seat_points: dict[int, int], checkers: int = 15) -> Board:
    """A board of so many ``checkers`` with these points, the rest borne off."""
    return board({**seat_points, 0: checkers - sum(seat_points.values())})


def lost(worth: int, checkers: int = 15) -> Board:
    """The loser's board by what his defeat is worth."""
    return race({1: {6: checkers - 1}, 2: {6: checkers}, 3: {6: checkers - 1, 24: 1}}[worth], checkers)
