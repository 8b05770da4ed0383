"""Lines that go dead, sockets, gateways and Valkey that go away: who is away then, and what follows."""

import asyncio
from contextlib import AsyncExitStack
from urllib.parse import urlsplit

import pytest

from shared.adapters.redis_client import connect
from shared.events.match import GameEnded, MatchCancelled, SeatAbsent, SeatGhosted, SeatReturned, Terms
from shared.ports.presence import LEASE_MS
from tests.presence.conftest import HEARTBEAT_MS, Town, now_ms, says, shown
from tests.support.api import Socket
from tests.support.blackhole import Line
from tests.support.servers import free_port

GRACE_MS = 3_000
GHOST = Terms(target=5, absence="ghost", grace_ms=GRACE_MS)
SLACK_MS = 1_500  # looking once a second, and a busy machine


@pytest.mark.rule("S7", "S18")
async def test_a_dead_line_is_seen_as_away_then_a_ghost_plays_and_a_new_socket_has_the_seat_within_a_second(
    town: Town,
) -> None:
    one, two = await town.guests(2)
    port = urlsplit(town.cluster.address).port or 0
    async with Line(port) as line, two.socket() as watching, town.at(one, line.address).socket() as dead:
        match = await town.match([one, two], GHOST)
        await dead.watch(match)
        await watching.watch(match)
        await shown(watching, 0, "here")
        line.drop_everything()
        dropped_ms = now_ms()
        away = await shown(watching, 0, "away")
        assert dropped_ms - HEARTBEAT_MS <= away["since_ms"] <= dropped_ms + 300
        assert now_ms() - dropped_ms < HEARTBEAT_MS + SLACK_MS
        assert (await one.get(f"/v1/matches/{match}")).body["seats"][0]["presence"] == "away"
        ghost = await shown(watching, 0, "ghost")
        assert ghost["since_ms"] == away["since_ms"]
        ((_, absent),) = await town.events(match, SeatAbsent)
        assert absent == SeatAbsent(0, away["since_ms"])
        ((ghosted_ms, _),) = await town.events(match, SeatGhosted)
        assert 0 <= ghosted_ms - away["since_ms"] - GRACE_MS < SLACK_MS
        back_ms = now_ms()
        async with one.socket() as fresh:
            await fresh.watch(match)
            await shown(watching, 0, "here")
            assert now_ms() - back_ms < 1_000
            assert len(await town.events(match, SeatReturned)) == 1


@pytest.mark.rule("B12", "B13")
async def test_in_the_board_house_a_dead_line_before_the_fourth_half_move_annuls(town: Town) -> None:
    one, two = await town.guests(2)
    port = urlsplit(town.cluster.address).port or 0
    async with Line(port) as line, two.socket() as watching, town.at(one, line.address).socket() as dead:
        match = await town.match([one, two], Terms(absence="forfeit", grace_ms=GRACE_MS))
        for socket in (dead, watching):
            await socket.watch(match)
        line.drop_everything()
        await shown(watching, 0, "away")
        await watching.get(lambda f: f["type"] == "ended")
        assert await town.events(match, MatchCancelled) != []
        assert await town.events(match, GameEnded) == []


async def test_the_same_player_on_a_new_socket_wins_over_the_silent_one_at_once(town: Town) -> None:
    one, two = await town.guests(2)
    port = urlsplit(town.cluster.address).port or 0
    async with Line(port) as line, two.socket() as watching, town.at(one, line.address).socket() as dead:
        match = await town.match([one, two], GHOST)
        await dead.watch(match)
        await watching.watch(match)
        line.drop_everything()
        async with one.socket() as fresh:
            await fresh.watch(match)
            turn = await _play_one(fresh, match)
            assert turn is None or turn["type"] == "view"
            await asyncio.sleep((3 * HEARTBEAT_MS + GRACE_MS) / 1000)  # the old one is closed long since
            assert not any(map(says(0, "away"), watching.frames))
            assert await town.events(match, SeatAbsent) == []


async def _play_one(socket: Socket, match: str) -> dict[str, object] | None:
    """A command, if one is asked of this seat."""
    view = socket.views(match)[-1] if socket.views(match) else await socket.get(lambda f: f["type"] == "view")
    if not view["view"]["legal"]:
        return None
    move = {"type": "play", "move": view["view"]["legal"][0]}
    return await socket.command(match, move, view["n"])


async def test_closing_the_first_of_three_sockets_after_the_third_opened_is_nothing(town: Town) -> None:
    one, two = await town.guests(2)
    async with AsyncExitStack() as stack, two.socket() as watching:
        first = await stack.enter_async_context(one.socket())
        for _ in range(2):
            await stack.enter_async_context(one.socket())
        match = await town.match([one, two], GHOST)
        await watching.watch(match)
        await shown(watching, 0, "here")
        await first.ws.close()
        await asyncio.sleep((GRACE_MS + SLACK_MS) / 1000)
        assert not any(map(says(0, "away"), watching.frames))
        assert await town.events(match, SeatAbsent) == []


@pytest.mark.rule("S7", "B12")
async def test_the_death_of_a_gateway_is_nobodys_absence_before_the_full_grace_elsewhere(town: Town) -> None:
    cluster = town.cluster
    port = free_port()
    cluster.start("gateway-2", "gateway", {"KRONIKA_PORT": str(port)})
    try:
        returns, stays, two = await town.guests(3)
        doomed = f"http://127.0.0.1:{port}"
        async with AsyncExitStack() as stack, two.socket() as watching:
            there = [town.at(player, doomed) for player in (returns, stays)]
            for player in there:
                await stack.enter_async_context(player.socket())
            matches = [await town.match([player, two], GHOST) for player in there]
            for match in matches:
                await watching.watch(match)
                await watching.get(says(0, "here"), 0)
            await asyncio.sleep(1)
            cluster.kill("gateway-2")
            dead_ms = now_ms()
            # Later than the grace, were it counted from the death.
            await asyncio.sleep((LEASE_MS + GRACE_MS / 2) / 1000)
            async with returns.socket():
                ghost = await watching.get(lambda f: f.get("match") == matches[1] and says(0, "ghost")(f), 0)
                ((_, absent),) = await town.events(matches[1], SeatAbsent)
                ((ghosted_ms, _),) = await town.events(matches[1], SeatGhosted)
                assert absent.since_ms >= dead_ms + LEASE_MS - SLACK_MS
                assert ghosted_ms >= absent.since_ms + GRACE_MS
                assert ghost["type"] in ("view", "presence")
                await asyncio.sleep(SLACK_MS / 1000)
                assert await town.events(matches[0], SeatAbsent) == []
    finally:
        if cluster.processes["gateway-2"].running:
            cluster.kill("gateway-2")


async def test_an_emptied_valkey_makes_nobody_absent_and_everybody_is_known_again_within_two_seconds(
    town: Town,
) -> None:
    one, two = await town.guests(2)
    redis = connect(town.cluster.valkey.url)
    async with one.socket(), two.socket() as watching:
        match = await town.match([one, two], GHOST)
        await watching.watch(match)
        await shown(watching, 0, "here")
        for _ in range(3):
            await redis.execute_command("FLUSHALL")  # pyright: ignore[reportUnknownMemberType] - redis leaves it untyped
            await asyncio.sleep(0.7)
        await asyncio.sleep(2)
        assert await redis.hlen(f"presence:{one.player}") == 1
        await asyncio.sleep(GRACE_MS / 1000)
        assert await town.events(match, SeatAbsent) == []
        assert not any(map(says(0, "away"), watching.frames))
    await redis.aclose()


async def test_who_left_before_valkey_was_emptied_is_away_from_then_on(town: Town) -> None:
    one, two = await town.guests(2)
    redis = connect(town.cluster.valkey.url)
    async with two.socket() as watching:
        async with one.socket():
            match = await town.match([one, two], GHOST)
            await watching.watch(match)
            await shown(watching, 0, "here")
        await shown(watching, 0, "away")
        await redis.execute_command("FLUSHALL")  # pyright: ignore[reportUnknownMemberType] - as above
        emptied_ms = now_ms()
        await shown(watching, 0, "ghost")
        ((_, absent),) = await town.events(match, SeatAbsent)
        assert emptied_ms <= absent.since_ms <= emptied_ms + 2_000
    await redis.aclose()


@pytest.mark.rule("S7")
async def test_a_clock_service_that_is_killed_and_started_again_still_reports_who_is_away(town: Town) -> None:
    one, two = await town.guests(2)
    async with two.socket() as watching:
        async with one.socket():
            match = await town.match([one, two], GHOST)
            await watching.watch(match)
            await shown(watching, 0, "here")
        town.cluster.kill("clock")
        await shown(watching, 0, "away")
        await asyncio.to_thread(town.cluster.start, "clock")
        started_ms = now_ms()
        await shown(watching, 0, "ghost")
        ((ghosted_ms, _),) = await town.events(match, SeatGhosted)
        assert ghosted_ms >= started_ms + GRACE_MS - SLACK_MS  # he may have come back unseen
