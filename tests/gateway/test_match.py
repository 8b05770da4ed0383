"""Whole matches over real sockets: two clients, a spectator, every commit seen by all as it must be."""

import random
from typing import Any

import pytest

from tests.support.api import Api, Socket
from tests.support.player import play_match, ready_both


@pytest.mark.rule("S5", "S14")
async def test_two_clients_play_a_whole_match(api: Api) -> None:
    one, two, guest = await api.guest(), await api.guest(), await api.guest()
    match = await one.match_with(two, target=2)
    async with one.socket() as first, two.socket() as second, guest.socket() as watcher:
        for socket in (first, second, watcher):
            assert (await socket.watch(match))["outcome"] == "reset"
        await ready_both(match, first, second)
        result = await play_match(match, (first, second), random.Random(1))
        assert max(result["score"]) >= 2
        assert result["winner"] == result["score"].index(max(result["score"]))
        for socket in (first, second, watcher):
            ended = await socket.get(lambda f: f["type"] == "ended")
            assert ended["result"] == result
            numbers = [frame["n"] for frame in socket.views(match)]
            assert numbers == list(range(numbers[0], ended["n"] + 1))
        assert_views_of(first, 0)
        assert_views_of(second, 1)
        assert_views_of(watcher, None)


def assert_views_of(socket: Socket, seat: int | None) -> None:
    views: list[dict[str, Any]] = [f["view"] for f in socket.frames if f["type"] == "view"]
    assert {view["seat"] for view in views} == {seat}
