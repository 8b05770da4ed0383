"""Whole matches made in memory by the real ``decide``: for golden logs and for whatever needs a log.

Everything is a function of the arguments: the secret, the seats' strings, the commands and their times. So
the same script gives the same bytes, until the product's behaviour changes.
"""

import hashlib
from collections.abc import Callable, Sequence
from typing import Any, Final

import msgspec

from services.game import judge
from services.game.domain import create, decide, report
from services.game.outages import NONE, Outage, Outages
from services.game.timed import Moment
from shared.commands import (
    ClaimFlag,
    ClockCommand,
    CreateMatch,
    Double,
    MatchCommand,
    Next,
    Pass,
    Play,
    PlayerCommand,
    Ready,
    Reveal,
    Roll,
    Take,
)
from shared.draws import string_hash
from shared.events.base import FIRST_PREV, By, chain_hash, salt
from shared.events.codec import MatchCommit, encode
from shared.events.match import MatchEvent, Seat, Terms
from shared.events.rated import Rated
from shared.match import MatchState, Phase, demands
from shared.match.evolving import evolve
from shared.match.timing import deadline, plays_itself
from shared.wire.match import CommandRequest
from tests.support.story import games_of

START_MS: Final = 1_700_000_000_000
STEP_MS: Final = 4_321
SINGLE: Final = Terms()
SEATS: Final = (Seat("pannanovakova"), Seat("pborisdvorak"))

Choose = Callable[[MatchState, tuple[str, ...]], str]
"""Which of the legal moves is played."""


class Picker:
    """Repeatable choices that no Python version changes: SHA-256 of a seed and a counter."""

    def __init__(self, seed: str) -> None:
        """Begin at the first choice of ``seed``."""
        self.seed = seed
        self.count = 0

    def below(self, size: int) -> int:
        """A number from 0 to ``size`` - 1."""
        self.count += 1
        digest = hashlib.sha256(f"{self.seed}/{self.count}".encode()).digest()
        return int.from_bytes(digest[:8], "big") % size

    def move(self, _: MatchState, legal: tuple[str, ...]) -> str:
        """Any legal move."""
        return legal[self.below(len(legal))]

    def dice(self, *, opening: bool = False) -> tuple[int, int]:
        """Dice for a recorded match; in an opening roll never equal."""
        first, second = self.below(6) + 1, self.below(6) + 1
        return self.dice(opening=True) if opening and first == second else (first, second)


def first_move(_: MatchState, legal: tuple[str, ...]) -> str:
    """The move that brings on the rearmost checkers by the higher die: a plain run home."""
    return legal[0]


def last_move(_: MatchState, legal: tuple[str, ...]) -> str:
    """The move that brings on the foremost checkers: whoever plays like this is often gammoned."""
    return legal[-1]


def secret_of(seed: str) -> bytes:
    """The secret that a script called ``seed`` uses."""
    return hashlib.sha256(f"secret of {seed}".encode()).digest()


class MemoryGame:
    """A match in memory. ``lines`` is its log; ``state`` the fold of it."""

    def __init__(
        self,
        seed: str,
        terms: Terms = SINGLE,
        *,
        seats: tuple[Seat, ...] = SEATS,
        chance: str = "committed",
        rules: str = "backgammon",
        options: dict[str, Any] | None = None,
        rated: Rated | None = None,
    ) -> None:
        """Create the match; nobody is ready yet."""
        self.match = "m" + hashlib.sha256(seed.encode()).hexdigest()[:24]
        self.secret = secret_of(seed)
        self.lines: list[bytes] = []
        self.commits: list[MatchCommit] = []
        self._state: MatchState | None = None
        self._at_ms = START_MS
        self._next_ms: int | None = None
        self.outages: Outages = NONE
        games = games_of(terms.series)
        command = CreateMatch(
            rules=games[0].rules if games else rules,
            rules_version=1,
            seats=seats,
            terms=terms,
            options=options or {},
            chance=chance,
            table="ttable" + self.match[1:9],
            games=games,
            rated=rated,
        )
        self._store(By(service="lobby"), command, None, create(command, self.secret), self._moment())

    @property
    def state(self) -> MatchState:
        """The state after the newest commit."""
        assert self._state is not None
        return self._state

    @property
    def over(self) -> bool:
        """Whether the match is over."""
        return self.state.phase is Phase.OVER

    def _moment(self, late_ms: int | None = None) -> Moment:
        """When the next command is judged, and when it arrived: ``late_ms`` before."""
        n = len(self.lines) + 1
        step = STEP_MS + 97 * (n % 7)
        now_ms = self._at_ms + step if self._next_ms is None else max(self._at_ms, self._next_ms)
        now_ms = max(
            [now_ms, *[outage.to_ms for outage in self.outages.known]]
        )  # during one nothing is judged
        late = 3 + n % 11 if late_ms is None else late_ms
        return Moment(self.outages.counted(judge.stamp(now_ms - late, now_ms)), now_ms)

    def at(self, now_ms: int) -> None:
        """The next command is judged at ``now_ms``, or with the newest commit if that is later."""
        self._next_ms = now_ms

    def after(self, ms: int) -> None:
        """The next command is judged ``ms`` after the newest commit."""
        self._next_ms = self._at_ms + ms

    def at_deadline(self, ms: int) -> None:
        """The next command is judged ``ms`` after what runs out next."""
        due = deadline(self.state)
        assert due is not None
        self._next_ms = due.at_ms + ms

    def outage(self, after_ms: int, ms: int, before_ms: int) -> None:
        """``after_ms`` after the newest commit nothing works for ``ms``; the next command follows.

        It is judged ``before_ms`` after the outage's end.
        """
        begin_ms = after_ms + max([self._at_ms, *[outage.to_ms for outage in self.outages.known]])
        self.outages = Outages((*self.outages.known, Outage(begin_ms, begin_ms + ms)))
        self._next_ms = begin_ms + ms + before_ms

    def _store(
        self,
        by: By,
        command: MatchCommand,
        expected: int | None,
        events: tuple[MatchEvent, ...],
        moment: Moment,
    ) -> MatchCommit:
        n = len(self.lines) + 1
        self._at_ms, self._next_ms = moment.now_ms, None
        request = CommandRequest(id=f"c{n}", command=command, expected=expected)
        commit = MatchCommit(
            match=self.match,
            n=n,
            at_ms=moment.now_ms,
            arrived_ms=moment.arrived_ms,
            command=request.id,
            command_hash=judge.command_hash(request),
            by=by,
            salt=salt(self.secret, self.match, n),
            prev=chain_hash(self.lines[-1]) if self.lines else FIRST_PREV,
            events=events,
        )
        stored = encode(commit)
        self.lines.append(stored)
        self.commits.append(commit)
        self._state = evolve(self._state, commit, chain_hash(stored))
        return commit

    def send(self, seat: int, command: PlayerCommand, late_ms: int | None = None) -> MatchCommit:
        """``seat`` gives ``command`` against the newest commit; raises ``Refused`` and stores nothing.

        ``late_ms``: so long it was on its way.
        """
        state = self.state
        bot = state.created.seats[seat].bot
        computer = plays_itself(state, seat) and state.phase is not Phase.BETWEEN
        judge.timely(state, seat, state.n)
        moment = self._moment(late_ms)
        events = tuple(decide(state, seat, command, self.secret, moment, outages=self.outages).events)
        by = judge.by("ghost" if bot or computer else "gateway", seat)
        return self._store(by, command, state.n, events, moment)

    def hears(self, command: ClockCommand | None = None) -> MatchCommit:
        """The clock service gives ``command`` (None: it claims a flag); raises ``Refused``."""
        command = command or ClaimFlag()
        moment = self._moment()
        events = tuple(report(self.state, command, self.secret, moment.now_ms, outages=self.outages).events)
        return self._store(judge.by("clock", None), command, None, events, moment)

    def start(self, strings: Sequence[bytes | None] = ()) -> None:
        """All seats get ready, those with a string commit to it and reveal it."""
        held = [*strings, *[None] * (self.state.seats - len(strings))]
        for seat, string in enumerate(held):
            self.send(seat, Ready(string_hash(string) if string else ""))
        for seat, string in enumerate(held):
            if string:
                self.send(seat, Reveal(string.hex()))

    def demanded(self) -> tuple[int, tuple[str, ...]]:
        """The first seat that must decide, and its answers."""
        demand = demands(self.state)[0]
        return demand.seat, demand.commands

    def turn(self, choose: Choose, dice: tuple[int, ...] = (), late_ms: int | None = None) -> None:
        """One roll or one move of whoever is due, ``late_ms`` on its way; ``dice`` in a recorded match."""
        seat, commands = self.demanded()
        if "roll" in commands:
            self.send(seat, Roll(dice), late_ms)
        else:
            assert "play" in commands, commands
            legal = self.state.rules.legal(self.state.position, seat)
            self.send(seat, Play(choose(self.state, legal)), late_ms)

    def play_on(
        self, choose: Choose, other: Choose | None = None, until: Callable[[MatchState], bool] | None = None
    ) -> None:
        """Roll and move to the end of the game (or ``until``), seat 1 by ``other`` if given."""
        while self.state.phase is Phase.PLAYING and not (until and until(self.state)):
            seat, _ = self.demanded()
            self.turn(other if other and seat else choose)

    def to_roll(self, choose: Choose) -> int:
        """Play until somebody may roll or double; that seat."""
        self.play_on(choose, until=lambda state: "roll" in demands(state)[0].commands)
        return self.demanded()[0]

    def doubled(self, choose: Choose, *, taken: bool = True) -> int:
        """The next seat to roll doubles, and the other takes or passes; the seat that doubled."""
        seat = self.to_roll(choose)
        self.send(seat, Double())
        self.send(1 - seat, Take() if taken else Pass())
        return seat

    def next(self) -> None:
        """All press Next."""
        for seat in range(self.state.seats):
            self.send(seat, Next())


def rewritten(lines: Sequence[bytes], n: int, change: Callable[[dict[str, Any]], None]) -> list[bytes]:
    """The log with commit ``n`` changed as plain data and the chain made anew from there: a forger's work."""
    made = list(lines[: n - 1])
    for line in lines[n - 1 :]:
        commit: dict[str, Any] = msgspec.json.decode(line)
        if commit["n"] == n:
            change(commit)
        elif made:
            commit["prev"] = chain_hash(made[-1])
        made.append(msgspec.json.encode(commit))
    return made


def numbered(lines: Sequence[bytes]) -> list[bytes]:
    """The log numbered, and chained, anew: what is left when a forger takes commits out."""
    made: list[bytes] = []
    for n, line in enumerate(lines, 1):
        commit: dict[str, Any] = msgspec.json.decode(line)
        commit |= {"n": n, "prev": chain_hash(made[-1]) if made else FIRST_PREV}
        made.append(msgspec.json.encode(commit))
    return made
