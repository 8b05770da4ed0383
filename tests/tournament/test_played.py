"""Tournaments whose matches are really played: by game and ghost as they run, on logs in memory; and left."""

import asyncio
from random import Random

import pytest

from services.game.handlers import Game
from services.ghost.handlers import Ghost
from services.ghost.thinking import Thinker
from services.tournament.handlers import DURABLE
from services.tournament.verdicts import Verdict, verdict
from shared import subjects
from shared.adapters.memory_bucket import MemoryBucket
from shared.commands import Leave, Play, Ready
from shared.events.match import ClockTerms, Terms
from shared.match import demands
from shared.match.timing import CLAIM_AFTER_MS, NEXT_MS
from shared.service import Now
from shared.wire.lobby import OpenTable
from tests.support.ghosts import PERSON, Table, new_table, not_installed
from tests.support.timed import TimedHouse
from tests.support.tournament_house import TournamentHouse

KINDS = ("knock_out", "round_robin", "swiss")
FORFEIT = Terms(absence="forfeit", clock=ClockTerms(kind="move", budget_ms=120_000), cube=False)


@pytest.mark.rule("B16")
@pytest.mark.parametrize("kind", KINDS)
async def test_computers_play_a_whole_tournament(kind: str) -> None:
    house = await TournamentHouse().reborn()
    await house.serving[0].close()
    game = Game(house.matches, MemoryBucket(), Now(), Random(7).randbytes)
    serving = await house.bus.serve(subjects.commands("game"), "game", game.answer)
    ghost = Ghost(house.matches, house.bus, Thinker(load=not_installed))
    await ghost.start()
    tournaments = house.one.tournaments
    consuming = await house.matches.consume(DURABLE, tournaments.on_commit)
    quick = OpenTable(game="hypergammon", cube=False)
    begun = await house.begun(5, kind, table=quick, level=1)
    async with asyncio.timeout(60):
        while (await house.tournament(begun.id)).state != "ended":
            tournaments.due.clear()
            await tournaments.work()
            if (await house.tournament(begun.id)).state != "ended":
                await tournaments.due.wait()
    ended = await house.tournament(begun.id)
    assert ended.cause == "played"
    assert all(game.cause == "played" for m in ended.meetings() for game in m.games)
    for closing in (consuming, serving, ghost):
        await closing.close()


class TestWhatTheGameServiceMakesOfWhoIsNotThere:
    """The words with which it cancels a match are those that the verdict knows."""

    async def table(self, house: TimedHouse) -> Table:
        table = await new_table(house.log, house.bus, (PERSON, PERSON), terms=FORFEIT, rules="gomoku3d")
        await house.at(house.now_ms + 1)
        return table

    async def judged(self, house: TimedHouse, table: Table) -> Verdict | None:
        return verdict(await house.log.read(table.match))

    @pytest.mark.parametrize(("ready", "points"), [((), (0, 0)), ((0,), (2, 0)), ((1,), (0, 2))])
    async def test_not_ready_in_two_minutes(self, ready: tuple[int, ...], points: tuple[int, int]) -> None:
        house = await TimedHouse().open()
        clock = house.clock()
        await clock.start()
        table = await self.table(house)
        for seat in ready:
            await house.accepted(table, seat, Ready())
        assert await self.judged(house, table) is None
        await house.at(house.now_ms + NEXT_MS + CLAIM_AFTER_MS)
        await house.seen()
        assert await self.judged(house, table) == (points, "not_ready")
        await house.close()

    @pytest.mark.rule("B13")
    @pytest.mark.parametrize(("begun", "cause"), [(False, "left"), (True, "annulled")])
    async def test_leaving_before_or_just_after_the_start(self, *, begun: bool, cause: str) -> None:
        house = await TimedHouse().open()
        table = await self.table(house)
        if begun:
            for seat in (0, 1):
                await house.accepted(table, seat, Ready())
            state = await table.state()
            seat = demands(state)[0].seat
            await house.accepted(table, seat, Play(state.rules.legal(state.position, seat)[0]))
        await house.accepted(table, 1, Leave())
        assert await self.judged(house, table) == ((2, 0), cause)
        await house.close()
