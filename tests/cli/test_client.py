"""The example client: luck of one's own, one answer a command, going on after a lost connection."""

import asyncio
from collections.abc import Iterator

import pytest

from services.cli.client import Client, Watched
from shared.commands import Double, Play, Roll
from shared.match import MatchView
from shared.problems import Refused
from tests.support.cluster import Cluster


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with Cluster(tmp_path_factory.mktemp("client"), services=("lobby", "game", "gateway")) as running:
        yield running


async def seated(one: Client, two: Client) -> tuple[str, Watched, Watched]:
    """A match of the two that has begun."""
    await one.rest.register()
    await two.rest.register()
    table = await one.open_table(game="backgammon", target=3)
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
