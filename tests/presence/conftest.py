"""What the tests of presence share: all services as processes, and matches of people on them."""

import time
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import aiohttp
import msgspec
import pytest

from shared.adapters.nats_log import NatsLog
from shared.commands import CreateMatch
from shared.events.codec import decode_match
from shared.events.match import MatchEvent, Seat, Terms
from shared.ids import new_id
from shared.subjects import command as command_subject
from shared.wire.match import COMMAND_ANSWER, Accepted, CommandRequest
from tests.support.api import Api, Frame, Socket
from tests.support.cluster import Cluster

HEARTBEAT_MS = 1_000


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """Everything, with a short heartbeat; a test may kill what it starts again."""
    services = ("lobby", "game", "clock", "ghost", "gateway")
    environment = {"KRONIKA_LIMIT_HEARTBEAT_MS": str(HEARTBEAT_MS)}
    directory = tmp_path_factory.mktemp("presence-cluster")
    with Cluster(directory, services=services, environment=environment) as running:
        yield running


@pytest.fixture
async def http() -> AsyncIterator[aiohttp.ClientSession]:
    """An HTTP client."""
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:
        yield session


@dataclass
class Town:
    """A cluster and its people."""

    cluster: Cluster
    api: Api
    matches: list[str] = field(default_factory=list[str])

    async def guests(self, count: int) -> list[Api]:
        """New players."""
        return [await self.api.guest() for _ in range(count)]

    def at(self, who: Api, address: str) -> Api:
        """The same player through another address."""
        return Api(who.http, address, who.token, who.player)

    async def match(self, players: list[Api], terms: Terms) -> str:
        """A match that has begun: both are ready."""
        match = new_id("m")
        made = CreateMatch(
            rules="backgammon", rules_version=1, seats=tuple(Seat(p.player) for p in players), terms=terms
        )
        request = msgspec.json.encode(CommandRequest(id="create", command=made))
        async with self.cluster.nats.broker("lobby") as lobby:
            answer = await lobby.request(command_subject("lobby", "game", match), request, 5_000)
        assert isinstance(COMMAND_ANSWER.decode(answer), Accepted), answer
        for player in players:
            n = (await player.get(f"/v1/matches/{match}")).body["n"]
            ready = await player.post(
                f"/v1/matches/{match}/commands", {"expected": n, "command": {"type": "ready"}}
            )
            assert ready.status == 200, ready
        return match

    async def events(self, match: str, kind: type[MatchEvent]) -> list[tuple[int, Any]]:
        """When (``at_ms``) and what: the match's events of a kind."""
        async with self.cluster.nats.broker("audit") as audit:
            stored = await NatsLog(audit, "GAMES").read(match)
        commits = [decode_match(line) for line in stored]
        return [(c.at_ms, event) for c in commits for event in c.events if isinstance(event, kind)]


@pytest.fixture
def town(cluster: Cluster, http: aiohttp.ClientSession) -> Town:
    """The people of this module's cluster."""
    return Town(cluster, Api(http, cluster.address))


def now_ms() -> int:
    return time.time_ns() // 1_000_000


def says(seat: int, state: str) -> Callable[[Frame], bool]:
    """A ``presence`` frame, or a view, that shows ``seat`` so."""

    def wanted(frame: Frame) -> bool:
        if frame["type"] == "presence":
            return frame["seat"] == seat and frame["state"] == state
        return frame["type"] == "view" and frame["view"]["seats"][seat]["presence"] == state

    return wanted


async def shown(socket: Socket, seat: int, state: str) -> Frame:
    """The next frame that shows ``seat`` so: its state and since when."""
    frame = await socket.get(says(seat, state))
    return frame if frame["type"] == "presence" else frame["view"]["seats"][seat]
