"""Whole matches made in memory by the real ``decide``: for golden logs and for whatever needs a log.

Everything is a function of the arguments: the secret, the seats' strings, the commands and their times. So
the same script gives the same bytes, until the product's behaviour changes.
"""

import hashlib
from collections.abc import Callable, Sequence
from typing import Any, Final

import msgspec

from services.game import judge
from services.game.domain import create, decide
from shared.commands import (
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
from shared.match import MatchState, Phase, demands
from shared.match.evolving import evolve
from shared.wire.match import CommandRequest

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
    ) -> None:
        """Create the match; nobody is ready yet."""
        self.match = "m" + hashlib.sha256(seed.encode()).hexdigest()[:24]
        self.secret = secret_of(seed)
        self.lines: list[bytes] = []
        self.commits: list[MatchCommit] = []
        self._state: MatchState | None = None
        self._at_ms = START_MS
        command = CreateMatch(
            rules=rules,
            rules_version=1,
            seats=seats,
            terms=terms,
            options=options or {},
            chance=chance,
            table="ttable" + self.match[1:9],
        )
        self._store(By(service="lobby"), command, None, create(command, self.secret))

    @property
    def state(self) -> MatchState:
        """The state after the newest commit."""
        assert self._state is not None
        return self._state

    @property
    def over(self) -> bool:
        """Whether the match is over."""
        return self.state.phase is Phase.OVER

    def _store(
        self, by: By, command: MatchCommand, expected: int | None, events: tuple[MatchEvent, ...]
    ) -> MatchCommit:
        n = len(self.lines) + 1
        self._at_ms += STEP_MS + 97 * (n % 7)
        request = CommandRequest(id=f"c{n}", command=command, expected=expected)
        commit = MatchCommit(
            match=self.match,
            n=n,
            at_ms=self._at_ms,
            arrived_ms=judge.stamp(self._at_ms - 3 - n % 11, self._at_ms),
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

    def send(self, seat: int, command: PlayerCommand) -> MatchCommit:
        """``seat`` gives ``command`` against the newest commit; raises ``Refused`` and stores nothing."""
        state = self.state
        sender = "ghost" if state.created.seats[seat].bot else "gateway"
        judge.timely(state, seat, state.n)
        return self._store(
            judge.by(sender, seat), command, state.n, tuple(decide(state, seat, command, self.secret).events)
        )

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

    def turn(self, choose: Choose, dice: tuple[int, ...] = ()) -> None:
        """One roll or one move of whoever is due. ``dice`` only in a recorded match."""
        seat, commands = self.demanded()
        if "roll" in commands:
            self.send(seat, Roll(dice))
        else:
            assert "play" in commands, commands
            legal = self.state.rules.legal(self.state.position, seat)
            self.send(seat, Play(choose(self.state, legal)))

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
