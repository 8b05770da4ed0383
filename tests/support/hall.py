"""Matches in a running house: opened as the lobby does, played as the gateway, claimed as the clock, read."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from itertools import count
from typing import Final

import msgspec

from services.game.outages import Outage
from services.game.pulse import ATTEMPT_MS, Beat
from shared.adapters.nats_connection import Broker
from shared.adapters.nats_log import NatsLog
from shared.adapters.nats_register import NatsRegister
from shared.commands import ClaimFlag, ClockCommand, CreateMatch, Play, PlayerCommand, Ready, Roll
from shared.events.codec import MatchCommit, decode_match
from shared.events.match import Seat, Terms
from shared.fold import fold
from shared.ids import new_id
from shared.match import MatchState, demands
from shared.ports.bus import NoAnswer
from shared.subjects import GAMES, PULSE, PULSE_OF_GAME
from shared.subjects import command as subject
from shared.wire.match import COMMAND_ANSWER, ENCODER, Accepted, CommandAnswer, CommandRequest, RefusedAnswer
from tests.support.ghosts import Table
from tests.support.servers import NatsServer

JUST_NOW: Final = 2**52  # a stamp after now counts as now
_USERS: Final = ("lobby", "gateway", "clock", "game", "audit")
_ANSWER_MS: Final = 5_000
_AGAIN_S: Final = 0.05
_HEARD_S: Final = 10.0
_CLAIMS_A_SECOND: Final = 100
_ids = count(1)


@dataclass
class Hall:
    """Everybody who talks to game. ``sent`` are the commands of players by match, seat and id."""

    brokers: Mapping[str, Broker]
    sent: set[tuple[str, int, str]] = field(default_factory=set[tuple[str, int, str]])
    claimed: list[CommandAnswer] = field(default_factory=list[CommandAnswer])

    @property
    def log(self) -> NatsLog:
        """All matches."""
        return NatsLog(self.brokers["audit"], GAMES)

    async def opens(self, seats: Sequence[Seat], terms: Terms) -> str:
        """A match of backgammon; its people are ready, and without bots it has begun."""
        match = new_id("m")
        create = CreateMatch(rules="backgammon", rules_version=1, seats=tuple(seats), terms=terms)
        assert await self._until_judged(
            "lobby", match, CommandRequest(id="create", command=create)
        ) == Accepted(1)
        for number, seat in enumerate(seats):
            if not seat.bot:
                assert isinstance(await self.plays(match, number, seat.player, Ready(), 1), Accepted)
        return match

    async def state(self, match: str) -> MatchState:
        """The match as it stands in its log."""
        state = fold(await self.log.read(match))
        assert state is not None
        return state

    async def commits(self, match: str) -> list[MatchCommit]:
        """Its log."""
        return [decode_match(stored) for stored in await self.log.read(match)]

    async def wait(self, match: str, until: Callable[[MatchState], bool]) -> MatchState:
        """The first newest state for which ``until`` holds."""
        gateway = self.brokers["gateway"]
        return await Table(NatsLog(gateway, GAMES), gateway, match, ()).wait(until)

    async def plays(
        self, match: str, seat: int, player: str, command: PlayerCommand, expected: int
    ) -> CommandAnswer:
        """A person's command and its answer, however long that takes."""
        request = CommandRequest(
            id=f"hall{next(_ids)}", command=command, player=player, expected=expected, arrived_ms=JUST_NOW
        )
        self.sent.add((match, seat, request.id))
        return await self._until_judged("gateway", match, request)

    async def moves(self, match: str) -> CommandAnswer:
        """Whoever must decide does."""
        state = await self.state(match)
        demand = demands(state)[0]
        plays = "play" in demand.commands
        command = Play(state.rules.legal(state.position, demand.seat)[0]) if plays else Roll()
        player = state.created.seats[demand.seat].player
        return await self.plays(match, demand.seat, player, command, state.n)

    async def claims(self, matches: Sequence[str]) -> None:
        """Timers that are always overdue: every flag is claimed again and again, about a hundred a second."""

        async def claim(match: str) -> None:
            while True:
                with suppress(NoAnswer):  # it is claimed again
                    self.claimed.append(await self.says(match, ClaimFlag()))
                await asyncio.sleep(len(matches) / _CLAIMS_A_SECOND)

        async with asyncio.TaskGroup() as group:
            for match in matches:
                group.create_task(claim(match))

    async def says(self, match: str, command: ClockCommand) -> CommandAnswer:
        """The clock service's word, once; raises ``NoAnswer``."""
        return await self._ask("clock", match, CommandRequest(id=f"hall{next(_ids)}", command=command))

    async def beat(self) -> Beat:
        """The newest one of the game service."""
        register = NatsRegister(self.brokers["game"], PULSE, PULSE_OF_GAME, ATTEMPT_MS)
        held = await register.read()
        assert held.value is not None
        return msgspec.json.decode(held.value, type=Beat)

    async def outages(self) -> tuple[Outage, ...]:
        """What the game service has found."""
        return (await self.beat()).outages

    async def gateway_heard(self) -> None:
        """Return when a gateway was heard for the first time: from then on game knows if there is none."""
        async with asyncio.timeout(_HEARD_S):
            while (await self.beat()).knocked_ms is None:  # noqa: ASYNC110 - the pulse tells nobody
                await asyncio.sleep(_AGAIN_S)

    async def _until_judged(self, sender: str, match: str, request: CommandRequest) -> CommandAnswer:
        while True:
            with suppress(NoAnswer):
                answer = await self._ask(sender, match, request)
                if not (isinstance(answer, RefusedAnswer) and answer.problem.code == "unavailable"):
                    return answer
            await asyncio.sleep(_AGAIN_S)

    async def _ask(self, sender: str, match: str, request: CommandRequest) -> CommandAnswer:
        where, data = subject(sender, "game", match), ENCODER.encode(request)
        return COMMAND_ANSWER.decode(await self.brokers[sender].request(where, data, _ANSWER_MS))


@asynccontextmanager
async def hall(server: NatsServer) -> AsyncGenerator[Hall]:
    """Connections that come back when the broker does."""
    async with AsyncExitStack() as stack:
        yield Hall({user: await stack.enter_async_context(server.broker(user)) for user in _USERS})
