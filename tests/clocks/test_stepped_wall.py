"""Hosts whose wall clock is set by an hour: what players see of their clocks goes on as if nothing were.

The broker's clock stays as it is, for it cannot be set alone: see ``tests.support.stepped``.
"""

import random
import signal
import time
from collections.abc import AsyncGenerator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Final

import aiohttp
import pytest

from shared.events.match import ClockTerms, Seat, Terms
from tests.clocks.judged import Judged, judged
from tests.support.api import Api, Frame, Socket
from tests.support.cluster import Cluster
from tests.support.hall import Hall, hall
from tests.support.player import choose
from tests.support.stepped import BACK, ON, SAID
from tests.support.waiting import until

SERVICES: Final = ("lobby", "game", "clock", "ghost", "gateway")
GRACE_MS: Final = 2_000
SHORT_MS: Final = 3_000
SLACK_MS: Final = 1_500
"""Between what a busy machine did and when this test knew of it; what is looked for is an hour."""


def monotonic_ms() -> int:
    """The clock that nobody can set."""
    return time.monotonic_ns() // 1_000_000


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """Everything, on hosts whose clocks can be set; each test sets them right again."""
    with Cluster(
        tmp_path_factory.mktemp("stepped"), services=SERVICES, launcher="tests.support.stepped"
    ) as running:
        yield running


async def stepped(cluster: Cluster, name: str, number: signal.Signals) -> None:
    """The wall clock of a service is set; return when it shows another time."""
    process = cluster.processes[name]

    def said() -> int:
        return process.log.read_text(errors="replace").count(SAID)

    before = said()
    process.popen.send_signal(number)
    await until(lambda: said() > before)


@dataclass
class Two:
    """Two who play two matches: one with time enough, one in which nobody moves and a flag falls.

    ``ahead_ms`` is how far the house's time is ahead of our monotonic clock.
    """

    hall: Hall
    sockets: tuple[Socket, Socket]
    roomy: str
    short: str
    ahead_ms: int = 0
    dice: random.Random = field(default_factory=lambda: random.Random(5))

    async def house_ms(self) -> int:
        """What time it is for clients."""
        since = len(self.sockets[0].frames)
        await self.sockets[0].send({"type": "ping"})
        return int((await self.sockets[0].get(lambda f: f["type"] == "pong", since))["server_time"])

    def agrees(self, house_ms: int) -> None:
        """The house's time has gone on as ours has."""
        assert abs(house_ms - monotonic_ms() - self.ahead_ms) < SLACK_MS

    def view(self) -> Frame:
        """The newest view of the match with time enough, as whoever must decide sees it."""
        newest = [socket.views(self.roomy)[-1] for socket in self.sockets]
        return max(newest, key=lambda frame: frame["n"])

    async def moves(self) -> None:
        """Whoever must decide does, and it costs what it took."""
        before = self.view()
        clock = before["view"]["clock"]
        seat = clock["running"]
        view = await self.sockets[seat].view(self.roomy, before["n"])
        command = await choose(self.sockets[seat], view, self.dice, doubles=0)
        assert command is not None
        used_ms = monotonic_ms() + self.ahead_ms - clock["since_ms"]
        answer = await self.sockets[seat].command(self.roomy, command, before["n"])
        assert answer["type"] == "view", answer
        after: dict[str, Any] = answer["view"]["clock"]
        assert abs(clock["left_ms"][seat] - after["left_ms"][seat] - used_ms) < SLACK_MS
        assert after["left_ms"][1 - seat] == clock["left_ms"][1 - seat]
        running = after["running"]
        assert after["deadline_ms"] == after["since_ms"] + after["left_ms"][running]
        self.agrees(after["since_ms"])
        self.agrees(await self.house_ms())

    async def judged(self, match: str) -> Judged:
        """What its log says of its time."""
        return judged(await self.hall.log.read(match), await self.hall.outages())

    async def as_if_nothing_were(self) -> None:
        """The flag falls at its time, nobody was away, nothing was given back, and the logs verify."""
        await self.sockets[0].get(lambda f: f["type"] == "ended" and f["match"] == self.short, 0)
        flagged, roomy = [await self.judged(match) for match in (self.short, self.roomy)]
        (commit,) = flagged.flags
        self.agrees(commit.at_ms)
        assert flagged.given == roomy.given == []
        assert flagged.absent == roomy.absent == []
        for socket in self.sockets:
            assert not any(f["type"] == "presence" and f["state"] == "away" for f in socket.frames)


@asynccontextmanager
async def two(cluster: Cluster, http: aiohttp.ClientSession) -> AsyncGenerator[Two]:
    """Guests on sockets, whose clocks run."""
    async with hall(cluster.nats) as talking, AsyncExitStack() as stack:
        guests = [await Api(http, cluster.address).guest() for _ in range(2)]
        one, other = [await stack.enter_async_context(guest.socket()) for guest in guests]
        matches = [
            await talking.opens([Seat(guest.player) for guest in guests], with_time(budget_ms))
            for budget_ms in (60_000, SHORT_MS)
        ]
        playing = Two(talking, (one, other), *matches)
        for socket in playing.sockets:
            for match in matches:
                await socket.watch(match)
                await socket.get(lambda f, match=match: f["type"] == "view" and f["match"] == match, 0)
        playing.ahead_ms = await playing.house_ms() - monotonic_ms()
        yield playing


def with_time(budget_ms: int) -> Terms:
    """A game lost by who runs out of time, or is away for a moment."""
    clock = ClockTerms(kind="chess", budget_ms=budget_ms)
    return Terms(clock=clock, flag="loss", absence="forfeit", grace_ms=GRACE_MS)


@pytest.mark.parametrize("names", [*((name,) for name in SERVICES[1:]), SERVICES], ids="+".join)
async def test_a_clock_that_is_set_while_a_service_runs_changes_no_remaining_time(
    cluster: Cluster, http: aiohttp.ClientSession, names: tuple[str, ...]
) -> None:
    """Wall clock of the host stepped back an hour, and on: no remaining time changes."""
    async with two(cluster, http) as playing:
        await playing.moves()
        for number in (BACK, ON, ON, BACK):
            for name in names:
                await stepped(cluster, name, number)
            await playing.moves()
        await playing.as_if_nothing_were()
