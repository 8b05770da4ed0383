"""Stamps are made in game's time, however wrong the gateway's clock is; if too wrong, it is not ready."""

import asyncio
from asyncio import to_thread
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from time import time_ns

import aiohttp
import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.game.pulse import Pulse
from services.gateway.asking import Asking
from services.gateway.gametime import CLOCK, KNOCK_S, LONGEST_MS, SAMPLES, UNKNOWN, GameTime, Offset
from shared import tokens
from shared.adapters.memory_bus import MemoryBus
from shared.adapters.memory_register import MemoryRegister
from shared.events.codec import decode_match
from shared.ids import new_id
from shared.ports.bus import Answer, NoAnswer
from shared.ports.log import Following
from shared.service import Health, Now
from shared.subjects import TIME_OF_GAME
from tests.support.api import Api
from tests.support.cluster import Cluster
from tests.support.house import House, open_house
from tests.support.probing import get, ready
from tests.support.stepped import AHEAD, HOUR_MS
from tests.support.waiting import until

UNSURE_MS = 40  # half of what the clock is wrong by
ON_THE_WAY_MS = 300


# ---- the arithmetic


@given(
    st.integers(-(10**7), 10**7),
    st.lists(st.tuples(st.integers(0, 150), st.integers(0, 150)), min_size=1, max_size=20),
)
def test_it_is_wrong_by_no_more_than_half_of_the_shortest_of_the_last_round_trips(
    ahead_ms: int, ways: list[tuple[int, int]]
) -> None:
    """Each question is so long on its way, and its answer."""
    offset, ours_ms = Offset(), 1_000
    for there_ms, back_ms in ways:
        offset.sample(ours_ms, ours_ms + there_ms + ahead_ms, ours_ms + there_ms + back_ms)
        ours_ms += 1_000
    said = [there + back for there, back in ways if there + back <= LONGEST_MS][-SAMPLES:]
    assert (offset.ms is None) is (said == [])
    if offset.ms is not None:
        assert abs(offset.ms - ahead_ms) <= min(said) / 2 + 1


def test_a_round_trip_that_is_too_long_says_nothing() -> None:
    offset = Offset()
    offset.sample(0, 500, LONGEST_MS + 1)
    assert offset.ms is None
    offset.sample(0, 500, LONGEST_MS)
    assert offset.ms == 500 - LONGEST_MS // 2


def test_the_clock_of_a_game_that_was_restarted_elsewhere_soon_counts_alone() -> None:
    offset = Offset()
    offset.sample(0, 1, 1)
    for _ in range(SAMPLES):
        offset.sample(1_000, 1_055, 1_010)
    assert offset.ms == 50


# ---- asked over a bus


class Pair:
    """A gateway on its host, and a game whose clock is ``ahead_ms`` ahead of the gateway's.

    A question is 20 ms on its way, and so is the answer.
    """

    def __init__(self) -> None:
        self.passed_ms = 1_000_000
        self.way_ms = 20
        self.bus = MemoryBus()
        self.register = MemoryRegister()
        self.gateway_starts()
        self.game = self._clock(0)
        self.pulse = Pulse(self.register, self.game)
        self._serving: Following | None = None

    def gateway_starts(self) -> None:
        """A process without a past; it is connected."""
        self.health = Health()
        self.health.connected = lambda: True
        self.own = self._clock(0)
        self.time = GameTime(self.bus, self.own, self.health)

    def _clock(self, ahead_ms: int) -> Now:
        return Now(lambda: (self.passed_ms + ahead_ms) * 1_000_000, lambda: self.passed_ms * 1_000_000)

    async def game_starts(self, ahead_ms: int) -> "Pair":
        """On a host of its own; the one before is gone."""
        if self._serving is not None:
            await self._serving.close()
        self.game = self._clock(ahead_ms)
        self.pulse = Pulse(self.register, self.game)

        async def answer(subject: str, data: bytes) -> bytes:
            self.passed_ms += self.way_ms
            said = await self.pulse.on_question(subject, data)
            self.passed_ms += self.way_ms
            return said

        self._serving = await self.bus.serve(TIME_OF_GAME, "", answer)
        return self

    async def ask_on(self, seconds: int) -> None:
        """The gateway asks and game beats, as they always do."""
        for _ in range(seconds):
            for _ in range(round(1 / KNOCK_S)):
                self.passed_ms += round(KNOCK_S * 1_000)
                await self.time.ask()
                self.health.started |= self.time.known.is_set()  # it listens as soon as it may
            await self.pulse.beat()

    def reasons(self) -> dict[str, str]:
        """Why the gateway is not ready, as far as that is a matter of time."""
        return {what: why for what, why in self.health.why_not_ready().items() if what in {CLOCK, UNKNOWN}}


@pytest.mark.parametrize("ahead_ms", [-80, 80])
async def test_a_clock_that_is_slow_or_fast_by_a_constant_is_put_right(ahead_ms: int) -> None:
    pair = await Pair().game_starts(ahead_ms)
    assert list(pair.reasons()) == [UNKNOWN]
    await pair.time.ask()
    assert pair.time.known.is_set()
    assert pair.reasons() == {}
    assert pair.time.now_ms() == pair.game.now_ms()
    pair.passed_ms += 12_345
    assert pair.time.now_ms() == pair.game.now_ms()


@pytest.mark.parametrize(
    ("ahead_ms", "said"), [(150, "150 ms behind game's"), (-150, "150 ms ahead of game's")]
)
async def test_a_gateway_whose_clock_is_off_by_more_than_100_ms_is_not_ready_until_it_is_good_again(
    ahead_ms: int, said: str
) -> None:
    pair = await Pair().game_starts(ahead_ms)
    await pair.time.ask()
    assert said in pair.reasons()[CLOCK]
    assert pair.time.now_ms() == pair.game.now_ms(), "its stamps are right all the same"
    await pair.game_starts(ahead_ms // 2)
    await pair.time.ask()
    assert pair.reasons() == {}


@pytest.mark.parametrize("ahead_ms", [-80, 80])
async def test_no_stamp_is_behind_a_commit_that_was_seen(ahead_ms: int) -> None:
    pair = await Pair().game_starts(ahead_ms)
    await pair.time.ask()
    seen_ms = pair.game.now_ms() + 3
    pair.time.saw(seen_ms)
    assert pair.time.now_ms() == seen_ms
    pair.passed_ms += 10
    assert pair.time.now_ms() == pair.game.now_ms(), "and it does not run on from there"


async def test_a_commit_of_a_game_whose_clock_is_far_ahead_does_not_count_as_this_hosts_fault() -> None:
    """Its stamps follow; what is said of its own clock is what it measures, and is taken back."""
    pair = await Pair().game_starts(0)
    said = list[int]()
    pair.own.far = said.append
    pair.time.saw(pair.passed_ms + HOUR_MS)
    await pair.time.ask()
    assert pair.time.now_ms() == pair.passed_ms - 2 * pair.way_ms + HOUR_MS
    assert (said, pair.own.pushed_ms(), pair.reasons()) == ([], 0, {})


async def test_it_asks_until_game_is_there_and_goes_on_asking() -> None:
    pair = Pair()
    with pytest.raises(NoAnswer):
        await pair.time.ask()
    asking = asyncio.create_task(pair.time.run())
    await pair.game_starts(0)
    async with asyncio.timeout(10):
        await pair.time.known.wait()
    asked_ms = pair.passed_ms
    await until(lambda: pair.passed_ms > asked_ms)
    asking.cancel()
    assert pair.reasons() == {}


# ---- the question as a sign of life


async def drains(pair: Pair) -> None:
    """It was told to stop, and its sockets have time to finish."""
    pair.health.draining = True
    await pair.ask_on(60)


async def is_off(pair: Pair) -> None:
    """Its clock differs too much from that of the game which answers now."""
    await pair.game_starts(150)
    await pair.ask_on(60)


async def never_listens(pair: Pair) -> None:
    """It was started anew, and its questions are so long on their way that the answers say nothing."""
    pair.gateway_starts()
    pair.way_ms = LONGEST_MS
    await pair.ask_on(60)


async def crashes(pair: Pair) -> None:
    """It is told what time it is, finds its port taken, and is started again, 24 times."""
    for _ in range(24):
        pair.gateway_starts()
        await pair.time.ask()
        pair.passed_ms += 2_500
        await pair.pulse.beat()


@pytest.mark.parametrize("happens", [drains, is_off, never_listens, crashes])
async def test_a_minute_in_which_no_gateway_serves_is_an_outage_whoever_asks_what_time_it_is(
    happens: Callable[[Pair], Awaitable[None]],
) -> None:
    pair = await Pair().game_starts(0)
    await pair.ask_on(10)
    before_ms = pair.passed_ms
    await happens(pair)
    assert pair.pulse.outages.open(pair.game.now_ms())
    pair.gateway_starts()
    pair.way_ms = 20
    await pair.game_starts(0)
    begins_ms = pair.passed_ms
    await pair.ask_on(2)
    (found,) = pair.pulse.outages.known
    assert abs(found.from_ms - before_ms) <= 1_000
    assert begins_ms < found.to_ms <= begins_ms + 2_000


# ---- in the gateway


class Slow:
    """A bus on which commands are 300 ms on their way; the time is told at once."""

    def __init__(self, house: House) -> None:
        self._house = house

    async def request(self, subject: str, data: bytes, timeout_ms: int) -> bytes:
        """See ``Bus.request``."""
        self._house.hands.move_on(ON_THE_WAY_MS)
        return await self._house.bus.request(subject, data, timeout_ms)

    async def serve(self, subject: str, group: str, answer: Answer) -> Following:
        """See ``Bus.serve``."""
        return await self._house.bus.serve(subject, group, answer)


@pytest.mark.parametrize("ahead_ms", [-80, 80])
async def test_what_a_player_sends_is_stamped_when_it_came_however_wrong_the_clock(ahead_ms: int) -> None:
    """His time stops when his move reached the gateway, not when that says so by a clock of its own."""
    async with open_house() as house:
        await house.bus.serve(TIME_OF_GAME, "", Pulse(MemoryRegister(), house.now).on_question)
        wrong = Now(lambda: time_ns() + ahead_ms * 1_000_000, house.hands.monotonic_ns)
        time = GameTime(house.bus, wrong, Health())
        await time.ask()
        house.gateway.now_ms, house.gateway.asking = (
            time.now_ms,
            Asking(Slow(house), house.log, house.gateway.watches.newest),
        )
        one, two = house.player(), house.player()
        match = await house.match([one, two])
        before_ms = house.now.now_ms()
        command = {"expected": 1, "command": {"type": "ready"}}
        assert (await one.post(f"/v1/matches/{match}/commands", command)).status == 200
        commit = decode_match((await house.log.read(match))[-1])
        assert before_ms - UNSURE_MS <= commit.arrived_ms <= commit.at_ms - ON_THE_WAY_MS + UNSURE_MS


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    """Servers, and no service yet."""
    with Cluster(tmp_path, services=(), launcher="tests.support.stepped") as running:
        yield running


def probes(cluster: Cluster) -> str:
    """The address of the gateway's."""
    return f"http://127.0.0.1:{cluster.processes['gateway'].probe_port}"


async def test_a_gateway_that_starts_without_game_lives_serves_nobody_and_recovers(cluster: Cluster) -> None:
    cluster.launch("gateway")
    await until(lambda: "game does not say what time it is" in cluster.tail("gateway"), 30)
    await ready(probes(cluster), [UNKNOWN, "start"])
    assert (await get(f"{probes(cluster)}/health/live"))[0] == 200
    with pytest.raises(OSError, match="refused"):
        await get(cluster.address)
    await to_thread(cluster.start, "game")
    await to_thread(cluster.wait_ready, "gateway")


@pytest.mark.parametrize(("ahead_ms", "why"), [(-150, [CLOCK]), (150, [CLOCK]), (-80, []), (80, [])])
async def test_a_gateway_on_a_host_whose_clock_is_too_wrong_is_not_ready(
    cluster: Cluster, ahead_ms: int, why: list[str]
) -> None:
    await to_thread(cluster.start, "game")
    cluster.launch("gateway", environment={AHEAD: str(ahead_ms)})
    await to_thread(cluster.wait_ready, "gateway", probe="startup")
    await ready(probes(cluster), why)
    assert (await get(f"{probes(cluster)}/health/live"))[0] == 200


async def test_clients_are_told_what_time_it_is_for_game(
    cluster: Cluster, http: aiohttp.ClientSession
) -> None:
    """By a gateway an hour behind, to a player who has not watched anything yet."""
    await to_thread(cluster.start, "game")
    cluster.launch("gateway", environment={AHEAD: str(-HOUR_MS)})
    await to_thread(cluster.wait_ready, "gateway", probe="startup")
    key = tokens.load_private((cluster.keys / tokens.PRIVATE_FILE).read_bytes())
    player, now_ms = new_id("p"), Now().now_ms()
    token = tokens.issue(key, player, (tokens.PLAY,), new_id("s"), now_ms)
    async with Api(http, cluster.address, token, player).socket() as socket:
        assert abs(socket.frames[0]["server_time"] - now_ms) < HOUR_MS // 60
