"""Tournaments of our computers on real servers, over the API, with every service a process of its own."""

import asyncio
from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree as ET

import aiohttp
import pytest

from services.gateway.routes.tournaments import ROUTES
from shared import tokens
from tests.support.api import Api
from tests.support.cluster import Cluster
from tests.support.servers import NatsServer, ValkeyServer

SERVICES = ("lobby", "game", "ghost", "tournament", "gateway")
KINDS = ("knock_out", "round_robin", "swiss")
QUICK = {"game": "hypergammon", "cube": False}
WORDS = {"KRONIKA_CZECH_WORDS": "own"}  # no list of three million for a game that nobody plays here
_LOOK_S = 0.2


@pytest.fixture(scope="module")
def cluster(
    tmp_path_factory: pytest.TempPathFactory, nats_server: NatsServer, valkey_server: ValkeyServer
) -> Iterator[Cluster]:
    """All services that a tournament of computers needs."""
    directory = tmp_path_factory.mktemp("tournaments")
    with Cluster(
        directory, services=SERVICES, environment=WORDS, nats=nats_server, valkey=valkey_server
    ) as running:
        yield running


@pytest.fixture
async def organiser(cluster: Cluster, http: aiohttp.ClientSession) -> Api:
    """A guest with the operator's key."""
    return await Api(http, cluster.address).guest(bot_key=cluster.key(tokens.BOT_FILE))


async def begun(organiser: Api, **wish: Any) -> str:
    """A tournament that has begun; its id."""
    opened = await organiser.post("/v1/tournaments", {"table": QUICK, "level": 1, **wish})
    assert opened.status == 201, opened
    started = await organiser.post(f"/v1/tournaments/{opened.body['id']}/start")
    assert started.status == 200, started
    return str(opened.body["id"])


async def ended(api: Api, tournament: str, within_s: float) -> Any:
    """The tournament once it is over."""
    async with asyncio.timeout(within_s):
        while True:
            found = await api.get(f"/v1/tournaments/{tournament}")
            assert found.status == 200, found
            if found.body["state"] == "ended":
                return found.body
            await asyncio.sleep(_LOOK_S)


@pytest.mark.rule("B16")
async def test_a_tournament_of_computers_over_the_api(organiser: Api) -> None:
    """From its opening to standings and pictures; its matches are ordinary ones, open to anyone."""
    tournament = await begun(organiser, title="<Cup>", computers=4, kind="knock_out")
    late = await organiser.post(f"/v1/tournaments/{tournament}/join")
    assert (late.status, late.code) == (409, "tournament_started")
    over = await ended(organiser, tournament, 120)
    assert (over["cause"], len(over["rounds"]), len(over["winners"])) == ("played", 2, 1)
    names = {entrant["player"]: entrant["nickname"] for entrant in over["entrants"]}
    assert sorted(names.values()) == [f"Computer {number}" for number in range(1, 5)]
    for paired in over["rounds"]:
        for meeting in paired["meetings"]:
            match = await organiser.get(f"/v1/matches/{meeting['games'][0]['match']}")
            seats = [meeting["first"], meeting["second"]]
            assert match.body["result"]["winner"] == seats.index(meeting["winner"])
    standings = await organiser.get(f"/v1/tournaments/{tournament}/standings")
    assert [line["place"] for line in standings.body["lines"]] == [1, 2, 3, 3]
    assert standings.body["lines"][0]["player"] == over["winners"][0]
    picture = await organiser.get(f"/v1/tournaments/{tournament}/table.svg")
    assert picture.headers["Content-Type"].startswith("image/svg+xml")
    texts = [node.text for node in ET.fromstring(picture.text).iter("{http://www.w3.org/2000/svg}text")]  # noqa: S314 - our own
    assert texts[0] == "<Cup>: 4 players, knock-out"
    assert texts.count(names[over["winners"][0]]) == 3, "in both rounds, and as the winner"
    listed = await organiser.get(f"/v1/tournaments?state=ended&player={over['winners'][0]}")
    assert tournament in [line["id"] for line in listed.body["tournaments"]]


async def test_what_is_refused_is_what_the_specification_says(organiser: Api) -> None:
    known = {route.path: route.refusals for route in ROUTES if route.method == "POST"}
    opened = await organiser.post("/v1/tournaments", {"table": QUICK})
    path = f"/v1/tournaments/{opened.body['id']}"
    for what, code in (
        ("/withdraw", "not_joined"),
        ("/start", "too_few_players"),
    ):
        refused = await organiser.post(path + what)
        assert refused.code == code
        assert code in known[f"/v1/tournaments/{{id}}{what}"]
    assert (await organiser.post("/v1/tournaments", {"table": {"game": "quoits"}})).code == "unknown_game"
    assert (await organiser.post("/v1/tournaments", {"table": QUICK, "rouns": 3})).code == "invalid"
    assert (await organiser.get("/v1/tournaments/knobody00")).code == "unknown_tournament"
    assert (await organiser.get("/v1/tournaments/no")).code == "unknown_tournament"
    assert (await organiser.get("/v1/tournaments?limit=101")).code == "invalid"


@pytest.mark.nightly
@pytest.mark.rule("B16")
@pytest.mark.parametrize("kind", KINDS)
async def test_whole_tournaments_of_each_kind_with_the_service_killed_in_between(
    cluster: Cluster, organiser: Api, kind: str
) -> None:
    ids = [await begun(organiser, computers=ghosts, kind=kind) for ghosts in (5, 8, 13)]
    for _ in range(3):
        await asyncio.sleep(2)  # at whatever it is about to do
        await asyncio.to_thread(cluster.kill, "tournament")
        await asyncio.to_thread(cluster.bring_back, "tournament")
    for tournament in ids:
        over = await ended(organiser, tournament, 1_800)
        assert over["cause"] == "played"
        pairs = [{m["first"], m["second"]} for r in over["rounds"] for m in r["meetings"]]
        assert kind == "knock_out" or all(pairs.count(pair) == 1 for pair in pairs)


@pytest.mark.nightly
@pytest.mark.parametrize("kind", ["swiss", "knock_out"])
async def test_sixty_four_on_real_servers(organiser: Api, kind: str) -> None:
    over = await ended(organiser, await begun(organiser, computers=64, kind=kind), 1_800)
    assert (over["cause"], len(over["rounds"]), len(over["winners"])) == ("played", 6, 1)
    pairs = [frozenset((m["first"], m["second"])) for r in over["rounds"] for m in r["meetings"]]
    assert len(pairs) == len(set(pairs)) == (63 if kind == "knock_out" else 192)
