"""The pulse: what is an outage, who finds it, and that nothing is judged before it is known."""

import asyncio
from collections.abc import AsyncIterator

import msgspec
import pytest

from services.game.outages import GAP_MS, NONE, Outage, Outages
from services.game.pulse import FRESH_MS, PULSE_LOST, Beat, Pulse
from shared.adapters.memory_register import MemoryRegister
from shared.adapters.nats_register import NatsRegister
from shared.commands import ClaimFlag, Play, Roll
from shared.events.codec import decode_match
from shared.events.match import ClockCharged, FlagFell, TimeReturned
from shared.fold import fold
from shared.match import demands
from shared.match.timing import CLAIM_AFTER_MS
from shared.ports.log import LogUnavailable
from shared.ports.register import Held, Register
from shared.service import Health, Now
from shared.subjects import PULSE, PULSE_OF_GAME
from shared.wire.match import Accepted, RefusedAnswer
from tests.clocks.pulses import MATCH, Host, House, beating
from tests.conftest import ConnectAs
from tests.support.servers import NatsServer

HOUR_MS = 3_600_000


async def test_a_restart_of_the_only_instance_is_an_outage_from_its_last_beat_to_the_next_ones_first() -> (
    None
):
    host, register = Host(), MemoryRegister()
    old = Pulse(register, host.boots())
    await beating(old, host, 3)
    last = host.wall_ms
    assert old.outages == NONE
    host.runs(40_000)
    new = Pulse(register, host.boots())
    assert await new.fresh() == Outages((Outage(last, last + 40_000),))
    await beating(new, host, 5)
    assert new.outages == Outages((Outage(last, last + 40_000),))


async def test_a_short_one_is_none() -> None:
    host, register = Host(), MemoryRegister()
    await Pulse(register, host.boots()).beat()
    host.runs(GAP_MS)
    assert await Pulse(register, host.boots()).fresh() == NONE


async def test_while_another_instance_beats_there_is_no_outage() -> None:
    host, register = Host(), MemoryRegister()
    paused, other = Pulse(register, host.boots()), Pulse(register, host.boots())
    await paused.beat()
    await beating(other, host, 10)
    assert await paused.fresh() == other.outages == NONE


async def test_both_find_the_same_outage_whoever_comes_first() -> None:
    host, register = Host(), MemoryRegister()
    await Pulse(register, host.boots()).beat()
    host.runs(10_000)
    pulses = [Pulse(register, host.boots()) for _ in range(4)]
    found = await asyncio.gather(*(pulse.fresh() for pulse in pulses))
    assert len(set(found)) == 1
    assert len(found[0].known) == 1


async def test_whoever_dies_between_finding_and_storing_has_found_nothing_and_the_next_one_does() -> None:
    host, register = Host(), MemoryRegister()
    await Pulse(register, host.boots()).beat()
    begin = host.wall_ms
    host.runs(10_000)
    dying = Pulse(register, host.boots())
    register.down = True
    with pytest.raises(LogUnavailable):
        await dying.fresh()
    assert dying.outages == NONE
    register.down = False
    host.runs(5_000)
    assert await Pulse(register, host.boots()).fresh() == Outages((Outage(begin, begin + 15_000),))


async def test_nothing_is_judged_without_a_fresh_beat_of_ones_own() -> None:
    host, register = Host(), MemoryRegister()
    pulse = Pulse(register, host.boots())
    await pulse.beat()
    begin, stored = host.wall_ms, register.held.revision
    host.runs(FRESH_MS)
    await pulse.fresh()
    assert register.held.revision == stored  # still fresh
    register.down = True
    host.runs(1)
    with pytest.raises(LogUnavailable):
        await pulse.fresh()
    host.runs(10_000)
    register.down = False
    assert await pulse.fresh() == Outages((Outage(begin, begin + FRESH_MS + 10_001),))


async def test_beats_that_are_stored_but_never_acknowledged_end_no_outage() -> None:
    host, register = Host(), MemoryRegister()
    pulse = Pulse(register, host.boots())
    await pulse.beat()
    begin = host.wall_ms
    register.deaf = True
    for _ in range(4):
        host.runs(2_000)
        with pytest.raises(LogUnavailable):
            await pulse.beat()
    register.deaf = False
    host.runs(2_000)
    assert await pulse.fresh() == Outages((Outage(begin, begin + 10_000),))


async def test_who_asks_while_a_beat_is_made_waits_for_that_one() -> None:
    host = Host()

    class Slow(MemoryRegister):
        asked = 0

        async def replace(self, value: bytes, revision: int) -> int | None:
            self.asked += 1
            await asyncio.sleep(0.01)
            return await super().replace(value, revision)

    register = Slow()
    pulse = Pulse(register, host.boots())
    assert await asyncio.gather(*(pulse.fresh() for _ in range(100))) == [NONE] * 100
    assert register.asked == 1


async def test_the_service_is_not_ready_while_no_beat_can_be_stored() -> None:
    register, health = MemoryRegister(), Health()
    register.down = True
    pulse = Pulse(register, Now(), health)
    starting = asyncio.ensure_future(pulse.start())
    async with asyncio.timeout(5):
        while PULSE_LOST not in health.why_not_ready():  # noqa: ASYNC110 - health tells nobody when it changes
            await asyncio.sleep(0.001)
        assert not starting.done()
        register.down = False
        await starting
    assert PULSE_LOST not in health.why_not_ready()
    await pulse.close()
    assert msgspec.json.decode(register.held.value or b"", type=Beat).outages == ()


@pytest.mark.parametrize("step", [-HOUR_MS, HOUR_MS])
async def test_a_stepped_wall_clock_is_not_seen_by_a_running_instance(step: int) -> None:
    host, register = Host(), MemoryRegister()
    pulse = Pulse(register, host.boots())
    await beating(pulse, host, 3)
    host.wall_ms += step
    await beating(pulse, host, 3)
    assert await pulse.fresh() == NONE


# ---- the register itself, in memory and on the broker


@pytest.fixture(params=["memory", "nats"])
async def registers(request: pytest.FixtureRequest) -> AsyncIterator[tuple[Register, Register]]:
    """The same register, twice."""
    if request.param == "memory":
        memory = MemoryRegister()
        yield memory, memory
        return
    server: NatsServer = request.getfixturevalue("own_nats_server")
    async with server.broker("game") as one, server.broker("game") as other:
        yield (
            NatsRegister(one, PULSE, PULSE_OF_GAME, 2_000),
            NatsRegister(other, PULSE, PULSE_OF_GAME, 2_000),
        )


async def test_of_two_who_replace_the_same_revision_one_succeeds(
    registers: tuple[Register, Register],
) -> None:
    mine, theirs = registers
    assert await mine.read() == Held(None, 0)
    first = await mine.replace(b"one", 0)
    assert first is not None
    assert await theirs.replace(b"other", 0) is None
    assert await theirs.read() == Held(b"one", first)
    second = await theirs.replace(b"two", first)
    assert second is not None
    assert await mine.replace(b"late", first) is None
    assert await mine.read() == Held(b"two", second)


async def test_a_broker_that_is_down_is_unavailable_and_what_was_stored_outlives_it(
    own_nats_server: NatsServer,
) -> None:
    async with own_nats_server.broker("game") as broker:
        register = NatsRegister(broker, PULSE, PULSE_OF_GAME, 300)
        revision = await register.replace(b"one", 0)
        own_nats_server.process.pause()
        with pytest.raises(LogUnavailable):
            await register.replace(b"two", revision or 0)
        own_nats_server.process.resume()
    own_nats_server.kill_and_restart()
    async with own_nats_server.broker("game") as broker:
        assert (await NatsRegister(broker, PULSE, PULSE_OF_GAME, 2_000).read()).value in {b"one", b"two"}


@pytest.mark.parametrize("user", ["gateway", "lobby", "ghost", "clock", "audit"])
async def test_only_game_has_a_pulse(connect_as: ConnectAs, user: str) -> None:
    game = NatsRegister(await connect_as("game"), PULSE, PULSE_OF_GAME, 2_000)
    before = await game.read()
    with pytest.raises(LogUnavailable):
        await NatsRegister(await connect_as(user), PULSE, PULSE_OF_GAME, 300).replace(b"x", before.revision)
    assert await game.read() == before


# ---- in the game service


async def test_an_overdue_timer_cannot_win_against_the_refund_and_has_one_answer() -> None:
    house = await House().begun()
    await house.runs(170)
    left = await house.left()
    house.host.runs(40_000)
    house.boot()
    n = (await house.state()).n
    assert await house.send(ClaimFlag(), None, None, "overdue") == Accepted(n + 1)
    (returned,) = await house.last()
    assert isinstance(returned, TimeReturned)
    assert (returned.ms, returned.to_ms - returned.from_ms) == (40_000, 40_000)
    assert await house.left() == left
    assert await house.send(ClaimFlag(), None, None, "overdue") == Accepted(n + 1)
    refused = await house.send(ClaimFlag(), None, None, "again")
    assert isinstance(refused, RefusedAnswer)
    assert refused.problem.code == "too_early"
    assert (await house.state()).n == n + 1
    await house.runs((left + CLAIM_AFTER_MS) // 1_000 + 1)
    assert await house.send(ClaimFlag(), None, None, "due") == Accepted(n + 2)
    assert isinstance((await house.last())[0], FlagFell)


async def test_a_move_that_comes_first_is_charged_without_the_outage() -> None:
    house = await House().begun()
    await house.runs(170)
    house.host.runs(40_000)
    house.boot()
    assert await house.decides("m") == Accepted((await house.state()).n)
    returned, *_, charged = await house.last()
    assert isinstance(returned, TimeReturned)
    assert isinstance(charged, ClockCharged)
    assert charged.used_ms == 170_000


async def test_while_no_beat_can_be_made_commands_are_unavailable_and_a_repeat_has_its_answer() -> None:
    house = await House().begun()
    answer = await house.decides("m")
    house.register.down = True
    house.host.runs(FRESH_MS + 1)
    refused = await house.decides("other")
    assert isinstance(refused, RefusedAnswer)
    assert (refused.problem.code, refused.problem.retryable) == ("unavailable", True)
    commit = decode_match((await house.log.read(MATCH))[-1])
    assert isinstance(answer, Accepted)
    state = fold((await house.log.read(MATCH))[:-1])
    assert state is not None
    again = await house.send(
        Play(commit.events[0].move) if hasattr(commit.events[0], "move") else Roll(),  # pyright: ignore - either
        commit.by.seat,
        state.n,
        "m",
    )
    assert again == answer


async def test_what_was_refused_after_an_outage_leaves_the_refund_to_the_next_command() -> None:
    house = await House().begun()
    house.host.runs(40_000)
    house.boot()
    state = await house.state()
    seat = demands(state)[0].seat
    assert isinstance(await house.send(Play("1/0"), seat, state.n, "wrong"), RefusedAnswer)
    assert (await house.state()).n == state.n
    await house.decides("m")
    assert isinstance((await house.last())[0], TimeReturned)


@pytest.mark.parametrize("step", [-HOUR_MS, HOUR_MS])
@pytest.mark.parametrize("restarted", [False, True])
async def test_a_wall_clock_that_is_stepped_by_an_hour_changes_nobodys_time(
    step: int, *, restarted: bool
) -> None:
    house = await House().begun()
    await house.runs(60)
    left = await house.left()
    house.host.wall_ms += step
    if restarted:
        house.boot()
    await house.runs(1)
    await house.decides("m")
    charged = (await house.last())[-1]
    assert isinstance(charged, ClockCharged)
    assert left - 1_000 <= charged.left_ms <= left


async def test_the_stamp_of_a_gateway_that_was_alive_counts_at_the_end_of_the_outage() -> None:
    house = await House().begun()
    await house.runs(10)
    house.host.runs(40_000)
    house.boot()
    await house.pulse.beat()
    ended = house.host.wall_ms
    house.host.runs(200)
    state = await house.state()
    demand = demands(state)[0]
    move = Play(state.rules.legal(state.position, demand.seat)[0])
    assert await house.send(move, demand.seat, state.n, "m", ended - 100) == Accepted(state.n + 1)
    commit = decode_match((await house.log.read(MATCH))[-1])
    assert (commit.arrived_ms, commit.at_ms) == (ended, ended + 200)
    charged = next(event for event in commit.events if isinstance(event, ClockCharged))
    assert charged.used_ms == 10_000
