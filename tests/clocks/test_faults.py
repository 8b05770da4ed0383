"""The clock service as a process on the real broker: killed and started again; the broker killed, too."""

import asyncio
import time
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack

import pytest

from shared.adapters.nats_connection import Broker
from shared.adapters.nats_log import NatsLog
from shared.adapters.nats_timers import NatsTimers
from shared.clocks import chess_clock
from shared.commands import Leave, Ready
from shared.events.codec import decode_match
from shared.events.match import ClockTerms, FlagFell, GameEnded, Terms
from shared.fold import fold
from shared.ids import new_id
from shared.match.timing import deadline
from shared.service import Now
from shared.subjects import GAMES
from shared.wire.match import Accepted, RefusedAnswer
from tests.support.cluster import Cluster
from tests.support.ghosts import PERSON, Table, new_table
from tests.support.servers import NatsServer
from tests.support.timed import over, to_decide

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


class Hall:
    """Makes matches as the lobby does and plays as the gateway does."""

    def __init__(self, cluster: Cluster, lobby: Broker, gateway: Broker, clock: Broker) -> None:
        self.cluster = cluster
        self._lobby = lobby
        self._gateway = gateway
        self._timers = NatsTimers(clock, Now())
        self.log = NatsLog(gateway, GAMES)

    async def begun(self, matches: int, terms: Terms) -> list[Table]:
        """Matches whose first game has begun."""
        return list(await asyncio.gather(*(self._begun(terms) for _ in range(matches))))

    async def _begun(self, terms: Terms) -> Table:
        table = await new_table(self.log, self._gateway, (PERSON, PERSON), terms=terms, creator=self._lobby)
        for seat in (0, 1):
            assert isinstance(await table.command(seat, Ready()), Accepted)
        return table

    async def armed(self, tables: Sequence[Table]) -> int:
        """How many of these matches have a timer for a flag."""
        return len({table.match for table in tables} & set(await self._timers.armed_for("flag")))

    async def has_armed(self, tables: Sequence[Table], timers: int) -> None:
        """Return when so many of them have."""
        async with asyncio.timeout(20):
            while await self.armed(tables) != timers:  # noqa: ASYNC110 - the broker tells nobody
                await asyncio.sleep(0.01)

    async def flagged(self, tables: Sequence[Table]) -> list[float]:
        """Every match ends by one flag with the deadline that the log says; by how many ms it was late."""
        return [await self._flagged(table) for table in tables]

    async def _flagged(self, table: Table) -> float:
        await table.wait(over)
        commits = [decode_match(stored) for stored in await self.log.read(table.match)]
        fallen = [(c, e) for c in commits for e in c.events if isinstance(e, FlagFell)]
        ((commit, fell),) = fallen
        state = fold((await self.log.read(table.match))[: commit.n - 1])
        assert state is not None
        running = deadline(state)
        assert running is not None
        assert fell == FlagFell(to_decide(state), running.at_ms)
        assert commit.at_ms >= running.claim_ms
        assert commit.by.service == "clock"
        (ended,) = (e for e in commit.events if isinstance(e, GameEnded))
        assert (ended.winner, ended.cause) == (1 - fell.seat, "flag")
        return commit.at_ms - running.claim_ms


@pytest.fixture
async def hall(cluster: Cluster) -> AsyncIterator[Hall]:
    async with AsyncExitStack() as stack:
        users = [
            await stack.enter_async_context(cluster.nats.broker(u)) for u in ("lobby", "gateway", "clock")
        ]
        yield Hall(cluster, *users)


async def pass_by(ms: int) -> None:
    """Real time: it is the broker's clock that is waited for."""
    await asyncio.sleep(ms / 1000)


async def passed(tables: Sequence[Table]) -> None:
    """Real time: every deadline can be claimed."""
    states = [await table.state() for table in tables]
    latest_ms = max(running.claim_ms for state in states if (running := deadline(state)))
    await asyncio.sleep(max(0, latest_ms + 100 - Now().now_ms()) / 1000)


@pytest.mark.rule("B5")
async def test_flags_fall_and_leave_no_timer(hall: Hall) -> None:
    tables = await hall.begun(FLAGGED, within(QUICK_MS))
    assert min(await hall.flagged(tables)) >= 0
    await hall.has_armed(tables, 0)


async def test_a_clock_that_was_killed_before_the_deadline_and_started_after_it_claims_once(
    hall: Hall,
) -> None:
    tables = await hall.begun(FLAGGED, within(ROOMY_MS))
    await hall.has_armed(tables, FLAGGED)
    hall.cluster.kill("clock")
    await passed(tables)
    assert not any([over(await table.state()) for table in tables])
    hall.cluster.start("clock")
    await hall.flagged(tables)
    await hall.has_armed(tables, 0)


async def test_deadlines_that_began_and_passed_while_there_was_no_clock_are_claimed_when_there_is(
    hall: Hall,
) -> None:
    hall.cluster.kill("clock")
    tables = await hall.begun(FLAGGED, within(QUICK_MS))
    await passed(tables)
    assert await hall.armed(tables) == 0
    hall.cluster.start("clock")
    await hall.flagged(tables)


async def test_the_broker_is_killed_with_armed_timers_and_none_is_lost(hall: Hall) -> None:
    tables = await hall.begun(FLAGGED, within(ROOMY_MS))
    await hall.has_armed(tables, FLAGGED)
    hall.cluster.nats.kill_and_restart()
    await hall.flagged(tables)
    await hall.has_armed(tables, 0)


async def test_two_clocks_claim_no_more_than_one(hall: Hall) -> None:
    hall.cluster.start("second", service="clock")
    tables = await hall.begun(FLAGGED, within(QUICK_MS))
    await hall.flagged(tables)
    await hall.has_armed(tables, 0)
    assert hall.cluster.stop("second") == 0


async def test_the_clock_may_claim_and_nothing_else(hall: Hall) -> None:
    (table,) = await hall.begun(1, Terms(clock=chess_clock(3)))
    async with hall.cluster.nats.broker("clock") as broker:
        as_clock = Table(NatsLog(broker, GAMES), broker, table.match, table.seats)
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
    own_nats_server: NatsServer,
) -> None:
    async with own_nats_server.broker("clock") as broker:
        timers = NatsTimers(broker, now := Now())
        own_nats_server.process.kill()
        arming = asyncio.create_task(timers.arm(new_id("m"), "flag", now.now_ms()))
        await asyncio.sleep(0.2)
        assert not arming.done()
        own_nats_server.process.start()
        assert await arming > 0
