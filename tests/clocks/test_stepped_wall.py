"""Hosts whose wall clock is set by an hour: what players see of their clocks goes on as if nothing were.

The broker's clock stays as it is, for it cannot be set alone: see ``tests.support.stepped``.
"""

import asyncio
import random
import signal
import time
from collections.abc import AsyncGenerator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import aiohttp
import pytest

from services.game.pulse import BEAT_MS
from shared.events.match import ClockTerms, Seat, Terms
from tests.clocks.judged import Judged, judged
from tests.support.api import Api, Frame, Socket
from tests.support.cluster import Cluster
from tests.support.hall import Hall, hall
from tests.support.player import choose
from tests.support.stepped import AHEAD, BACK, HOUR_MS, ON, SAID
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


@pytest.fixture
def own_cluster(tmp_path: Path) -> Iterator[Cluster]:
    """As ``cluster``, for one test: in a house whose time is an hour ahead it stays so for an hour."""
    with Cluster(tmp_path, services=SERVICES, launcher="tests.support.stepped") as running:
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

    ``ahead_ms`` is how far the house's time is ahead of our monotonic clock, ``slack_ms`` how far it may be
    off; ``since_ms`` is, by our clock, when the running clock of the match with time enough began to run.
    """

    hall: Hall
    stack: AsyncExitStack
    guests: list[Api]
    roomy: str
    short: str
    sockets: list[Socket] = field(default_factory=list[Socket])
    ahead_ms: int = 0
    since_ms: int = 0
    slack_ms: int = SLACK_MS
    dice: random.Random = field(default_factory=lambda: random.Random(5))

    async def come(self) -> None:
        """Everybody watches both matches on a socket of his own."""
        self.sockets = [await self.stack.enter_async_context(guest.socket()) for guest in self.guests]
        for socket in self.sockets:
            for match in (self.roomy, self.short):
                await socket.watch(match)
                await socket.get(lambda f, match=match: f["type"] == "view" and f["match"] == match, 0)

    async def come_back(self) -> None:
        """As ``come``, with new tokens: for who reads another clock the old ones have run out."""
        self.guests = [await renewed(guest) for guest in self.guests]
        await self.come()

    async def house_ms(self) -> int:
        """What time it is for clients."""
        since = len(self.sockets[0].frames)
        await self.sockets[0].send({"type": "ping"})
        return int((await self.sockets[0].get(lambda f: f["type"] == "pong", since))["server_time"])

    def agrees(self, house_ms: int) -> None:
        """The house's time has gone on as ours has."""
        assert abs(house_ms - monotonic_ms() - self.ahead_ms) < self.slack_ms

    def view(self) -> Frame:
        """The newest view of the match with time enough, as whoever must decide sees it."""
        newest = [socket.views(self.roomy)[-1] for socket in self.sockets]
        return max(newest, key=lambda frame: frame["n"])

    async def moves(self, *, or_less: bool = False) -> None:
        """Whoever must decide does, and it costs what it took, or less."""
        before = self.view()
        clock = before["view"]["clock"]
        seat: int = clock["running"]
        view = await self.sockets[seat].view(self.roomy, before["n"])
        command = await choose(self.sockets[seat], view, self.dice, doubles=0)
        assert command is not None
        used_ms = monotonic_ms() - self.since_ms
        answer = await self.sockets[seat].command(self.roomy, command, before["n"])
        assert answer["type"] == "view", answer
        after: dict[str, Any] = answer["view"]["clock"]
        charged_ms: int = clock["left_ms"][seat] - after["left_ms"][seat]
        assert abs(charged_ms - used_ms) < self.slack_ms or (or_less and 0 <= charged_ms < used_ms)
        assert after["left_ms"][1 - seat] == clock["left_ms"][1 - seat]
        assert after["deadline_ms"] == after["since_ms"] + after["left_ms"][after["running"]]
        self.agrees(after["since_ms"])
        self.agrees(await self.house_ms())
        self.since_ms = monotonic_ms()

    async def judged(self, match: str) -> Judged:
        """What its log says of its time."""
        return judged(await self.hall.log.read(match), await self.hall.outages())

    async def as_if_nothing_were(self) -> list[int]:
        """The flag falls at its time, nobody was away, and the logs verify. How much was given back."""
        await self.sockets[0].get(lambda f: f["type"] == "ended" and f["match"] == self.short, 0)
        flagged, roomy = [await self.judged(match) for match in (self.short, self.roomy)]
        (commit,) = flagged.flags
        self.agrees(commit.at_ms)
        assert flagged.absent == roomy.absent == []
        for socket in self.sockets:
            assert not any(f["type"] == "presence" and f["state"] == "away" for f in socket.frames)
        return [sum(event.ms for event in became.given) for became in (flagged, roomy)]


@asynccontextmanager
async def two(cluster: Cluster, http: aiohttp.ClientSession, short_ms: int = SHORT_MS) -> AsyncGenerator[Two]:
    """Guests on sockets, whose clocks run."""
    async with hall(cluster.nats) as talking, AsyncExitStack() as stack:
        guests = [await Api(http, cluster.address).guest() for _ in range(2)]
        roomy, short = [
            await talking.opens([Seat(guest.player) for guest in guests], with_time(budget_ms))
            for budget_ms in (60_000, short_ms)
        ]
        playing = Two(talking, stack, guests, roomy, short)
        await playing.come()
        playing.ahead_ms = await playing.house_ms() - monotonic_ms()
        playing.since_ms = playing.view()["view"]["clock"]["since_ms"] - playing.ahead_ms
        yield playing


async def renewed(guest: Api) -> Api:
    """The same player in a session of his with a new token."""
    nobody = Api(guest.http, guest.base)
    answer = await nobody.post("/v1/sessions", {"refresh_token": guest.refresh_token})
    assert answer.status < 300, answer
    body = answer.body
    return Api(guest.http, guest.base, body["access_token"], guest.player, body["refresh_token"])


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
        assert await playing.as_if_nothing_were() == [0, 0]


# ---- services that start after their host's clock was set


async def started_anew(cluster: Cluster, ahead_ms: int, *names: str) -> int:
    """They are killed, and started where the clock is off by so much; for how long they were away.

    They may not call themselves ready.
    """
    began_ms = monotonic_ms()
    cluster.kill(*names)
    for name in names:
        cluster.launch(name, environment={AHEAD: str(ahead_ms)})
    for name in names:
        await asyncio.to_thread(cluster.wait_ready, name, probe="startup")
    return monotonic_ms() - began_ms


@asynccontextmanager
async def off(cluster: Cluster, ahead_ms: int, *names: str) -> AsyncGenerator[int]:
    """As ``started_anew``; afterwards they are started once more, where the clock is right."""
    yield await started_anew(cluster, ahead_ms, *names)
    cluster.kill(*names)
    await asyncio.to_thread(cluster.bring_back, *names)


@pytest.mark.parametrize("ahead_ms", [-HOUR_MS, HOUR_MS])
async def test_a_clock_service_that_starts_where_the_clock_is_wrong_claims_flags_at_their_time(
    cluster: Cluster, http: aiohttp.ClientSession, ahead_ms: int
) -> None:
    """Nothing happens meanwhile that could tell it what time it is."""
    async with two(cluster, http) as playing, off(cluster, ahead_ms, "clock"):
        assert await playing.as_if_nothing_were() == [0, 0]
        await playing.moves()


async def test_while_the_only_gateway_has_a_wrong_clock_players_play_and_lose_nothing_by_it(
    cluster: Cluster, http: aiohttp.ClientSession
) -> None:
    """Its stamps are right, but it is not ready: an outage. Where it is ahead all tokens have run out."""
    async with two(cluster, http) as playing:
        async with off(cluster, -HOUR_MS, "gateway") as away_ms:
            playing.slack_ms += away_ms
            await playing.come()
            await playing.moves(or_less=True)
            await playing.moves(or_less=True)
        await playing.come()
        await playing.as_if_nothing_were()


async def test_game_that_starts_where_the_clock_was_set_back_lets_time_stand_still_meanwhile(
    cluster: Cluster, http: aiohttp.ClientSession
) -> None:
    """It goes on from its last beat. The gateway is ahead of it then, and not ready until that is mended."""
    async with two(cluster, http) as playing:
        await playing.moves()
        async with off(cluster, -HOUR_MS, "game") as away_ms:
            playing.slack_ms += away_ms
            await playing.moves(or_less=True)
            await playing.moves(or_less=True)
        await playing.as_if_nothing_were()


@pytest.mark.parametrize("first", [("game",), SERVICES], ids="+".join)
async def test_game_that_starts_where_the_clock_was_set_on_gives_the_hour_back(
    own_cluster: Cluster, http: aiohttp.ClientSession, first: tuple[str, ...]
) -> None:
    """It looks like an outage of an hour, in which nobody was away. The others follow, if not at once."""
    async with two(own_cluster, http, 2 * SHORT_MS) as playing:
        await playing.moves()
        playing.slack_ms += BEAT_MS + await started_anew(own_cluster, HOUR_MS, *first)
        playing.ahead_ms += HOUR_MS
        if "gateway" not in first:
            await playing.moves(or_less=True)
            await playing.moves(or_less=True)
            others = [name for name in SERVICES if name not in first]
            playing.slack_ms += await started_anew(own_cluster, HOUR_MS, *others)
        await playing.come_back()
        await playing.moves(or_less=True)
        await playing.moves(or_less=True)
        assert min(await playing.as_if_nothing_were()) >= HOUR_MS


async def test_a_house_that_starts_where_the_clock_was_set_back_takes_nothing_from_anybody(
    cluster: Cluster, http: aiohttp.ClientSession
) -> None:
    """The time of the house goes on from its last beat; none is claimed until the clock is put right."""
    async with two(cluster, http) as playing:
        await playing.moves()
        async with off(cluster, -HOUR_MS, *SERVICES) as away_ms:
            playing.slack_ms += away_ms
            await playing.come_back()
            await playing.moves(or_less=True)
            await playing.moves(or_less=True)
        await playing.come_back()
        await playing.as_if_nothing_were()
