"""The timers' contract, over JetStream and over the ones that tests move on by hand."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field

import msgspec
import pytest

from shared.adapters.memory_timers import MemoryTimers
from shared.adapters.nats_connection import Broker
from shared.adapters.nats_timers import NatsTimers
from shared.ids import new_id
from shared.ports.log import Following
from shared.ports.timers import Timers
from shared.service import Now
from tests.conftest import ConnectAs
from tests.support.servers import NatsServer
from tests.support.waiting import until

SOON_MS = 150
FAR_MS = 3_600_000


@dataclass
class Bench:
    """Timers, what came due, and how time passes."""

    timers: Timers
    now_ms: Callable[[], int]
    pass_by: Callable[[int], Awaitable[None]]
    due: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    fail: int = 0

    async def start(self) -> Following:
        return await self.timers.consume("clock", self._on_due)

    async def _on_due(self, match: str, kind: str) -> None:
        self.due.append((match, kind))
        if self.fail:
            self.fail -= 1
            raise RuntimeError("made by the test")


@pytest.fixture(params=["memory", "nats"])
async def bench(request: pytest.FixtureRequest, nats_server: NatsServer) -> AsyncIterator[Bench]:
    if request.param == "memory":
        memory = MemoryTimers()

        async def advance(ms: int) -> None:
            await memory.advance(memory.now_ms + ms)

        yield Bench(memory, lambda: memory.now_ms, advance)
        return
    async with nats_server.broker("clock") as broker:
        now = Now()

        async def wait(ms: int) -> None:
            await asyncio.sleep(ms / 1000)

        yield Bench(NatsTimers(broker, now), now.now_ms, wait)


@pytest.fixture
async def running(bench: Bench) -> AsyncIterator[Bench]:
    following = await bench.start()
    yield bench
    await following.close()


async def test_a_timer_comes_due_once_and_not_before_its_time(running: Bench) -> None:
    match, begin = new_id("m"), running.now_ms()
    await running.timers.arm(match, "flag", begin + SOON_MS)
    await running.pass_by(SOON_MS // 2)
    assert running.due == []
    await running.pass_by(SOON_MS)
    await until(lambda: running.due == [(match, "flag")])
    assert running.now_ms() >= begin + SOON_MS
    await running.pass_by(SOON_MS)
    assert running.due == [(match, "flag")]


async def test_one_that_is_overdue_comes_at_once(running: Bench) -> None:
    match = new_id("m")
    await running.timers.arm(match, "flag", running.now_ms() - FAR_MS)
    await until(lambda: running.due == [(match, "flag")])


async def test_arming_again_replaces_and_each_kind_has_its_own(running: Bench) -> None:
    match = new_id("m")
    await running.timers.arm(match, "flag", running.now_ms() + SOON_MS)
    await running.timers.arm(match, "flag", running.now_ms() + FAR_MS)
    await running.timers.arm(match, "next", running.now_ms() + FAR_MS)
    await running.timers.arm(match, "next", running.now_ms() + SOON_MS)
    await running.pass_by(2 * SOON_MS)
    await until(lambda: running.due == [(match, "next")])
    await running.pass_by(SOON_MS)
    assert running.due == [(match, "next")]


async def test_what_is_cancelled_does_not_come_but_what_was_armed_later_does(running: Bench) -> None:
    gone, again = new_id("m"), new_id("m")
    await running.timers.cancel(gone, "flag", await running.timers.arm(gone, "flag", running.now_ms() + 100))
    first = await running.timers.arm(again, "flag", running.now_ms() + SOON_MS)
    await running.timers.arm(again, "flag", running.now_ms() + SOON_MS)
    await running.timers.cancel(again, "flag", first)
    await running.pass_by(2 * SOON_MS)
    await until(lambda: running.due == [(again, "flag")])


async def test_the_matches_of_one_kind_can_be_listed(running: Bench) -> None:
    absent, flagged = new_id("m"), new_id("m")
    await running.timers.arm(absent, "absence", running.now_ms() + FAR_MS)
    await running.timers.arm(flagged, "flag", running.now_ms() + FAR_MS)
    assert absent in await running.timers.armed_for("absence")
    assert flagged not in await running.timers.armed_for("absence")
    assert await running.timers.armed_for("unheard-of") == []


async def test_what_was_not_seen_to_comes_again(running: Bench) -> None:
    match, running.fail = new_id("m"), 2
    await running.timers.arm(match, "flag", running.now_ms())
    await until(lambda: running.due == 3 * [(match, "flag")])


async def test_what_came_due_while_nobody_listened_waits(bench: Bench) -> None:
    match = new_id("m")
    await bench.timers.arm(match, "flag", bench.now_ms())
    following = await bench.start()
    await until(lambda: bench.due == [(match, "flag")])
    await following.close()


async def stored(broker: Broker) -> int:
    return msgspec.json.decode(await broker.request("$JS.API.STREAM.INFO.TIMERS", b"", 2_000))["state"][
        "messages"
    ]


async def test_nothing_is_left_of_timers_that_were_seen_to(connect_as: ConnectAs) -> None:
    broker = await connect_as("clock")
    timers, before = NatsTimers(broker, Now()), await stored(broker)
    due: list[str] = []

    async def on_due(match: str, _kind: str) -> None:
        due.append(match)

    following = await timers.consume("clock", on_due)
    for _ in range(20):
        await timers.arm(new_id("m"), "flag", 0)
        cancelled = new_id("m")
        mark = await timers.arm(cancelled, "flag", time.time_ns() // 1_000_000 + FAR_MS)
        await timers.cancel(cancelled, "flag", mark)
    await until(lambda: len(due) >= 20)
    async with asyncio.timeout(10):
        while await stored(broker) > before:  # noqa: ASYNC110 - the broker tells nobody
            await asyncio.sleep(0.01)
    await following.close()


@pytest.mark.parametrize("off_ms", [-FAR_MS, FAR_MS])
async def test_a_hosts_clock_that_is_off_or_was_stepped_makes_no_timer_late_or_early(
    connect_as: ConnectAs, off_ms: int
) -> None:
    """An hour between our clock and the broker's: it counts what is left, not what the hands show."""
    off = Now(wall_ns=lambda: time.time_ns() + off_ms * 1_000_000)
    timers = NatsTimers(await connect_as("clock"), off)
    due: list[int] = []

    async def on_due(_match: str, _kind: str) -> None:
        due.append(off.now_ms())

    following = await timers.consume("clock", on_due)
    at_ms = off.now_ms() + 500
    await timers.arm(new_id("m"), "flag", at_ms)
    await until(lambda: len(due) == 1)
    assert at_ms - 20 <= due[0] <= at_ms + 5_000
    await following.close()


@pytest.mark.parametrize(("match", "kind"), [("m.x", "flag"), ("m", "*"), ("", "flag"), ("m", "flag.>")])
async def test_no_timer_has_a_name_that_means_others(connect_as: ConnectAs, match: str, kind: str) -> None:
    timers = NatsTimers(await connect_as("clock"), Now())
    with pytest.raises(ValueError, match="no match and kind"):
        await timers.arm(match, kind, 0)
    with pytest.raises(ValueError, match="no match and kind"):
        await timers.cancel(match, kind, 1)
