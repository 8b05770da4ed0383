"""Real processes: game or the broker is killed with clocks about to run out and flags in flight."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

import pytest

from services.audit.domain import verify
from services.game.pulse import ATTEMPT_MS, BEAT_MS
from shared.adapters.nats_connection import Broker
from shared.adapters.nats_log import NatsLog
from shared.commands import ClaimFlag, CreateMatch, MatchCommand, Play, Ready, Roll
from shared.events.codec import decode_match
from shared.events.match import ClockTerms, FlagFell, Seat, Terms, TimeReturned
from shared.fold import step
from shared.ids import new_id
from shared.match import MatchState, demands
from shared.match.timing import CLAIM_AFTER_MS
from shared.ports.bus import NoAnswer
from shared.subjects import GAMES
from shared.subjects import command as subject
from shared.wire.match import COMMAND_ANSWER, ENCODER, Accepted, CommandAnswer, CommandRequest, RefusedAnswer
from tests.support.cluster import Cluster
from tests.support.story import PLAYERS

Figures = Callable[[str, object], None]
CLAIM_EVERY_S = 0.1
PLAY_S = 1.5
RESTART_MS = 6_000  # a process starts, or a connection is made anew; two cores are shared with other tests
_ids = count(1)


@dataclass
class People:
    """Everybody who talks to game: lobby, gateway, clock; and who reads the logs."""

    brokers: dict[str, Broker]
    log: NatsLog
    claimed: list[CommandAnswer] = field(default_factory=list[CommandAnswer])

    async def send(
        self, sender: str, match: str, command: MatchCommand, player: str = "", expected: int | None = None
    ) -> CommandAnswer:
        """Until there is an answer that stays, under one id; ``NoAnswer`` only to a claim."""
        request = CommandRequest(
            id=f"o{next(_ids)}", command=command, player=player, expected=expected, arrived_ms=2**52
        )
        while True:
            try:
                answer = COMMAND_ANSWER.decode(
                    await self.brokers[sender].request(
                        subject(sender, "game", match), ENCODER.encode(request), 5_000
                    )
                )
            except NoAnswer:
                if sender == "clock":
                    raise
            else:
                again = isinstance(answer, RefusedAnswer) and answer.problem.code == "unavailable"
                if not again or sender == "clock":
                    return answer
            await asyncio.sleep(0.05)

    async def opens(self, budget_ms: int) -> str:
        """A match in which both have so long for a game; somebody's clock runs."""
        match = new_id("m")
        terms = Terms(target=3, clock=ClockTerms(kind="chess", budget_ms=budget_ms), flag="loss")
        seats = (Seat(PLAYERS[0]), Seat(PLAYERS[1]))
        create = CreateMatch(rules="backgammon", rules_version=1, seats=seats, terms=terms)
        assert await self.send("lobby", match, create) == Accepted(1)
        for n, player in enumerate(PLAYERS):
            assert await self.send("gateway", match, Ready(), player, n + 1) == Accepted(n + 2)
        return match

    async def state(self, match: str) -> MatchState:
        state = None
        for stored in await self.log.read(match):
            state = step(state, stored)
        assert state is not None
        return state

    async def moves(self, match: str) -> CommandAnswer:
        """Whoever must decide does."""
        state = await self.state(match)
        demand = demands(state)[0]
        plays = "play" in demand.commands
        command = Play(state.rules.legal(state.position, demand.seat)[0]) if plays else Roll()
        return await self.send("gateway", match, command, PLAYERS[demand.seat], state.n)

    async def claims(self, matches: list[str]) -> None:
        """Timers that are always overdue: every flag is claimed again and again."""

        async def claim(match: str) -> None:
            while True:
                with suppress(NoAnswer):  # it is claimed again
                    self.claimed.append(await self.send("clock", match, ClaimFlag()))
                await asyncio.sleep(CLAIM_EVERY_S)

        async with asyncio.TaskGroup() as group:
            for match in matches:
                group.create_task(claim(match))


@dataclass
class Judged:
    """What a log says of its time."""

    returned: list[TimeReturned]
    flag_ms: int | None


def judged(log: list[bytes]) -> Judged:
    """What was given back, and when the flag fell; the verifier agrees with every millisecond of it."""
    report = verify(log)
    assert report.ok, report.difference
    commits = [decode_match(stored) for stored in log]
    given = [event for commit in commits for event in commit.events if isinstance(event, TimeReturned)]
    fallen = [c.at_ms for c in commits if any(isinstance(event, FlagFell) for event in c.events)]
    return Judged(given, fallen[0] if fallen else None)


@pytest.fixture
async def cluster(tmp_path: Path) -> AsyncIterator[Cluster]:
    with Cluster(tmp_path, services=("game",)) as running:
        yield running


async def outage(
    cluster: Cluster, victim: str, *, matches: int, down_s: float, after_s: float, figures: Figures
) -> None:
    """Kill ``victim`` while clocks with 5 to 60 s run; half of the players go on afterwards, half do not."""
    async with AsyncExitStack() as stack:
        brokers = {
            user: await stack.enter_async_context(cluster.nats.broker(user))
            for user in ("lobby", "gateway", "clock", "audit")
        }
        people = People(brokers, NatsLog(brokers["audit"], GAMES))
        budgets = [5_000 + i * 55_000 // (matches - 1) for i in range(matches)]
        opened = await asyncio.gather(*map(people.opens, budgets))
        claiming = asyncio.create_task(people.claims(opened))
        await asyncio.gather(*(people.moves(match) for match in opened[2::2]))
        await asyncio.sleep(PLAY_S)
        killed_ms = time.time_ns() // 1_000_000
        if victim != "nats":
            cluster.kill("game")
        if victim != "game":
            cluster.nats.process.kill()
        await asyncio.sleep(down_s)
        begins_ms = time.time_ns() // 1_000_000
        if victim != "game":
            await asyncio.to_thread(cluster.nats.process.start)
        if victim != "nats":
            await asyncio.to_thread(cluster.start, "game")
        answers = await asyncio.gather(*(people.moves(match) for match in opened[1::2]))
        assert all(isinstance(answer, Accepted) for answer in answers), answers
        await asyncio.sleep(after_s)
        claiming.cancel()
        await asyncio.wait((claiming,))
        back: list[int] = []
        flags = 0
        for match in opened:
            judgement = judged(await people.log.read(match))
            (event,) = judgement.returned
            assert killed_ms - BEAT_MS - ATTEMPT_MS <= event.from_ms <= killed_ms
            assert begins_ms <= event.to_ms <= begins_ms + RESTART_MS
            back.append(event.to_ms - event.from_ms)
            if judgement.flag_ms is not None:
                flags += 1
                assert judgement.flag_ms > event.to_ms + CLAIM_AFTER_MS
        codes = {a.problem.code for a in people.claimed if isinstance(a, RefusedAnswer)}
        assert codes <= {"too_early", "unavailable", "match_over", "nothing_to_claim"}
        assert flags > 0, "those who never moved lose in the end"
        figures(
            "figures",
            f"{victim} down for {begins_ms - killed_ms} ms and starting, {matches} matches: {min(back)} to"
            f" {max(back)} ms given back, {len(people.claimed)} claims, {flags} flags by the moved deadlines",
        )


@pytest.mark.parametrize("victim", ["game", "nats", "both"])
async def test_no_flag_is_decided_by_an_outage_of_ours(
    cluster: Cluster, victim: str, record_property: Figures
) -> None:
    await outage(cluster, victim, matches=10, down_s=5, after_s=6, figures=record_property)


@pytest.mark.nightly
@pytest.mark.parametrize("victim", ["game", "nats", "both"])
async def test_no_flag_of_100_matches_is_decided_by_an_outage_of_40_s(
    cluster: Cluster, victim: str, record_property: Figures
) -> None:
    await outage(cluster, victim, matches=100, down_s=40, after_s=20, figures=record_property)


async def test_a_stop_in_order_is_an_outage_too(cluster: Cluster) -> None:
    async with AsyncExitStack() as stack:
        brokers = {
            user: await stack.enter_async_context(cluster.nats.broker(user))
            for user in ("lobby", "gateway", "clock", "audit")
        }
        people = People(brokers, NatsLog(brokers["audit"], GAMES))
        match = await people.opens(5_000)
        assert await asyncio.to_thread(cluster.stop, "game") == 0
        await asyncio.sleep(5)
        await asyncio.to_thread(cluster.start, "game")
        assert isinstance(await people.moves(match), Accepted)
        (event,) = judged(await people.log.read(match)).returned
        assert event.ms > 5_000
