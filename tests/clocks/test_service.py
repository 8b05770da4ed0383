"""The clock service over ports in memory and the real game service: one deadline armed, claimed once."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator

import pytest
from structlog.testing import capture_logs

from services.clock.domain import claim_id
from services.clock.handlers import EARLY_MS, LATER_MS
from shared.clocks import BLITZ, PER_MOVE, STANDARD, chess_clock
from shared.commands import AskTime, ClaimFlag, Leave, Next, Play, Roll, SetAutoRoll
from shared.events.match import FlagFell, GameEnded, MatchCancelled, MatchEnded, NextExpired, Terms
from shared.match import MatchState, Phase, demands
from shared.match.timing import NEXT_MS, deadline
from shared.ports.bus import NoAnswer
from shared.problems import problem
from shared.wire.match import ENCODER, RefusedAnswer
from tests.support.ghosts import Table
from tests.support.timed import TimedHouse, claim_ms, over, to_decide

LOSS = Terms(target=5, clock=chess_clock(3), flag="loss")
KICK = Terms(target=5, clock=STANDARD, flag="kick")


@pytest.fixture
async def house() -> AsyncIterator[TimedHouse]:
    house = await TimedHouse().open()
    yield house
    await house.close()


def armed(house: TimedHouse, table: Table) -> dict[str, int]:
    """When each timer of the match comes."""
    return {kind: a.at_ms for (match, kind), a in house.timers.armed.items() if match == table.match}


def claims(house: TimedHouse) -> list[str]:
    """The ids of the claims that were sent."""
    return [asked.request.id for asked in house.clock_bus.asked]


async def move_on(house: TimedHouse, table: Table) -> MatchState:
    """Whoever must decide does, a second later."""
    await house.after(1_000)
    state = await table.state()
    seat = to_decide(state)
    asked = next(d.commands for d in demands(state) if d.seat == seat)
    await house.accepted(
        table, seat, Play(state.rules.legal(state.position, seat)[0]) if "play" in asked else Roll()
    )
    return await table.state()


async def between(house: TimedHouse, terms: Terms = KICK) -> Table:
    """A match whose first game is over."""
    table = await house.begun(terms)
    await house.accepted(table, 0, Leave())
    assert (await table.state()).phase is Phase.BETWEEN
    return table


@pytest.mark.rule("B5")
async def test_who_runs_out_of_time_loses_at_the_first_moment_at_which_it_is_judged(
    house: TimedHouse,
) -> None:
    await house.clock().start()
    table = await house.begun(LOSS)
    state = await table.state()
    seat, running = to_decide(state), deadline(state)
    assert running is not None
    assert armed(house, table) == {"flag": running.claim_ms}
    await house.at(running.claim_ms - 1)
    assert claims(house) == []
    await house.at(running.claim_ms)
    assert await house.events(table, FlagFell) == [FlagFell(seat, running.at_ms)]
    (ended,) = await house.events(table, GameEnded)
    assert (ended.winner, ended.cause) == (1 - seat, "flag")
    assert claims(house) == [claim_id(table.match, running)]
    assert house.clock_bus.asked[0].request.command == ClaimFlag()


@pytest.mark.parametrize("terms", [LOSS, KICK, Terms(clock=BLITZ, flag="kick")])
async def test_whatever_is_played_one_timer_waits_that_comes_no_later_than_the_deadline(
    house: TimedHouse, terms: Terms
) -> None:
    await house.clock().start()
    table = await house.begun(terms)
    state = await table.state()
    while state.n < 40:  # no game of backgammon is over so soon
        state = await move_on(house, table)
        ((kind, at_ms),) = armed(house, table).items()
        assert kind == "flag"
        assert house.now_ms < at_ms <= claim_ms(state)
    assert claims(house) == []
    assert len(house.timers.ordered) < state.n / 3, "most deadlines are replaced before they pass"
    await house.at(claim_ms(state) - 1)
    assert claims(house) == []
    await house.at(claim_ms(state))
    assert len(claims(house)) == 1


async def test_what_moves_no_deadline_sends_no_order(house: TimedHouse) -> None:
    await house.clock().start()
    table = await house.begun(LOSS)
    orders = list(house.timers.ordered)
    for on in (True, False) * 5:
        await house.accepted(table, 1 - to_decide(await table.state()), SetAutoRoll(on))
    assert house.timers.ordered == orders


@pytest.mark.rule("B4")
async def test_added_time_moves_the_deadline(house: TimedHouse) -> None:
    await house.clock().start()
    table = await house.begun(Terms(clock=PER_MOVE))
    state = await table.state()
    before = claim_ms(state)
    await house.after(60_000)
    await house.accepted(table, to_decide(state), AskTime())
    await house.at(before)
    assert claims(house) == []
    assert armed(house, table) == {"flag": before + 120_000}
    await house.at(before + 120_000)
    assert len(await house.events(table, FlagFell)) == 1


@pytest.mark.rule("S13")
async def test_where_a_flag_only_gives_the_right_to_kick_it_falls_once_and_the_match_goes_on(
    house: TimedHouse,
) -> None:
    await house.clock().start()
    table = await house.begun(KICK)
    seat = to_decide(await table.state())
    await house.at(claim_ms(await table.state()))
    assert [e.seat for e in await house.events(table, FlagFell)] == [seat]
    assert armed(house, table) == {}
    await house.accepted(table, 1 - seat, SetAutoRoll(on=True))
    await house.after(3_600_000)
    assert armed(house, table) == {}
    assert len(claims(house)) == 1
    state = await move_on(house, table)
    assert not over(state)
    assert armed(house, table) == {"flag": claim_ms(state)}


@pytest.mark.rule("S5")
async def test_who_lets_the_two_minutes_for_next_pass_loses_the_match(house: TimedHouse) -> None:
    await house.clock().start()
    table = await between(house)
    state = await table.state()
    assert armed(house, table) == {"next": claim_ms(state)}, "the flag's timer was taken back"
    await house.after(NEXT_MS)
    await house.accepted(table, 0, Next())
    assert await house.events(table, MatchEnded) == []
    await house.at(claim_ms(state))
    assert await house.events(table, NextExpired) == [NextExpired((1,))]
    (ended,) = await house.events(table, MatchEnded)
    assert (ended.winner, ended.cause) == (0, "next")
    assert armed(house, table) == {}


@pytest.mark.rule("S5")
async def test_when_nobody_presses_next_the_match_is_cancelled(house: TimedHouse) -> None:
    await house.clock().start()
    table = await between(house)
    await house.at(claim_ms(await table.state()))
    assert len(await house.events(table, MatchCancelled)) == 1
    assert len(claims(house)) == 1


async def test_a_match_that_is_over_leaves_no_timer_and_nothing_to_say(house: TimedHouse) -> None:
    await house.clock().start()
    table = await house.begun(Terms(clock=chess_clock(3)))
    await house.accepted(table, 0, Leave())
    assert over(await table.state())
    assert armed(house, table) == {}
    house.timers.fire(table.match, "flag")
    await house.timers.settled()
    assert claims(house) == []


@pytest.mark.parametrize("terms", [LOSS, KICK])
async def test_late_early_double_and_foreign_timers_are_harmless(house: TimedHouse, terms: Terms) -> None:
    await house.clock().start()
    table = await house.begun(terms)
    state = await table.state()
    for early_ms in (180_000, 5_000, 601, 600, 599, 1):
        await house.at(max(house.now_ms, claim_ms(state) - early_ms))
        for kind in ("flag", "next", "flag", "unheard-of"):
            house.timers.fire(table.match, kind)
        await house.timers.settled()
        assert await house.events(table, FlagFell) == []
        assert claim_ms(state) <= armed(house, table)["flag"] < claim_ms(state) + EARLY_MS
    await house.at(claim_ms(state) + 60_000)
    for _ in range(3):
        house.timers.fire(table.match, "flag")
    await house.timers.settled()
    await house.seen()
    assert len(await house.events(table, FlagFell)) == 1
    assert len(set(claims(house))) == 1


async def test_a_due_timer_asks_the_log_for_moves_that_the_clock_has_not_seen_yet(
    house: TimedHouse,
) -> None:
    clock = house.clock()
    table = await house.begun(LOSS)
    log = await house.log.read(table.match)
    for n, stored in enumerate(log, 1):
        await clock.on_commit(table.match, n, stored)
    old = claim_ms(await table.state())
    await house.after(100_000)
    state = await move_on(house, table)
    house.now_ms = old
    await clock.on_due(table.match, "flag")
    assert claims(house) == []
    assert armed(house, table) == {"flag": claim_ms(state)}
    assert await house.events(table, FlagFell) == []


async def test_a_claim_that_another_clock_finds_too_early_is_made_again_a_little_later(
    house: TimedHouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    await house.clock().start()
    table = await house.begun(LOSS)
    due_ms = claim_ms(await table.state())

    async def too_early(_subject: str, _data: bytes, _timeout_ms: int) -> bytes:
        return ENCODER.encode(RefusedAnswer(problem("too_early")))

    with monkeypatch.context() as patched:
        patched.setattr(house.clock_bus, "request", too_early)
        await house.at(due_ms)
    assert armed(house, table) == {"flag": due_ms + EARLY_MS}
    await house.at(due_ms + EARLY_MS)
    assert len(await house.events(table, FlagFell)) == 1


@pytest.mark.parametrize("code", ["internal", "unreadable_log", "unknown_match", "command_not_allowed"])
async def test_no_flag_is_given_up_for_a_fault_of_ours(
    house: TimedHouse, monkeypatch: pytest.MonkeyPatch, code: str
) -> None:
    await house.clock().start()
    table = await house.begun(LOSS)
    due_ms = claim_ms(await table.state())

    async def broken(_subject: str, _data: bytes, _timeout_ms: int) -> bytes:
        return ENCODER.encode(RefusedAnswer(problem(code)))

    with monkeypatch.context() as patched:
        patched.setattr(house.clock_bus, "request", broken)
        await house.at(due_ms)
    await house.at(due_ms + LATER_MS)
    assert len(await house.events(table, FlagFell)) == 1


async def test_an_answer_that_was_lost_is_asked_for_again_and_the_flag_falls_once(house: TimedHouse) -> None:
    lost: list[str] = []

    async def lose(match: str) -> None:
        if len(lost) < 2:
            lost.append(match)
            raise NoAnswer("lost on its way")

    await house.clock().start()
    table = await house.begun(LOSS)
    house.clock_bus.after = lose
    await house.at(claim_ms(await table.state()))
    assert len(lost) == 2
    assert len(claims(house)) == 3
    assert len(set(claims(house))) == 1
    assert len(await house.events(table, FlagFell)) == 1


async def test_many_claims_that_wait_ask_again_when_they_are_told_to_and_say_so_once(
    house: TimedHouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Forty times, in no time at all; then time is judged again."""
    clock, tables = house.clock(), [await house.begun(LOSS) for _ in range(20)]
    house.now_ms = claim_ms(await tables[0].state())
    refusals = Counter[str]()
    silent = problem("unavailable", "No gateway is heard.", retry_after_ms=0)
    ask = house.clock_bus.request

    async def wait(subject: str, data: bytes, timeout_ms: int) -> bytes:
        refusals[subject] += 1
        if refusals[subject] > 40:
            return await ask(subject, data, timeout_ms)
        return ENCODER.encode(RefusedAnswer(silent))

    monkeypatch.setattr(house.clock_bus, "request", wait)
    with capture_logs() as logs:
        async with asyncio.timeout(10):
            await asyncio.gather(*(clock.on_due(table.match, "flag") for table in tables))
    for table in tables:
        assert len(await house.events(table, FlagFell)) == 1
    assert [entry["why"] for entry in logs if "why" in entry] == 2 * ["No gateway is heard."]
    assert [entry["log_level"] for entry in logs if "why" in entry] == ["warning", "info"]


async def test_a_clock_that_stops_gives_the_timer_back_and_the_next_one_claims(house: TimedHouse) -> None:
    tried_again = asyncio.Event()

    async def nobody(_match: str) -> None:
        if len(house.clock_bus.asked) > 1:
            tried_again.set()
        raise NoAnswer("nobody there")

    first = house.clock()
    await first.start()
    table = await house.begun(LOSS)
    running = deadline(await table.state())
    assert running is not None
    house.clock_bus.before = nobody
    house.now_ms = running.claim_ms
    moving = asyncio.create_task(house.timers.advance(house.now_ms))
    async with asyncio.timeout(10):
        await tried_again.wait()
        await first.close()
    house.clock_bus.before = None
    await house.clock().start()
    await moving
    await house.seen()
    assert [event.deadline_ms for event in await house.events(table, FlagFell)] == [running.at_ms]
    assert len(set(claims(house))) == 1


async def test_what_one_process_armed_another_claims_and_what_is_forgotten_is_read_again(
    house: TimedHouse,
) -> None:
    first = house.clock()
    await first.start()
    tables = [await house.begun(LOSS) for _ in range(3)]
    await first.close()
    second = house.clock(kept=1, kept_others=1)
    await second.start()
    await house.seen()
    for table in tables:
        await move_on(house, table)
    for table in tables:
        assert armed(house, table) == {"flag": claim_ms(await table.state())}
    await house.after(200_000)
    for table in tables:
        assert len(await house.events(table, FlagFell)) == 1


async def test_a_backlog_costs_one_read_and_one_order_for_each_match(house: TimedHouse) -> None:
    table = await house.begun(LOSS)
    for _ in range(20):
        await move_on(house, table)
    await house.after(2_000)
    await house.clock().start()
    await house.seen()
    state = await table.state()
    assert state.n > 20
    assert house.timers.ordered == [("arm", table.match, "flag", claim_ms(state))]


async def test_a_timer_that_another_process_may_have_replaced_is_armed_anew(house: TimedHouse) -> None:
    clock = house.clock()
    table = await house.begun(LOSS)
    for n, stored in enumerate(await house.log.read(table.match), 1):
        await clock.on_commit(table.match, n, stored)
    for _ in range(2):
        await move_on(house, table)
    state = await move_on(house, table)
    await clock.on_commit(table.match, state.n, (await house.log.read(table.match))[-1])
    assert armed(house, table) == {"flag": claim_ms(state)}


async def test_matches_without_a_clock_cost_one_look(
    house: TimedHouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = house.clock()
    table = await house.begun(Terms(target=3))
    log = await house.log.read(table.match)
    reads: list[str] = []

    async def read(key: str, after: int = 0) -> list[bytes]:
        reads.append(f"{key} after {after}")
        return []

    monkeypatch.setattr(house.log, "read", read)
    await clock.on_commit(table.match, 2, log[1])
    await clock.on_commit(table.match, 1, log[0])
    await clock.on_commit(table.match, 3, b"not even decoded")
    await clock.on_due(table.match, "flag")
    assert reads == []
    assert house.timers.ordered == []
    assert claims(house) == []


async def test_a_log_that_cannot_be_read_is_put_aside_but_its_timer_is_not_lost(house: TimedHouse) -> None:
    clock = house.clock()
    await clock.on_commit("munreadable", 1, b'{"v":1}')
    assert house.timers.ordered == []
    await house.log.append("munreadable", 1, b'{"v":1}')
    await clock.on_due("munreadable", "flag")
    assert house.timers.ordered == [("arm", "munreadable", "flag", house.now_ms + LATER_MS)]


async def test_a_match_whose_claim_has_no_answer_keeps_no_other_waiting(house: TimedHouse) -> None:
    clock = house.clock()
    slow, quick = await house.begun(LOSS), await house.begun(LOSS)
    go_on = asyncio.Event()

    async def hold(match: str) -> None:
        if match == slow.match:
            await go_on.wait()

    house.clock_bus.before = hold
    house.now_ms = claim_ms(await slow.state())
    claiming = [asyncio.create_task(clock.on_due(table.match, "flag")) for table in (slow, quick)]
    await asyncio.wait_for(claiming[1], 5)
    assert len(await house.events(quick, FlagFell)) == 1
    assert await house.events(slow, FlagFell) == []
    go_on.set()
    await asyncio.wait_for(claiming[0], 5)
    assert len(await house.events(slow, FlagFell)) == 1


@pytest.mark.rule("S13")
async def test_the_clock_may_claim_and_nothing_else(house: TimedHouse) -> None:
    table = await house.begun(LOSS)
    state = await table.state()
    for seat in (0, 1):
        answer = await table.command(seat, Leave(), sender="clock")
        assert isinstance(answer, RefusedAnswer)
        assert answer.problem.code == "command_not_allowed"
    assert (await table.state()).n == state.n
