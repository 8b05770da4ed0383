"""A player whose connection breaks at every commit plays a whole match, and misses nothing."""

import random
from typing import Any

import aiohttp
import pytest

from tests.support.api import Api, Socket
from tests.support.cluster import Cluster
from tests.support.player import choose, ready_both


def views(socket: Socket, match: str) -> list[tuple[int, str]]:
    """The views that came, as they came, without the name of the command that they answer."""
    frames = zip(socket.frames, socket.raw, strict=True)
    return [
        (frame["n"], raw.partition(',"command":"')[0] if "command" in frame else raw[:-1])
        for frame, raw in frames
        if frame["type"] == "view" and frame["match"] == match
    ]


@pytest.mark.rule("S14")
async def test_who_comes_back_at_every_commit_sees_what_who_stayed_saw(
    cluster: Cluster, http: aiohttp.ClientSession
) -> None:
    """He gives his own moves over sockets that end with them; the opponent moves while he is away."""
    api = Api(http, cluster.address)
    one, two = await api.guest(), await api.guest()
    match = await one.match_with(two)
    dice = random.Random(6)
    seen: list[tuple[int, str]] = []
    async with one.socket() as staying, two.socket() as opponent:
        for socket in (staying, opponent):
            await socket.watch(match)
        await ready_both(match, staying, opponent)
        n = opponent.views(match)[-1]["n"]
        view: dict[str, Any] = {"result": None}
        while view["result"] is None:
            async with one.socket() as back:
                after = seen[-1][0] if seen else None
                watching = await back.watch(match, after)
                missed = "current" if after == n else "newer"
                assert watching["outcome"] == (missed if seen else "reset")
                if after != n:
                    view = await back.view(match, n)
                command = await choose(back, view, dice, 0.0)
                if command is not None:
                    answer = await back.command(match, command, n)
                    assert answer["type"] == "view", answer
                    n, view = answer["n"], answer["view"]
                seen += views(back, match)
            theirs = await choose(opponent, await opponent.view(match, n), dice, 0.0)
            if theirs is not None:
                n = (await opponent.command(match, theirs, n))["n"]
        await staying.get(lambda f: f["type"] == "ended", 0)
        stayed = dict(views(staying, match))
    numbers = [at for at, _ in seen]
    assert len(numbers) > 50
    assert numbers == list(range(numbers[0], n + 1))
    assert all(stayed[at] == raw for at, raw in seen)
