"""The clock service where a clock is wrong: that of its own host, or the broker's, set while timers wait."""

import asyncio
from collections.abc import AsyncIterator
from datetime import datetime, timedelta

import msgspec
import pytest
from nats.aio.msg import Msg

from services.clock import rearming
from shared.adapters import nats_timers
from shared.adapters.nats_timers import NatsTimers
from shared.clocks import chess_clock
from shared.commands import Leave
from shared.events.match import FlagFell, MatchCancelled, Terms
from shared.ids import new_id
from shared.ports.bus import NoAnswer
from shared.service import Now
from tests.conftest import ConnectAs
from tests.support.ghosts import Table
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


async def armed_and_gone(house: TimedHouse, terms: Terms = LOSS) -> tuple[Table, int]:
    """A match whose timer was armed by a clock service that is gone, and when its flag can be claimed."""
    gone = house.clock()
    await gone.start()
    table = await house.begun(terms)
    await gone.close()
    return table, claim_ms(await table.state())


@pytest.mark.parametrize("off_ms", [-HOUR_MS, HOUR_MS])
async def test_a_due_timer_is_claimed_at_its_time_whatever_our_own_clock_says(
    house: TimedHouse, off_ms: int
) -> None:
    """Nothing has happened since it was armed that could tell the time."""
    table, due_ms = await armed_and_gone(house)
    clock = house.clock(off_by(house, off_ms))
    await clock.start()
    await clock.looked()
    await house.at(due_ms)
    assert len(await house.events(table, FlagFell)) == 1


@pytest.mark.parametrize(("off_ms", "asks"), [(-HOUR_MS, 0), (HOUR_MS, 1)])
async def test_a_timer_that_comes_early_is_armed_for_what_game_says_is_left(
    house: TimedHouse, off_ms: int, asks: int
) -> None:
    """A clock that is behind was put right at the start; one that is ahead is told each time, and once."""
    table, due_ms = await armed_and_gone(house)
    now = off_by(house, off_ms)
    clock = house.clock(now)
    await clock.start()
    await clock.looked()
    assert len(house.clock_bus.asked) == 1
    house.now_ms += 60_000
    house.timers.fire(table.match, "flag")
    await house.timers.settled()
    assert house.timers.armed[table.match, "flag"].at_ms - now.now_ms() == due_ms - house.now_ms
    assert len(house.clock_bus.asked) == 1 + asks, "it is not asked again and again"


# ---- all that is armed, armed anew


@pytest.mark.parametrize("off_ms", [0, -HOUR_MS])
async def test_no_timer_is_late_because_the_brokers_clock_was_set_back_while_there_was_no_clock_service(
    house: TimedHouse, off_ms: int
) -> None:
    """Not even if our own host's clock was set as well."""
    table, due_ms = await armed_and_gone(house)
    house.timers.set_back(HOUR_MS)
    clock = house.clock(off_by(house, off_ms))
    await clock.start()
    await clock.looked()
    await house.at(due_ms)
    assert len(await house.events(table, FlagFell)) == 1


async def test_no_timer_is_late_because_the_brokers_clock_was_set_back_while_the_clock_service_runs(
    house: TimedHouse,
) -> None:
    clock = house.clock()
    await clock.start()
    tables = [await house.begun(LOSS) for _ in range(3)]
    between = await house.begun(Terms(target=5, clock=chess_clock(3)))
    await house.accepted(between, 0, Leave())
    house.timers.set_back(HOUR_MS)
    clock.look_again()
    await clock.looked()
    assert len(house.clock_bus.asked) == 1, "one tells the time for all"
    await house.after(200_000)
    for table in tables:
        assert len(await house.events(table, FlagFell)) == 1
    assert len(await house.events(between, MatchCancelled)) == 1


async def test_what_is_overdue_is_claimed_by_the_timer_that_was_armed_anew(house: TimedHouse) -> None:
    table, due_ms = await armed_and_gone(house)
    house.timers.set_back(HOUR_MS)
    await house.at(due_ms + 60_000)
    assert await house.events(table, FlagFell) == []
    clock = house.clock()
    await clock.start()
    await clock.looked()
    await table.wait(over)
    assert len(await house.events(table, FlagFell)) == 1


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """What could not be done is tried again at once."""
    monkeypatch.setattr(rearming, "AGAIN_S", 0.01)


@pytest.mark.usefixtures("soon")
async def test_a_match_that_is_never_judged_keeps_no_other_from_being_armed_anew(house: TimedHouse) -> None:
    """It was claimed, and waits for its answer, when the broker's clock was set; another cannot be read."""
    clock = house.clock()
    await clock.start()
    stuck = await house.begun(LOSS)
    await house.after(60_000)
    unread, early = [await house.begun(LOSS) for _ in range(2)]
    asked, read = asyncio.Event(), house.log.read

    async def never(match: str) -> None:
        if match == stuck.match:
            asked.set()
            raise NoAnswer("nobody there")

    async def but_one(key: str, after: int = 0) -> list[bytes]:
        if key == unread.match:
            raise RuntimeError("made by the test")
        return await read(key, after)

    house.clock_bus.before = never
    house.timers.fire(stuck.match, "flag")
    house.now_ms = claim_ms(await stuck.state())
    await asked.wait()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(house.log, "read", but_one)
        house.timers.set_back(HOUR_MS)
        due_ms = claim_ms(await early.state())
        clock.look_again()
        await until(lambda: house.timers.armed[early.match, "flag"].at_ms == due_ms)
    assert house.timers.armed[unread.match, "flag"].at_ms == due_ms + HOUR_MS, "it comes as it was"
    house.clock_bus.before = None
    await stuck.wait(over)


@pytest.mark.usefixtures("soon")
async def test_nothing_is_armed_anew_before_game_has_said_what_time_it_is(house: TimedHouse) -> None:
    """An hour behind it would all be an hour late."""
    tables = [(await armed_and_gone(house))[0] for _ in range(2)]
    before = dict(house.timers.armed)
    tries: set[str] = set()

    async def nobody(match: str) -> None:
        tries.add(match)
        raise NoAnswer("nobody there")

    house.clock_bus.before = nobody
    clock = house.clock(off_by(house, -HOUR_MS))
    await clock.start()
    await until(lambda: len(tries) == 2)
    assert house.timers.armed == before
    house.clock_bus.before = None
    await clock.looked()
    assert len(set(house.timers.armed.values()) - set(before.values())) == 2
    for table in tables:
        assert house.timers.armed[table.match, "flag"].at_ms == claim_ms(await table.state())


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
    await timers.arm(new_id("m"), "flag", now.now_ms() + 3 * HOUR_MS)
    before, after = [datetime.fromisoformat(order.removeprefix("@at ")) for order in ordered]
    assert abs(after - before - timedelta(milliseconds=HOUR_MS)) < timedelta(seconds=5)
    await following.close()


async def nothing(_match: str, _kind: str) -> None:
    """A timer that comes due."""
