"""Who is reported to ``game`` and when, told over memory with time as a number."""

from collections.abc import AsyncIterator
from typing import Any

import msgspec
import pytest

from services.clock.absence import ABSENCE, Absences
from shared.adapters.memory_presence import MemoryPresence, MemoryStore
from shared.adapters.memory_timers import MemoryTimers
from shared.adapters.nats_timers import NatsTimers
from shared.commands import Double, Next, Pass, ReportAbsent, ReportPresent
from shared.events.match import SeatAbsent, Terms
from shared.ids import new_id
from shared.match import MatchState, Phase
from shared.ports.bus import NoAnswer
from shared.ports.presence import LEASE_MS, Sign, Word
from shared.problems import Refused, problem
from shared.service import Now
from shared.wire.match import COMMAND_REQUEST, ENCODER, Accepted, CommandRequest, RefusedAnswer
from tests.conftest import ConnectAs
from tests.support.story import MATCH, PLAYERS, Story

GRACE_MS = 30_000
ONE, TWO = PLAYERS


class World:
    """A match, a gateway, and a clock service that looks when it is told to."""

    def __init__(self, story: Story) -> None:
        self.story = story
        self.timers = MemoryTimers()
        self.store = MemoryStore(self.now_ms)
        self.gateway = MemoryPresence(self.store, "g1")
        self.asked: list[CommandRequest] = []
        self.away = False
        self.early = 0
        self.absences = self.service()

    def now_ms(self) -> int:
        return self.story.now_ms

    def service(self) -> Absences:
        return Absences(MemoryPresence(self.store), self.timers, self, self, self.newest)

    async def newest(self, match: str) -> MatchState | None:
        assert match == MATCH
        return self.story.state

    async def request(self, subject: str, data: bytes, timeout_ms: int) -> bytes:
        """The game service."""
        assert subject == f"cmd.clock.game.{MATCH}"
        assert timeout_ms
        request = COMMAND_REQUEST.decode(data)
        self.asked.append(request)
        if self.away:
            raise NoAnswer("away")
        if self.early:
            self.early -= 1
            return ENCODER.encode(RefusedAnswer(problem("too_early")))
        assert isinstance(request.command, ReportAbsent | ReportPresent)
        try:
            self.story.hears(request.command)
        except Refused as refused:
            return ENCODER.encode(RefusedAnswer(refused.problem))
        return ENCODER.encode(Accepted(self.story.state.n))

    async def serve(self, subject: str, group: str, answer: Any) -> Any:
        raise NotImplementedError(subject, group, answer)

    async def says(self, *signs: tuple[str, Word]) -> None:
        """The gateway says so, now."""
        await self.gateway.say([Sign(player, word, self.story.now_ms) for player, word in signs])

    async def looks(self) -> list[Any]:
        """The clock service looks; what it sent."""
        before = len(self.asked)
        await self.absences.look()
        await self.absences.answered()
        return [request.command for request in self.asked[before:]]

    async def after(self, ms: int, *, alive: bool = True) -> None:
        """So much later."""
        self.story.after(ms)
        if alive:
            await self.gateway.say([])


async def world(**terms: Any) -> World:
    """Both are here, and seat 0 is to roll."""
    made = World(
        Story(msgspec.structs.replace(Terms(target=5, absence="ghost"), **terms)).started().to_roll(0)
    )
    await made.absences.saw(made.story.state)
    await made.says((ONE, Word.HERE), (TWO, Word.HERE))
    assert await made.looks() == []
    return made


@pytest.fixture
async def told() -> AsyncIterator[World]:
    made = await world()
    yield made
    await made.absences.close()


@pytest.mark.rule("S7")
async def test_who_is_away_is_reported_when_the_grace_is_over_and_once(told: World) -> None:
    await told.says((ONE, Word.AWAY))
    since_ms = told.now_ms()
    await told.after(GRACE_MS - 1)
    assert await told.looks() == []
    await told.after(1)
    assert await told.looks() == [ReportAbsent(0, since_ms)]
    assert told.story.state.ghosted == (True, False)
    await told.after(GRACE_MS)
    assert await told.looks() == []


@pytest.mark.rule("S7", "S18")
async def test_who_is_back_while_a_ghost_plays_is_reported_present_and_once(told: World) -> None:
    await told.says((ONE, Word.AWAY))
    await told.after(GRACE_MS)
    await told.looks()
    assert await told.looks() == []
    await told.says((ONE, Word.HERE))
    await told.absences.look(everybody=False)
    await told.absences.answered()
    assert told.asked[-1].command == ReportPresent(0)
    assert await told.looks() == []


async def test_who_goes_again_after_his_return_is_reported_again(told: World) -> None:
    for _ in range(2):
        await told.says((ONE, Word.AWAY))
        since_ms = told.now_ms()
        await told.after(GRACE_MS)
        assert await told.looks() == [ReportAbsent(0, since_ms)]
        await told.after(5)
        await told.says((ONE, Word.HERE))
        assert await told.looks() == [ReportPresent(0)]
        told.story.to_roll(1).to_roll(0)
        await told.absences.saw(told.story.state)


@pytest.mark.rule("B12", "B13")
async def test_at_a_table_that_forfeits_the_one_who_went_first_is_reported_first() -> None:
    board = await world(absence="forfeit", target=None)
    await board.says((TWO, Word.AWAY))
    await board.after(1)
    await board.says((ONE, Word.AWAY))
    await board.after(GRACE_MS)
    now_ms = board.now_ms()
    assert await board.looks() == [
        ReportAbsent(1, now_ms - GRACE_MS - 1),
        ReportAbsent(0, now_ms - GRACE_MS),
    ]
    assert SeatAbsent(1, now_ms - GRACE_MS - 1) in board.story.state.last_events
    assert board.story.state.phase is Phase.OVER
    assert board.timers.armed == {}
    assert await board.looks() == []


async def test_where_the_table_waits_nobody_is_watched() -> None:
    waits = await world(absence="wait")
    await waits.says((ONE, Word.AWAY))
    await waits.after(10 * GRACE_MS)
    assert await waits.looks() == []
    assert waits.timers.armed == {}


async def test_between_games_nobody_is_watched_and_an_absence_counts_from_the_next_game_on(
    told: World,
) -> None:
    told.story.when(0, Double())
    told.story.when(1, Pass())
    await told.absences.saw(told.story.state)
    told.story.when(0, Next())
    await told.says((ONE, Word.AWAY))
    await told.after(2 * GRACE_MS)
    assert await told.looks() == []
    told.story.when(1, Next())
    await told.absences.saw(told.story.state)
    began_ms = told.now_ms()
    assert await told.looks() == []
    await told.after(GRACE_MS)
    assert await told.looks() == [ReportAbsent(0, began_ms)]


async def test_of_whom_nothing_is_known_is_never_reported(told: World) -> None:
    told.store.lose()
    await told.after(100 * GRACE_MS)
    assert await told.looks() == []


@pytest.mark.rule("S7", "S18")
async def test_the_death_of_a_gateway_is_an_absence_from_when_it_was_noticed(told: World) -> None:
    other = MemoryPresence(told.store, "g2")
    await told.after(LEASE_MS, alive=False)
    await other.say([])
    assert await told.looks() == []
    noticed_ms = told.now_ms()
    for _ in range(GRACE_MS // 1_000):
        assert await told.looks() == []
        await told.after(1_000, alive=False)
        await other.say([Sign(TWO, Word.HERE)])
    assert await told.looks() == [ReportAbsent(0, noticed_ms)]


@pytest.mark.parametrize("cause", ["the store", "every gateway"])
async def test_while_nobody_can_say_who_is_here_nobody_is_reported_and_then_the_grace_begins_anew(
    told: World, cause: str
) -> None:
    await told.says((ONE, Word.AWAY))
    since_ms = told.now_ms()
    await told.after(GRACE_MS - 1)
    told.store.reachable = cause != "the store"
    told.story.after(2 * LEASE_MS)
    assert await told.looks() == []
    told.store.reachable = True
    await told.after(0)
    assert await told.looks() == []
    await told.after(GRACE_MS - 1)
    assert await told.looks() == []
    await told.after(1)
    assert await told.looks() == [ReportAbsent(0, since_ms)]


async def test_a_report_without_an_answer_is_sent_again_under_the_same_id(told: World) -> None:
    await told.says((ONE, Word.AWAY))
    await told.after(GRACE_MS)
    told.away = True
    assert len(await told.looks()) == 1
    assert len(await told.looks()) == 1
    told.away = False
    assert len(await told.looks()) == 1
    assert len({request.id for request in told.asked}) == 1
    assert await told.looks() == []


async def test_what_is_too_early_for_game_is_reported_again(told: World) -> None:
    """An outage of ours is to be taken off, or the clocks of two hosts differ."""
    await told.says((ONE, Word.AWAY))
    await told.after(GRACE_MS)
    told.early = 2
    assert [len(await told.looks()) for _ in range(4)] == [1, 1, 1, 0]
    assert told.story.state.ghosted[0]


async def test_another_process_finds_in_the_timers_what_is_to_be_watched(told: World) -> None:
    assert await told.timers.armed_for(ABSENCE) == [MATCH]
    told.absences = told.service()
    await told.says((ONE, Word.AWAY))
    since_ms = told.now_ms()
    await told.after(GRACE_MS)
    assert await told.looks() == []
    await told.absences.list()
    assert await told.looks() == []  # it has just begun to look: he may have come back unseen
    await told.after(GRACE_MS)
    assert await told.looks() == [ReportAbsent(0, since_ms)]
    assert isinstance(told.story.state.last_events[0], SeatAbsent)


async def test_the_broker_lists_the_matches_whose_absences_are_watched(connect_as: ConnectAs) -> None:
    timers = NatsTimers(await connect_as("clock"), Now())
    matches = {new_id("m") for _ in range(20)}
    at_ms = Now().now_ms() + 3_600_000
    for match in matches:
        await timers.arm(match, "absence-test", at_ms)
    await timers.arm(new_id("m"), "flag", at_ms)
    assert set(await timers.armed_for("absence-test")) == matches
    for match in matches:
        await timers.cancel(match, "absence-test", 2**53)
    assert await timers.armed_for("absence-test") == []
