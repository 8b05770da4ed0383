"""The clock service where a clock is wrong: that of its own host, or the broker's, set while timers wait."""

import asyncio
from collections.abc import AsyncIterator
from datetime import datetime, timedelta

import msgspec
import pytest
from nats.aio.msg import Msg

from shared.adapters import nats_timers
from shared.adapters.nats_timers import NatsTimers
from shared.clocks import chess_clock
from shared.events.match import FlagFell, Terms
from shared.ids import new_id
from shared.service import Now
from tests.conftest import ConnectAs
from tests.support.timed import TimedHouse, claim_ms, over
from tests.support.waiting import until

HOUR_MS = 3_600_000
LOSS = Terms(clock=chess_clock(3), flag="loss")


@pytest.fixture
async def house() -> AsyncIterator[TimedHouse]:
    house = await TimedHouse().open()
    yield house
    await house.close()


def off_by(house: TimedHouse, ms: int) -> Now:
    """The time of a service that starts on a host whose clock is wrong by so much."""
    return Now(wall_ns=lambda: (house.now_ms + ms) * 1_000_000, monotonic_ns=lambda: house.now_ms * 1_000_000)


@pytest.mark.parametrize("off_ms", [-HOUR_MS, HOUR_MS])
async def test_a_due_timer_is_claimed_at_its_time_whatever_our_own_clock_says(
    house: TimedHouse, off_ms: int
) -> None:
    """Armed by a clock service that is gone; nothing has happened since that could tell the time."""
    gone = house.clock()
    await gone.start()
    table = await house.begun(LOSS)
    due_ms = claim_ms(await table.state())
    await gone.close()
    await house.clock(off_by(house, off_ms)).start()
    await house.at(due_ms)
    assert len(await house.events(table, FlagFell)) == 1


@pytest.mark.parametrize("off_ms", [-HOUR_MS, HOUR_MS])
async def test_a_timer_that_comes_early_is_armed_for_what_game_says_is_left(
    house: TimedHouse, off_ms: int
) -> None:
    gone = house.clock()
    await gone.start()
    table = await house.begun(LOSS)
    due_ms = claim_ms(await table.state())
    await gone.close()
    now = off_by(house, off_ms)
    await house.clock(now).start()
    house.now_ms += 60_000
    house.timers.fire(table.match, "flag")
    await house.timers.settled()
    assert house.timers.armed[table.match, "flag"].at_ms - now.now_ms() == due_ms - house.now_ms
    assert len(house.clock_bus.asked) == 1, "it is not asked again and again"


async def test_all_that_is_armed_is_looked_at_when_the_brokers_clock_was_set_back(house: TimedHouse) -> None:
    clock = house.clock()
    await clock.start()
    late = await house.begun(LOSS)
    due_ms = claim_ms(await late.state())
    await house.after(60_000)
    early = await house.begun(LOSS)
    house.now_ms = due_ms  # and nothing comes due: for the broker it is an hour ago
    clock.look_again()
    await late.wait(over)
    assert len(await house.events(late, FlagFell)) == 1
    assert house.timers.armed[early.match, "flag"].at_ms == claim_ms(await early.state())


# ---- the timers on the broker


async def test_a_commit_that_pushes_our_time_on_makes_no_timer_late(connect_as: ConnectAs) -> None:
    """The broker's clock was compared with ours a moment before, and is not again."""
    now = Now()
    timers = NatsTimers(await connect_as("clock"), now)
    due: list[int] = []

    async def on_due(_match: str, _kind: str) -> None:
        due.append(now.now_ms())

    following = await timers.consume("clock", on_due)
    await timers.arm(new_id("m"), "flag", 0)
    await until(lambda: len(due) == 1)
    now.saw(now.now_ms() + HOUR_MS)
    at_ms = now.now_ms() + 500
    await timers.arm(new_id("m"), "flag", at_ms)
    await until(lambda: len(due) == 2)
    assert due[1] >= at_ms - 20
    await following.close()


async def test_it_is_noticed_that_the_brokers_clock_was_set_and_the_next_timer_goes_by_what_it_shows_now(
    connect_as: ConnectAs, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An hour back. The broker's own clock cannot be set: what it says of it is, and what it is told."""
    broker = await connect_as("clock")
    set_ms = 0
    ordered: list[str] = []
    ask, request = broker.ask, broker.request

    async def told(subject: str, data: bytes, timeout_ms: int, headers: dict[str, str] | None = None) -> Msg:
        if headers and "Nats-Schedule" in headers:
            ordered.append(headers["Nats-Schedule"])
        return await ask(subject, data, timeout_ms, headers)

    async def says(subject: str, data: bytes, timeout_ms: int) -> bytes:
        said = msgspec.json.decode(await request(subject, data, timeout_ms))
        shown = datetime.fromisoformat(said["ts"]) + timedelta(milliseconds=set_ms)
        return msgspec.json.encode({**said, "ts": shown})

    monkeypatch.setattr(broker, "ask", told)
    monkeypatch.setattr(broker, "request", says)
    monkeypatch.setattr(nats_timers, "MEASURE_S", 0.05)
    timers = NatsTimers(broker, now := Now())
    noticed = asyncio.Event()
    timers.on_set = noticed.set
    following = await timers.consume("clock", nothing)
    await timers.arm(new_id("m"), "flag", now.now_ms() + HOUR_MS)
    assert not noticed.is_set()
    set_ms = -HOUR_MS
    async with asyncio.timeout(10):
        await noticed.wait()
    await timers.arm(new_id("m"), "flag", now.now_ms() + HOUR_MS)
    before, after = [datetime.fromisoformat(order.removeprefix("@at ")) for order in ordered]
    assert abs(after - before + timedelta(milliseconds=HOUR_MS)) < timedelta(seconds=5)
    await following.close()


async def nothing(_match: str, _kind: str) -> None:
    """A timer that comes due."""
