"""The time without any gateway: found by the next knock, stored, given back, and it decides nothing."""

import asyncio
from contextlib import suppress
from itertools import pairwise
from typing import Final

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.game.outages import GAP_MS, Outage, Outages, joined
from services.game.pulse import BEAT_MS, Beat, Pulse, following
from services.game.waiting import PROOF_AGAIN_MS, SILENT_AGAIN_MS, wait_for_gateway
from shared.adapters.memory_register import MemoryRegister
from shared.clocks import chess_clock
from shared.commands import ClaimFlag, Leave, ReportAbsent, Roll
from shared.events.match import ClockCharged, FlagFell, SeatAbsent, Terms, TimeReturned
from shared.match import MatchState
from shared.match.timing import CLAIM_AFTER_MS
from shared.ports.log import LogUnavailable
from shared.problems import Problem, Refused
from shared.wire.knock import ENCODER, TIME_ANSWER, TimeQuestion
from shared.wire.match import Accepted, CommandAnswer, RefusedAnswer
from tests.clocks.judged import judged
from tests.clocks.pulses import MATCH, Host, House
from tests.support.story import Story

ALONE_S: Final = 40


def code(answer: CommandAnswer) -> str:
    assert isinstance(answer, RefusedAnswer), answer
    return answer.problem.code


async def left_alone(played_s: int) -> tuple[House, int]:
    """A match that was played for so long when the only gateway went, a while ago; when it was last heard."""
    house = await House(gateway=True).begun()
    await house.runs(played_s)
    last_ms = house.host.wall_ms
    house.gateway = False
    await house.runs(ALONE_S)
    return house, last_ms


def given_back(from_ms: int, lasted_ms: int) -> TimeReturned:
    """What a clock gets that ran before the outage."""
    return TimeReturned(ms=lasted_ms, from_ms=from_ms, to_ms=from_ms + lasted_ms, reason="outage")


async def refused(house: House) -> Problem:
    """What is said to a claim that is overdue."""
    answer = await house.send(ClaimFlag(), None, None, "overdue")
    assert isinstance(answer, RefusedAnswer), answer
    assert answer.problem.code == "unavailable"
    return answer.problem


# ---- as numbers


@pytest.mark.parametrize(
    ("known", "found", "then"),
    [
        ([], (10_000, 13_000), []),
        ([], (10_000, 13_001), [(10_000, 13_001)]),
        ([(0, 5_000)], (5_000, 9_000), [(0, 5_000), (5_000, 9_000)]),
        ([(10_000, 15_000)], (0, 9_000), [(0, 9_000), (10_000, 15_000)]),
        ([(0, 5_000)], (4_000, 9_000), [(0, 9_000)]),
        ([(0, 5_000), (6_000, 10_000), (20_000, 30_000)], (4_000, 12_000), [(0, 12_000), (20_000, 30_000)]),
        ([(0, 9_000)], (1_000, 5_000), [(0, 9_000)]),
    ],
)
def test_what_overlaps_is_one_outage(
    known: list[tuple[int, int]], found: tuple[int, int], then: list[tuple[int, int]]
) -> None:
    assert joined(tuple(Outage(*o) for o in known), *found) == tuple(Outage(*o) for o in then)


def test_silence_is_measured_from_the_beat_that_first_holds_a_knock() -> None:
    first = following(None, 10_000, "a", 10_000)
    assert first.knocked_ms is None
    heard = following(first, 12_000, "a", 10_000, (10_700, 11_900))
    assert (heard.knocked_ms, heard.outages) == (12_000, ())


def test_knocks_further_apart_than_three_seconds_are_an_outage() -> None:
    heard = Beat(11_000, 10_000, "a", (), 10_700)
    again = following(heard, 12_000, "b", 11_000, (10_700 + GAP_MS,))
    assert (again.knocked_ms, again.outages) == (10_700 + GAP_MS, ())
    late = following(heard, 14_000, "b", 12_000, (10_701 + GAP_MS, 13_900))
    assert (late.knocked_ms, late.outages) == (13_900, (Outage(10_700, 10_701 + GAP_MS),))
    assert following(late, 15_000, "a", 14_000, (13_800,)).knocked_ms == 13_900, "another one heard more"


def test_where_all_were_down_the_silence_of_gateways_and_that_of_game_are_one_outage() -> None:
    last = Beat(10_000, 9_000, "a", (), 9_500)
    game_first = following(last, 30_000, "b", 10_000)
    assert game_first.outages == (Outage(10_000, 30_000),)
    assert following(game_first, 31_000, "b", 30_000, (30_900,)).outages == (Outage(9_500, 30_900),)


def test_what_may_have_been_given_back_stays_as_it_is() -> None:
    """Knocks went on while no beat could be stored: that outage was over for everybody."""
    over = following(Beat(10_000, 9_000, "a", (), 9_900), 20_000, "a", 10_000, (10_200, 19_800))
    assert over.outages == (Outage(10_000, 20_000),)
    later = following(over, 30_000, "a", 29_000, (29_500,))
    assert later.outages == (Outage(10_000, 20_000), Outage(20_000, 29_500))


def test_a_beat_that_was_stored_before_gateways_knocked_can_be_read() -> None:
    stored = b'{"at_ms":5,"before_ms":4,"by":"x","outages":[[1,3]]}'
    assert msgspec.json.decode(stored, type=Beat) == Beat(5, 4, "x", (Outage(1, 3),), None)


# ---- what is judged meanwhile


def running(*, heard_ms: int | None) -> tuple[Story, int]:
    """A clock with three minutes runs from the moment that is given; a gateway was heard so long after it."""
    told = Story(Terms(target=5, clock=chess_clock(3), flag="loss")).started().to_play(0, (3, 1))
    told.outages = Outages((), None if heard_ms is None else told.now_ms + heard_ms)
    return told, told.now_ms


@pytest.mark.parametrize(("heard_ms", "falls"), [(None, True), (179_999, False), (180_000, True)])
def test_a_flag_falls_only_if_a_gateway_was_there_at_the_deadline(
    heard_ms: int | None, *, falls: bool
) -> None:
    told, start = running(heard_ms=heard_ms)
    told.after(180_000 + CLAIM_AFTER_MS)
    if falls:
        assert told.claim()[0] == FlagFell(0, start + 180_000)
    else:
        assert told.claim_refusal() == "unavailable"


def test_a_claim_that_is_too_early_anyway_waits_for_nobody() -> None:
    told, _ = running(heard_ms=0)
    assert told.after(180_000 + CLAIM_AFTER_MS - 1).claim_refusal() == "too_early"


@pytest.mark.rule("S7")
def test_an_absence_counts_only_as_far_as_a_gateway_was_there_to_come_back_to() -> None:
    told = Story(Terms(target=5, absence="ghost")).started().to_play(0, (3, 1))
    since = told.now_ms
    told.outages = Outages((), since + 29_999)
    told.after(31_000)
    assert told.claim_refusal(ReportAbsent(0, since)) == "too_early"
    told.outages = Outages((), since + 30_000)
    assert told.hears(ReportAbsent(0, since))[0] == SeatAbsent(0, since)


# ---- one instance


async def test_no_flag_falls_while_no_gateway_is_there_and_the_time_is_given_back_when_one_is() -> None:
    house = await House(gateway=True).begun()
    await house.runs(170)
    left, last_ms = await house.left(), house.host.wall_ms
    house.gateway = False
    await house.runs(ALONE_S)
    n = (await house.state()).n
    await refused(house)
    assert (await house.state()).n == n, "nothing is written"
    assert house.pulse.outages.known == ()
    house.gateway = True
    await house.runs(1)
    assert await house.send(ClaimFlag(), None, None, "overdue") == Accepted(n + 1)
    assert await house.last() == (given_back(last_ms, (ALONE_S + 1) * 1_000),)
    assert await house.left() == left
    await house.runs((left + CLAIM_AFTER_MS) // 1_000 + 1)
    assert await house.send(ClaimFlag(), None, None, "due") == Accepted(n + 2)
    assert judged(await house.log.read(MATCH), house.pulse.outages.known).flags != []


async def test_a_silence_that_is_no_outage_yet_decides_no_flag_either() -> None:
    """The deadline comes a second after the last knock: it is claimed when a gateway is heard again."""
    house = await House(gateway=True).begun()
    await house.runs(179)
    house.gateway = False
    await house.runs(2)
    assert code(await house.send(ClaimFlag(), None, None, "1")) == "unavailable"
    house.pulse.knock()
    n = (await house.state()).n
    assert await house.send(ClaimFlag(), None, None, "2") == Accepted(n + 1)
    assert isinstance((await house.last())[0], FlagFell)


async def test_the_first_move_through_a_new_gateway_proves_that_it_is_there() -> None:
    """It is judged before the gateway's knock is stored, but not before the outage is."""
    house, last_ms = await left_alone(100)
    house.host.runs(500)
    assert isinstance(await house.decides("m"), Accepted)
    returned, *_, charged = await house.last()
    assert returned == given_back(last_ms, 40_500)
    assert isinstance(charged, ClockCharged)
    assert charged.used_ms == 100_000
    stored = msgspec.json.decode(house.register.held.value or b"", type=Beat)
    assert stored.outages == (Outage(last_ms, last_ms + 40_500),)


async def test_it_is_not_judged_while_that_cannot_be_stored() -> None:
    house, _ = await left_alone(0)
    house.register.down = True
    assert code(await house.decides("m")) == "unavailable"
    house.register.down = False
    assert isinstance(await house.decides("m"), Accepted)
    assert isinstance((await house.last())[0], TimeReturned)


async def test_a_restart_of_game_ends_no_outage_of_the_gateways() -> None:
    house, last_ms = await left_alone(100)
    house.host.runs(20_000)
    house.boot()
    await house.runs(ALONE_S)
    await refused(house)
    house.gateway = True
    await house.runs(1)
    await house.decides("m")
    assert (await house.last())[0] == given_back(last_ms, 101_000)
    judged(await house.log.read(MATCH), house.pulse.outages.known)


@pytest.mark.rule("S7")
async def test_nobody_is_absent_while_no_gateway_is_there() -> None:
    house = await House(gateway=True).begun(Terms(target=3, absence="ghost"))
    since_ms = house.host.wall_ms
    await house.runs(20)
    house.gateway = False
    await house.runs(ALONE_S)
    assert code(await house.send(ReportAbsent(0, since_ms), None, None, "1")) == "unavailable"
    house.gateway = True
    await house.runs(10)
    assert code(await house.send(ReportAbsent(0, since_ms), None, None, "2")) == "too_early"
    await house.runs(2)
    n = (await house.state()).n
    assert await house.send(ReportAbsent(0, since_ms), None, None, "3") == Accepted(n + 1)


async def test_a_match_that_is_over_is_over_for_the_clock_at_any_time() -> None:
    house = await House(gateway=True).begun()
    n = (await house.state()).n
    await house.send(Leave(), 0, n, "leave")
    house.gateway = False
    await house.runs(ALONE_S)
    assert code(await house.send(ClaimFlag(), None, None, "1")) == "match_over"


async def test_where_no_gateway_was_ever_heard_nobody_misses_one() -> None:
    house = await House().begun()
    await house.runs(181)
    n = (await house.state()).n
    assert await house.send(ClaimFlag(), None, None, "due") == Accepted(n + 1)
    assert isinstance((await house.last())[0], FlagFell)


@pytest.mark.parametrize("serving", [True, False])
async def test_every_gateway_is_told_the_time_and_one_that_serves_is_heard(*, serving: bool) -> None:
    host = Host()
    pulse = Pulse(MemoryRegister(), host.boots())
    said = await pulse.on_question("", ENCODER.encode(TimeQuestion(serving)))
    assert TIME_ANSWER.decode(said).now_ms == host.wall_ms
    assert (await pulse.fresh()).heard_ms == (host.wall_ms if serving else None)


async def test_who_waits_for_a_gateway_costs_no_look_at_the_log_and_is_told_when_to_ask_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Every match whose time has run out asks, for as long as the outage lasts."""
    house = await House(gateway=True).begun()
    await house.runs(179)
    house.gateway = False
    reads: list[str] = []
    read = house.log.read

    async def counted(key: str, after: int = 0) -> list[bytes]:
        reads.append(key)
        return await read(key, after)

    monkeypatch.setattr(house.log, "read", counted)
    await house.runs(2)
    assert (await refused(house)).retry_after_ms == PROOF_AGAIN_MS
    await house.runs(ALONE_S)
    assert (await refused(house)).retry_after_ms == SILENT_AGAIN_MS
    assert reads == []


# ---- who waits


def test_without_a_gateway_only_what_costs_nobody_time_goes_on() -> None:
    """The computer plays on where nothing runs out; with a clock, or with two minutes for Next, it waits."""
    untimed = Story(Terms(target=5, absence="wait")).started().to_roll(0).state
    timed = Story(Terms(target=5, clock=chess_clock(3))).started().to_roll(0)
    timed.when(0, Roll())
    silent = Outages((), timed.now_ms - GAP_MS - 1)
    heard = Outages((), timed.now_ms - GAP_MS)

    def waits(sender: str, state: MatchState, outages: Outages = silent) -> bool:
        try:
            wait_for_gateway(sender, state, outages, timed.now_ms)
        except Refused as refused:
            return refused.problem.code == "unavailable"
        return False

    assert not waits("ghost", untimed)
    assert waits("clock", untimed), "of absence"
    assert waits("ghost", timed.state)
    assert not waits("gateway", timed.state), "which proves that there is one"
    assert not waits("ghost", timed.state, heard)
    assert not waits("clock", timed.state, heard)


# ---- several instances


async def test_what_one_instance_has_heard_is_no_silence_for_another() -> None:
    """The other one heard nothing itself: it asks what is stored before it believes in an outage."""
    host, register = Host(), MemoryRegister()
    hearing, deaf = Pulse(register, host.boots()), Pulse(register, host.boots())
    for _ in range(10):
        host.runs(BEAT_MS)
        hearing.knock()
        await hearing.beat()
        await deaf.beat()
    assert not (await deaf.fresh()).open(host.wall_ms)
    for _ in range(4):  # it is paused, and its own knowledge is old
        host.runs(BEAT_MS)
        hearing.knock()
        await hearing.beat()
    assert (await deaf.fresh(by_gateway=True)).known == ()


async def test_both_instances_find_the_same_silence_whoever_comes_first() -> None:
    host, register = Host(), MemoryRegister()
    pulses = [Pulse(register, host.boots()) for _ in range(2)]
    pulses[0].knock()
    for _ in range(10):
        for pulse in pulses:
            await pulse.beat()
        host.runs(BEAT_MS)
    for pulse in pulses:
        pulse.knock()
    found = await asyncio.gather(*(pulse.fresh(by_gateway=True) for pulse in pulses))
    assert found[0] == found[1]
    assert found[0].known == (Outage(host.wall_ms - 10 * BEAT_MS, host.wall_ms),)


class Told:
    """Two game instances and what happened to them; ``judged`` is when, and by which outages."""

    def __init__(self) -> None:
        self.host, self.register = Host(), MemoryRegister()
        self.pulses = [Pulse(self.register, self.host.boots()) for _ in range(2)]
        self.knocks: list[int] = []
        self.stored: list[Beat] = []
        self.judged: list[tuple[int, Outages]] = []

    async def happens(self, what: str, which: int, ms: int) -> None:
        self.host.runs(ms)
        pulse = self.pulses[which]
        self.register.down = what == "down"
        self.register.deaf = what == "deaf"
        match what:
            case "knock":
                self._knocks(pulse)
            case "both hear":
                for each in self.pulses:
                    self._knocks(each)
            case "boot":
                self.pulses[which] = Pulse(self.register, self.host.boots())
            case "move" | "claim":
                await self._judges(pulse, by_gateway=what == "move")
            case _:
                with suppress(LogUnavailable):
                    await pulse.beat()
        if self.register.held.value is not None:
            self.stored.append(msgspec.json.decode(self.register.held.value, type=Beat))

    def _knocks(self, pulse: Pulse) -> None:
        self.knocks.append(pulse.knock())

    async def _judges(self, pulse: Pulse, *, by_gateway: bool) -> None:
        now_ms = self.host.wall_ms
        if by_gateway:
            self.knocks.append(now_ms)
        outages = await pulse.fresh(by_gateway=by_gateway)
        if not outages.open(now_ms):
            self.judged.append((now_ms, outages))

    def silences(self) -> list[Outage]:
        """Between two signs of life that anybody heard, from the first one that was stored."""
        first = next((beat.knocked_ms for beat in self.stored if beat.knocked_ms is not None), None)
        known = sorted(at for at in self.knocks if first is not None and at >= first)
        return [Outage(*pair) for pair in pairwise(known) if pair[1] - pair[0] > GAP_MS]


THINGS: Final = ("beat", "beat", "knock", "both hear", "move", "claim", "boot", "down", "deaf")


@settings(max_examples=500, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from(THINGS), st.integers(0, 1), st.integers(0, 5_000)), min_size=3, max_size=40
    )
)
def test_whatever_comes_in_whatever_order_nothing_is_lost_and_nothing_is_given_back_twice(
    things: list[tuple[str, int, int]],
) -> None:
    told = Told()

    async def all_happens() -> None:
        for thing in [*things, ("both hear", 0, 100), ("beat", 0, 0), ("beat", 1, 0)]:
            await told.happens(*thing)

    asyncio.run(all_happens())
    for beat in told.stored:
        assert all(outage.to_ms - outage.from_ms > GAP_MS for outage in beat.outages)
        assert all(one.to_ms <= other.from_ms for one, other in pairwise(beat.outages)), "none overlap"
    for before, after in pairwise(told.stored):
        covers = Outages(after.outages)
        for known in before.outages:
            assert covers.overlap(known.from_ms, known.to_ms) == known.to_ms - known.from_ms, "none shrinks"
    for now_ms, outages in told.judged:
        assert set(outages.known) <= set(told.stored[-1].outages), "what was given back stays as it was"
        for silence in told.silences():
            if silence.to_ms <= now_ms:
                unknown_ms = silence.to_ms - silence.from_ms - outages.overlap(silence.from_ms, silence.to_ms)
                assert unknown_ms <= GAP_MS, "nothing is judged before it is known"
