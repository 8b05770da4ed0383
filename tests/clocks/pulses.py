"""Game instances in memory on hosts whose time tests move on: their pulse, and matches that they judge."""

from typing import Any

import msgspec

from services.game.handlers import Game
from services.game.pulse import Beat, Pulse
from shared.adapters.memory_bucket import MemoryBucket
from shared.adapters.memory_log import MemoryLog
from shared.adapters.memory_register import MemoryRegister
from shared.clocks import chess_clock
from shared.commands import CreateMatch, MatchCommand, Play, Ready, Roll
from shared.events.codec import decode_match
from shared.events.match import Seat, Terms
from shared.fold import fold
from shared.match import MatchState, demands
from shared.match.timing import deadline
from shared.service import Now
from shared.subjects import command as subject
from shared.wire.match import COMMAND_ANSWER, ENCODER, CommandAnswer, CommandRequest
from tests.support.story import PLAYERS, SECRET

MATCH = "moutage23456"
JUST_NOW = 2**52  # a stamp after now counts as now
TERMS = Terms(target=3, clock=chess_clock(3), flag="loss")


class Host:
    """A machine: its wall clock, which somebody may set, and its monotonic one, which nobody can."""

    def __init__(self, wall_ms: int = 1_700_000_000_000) -> None:
        self.wall_ms = wall_ms
        self.monotonic_ms = 5_000

    def runs(self, ms: int) -> None:
        self.wall_ms += ms
        self.monotonic_ms += ms

    def boots(self) -> Now:
        """A process of its own starts here."""
        return Now(lambda: self.wall_ms * 1_000_000, lambda: self.monotonic_ms * 1_000_000)


async def beating(pulse: Pulse, host: Host, seconds: int) -> None:
    """One instance beats once a second."""
    for _ in range(seconds):
        host.runs(1_000)
        await pulse.beat()


class House:
    """Game instances on ports in memory, on one host; ``gateway`` says whether one is there and knocks."""

    def __init__(self, *, gateway: bool = False) -> None:
        self.host = Host()
        self.gateway = gateway
        self.log, self.bucket, self.register = MemoryLog(), MemoryBucket(), MemoryRegister()
        self.boot()

    def boot(self) -> None:
        """A game instance starts; the one before is dead."""
        now = self.host.boots()
        self.pulse = Pulse(self.register, now)
        self.game = Game(self.log, self.bucket, now, lambda _: SECRET, pulse=self.pulse)

    async def send(
        self, command: MatchCommand, seat: int | None, expected: int | None, name: str, arrived_ms: int = 0
    ) -> CommandAnswer:
        """A player's command, or (without a seat) the lobby's or the clock's."""
        sender = "gateway" if seat is not None else "lobby" if isinstance(command, CreateMatch) else "clock"
        request = CommandRequest(
            id=name,
            command=command,
            player="" if seat is None else PLAYERS[seat],
            expected=expected,
            arrived_ms=arrived_ms,
        )
        return COMMAND_ANSWER.decode(
            await self.game.answer(subject(sender, "game", MATCH), ENCODER.encode(request))
        )

    async def begun(self, terms: Terms = TERMS) -> "House":
        """The first game of the match is in hand."""
        await self.runs(1)
        seats = (Seat(PLAYERS[0]), Seat(PLAYERS[1]))
        await self.send(
            CreateMatch(rules="backgammon", rules_version=1, seats=seats, terms=terms), None, 0, "c"
        )
        await self.send(Ready(), 0, 1, "r0")
        await self.send(Ready(), 1, 1, "r1")
        return self

    async def state(self) -> MatchState:
        """The match as it stands in its log."""
        state = fold(await self.log.read(MATCH))
        assert state is not None
        return state

    async def left(self) -> int:
        """How long the running clock has, by the time of the house."""
        due = deadline(await self.state())
        assert due is not None
        beat = msgspec.json.decode(self.register.held.value or b"", type=Beat)
        return due.at_ms - beat.at_ms

    async def decides(self, name: str) -> CommandAnswer:
        """Whoever must decide does."""
        state = await self.state()
        demand = demands(state)[0]
        plays = "play" in demand.commands
        command = Play(state.rules.legal(state.position, demand.seat)[0]) if plays else Roll()
        return await self.send(command, demand.seat, state.n, name, arrived_ms=JUST_NOW)

    async def runs(self, seconds: int) -> None:
        """The game instance lives on; so does the gateway if there is one."""
        for _ in range(seconds):
            self.host.runs(1_000)
            if self.gateway:
                self.pulse.knock()
            await self.pulse.beat()

    async def last(self) -> tuple[Any, ...]:
        """The events of the newest commit."""
        return decode_match((await self.log.read(MATCH))[-1]).events
