"""What players and spectators are shown of who is there: in every view, and in frames between two views."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import msgspec
import pytest

from shared.adapters.memory_presence import MemoryPresence
from shared.events.match import Seat, Terms
from shared.ports.presence import Sign, Word
from tests.presence.conftest import says, shown
from tests.support.api import Api, Socket
from tests.support.house import ROOMY, House, open_house
from tests.support.player import ready_both

HEARTBEAT_MS = 200


@pytest.fixture
async def house() -> AsyncIterator[House]:
    async with open_house(msgspec.structs.replace(ROOMY, heartbeat_ms=HEARTBEAT_MS)) as opened:
        yield opened


def seat(view: dict[str, Any], number: int) -> tuple[str, int | None]:
    shown_seat = view["seats"][number]
    return shown_seat["presence"], shown_seat["since_ms"]


async def sitting(house: House, *sockets: Socket) -> str:
    match = await house.match([socket.api for socket in sockets])
    for socket in sockets:
        await socket.watch(match)
        await socket.view(match, 1)
    return match


@pytest.mark.rule("B12", "S7")
async def test_every_view_says_who_is_there_and_a_frame_what_changes(house: House) -> None:
    one, two, third = (house.player() for _ in range(3))
    async with one.socket() as first, third.socket() as spectator:
        async with two.socket() as second:
            match = await sitting(house, first, second)
            assert seat(await first.view(match, 1), 1) == ("here", None)
            await spectator.watch(match)
            await ready_both(match, first, second)
        for watching in (first, spectator):
            frame = await watching.get(lambda f: f["type"] == "presence")
            assert (frame["match"], frame["seat"], frame["state"]) == (match, 1, "away")
            assert 0 <= house.now.now_ms() - frame["since_ms"] < 2_000
        since_ms = frame["since_ms"]
        assert seat((await third.get(f"/v1/matches/{match}")).body, 1) == ("away", since_ms)
        assert seat((await third.get(f"/v1/matches/{match}?n=1")).body, 1) == ("unknown", None)
        late = await spectator_of(third, match)
        assert seat(late, 1) == ("away", since_ms)
        async with two.socket():
            assert await shown(first, 1, "here")


async def spectator_of(who: Api, match: str) -> dict[str, Any]:
    """What one sees who comes now."""
    async with who.socket() as socket:
        await socket.watch(match)
        frame = await socket.get(lambda f: f["type"] == "view")
        view: dict[str, Any] = frame["view"]
        return view


async def test_who_resumes_without_having_missed_a_view_is_told_who_is_there(house: House) -> None:
    one, two = house.player(), house.player()
    async with one.socket() as first, two.socket() as second:
        match = await sitting(house, first, second)
        async with one.socket() as again:
            assert (await again.watch(match, 1))["outcome"] == "current"
            for number in (0, 1):
                assert await shown(again, number, "here")
            assert again.views(match) == []


async def test_a_presence_on_another_gateway_is_shown_within_a_second_or_so(house: House) -> None:
    one, two = house.player(), house.player()
    other = MemoryPresence(house.presence, "g2")
    async with one.socket() as first:
        match = await house.match([one, two])
        await first.watch(match)
        assert seat(await first.view(match, 1), 1) == ("unknown", None)
        await other.say([Sign(two.player, Word.HERE)])
        assert await shown(first, 1, "here")
        await other.say([Sign(two.player, Word.AWAY, 5)])
        assert (await shown(first, 1, "away"))["since_ms"] == 5


async def test_a_silent_socket_is_away_since_it_was_last_heard_and_here_again_when_it_speaks(
    house: House,
) -> None:
    one, two = house.player(), house.player()
    async with (
        one.socket() as first,
        house.http.ws_connect(f"{house.api.base}/v1/socket", autoping=False) as ws,
    ):
        await ws.send_str(f'{{"type":"auth","token":"{two.token}"}}')
        match = await house.match([one, two])
        await first.watch(match)
        assert await shown(first, 1, "here")
        heard_ms = house.now.now_ms()
        away = await shown(first, 1, "away")
        assert away["since_ms"] <= heard_ms + 50
        await ws.send_str('{"type":"ping"}')
        assert await shown(first, 1, "here")


async def test_who_only_watches_is_not_there(house: House) -> None:
    one, two = house.player(), house.player()
    screen = house.player(("watch",), name=two.player)
    async with one.socket() as first, screen.socket() as second:
        match = await house.match([one, two])
        await second.watch(match)
        await first.watch(match)
        assert seat(await first.view(match, 1), 1) == ("unknown", None)
        await second.send({"type": "auth", "token": two.token})  # a token with which he may play
        assert await shown(first, 1, "here")


async def test_a_command_over_rest_is_presence(house: House) -> None:
    one, two = house.player(), house.player()
    async with one.socket() as first:
        match = await house.match([one, two])
        await first.watch(match)
        ready = {"expected": 1, "command": {"type": "ready"}}
        assert (await two.post(f"/v1/matches/{match}/commands", ready)).status == 200
        assert await shown(first, 1, "here")


async def test_the_computers_seat_says_so(house: House) -> None:
    one = house.player()
    async with one.socket() as first:
        computer = house.player()
        seats = (Seat(one.player), Seat(computer.player, bot=True))
        match = await house.match([one, computer], Terms(), seats=seats)
        await first.watch(match)
        assert seat(await first.view(match, 1), 1) == ("computer", None)


async def test_a_stream_is_told_too_and_is_no_presence_itself(house: House) -> None:
    one, two = house.player(), house.player()
    async with one.socket():
        match = await house.match([one, two])
        url = f"{house.api.base}/v1/stream?match={match}"
        headers = {"Authorization": f"Bearer {two.token}"}
        async with house.http.get(url, headers=headers) as stream:
            block = b""
            for _ in range(3):
                block = await stream.content.readuntil(b"\n\n")
            assert b'"presence":"unknown"' in block
            async with two.socket():
                async with asyncio.timeout(5):
                    while b"event: presence" not in block:
                        block = await stream.content.readuntil(b"\n\n")
                assert b'"seat":1,"state":"here"' in block


async def test_without_the_store_our_own_players_are_here_and_nothing_is_claimed_of_others(
    house: House,
) -> None:
    one, two = house.player(), house.player()
    house.presence.reachable = False
    async with one.socket() as first, two.socket():
        match = await house.match([one, two])
        await first.watch(match)
        view = await first.view(match, 1)
        assert [seat(view, number) for number in (0, 1)] == [("here", None)] * 2
    assert not any(map(says(1, "away"), first.frames))


async def test_a_move_asks_the_store_nothing(house: House) -> None:
    one, two = house.player(), house.player()
    async with one.socket() as first, two.socket() as second:
        match = await sitting(house, first, second)
        before = house.presence.asked
        for on in (True, False) * 10:
            n = first.views(match)[-1]["n"]
            await first.command(match, {"type": "set_auto_roll", "on": on}, n)
        assert house.presence.asked - before <= 4  # what a second costs anyway
