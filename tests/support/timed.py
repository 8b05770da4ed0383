"""Matches with clocks in memory: the real game service, the clock service, and time moved on by hand."""

import asyncio
from random import Random
from typing import Any, Final

from services.clock.handlers import Clock
from services.game.handlers import Game
from shared.adapters.memory_bucket import MemoryBucket
from shared.adapters.memory_bus import MemoryBus
from shared.adapters.memory_log import MemoryLog
from shared.adapters.memory_timers import MemoryTimers
from shared.commands import MatchCommand, Ready
from shared.events.codec import decode_match
from shared.events.match import MatchEvent, Terms
from shared.match import MatchState, Phase, demands
from shared.match.timing import deadline
from shared.ports.log import Following, Handler
from shared.service import Now
from shared.subjects import command as command_subject
from shared.wire.match import COMMAND_ANSWER, ENCODER, Accepted, CommandAnswer, CommandRequest
from tests.support.ghosts import PERSON, RecordingBus, Table, new_table

BEGIN_MS: Final = 1_800_000_000_000
SEEN_S: Final = 20.0


class WatchedLog(MemoryLog):
    """A log that tells what each of its consumers has handled."""

    def __init__(self) -> None:
        """Empty."""
        super().__init__()
        self._handled: dict[str, set[tuple[str, int]]] = {}
        self._news = asyncio.Event()

    async def consume(self, durable: str, handler: Handler) -> Following:
        """See ``EventLog.consume``."""
        handled = self._handled.setdefault(durable, set())

        async def telling(key: str, n: int, data: bytes) -> None:
            await handler(key, n, data)
            handled.add((key, n))
            self._news.set()

        return await super().consume(durable, telling)

    async def seen(self) -> None:
        """Every consumer has handled all that is stored, and all that this has led to."""
        async with asyncio.timeout(SEEN_S):
            while any(len(handled) < len(self.entries) for handled in self._handled.values()):
                self._news.clear()
                await self._news.wait()


class TimedHouse:
    """Game and clock service in this process, on ports in memory."""

    def __init__(self) -> None:
        """It is ``BEGIN_MS``; nothing runs yet."""
        self.now_ms = BEGIN_MS
        self.log = WatchedLog()
        self.bus = MemoryBus()
        self.clock_bus = RecordingBus(self.bus)
        self.timers = MemoryTimers(BEGIN_MS)
        self.game = Game(self.log, MemoryBucket(), self.now(), Random(7).randbytes)
        self._clocks: list[Clock] = []
        self._commands = 0

    def now(self) -> Now:
        """A service's time: the same for all, moved on by hand."""
        return Now(wall_ns=self._now_ns, monotonic_ns=self._now_ns)

    def _now_ns(self) -> int:
        return self.now_ms * 1_000_000

    async def open(self) -> "TimedHouse":
        """The game service answers."""
        await self.bus.serve("cmd.*.game.*", "game", self.game.answer)
        return self

    def clock(self, now: Now | None = None, **limits: int) -> Clock:
        """A clock service that is not started; ``now``: its host's clock is off."""
        clock = Clock(self.log, self.clock_bus, self.timers, now or self.now(), **limits)
        self._clocks.append(clock)
        return clock

    async def close(self) -> None:
        """Every clock service stops."""
        for clock in self._clocks:
            await clock.close()

    async def begun(self, terms: Terms, match: str = "", rules: str = "backgammon") -> Table:
        """A match of two people (see ``new_table``) whose first game has begun."""
        table = await new_table(self.log, self.bus, (PERSON, PERSON), terms=terms, match=match, rules=rules)
        await self.accepted(table, 0, Ready())
        await self.accepted(table, 1, Ready())
        return table

    async def command(self, table: Table, seat: int, command: MatchCommand) -> CommandAnswer:
        """``seat`` commands now, and the clock service has seen what follows."""
        self._commands += 1
        request = CommandRequest(
            id=f"c{self._commands}",
            command=command,
            player=table.seats[seat].player,
            expected=(await table.state()).n,
            arrived_ms=self.now_ms,
        )
        subject = command_subject("gateway", "game", table.match)
        answer = COMMAND_ANSWER.decode(await self.bus.request(subject, ENCODER.encode(request), 5_000))
        await self.seen()
        return answer

    async def accepted(self, table: Table, seat: int, command: MatchCommand) -> None:
        """As ``command``; fails if it is refused."""
        answer = await self.command(table, seat, command)
        assert isinstance(answer, Accepted), answer

    async def seen(self) -> None:
        """Every service that was started and reads the log has seen every commit."""
        await self.log.seen()

    async def at(self, now_ms: int) -> None:
        """It is ``now_ms``, and what came due by then is seen to, and so is what followed."""
        self.now_ms = now_ms
        await self.timers.advance(now_ms)
        await self.seen()
        await self.timers.settled()

    async def after(self, ms: int) -> None:
        """So much later."""
        await self.at(self.now_ms + ms)

    async def events(self, table: Table, kind: type[MatchEvent]) -> list[Any]:
        """The match's events of a kind."""
        commits = [decode_match(stored) for stored in await self.log.read(table.match)]
        return [event for commit in commits for event in commit.events if isinstance(event, kind)]


def claim_ms(state: MatchState) -> int:
    """The first moment at which the running deadline is judged."""
    running = deadline(state)
    assert running is not None
    return running.claim_ms


def to_decide(state: MatchState) -> int:
    """The one seat that must decide."""
    (seat,) = (demand.seat for demand in demands(state))
    return seat


def over(state: MatchState) -> bool:
    """Whether the match is over."""
    return state.phase is Phase.OVER
