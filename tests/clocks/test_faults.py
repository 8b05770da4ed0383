"""The clock service as a process on the real broker: killed and started again; the broker killed, too."""

import asyncio
import time
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence

import pytest
from nats.aio.msg import Msg

from shared.adapters.nats_log import NatsLog
from shared.adapters.nats_timers import NatsTimers
from shared.clocks import chess_clock
from shared.commands import Leave
from shared.events.match import ClockTerms, Seat, Terms
from shared.ids import new_id
from shared.match import MatchState
from shared.ports.bus import NoAnswer
from shared.service import Now
from shared.subjects import GAMES
from shared.wire.match import RefusedAnswer
from tests.clocks.judged import judged
from tests.support.cluster import Cluster
from tests.support.ghosts import Table
from tests.support.hall import Hall, hall
from tests.support.servers import NatsServer
from tests.support.timed import claim_ms, over

QUICK_MS, ROOMY_MS = 1_000, 5_000
FLAGGED = 20


def within(budget_ms: int) -> Terms:
    """A game whose players have so much time."""
    return Terms(clock=ClockTerms(kind="chess", budget_ms=budget_ms), flag="loss")


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """Broker, game and clock; every test leaves them running."""
    with Cluster(tmp_path_factory.mktemp("clocks"), services=("game", "clock")) as running:
        yield running


class Flags:
    """Matches in which nobody moves, and their timers."""

    def __init__(self, cluster: Cluster, hall: Hall) -> None:
        """There are none yet."""
        self.cluster = cluster
        self._hall = hall
        self._timers = NatsTimers(hall.brokers["clock"], Now())

    async def begun(self, matches: int, terms: Terms) -> list[str]:
        """Matches whose first game has begun."""
        seats = [(Seat(new_id("p")), Seat(new_id("p"))) for _ in range(matches)]
        return list(await asyncio.gather(*(self._hall.opens(pair, terms) for pair in seats)))

    async def have_armed(self, matches: Sequence[str], timers: int) -> None:
        """Return when so many of them have a timer for a flag."""
        async with asyncio.timeout(20):
            while len(set(matches) & set(await self._timers.armed_for("flag"))) != timers:  # noqa: ASYNC110 - the broker tells nobody
                await asyncio.sleep(0.01)

    async def last_ms(self, matches: Sequence[str]) -> int:
        """When the last of their deadlines can be claimed."""
        return max([claim_ms(await self.state(match)) for match in matches])

    async def state(self, match: str) -> MatchState:
        """The match as it stands in its log."""
        return await self._hall.state(match)

    async def over(self, matches: Sequence[str]) -> list[bool]:
        """Which of them are over."""
        return [over(await self.state(match)) for match in matches]

    async def fall(self, matches: Sequence[str]) -> None:
        """Every match ends by one flag, at the deadline that its log says."""
        for match in matches:
            await self._hall.wait(match, over)
        outages = await self._hall.outages()
        for match in matches:
            assert len(judged(await self._hall.log.read(match), outages).flags) == 1


@pytest.fixture
async def flags(cluster: Cluster) -> AsyncIterator[Flags]:
    async with hall(cluster.nats) as talking:
        yield Flags(cluster, talking)


async def passed(at_ms: int) -> None:
    """Real time, as it is the broker's clock that is waited for: it is later than that."""
    await asyncio.sleep(max(0, at_ms + 100 - Now().now_ms()) / 1000)


@pytest.mark.rule("B5")
async def test_flags_fall_and_leave_no_timer(flags: Flags) -> None:
    matches = await flags.begun(FLAGGED, within(QUICK_MS))
    await flags.fall(matches)
    await flags.have_armed(matches, 0)


@pytest.mark.parametrize("killed", [("clock",), ("nats",), ("clock", "nats")], ids="+".join)
async def test_what_was_killed_before_the_deadline_is_back_after_it_and_the_clock_claims_once(
    flags: Flags, killed: tuple[str, ...]
) -> None:
    """Timers are overdue, and were armed by a clock service that ran on or is gone."""
    matches = await flags.begun(FLAGGED, within(ROOMY_MS))
    await flags.have_armed(matches, FLAGGED)
    last_ms = await flags.last_ms(matches)
    flags.cluster.kill(*killed)
    await passed(last_ms)
    if "nats" not in killed:
        assert not any(await flags.over(matches))
    flags.cluster.bring_back(*killed)
    await flags.fall(matches)
    await flags.have_armed(matches, 0)


async def test_deadlines_that_began_and_passed_while_there_was_no_clock_are_claimed_when_there_is(
    flags: Flags,
) -> None:
    flags.cluster.kill("clock")
    matches = await flags.begun(FLAGGED, within(QUICK_MS))
    await passed(await flags.last_ms(matches))
    await flags.have_armed(matches, 0)
    flags.cluster.start("clock")
    await flags.fall(matches)


async def test_the_broker_is_killed_with_armed_timers_and_none_is_lost(flags: Flags) -> None:
    matches = await flags.begun(FLAGGED, within(ROOMY_MS))
    await flags.have_armed(matches, FLAGGED)
    flags.cluster.nats.kill_and_restart()
    await flags.fall(matches)
    await flags.have_armed(matches, 0)


async def test_two_clocks_claim_no_more_than_one(flags: Flags) -> None:
    flags.cluster.start("second", service="clock")
    matches = await flags.begun(FLAGGED, within(QUICK_MS))
    await flags.fall(matches)
    await flags.have_armed(matches, 0)
    assert flags.cluster.stop("second") == 0


async def test_the_clock_may_claim_and_nothing_else(flags: Flags) -> None:
    (match,) = await flags.begun(1, Terms(clock=chess_clock(3)))
    async with flags.cluster.nats.broker("clock") as broker:
        as_clock = Table(NatsLog(broker, GAMES), broker, match, (await flags.state(match)).created.seats)
        answer = await as_clock.command(0, Leave(), sender="clock")
    assert isinstance(answer, RefusedAnswer)
    assert answer.problem.code == "command_not_allowed"


# ---- many


async def arm_all(timers: NatsTimers, due: Mapping[str, int]) -> None:
    """The timer of each match for its time, a hundred ordered at a time."""
    orders = list(due.items())
    for first in range(0, len(orders), 100):
        await asyncio.gather(*(timers.arm(m, "flag", at_ms) for m, at_ms in orders[first : first + 100]))


async def killed_while_they_come_due(server: NatsServer, timers: int) -> None:
    async with server.broker("clock") as broker:
        armed = NatsTimers(broker, now := Now())
        names = [new_id("m") for _ in range(timers)]
        at_ms = now.now_ms() + 1_500
        await arm_all(armed, dict.fromkeys(names, at_ms))
        due: set[str] = set()
        all_came, some_came = asyncio.Event(), asyncio.Event()

        async def on_due(match: str, _kind: str) -> None:
            due.add(match)
            some_came.set()
            if len(due) == timers:
                all_came.set()

        following = await armed.consume("clock", on_due)
        async with asyncio.timeout(60):
            await some_came.wait()
            server.kill_and_restart()
            await all_came.wait()
        assert due == set(names)
        await following.close()


async def test_the_broker_is_killed_while_timers_come_due_and_none_is_lost(
    own_nats_server: NatsServer,
) -> None:
    await killed_while_they_come_due(own_nats_server, 1_000)


async def lateness(server: NatsServer, timers: int, spread_ms: int = 0) -> str:
    """Have so many armed at once, due within ``spread_ms`` of each other; how late they came.

    With ``spread_ms`` 0 it is how long the broker takes to hand them all on: each costs it a few writes.
    """
    async with server.broker("clock") as broker:
        armed = NatsTimers(broker, now := Now())
        names = [new_id("m") for _ in range(timers)]
        begin = time.monotonic()
        await arm_all(armed, dict.fromkeys(names[: timers // 10], now.now_ms() + 3_600_000))
        first_ms = now.now_ms() + 2_000 + int(25_000 * (time.monotonic() - begin))
        due = {name: first_ms + i * spread_ms // timers for i, name in enumerate(names)}
        late: dict[str, int] = {}
        all_came = asyncio.Event()

        async def on_due(match: str, _kind: str) -> None:
            late[match] = now.now_ms() - due[match]
            if len(late) == timers:
                all_came.set()

        following = await armed.consume("clock", on_due)
        begin = time.monotonic()
        await arm_all(armed, due)  # the first tenth is armed anew: replaced
        took_s = time.monotonic() - begin
        assert now.now_ms() < first_ms, "arming took too long for this test"
        async with asyncio.timeout(spread_ms / 1000 + 180):
            await all_came.wait()
        await following.close()
    sorted_ms = sorted(late.values())
    assert sorted_ms[0] >= -20, "none came early"
    p50, p99 = sorted_ms[timers // 2], sorted_ms[timers * 99 // 100]
    return (
        f"{timers} timers armed in {took_s:.1f} s, due within {spread_ms / 1000:.0f} s:"
        f" late by p50 {p50} ms, p99 {p99} ms, most {sorted_ms[-1]} ms"
    )


def tell(capsys: pytest.CaptureFixture[str], told: str) -> None:
    with capsys.disabled():
        print(f"\n{told}")  # noqa: T201 - the figure is what the test is run for


async def test_two_thousand_timers_armed_at_once_all_come(
    own_nats_server: NatsServer, capsys: pytest.CaptureFixture[str]
) -> None:
    tell(capsys, await lateness(own_nats_server, 2_000, 4_000))


@pytest.mark.nightly
@pytest.mark.parametrize("spread_ms", [0, 100_000])
async def test_twenty_thousand_timers_armed_at_once_all_come(
    own_nats_server: NatsServer, capsys: pytest.CaptureFixture[str], spread_ms: int
) -> None:
    tell(capsys, await lateness(own_nats_server, 20_000, spread_ms))


async def test_a_timer_ordered_while_the_broker_is_away_is_armed_when_it_is_back(
    own_nats_server: NatsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with own_nats_server.broker("clock") as broker:
        timers, failed, ask = NatsTimers(broker, now := Now()), asyncio.Event(), broker.ask

        async def order(subject: str, data: bytes, timeout_ms: int, headers: dict[str, str]) -> Msg:
            try:
                return await ask(subject, data, timeout_ms, headers)
            except NoAnswer:
                failed.set()
                raise

        monkeypatch.setattr(broker, "ask", order)
        own_nats_server.process.kill()
        arming = asyncio.create_task(timers.arm(new_id("m"), "flag", now.now_ms()))
        async with asyncio.timeout(30):
            await failed.wait()
            assert not arming.done()
            own_nats_server.process.start()
            assert await arming > 0
