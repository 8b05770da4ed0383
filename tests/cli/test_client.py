"""The example client: luck of one's own, one answer a command, going on after a lost connection."""

import asyncio
from collections.abc import Iterator
from contextlib import AsyncExitStack

import pytest

from services.cli.client import Client, Watched
from shared import clocks
from shared.commands import Double, Leave, Play, Roll, SetAutoRoll
from shared.match import MatchView
from shared.problems import Refused
from shared.wire.lobby import OpenTable
from tests.support.cluster import Cluster
from tests.support.running import program


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    environment = {"KRONIKA_LIMIT_SOCKETS_PER_PLAYER": "1"}
    directory = tmp_path_factory.mktemp("client")
    with Cluster(directory, services=("lobby", "game", "gateway"), environment=environment) as running:
        yield running


THREE_POINTS = OpenTable(game="backgammon", target=3)
BLITZ = OpenTable(game="backgammon", clock="blitz", flag="kick", absence="ghost", grace_ms=60_000)


async def seated(one: Client, two: Client, wish: OpenTable = THREE_POINTS) -> tuple[str, Watched, Watched]:
    """A match of the two that has begun."""
    await one.rest.register()
    await two.rest.register()
    table = await one.open_table(wish)
    await two.join(table.id)
    match = await one.match_of(table.id)
    watched = await one.watch(match), await two.watch(match)
    await asyncio.gather(one.ready(match), two.ready(match))
    await asyncio.gather(*(w.until(lambda v: v.phase == "playing") for w in watched))
    return match, *watched


def to_play(view: MatchView) -> int:
    """The seat that must play or roll now."""
    return view.decide[0].seat


async def test_luck_is_committed_and_revealed_unasked(cluster: Cluster) -> None:
    async with Client(cluster.address) as one, Client(cluster.address) as two:
        _, watched, _ = await seated(one, two)
        view = watched.view
        assert view is not None
        assert [len(text) for text in view.fairness.hashes + view.fairness.strings] == [64] * 4
        assert len(set(view.fairness.strings)) == 2


async def test_every_command_has_one_answer(cluster: Cluster) -> None:
    async with Client(cluster.address) as one, Client(cluster.address) as two:
        match, watched, other = await seated(one, two)
        view = watched.view
        assert view is not None
        seat = to_play(view)
        mover, waiter = ((one, watched), (two, other)) if seat == 0 else ((two, other), (one, watched))
        with pytest.raises(Refused) as caught:
            await waiter[0].command(match, Roll())
        assert caught.value.problem.code in {"not_your_turn", "wrong_phase"}
        seen = mover[1].view
        assert seen is not None
        legal = seen.legal
        assert legal
        n = await mover[0].command(match, Play(legal[0]))
        after = await waiter[1].until(lambda v: v.n >= n)
        assert after.last.seat == seat
        with pytest.raises(Refused) as caught:
            await mover[0].command(match, Double())
        assert caught.value.problem.code == "not_your_turn"


async def test_a_killed_gateway_costs_nothing_and_nothing_happens_twice(cluster: Cluster) -> None:
    async with Client(cluster.address) as one, Client(cluster.address) as two:
        match, watched, other = await seated(one, two)
        clients, views = (one, two), (watched, other)
        turns = 0
        while turns < 12:
            view = await watched.until(lambda v: v.n >= max(watched.n, other.n))
            seat = to_play(view)
            mine = await views[seat].until(lambda v, n=view.n: v.n >= n)
            move = Play(mine.legal[0]) if mine.legal else Roll()
            if turns in {3, 8}:
                cluster.kill("gateway")
                asking = asyncio.create_task(clients[seat].command(match, move))
                await asyncio.to_thread(cluster.start, "gateway")
                n = await asking
            else:
                n = await clients[seat].command(match, move)
            assert n == view.n + 1
            await asyncio.gather(*(w.until(lambda v, n=n: v.n >= n) for w in views))
            turns += 1


async def test_a_table_is_opened_with_clock_flag_absence_and_grace(cluster: Cluster) -> None:
    async with Client(cluster.address) as one:
        await one.rest.register()
        terms = (await one.open_table(BLITZ)).terms
        assert terms.clock == clocks.BLITZ
        assert (terms.flag, terms.absence, terms.grace_ms) == ("kick", "ghost", 60_000)
        with pytest.raises(Refused, match="invalid_options"):
            await one.open_table(OpenTable(game="backgammon", clock="sundial"))


async def test_a_view_shows_who_went_away_since(cluster: Cluster) -> None:
    async with Client(cluster.address) as one:
        async with Client(cluster.address) as two:
            _, watched, _ = await seated(one, two, BLITZ)
            here = await watched.until(lambda v: v.seats[1].presence == "here")
        async with asyncio.timeout(10):
            away = await watched.until(lambda v: v.seats[1].presence == "away")
        assert away.n == here.n, "nothing happened in the match"
        assert away.seats[1].since_ms is not None


async def test_a_client_whose_place_a_newer_socket_has_does_not_come_back(cluster: Cluster) -> None:
    async with Client(cluster.address) as one, Client(cluster.address) as two:
        match, watched, _ = await seated(one, two)
        async with Client(cluster.address) as newer:
            newer.rest.session = one.rest.session
            again = await newer.watch(match)
            async with asyncio.timeout(10):
                with pytest.raises(Refused, match="replaced"):
                    await watched.until(lambda _: False)
            for ask in (one.command(match, Roll()), one.watch(match), one.watch("another")):
                with pytest.raises(Refused, match="replaced"):
                    await ask
            n = await newer.command(match, SetAutoRoll(on=True))
            await again.until(lambda v: v.n >= n)


async def test_a_match_is_watched_live_with_its_clocks_and_who_is_away(cluster: Cluster) -> None:
    async with Client(cluster.address) as one, AsyncExitStack() as line:
        two = await line.enter_async_context(Client(cluster.address))
        match, watched, _ = await seated(one, two, BLITZ)
        await watched.until(lambda v: v.seats[1].presence == "here")
        asked = ("replay", match, "--live", "--url", cluster.address)
        async with program("-m", "services.cli", *asked) as replay:
            await replay.says("0:30 running")
            await line.aclose()
            assert "pips" in await replay.says("away since")
            await one.command(match, Leave())
            await replay.says("Seat 0 left.")
            assert await replay.ends() == 0


async def test_watching_live_what_is_no_match_is_told_in_one_sentence(cluster: Cluster) -> None:
    async with program(
        "-m", "services.cli", "replay", "mnothing", "--live", "--url", cluster.address
    ) as replay:
        assert await replay.ends() == 1
        assert replay.lines == ["mnothing: There is no such match.\n"]
