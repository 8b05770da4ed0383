"""Places of a player's sockets and streams: a newer one takes that of the most silent, dead or alive."""

import asyncio
import sys
from typing import Any

import aiohttp
import msgspec
import pytest

from services.gateway.limits import Limits, Places, Purse
from services.gateway.stream import Reader, Stream
from shared.wire import frames
from tests.support.api import Api, event, eventually
from tests.support.blackhole import Line, deafen
from tests.support.house import ROOMY, House, open_house

on_linux = pytest.mark.skipif(
    sys.platform != "linux", reason="other systems do not tell what was acknowledged"
)


class Tenant:
    """A connection whose silence is a number."""

    def __init__(self, silent_s: float = 0.0) -> None:
        self.silent_s = silent_s
        self.gave_way = False

    def give_way(self) -> None:
        self.gave_way = True


def limits(**changes: Any) -> Limits:
    return msgspec.structs.replace(ROOMY, **changes)


def test_the_most_silent_gives_way_and_its_end_frees_no_place() -> None:
    places = Places(limits(sockets_per_player=3))
    tenants = [Tenant(12), Tenant(15), Tenant(0)]
    assert [places.enter("pa", tenant) for tenant in tenants] == [0, 0, 0]
    newer = Tenant()
    assert places.enter("pa", newer) == 0
    assert [tenant.gave_way for tenant in tenants] == [False, True, False]
    places.leave("pa", tenants[1])  # it is closed only now
    assert places.count("pa") == 3
    for tenant in (tenants[0], tenants[2], newer):
        places.leave("pa", tenant)
    assert places.count("pa") == 0


def test_another_player_has_places_of_his_own() -> None:
    places = Places(limits(sockets_per_player=1))
    one = Tenant(100)
    assert [places.enter("pa", one), places.enter("pb", Tenant())] == [0, 0]
    assert not one.gave_way


def test_any_number_of_dead_ones_give_way_but_living_ones_only_so_often_a_minute() -> None:
    now = 0.0
    places = Places(limits(sockets_per_player=2), clock=lambda: now)
    dead_s = ROOMY.heartbeat_ms / 1_000
    assert [places.enter("pa", Tenant(dead_s)) for _ in range(50)] == [0] * 50
    assert [places.enter("pa", Tenant(1)) for _ in range(2)] == [0, 0]  # the last dead ones
    assert [places.enter("pa", Tenant(1)) for _ in range(2)] == [0, 0]
    refused = Tenant()
    assert places.enter("pa", refused) == pytest.approx(30)
    places.leave("pa", refused)
    assert places.count("pa") == 2
    now += 30
    assert places.enter("pa", Tenant(1)) == 0


async def test_a_player_all_of_whose_sockets_are_dead_has_his_seat_at_once() -> None:
    async with open_house(limits(sockets_per_player=3)) as house, Line(house.running.port) as line:
        player = house.player()
        match = await house.match((player, house.player()))
        there = Api(player.http, line.address, player.token, player.player)
        async with there.socket() as one, there.socket() as two, there.socket() as three:
            for socket in (one, two, three):
                await socket.watch(match)
            await two.command(match, {"type": "ready"}, 1)  # so the first is the most silent
            first = min(house.sockets, key=lambda socket: socket.wire.heard_at)
            line.drop_everything()
            async with player.socket() as fresh:
                assert (await fresh.watch(match))["n"] == 2
                assert (await fresh.command(match, {"type": "set_auto_roll", "on": True}, 2))["n"] == 3
                await eventually(lambda: first not in house.gateway.sockets)  # its end comes later
                assert house.gateway.places.count(player.player) == 3
                assert house.gateway.attendance.has(player.player)
                assert not fresh.closed
                assert (await fresh.command(match, {"type": "set_auto_roll", "on": False}, 3))["n"] == 4


async def test_a_living_client_is_told_that_a_newer_socket_has_its_place() -> None:
    async with open_house(limits(sockets_per_player=1)) as house:
        player = house.player()
        async with player.socket() as old, player.socket() as newer:
            assert await old.close_code() == frames.CLOSE_REPLACED
            await newer.send({"type": "ping"})
            await newer.get(lambda f: f["type"] == "pong")


async def test_clients_that_push_each_other_out_for_ever_are_stopped() -> None:
    async with open_house(limits(sockets_per_player=2)) as house:
        player = house.player()
        async with player.socket() as a, player.socket() as b, player.socket() as c, player.socket() as d:
            assert [await s.close_code() for s in (a, b)] == [frames.CLOSE_REPLACED] * 2
            for _ in range(3):
                async with player.socket() as again:
                    assert await again.close_code() == frames.CLOSE_TOO_MANY
            for served in (c, d):
                await served.send({"type": "ping"})
                await served.get(lambda f: f["type"] == "pong")


def _stream(house: House, who: Api, match: str) -> Any:
    headers = {"Authorization": f"Bearer {who.token}"}
    return house.http.get(f"{house.api.base}/v1/stream?match={match}", headers=headers)


async def _began(stream: aiohttp.ClientResponse) -> None:
    assert [(await event(stream))["event"] for _ in range(2)] == ["watching", "view"]


async def _sign_of_life(stream: aiohttp.ClientResponse) -> None:
    async with asyncio.timeout(5):
        while not (await stream.content.readuntil(b"\n\n")).startswith(b":"):
            pass


async def test_a_stream_whose_place_is_taken_says_so_and_ends() -> None:
    async with open_house(limits(sockets_per_player=1)) as house:
        player = house.player()
        match = await house.match((player, house.player()))
        async with _stream(house, player, match) as stream:
            await _began(stream)
            async with player.socket() as socket:
                refused = msgspec.json.decode((await event(stream))["data"])
                assert (refused["problem"]["code"], "retryable" in refused["problem"]) == ("replaced", False)
                assert await stream.content.read() == b""
                assert not socket.closed


async def test_a_stream_that_has_lost_its_place_before_it_began_ends_with_its_first_views() -> None:
    async with open_house() as house:
        match = await house.match((house.player(), house.player()))
        watches, purse = house.gateway.watches, Purse(house.gateway.buckets.reads, "somebody", 1.0)
        viewer = await watches.enter(match, lambda watch: Stream(watch, ""), purse)
        reader = Reader(None)
        reader.give_way()
        reader.reads(viewer)
        assert b'"code":"replaced"' in (await viewer.next(5) or b"")
        assert await viewer.next(5) is None
        watches.leave(viewer.watch, viewer)


async def test_streams_that_push_each_other_out_for_ever_are_refused() -> None:
    async with open_house(limits(sockets_per_player=1)) as house:
        player = house.player()
        match = await house.match((player, house.player()))
        async with _stream(house, player, match) as first, _stream(house, player, match) as second:
            await _began(first)
            await _began(second)
            async with _stream(house, player, match) as third:
                assert third.status == 429
                assert 50 < int(third.headers["Retry-After"]) <= 60


@on_linux
async def test_streams_that_are_dead_keep_nobody_out() -> None:
    async with open_house(limits(sockets_per_player=2, heartbeat_ms=1_000)) as house:
        player = house.player()
        match = await house.match((player, house.player()))
        async with _stream(house, player, match) as one, _stream(house, player, match) as two:
            for stream in (one, two):
                await _began(stream)
                deafen(stream.connection.transport)
            async with player.socket() as fresh:
                assert (await fresh.watch(match))["n"] == 1
                assert (await fresh.command(match, {"type": "ready"}, 1))["n"] == 2
                await eventually(lambda: not house.gateway.streams)
                assert not fresh.closed


@on_linux
async def test_a_stream_of_which_nothing_is_acknowledged_is_cut_off_and_a_quiet_one_goes_on() -> None:
    async with open_house(limits(heartbeat_ms=400)) as house:
        player, other = house.player(), house.player()
        match = await house.match((player, other))
        async with _stream(house, player, match) as dead, _stream(house, other, match) as quiet:
            for stream in (dead, quiet):
                await _began(stream)
            deafen(dead.connection.transport)
            await eventually(lambda: house.gateway.places.count(player.player) == 0)
            assert house.gateway.places.count(other.player) == 1
            await _sign_of_life(quiet)


@on_linux
async def test_a_stream_that_is_read_does_not_give_way_to_spare_a_silent_socket() -> None:
    """Although nobody sends anything on a stream, and this one is older."""
    async with open_house(limits(sockets_per_player=2, heartbeat_ms=2_000)) as house:
        player = house.player()
        match = await house.match((player, house.player()))
        async with (
            _stream(house, player, match) as stream,
            house.http.ws_connect(f"{house.api.base}/v1/socket", autoping=False) as silent,
        ):
            await _began(stream)
            await silent.send_str(f'{{"type":"auth","token":"{player.token}"}}')
            assert (await silent.receive(5)).type is aiohttp.WSMsgType.TEXT
            for _ in range(2):
                await _sign_of_life(stream)
            async with player.socket():
                kinds = [await silent.receive(5)]
                while kinds[-1].type is aiohttp.WSMsgType.PING:
                    kinds.append(await silent.receive(5))
                assert kinds[-1].data == frames.CLOSE_REPLACED
                await _sign_of_life(stream)
