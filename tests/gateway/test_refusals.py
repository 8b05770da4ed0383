"""What bad input gets: a clear refusal with a stable code, and nothing written."""

import asyncio
import random
from collections.abc import AsyncIterator
from typing import Any, Final

import aiohttp
import msgspec
import pytest

from shared.events.match import Terms
from shared.match.deciding import SWITCHES
from shared.wire import frames
from tests.support.api import Api, Socket, answers, eventually, key
from tests.support.hidden_hand import HiddenHand, hidden_hand
from tests.support.house import House, open_house
from tests.support.player import play_match, ready_both

__all__ = ["hidden_hand"]  # a fixture


@pytest.fixture
async def house() -> AsyncIterator[House]:
    async with open_house() as opened:
        yield opened


class Sitting:
    """A started match with both sockets; ``mover`` is to move at commit ``n``."""

    def __init__(self, match: str, sockets: tuple[Socket, Socket], views: list[dict[str, Any]]) -> None:
        self.match = match
        self.sockets = sockets
        self.n: int = views[0]["n"]
        seat = next(i for i, view in enumerate(views) if view["may"] and "play" in view["may"])
        self.mover, self.other = sockets[seat], sockets[1 - seat]
        self.view = views[seat]

    @property
    def legal(self) -> str:
        """A move that the mover may make."""
        move: str = self.view["legal"][0]
        return move


async def sit(house: House, one: Socket, two: Socket, players: tuple[Api, Api], **more: Any) -> Sitting:
    match = await house.match(players, **more)
    for socket in (one, two):
        await socket.watch(match)
        await socket.view(match, 1)
    await ready_both(match, one, two)
    n = max(f["n"] for f in one.views(match))
    return Sitting(match, (one, two), [await s.view(match, n) for s in (one, two)])


def code(frame: dict[str, Any]) -> str:
    assert frame["type"] == "refused", frame
    return str(frame["problem"]["code"])


async def test_bad_commands_are_refused_and_nothing_is_written(house: House) -> None:
    players = (house.player(), house.player())
    stranger = house.player()
    async with players[0].socket() as one, players[1].socket() as two, stranger.socket() as third:
        sitting = await sit(house, one, two, players)
        match, n, mover, other = sitting.match, sitting.n, sitting.mover, sitting.other
        move = {"type": "play", "move": sitting.legal}
        before = await house.log.read(match)

        async def refused(socket: Socket, command: Any, expected: int | None = n) -> str:
            return code(await socket.command(match, command, expected))

        assert await refused(mover, {"type": "play", "move": "24/1 24/1"}) == "illegal_move"
        assert await refused(mover, {"type": "play", "move": "castle"}) == "unreadable_move"
        assert await refused(other, move) == "not_your_turn"
        assert await refused(third, move) == "not_your_seat"
        assert await refused(mover, move, None) == "expected_required"
        assert await refused(mover, move, n - 1) == "stale"
        assert await refused(mover, move, n + 1) == "expected_ahead"
        assert await refused(mover, {"type": "take"}) == "nothing_offered"
        assert await refused(mover, {"type": "fly"}) == "unknown_command"
        assert await refused(mover, {"type": "create_match"}) == "unknown_command"
        assert await refused(mover, {"type": "play"}) == "invalid"
        assert await refused(mover, {"type": "play", "move": 7}) == "invalid"
        assert await refused(mover, "play") == "invalid"
        assert await refused(mover, {"type": "roll", "dice": [6, 6]}) in ("dice_not_accepted", "wrong_phase")
        unknown = await mover.command("m" * 25, move, n)
        assert code(unknown) == "unknown_match"
        assert code(await mover.command("../../etc", move, n)) == "unknown_match"
        assert code(await mover.command(f"{match}\n", move, n)) == "unknown_match"
        assert code(await mover.command(match, move, n, "a-line-feed\n")) == "invalid"
        assert await house.log.read(match) == before
        accepted = await mover.command(match, move, n)
        assert (accepted["type"], accepted["n"]) == ("view", n + 1)


async def test_a_refusal_carries_the_current_n(house: House) -> None:
    players = (house.player(), house.player())
    async with players[0].socket() as one, players[1].socket() as two:
        sitting = await sit(house, one, two, players)
        frame = await sitting.mover.command(sitting.match, {"type": "play", "move": sitting.legal}, 1)
        assert (code(frame), frame["problem"]["n"]) == ("stale", sitting.n)


@pytest.mark.rule("S6", "N10")
async def test_no_doubling_in_the_crawford_game(house: House) -> None:
    players = (house.player(), house.player())
    async with players[0].socket() as one, players[1].socket() as two:
        sitting = await sit(house, one, two, players, terms=Terms(target=2))
        match, n = sitting.match, sitting.n
        await sitting.mover.command(match, {"type": "resign", "confirm": True}, n)
        between = await sitting.other.command(match, {"type": "accept_resignation"}, n + 1)
        assert sorted(between["view"]["score"]) == [0, 1]
        for socket in sitting.sockets:
            n = len(await house.log.read(match))
            await socket.command(match, {"type": "next"}, n)
        n = len(await house.log.read(match))
        views = [await socket.view(match, n) for socket in sitting.sockets]
        assert views[0]["crawford"]
        turn = next(seat for seat, view in enumerate(views) if "roll" in view["may"])
        assert code(await sitting.sockets[turn].command(match, {"type": "double"}, n)) == "crawford"
        assert (await sitting.sockets[turn].command(match, {"type": "roll"}, n))["type"] == "view"


async def test_a_command_after_the_end_is_refused(house: House) -> None:
    players = (house.player(), house.player())
    async with players[0].socket() as one, players[1].socket() as two:
        sitting = await sit(house, one, two, players)
        await play_match(sitting.match, sitting.sockets, random.Random(2))
        n = len(await house.log.read(sitting.match))
        assert code(await one.command(sitting.match, {"type": "roll"}, n)) == "match_over"
        assert len(await house.log.read(sitting.match)) == n


@pytest.mark.parametrize("burst", ["same id", "three ids", "no expected"])
async def test_three_resignations_in_a_burst_end_one_game_once(house: House, burst: str) -> None:
    players = (house.player(), house.player())
    async with players[0].socket() as one, players[1].socket() as two:
        sitting = await sit(house, one, two, players, terms=Terms(target=5))
        match, n = sitting.match, sitting.n
        ids = [key()] * 3 if burst == "same id" else [key() for _ in range(3)]
        for name in ids:
            frame: dict[str, Any] = {"type": "command", "id": name, "match": match}
            frame["command"] = {"type": "resign", "confirm": True}
            await sitting.mover.send(frame | ({} if burst == "no expected" else {"expected": n}))
        await eventually(lambda: len(_answered(sitting.mover, ids)) == 3)
        got = _answered(sitting.mover, ids)
        kinds = [f["type"] if f["type"] != "refused" else f["problem"]["code"] for f in got]
        expected = {
            "same id": [["view", "accepted", "accepted"]],
            "three ids": [["view", second, third] for second in REFUSALS for third in REFUSALS],
            "no expected": [["expected_required"] * 3],
        }[burst]
        assert kinds in expected
        if burst != "no expected":
            offered = await sitting.other.view(match, n + 1)
            assert offered["resignation"]["seat"] is not None
            accepted = await sitting.other.command(match, {"type": "accept_resignation"}, n + 1)
            assert accepted["view"]["phase"] == "between"
            assert accepted["view"]["score"] != [0, 0]
            for socket in sitting.sockets:
                newest = (await socket.view(match, len(await house.log.read(match))))["n"]
                assert (await socket.command(match, {"type": "next"}, newest))["type"] == "view"
            # the burst again, late: the next game is untouched
            before = await house.log.read(match)
            for name in ids:
                again = await sitting.mover.command(match, {"type": "resign", "confirm": True}, n, name)
                assert again["type"] in ("accepted", "refused")
            assert await house.log.read(match) == before


REFUSALS = ("wrong_phase", "stale", "not_your_turn", "resignation_unavailable")


def _answered(socket: Socket, ids: list[str]) -> list[dict[str, Any]]:
    return [f for f in socket.frames if any(answers(f, name) for name in set(ids))]


async def test_a_flood_of_the_opponents_side_commands_does_not_make_a_move_stale(house: House) -> None:
    players = (house.player(), house.player())
    async with players[0].socket() as one, players[1].socket() as two:
        sitting = await sit(house, one, two, players)
        for i in range(SWITCHES):
            n = len(await house.log.read(sitting.match))
            command = {"type": "set_auto_roll", "on": i % 2 == 0}
            assert (await sitting.other.command(sitting.match, command, n))["type"] == "view"
        move = {"type": "play", "move": sitting.legal}
        frame = await sitting.mover.command(sitting.match, move, sitting.n)
        assert frame["type"] == "view", frame


async def test_an_id_with_another_body_is_refused(house: House) -> None:
    players = (house.player(), house.player())
    async with players[0].socket() as one, players[1].socket() as two:
        sitting = await sit(house, one, two, players)
        move = {"type": "play", "move": sitting.legal}
        first = await sitting.mover.command(sitting.match, move, sitting.n, "click")
        again = await sitting.mover.command(sitting.match, move, sitting.n, "click")
        other = await sitting.mover.command(sitting.match, {"type": "roll"}, sitting.n, "click")
        assert first["type"] == "view"
        assert (again["type"], again["n"]) == ("accepted", first["n"])
        assert code(other) == "id_reused"


@pytest.mark.parametrize(
    "sent",
    [
        "{",
        '{"type":"command"}',
        "[]",
        '{"type":"dance"}',
        "null",
        '{"a":' * 3000,
        "\udc80".encode("utf-8", "surrogatepass"),
    ],
)
async def test_malformed_frames_are_refused_and_repeated_ones_close_the_socket(
    house: House, sent: str | bytes
) -> None:
    async with house.player().socket() as socket:
        await socket.send(sent)
        assert code(await socket.get(lambda f: f["type"] == "refused")) in ("malformed", "invalid")
        assert not socket.closed
        for _ in range(4):
            await socket.send(sent)
        assert await socket.close_code() == frames.CLOSE_REFUSED


async def test_an_oversized_frame_closes_with_1009(house: House) -> None:
    async with house.player().socket() as socket:
        await socket.send("x" * (house.gateway.limits.frame_bytes + 1))
        assert await socket.close_code() == frames.CLOSE_TOO_BIG


async def test_the_first_frame_must_be_auth(house: House) -> None:
    for first in ('{"type":"ping"}', "{", '{"type":"auth","token":"x"}'):
        async with house.http.ws_connect(f"{house.api.base}/v1/socket") as ws:
            await ws.send_str(first)
            refused = msgspec.json.decode((await ws.receive()).data)
            assert refused["problem"]["code"] == "unauthorized"
            closed = await ws.receive()
            assert closed.type is aiohttp.WSMsgType.CLOSE
            assert closed.data in (frames.CLOSE_REFUSED, frames.CLOSE_UNAUTHORIZED)


async def test_a_token_in_the_address_is_no_token(house: House) -> None:
    player = house.player()
    answer = await house.api.get(f"/v1/me?token={player.token}&access_token={player.token}")
    assert (answer.status, answer.code) == (401, "unauthorized")


async def test_watching_what_is_not_there_is_refused(house: House) -> None:
    async with house.player().socket() as socket:
        for match in ("m" * 25, "", "game.*", "x" * 500):
            frame = await socket.watch(match) if 0 < len(match) <= 64 else None
            if frame is None:
                await socket.send({"type": "watch", "match": match})
                frame = await socket.get(lambda f: f["type"] == "refused")
            assert code(frame) == "unknown_match"


async def test_a_match_that_a_format_cannot_tell_is_refused_in_it(
    house: House, hidden_hand: HiddenHand
) -> None:
    players = (house.player(), house.player())
    match = await house.match(players, Terms(cube=False), rules=hidden_hand.name)
    left = await players[0].post(
        f"/v1/matches/{match}/commands", {"expected": 1, "command": {"type": "leave"}}
    )
    assert left.status == 200, left
    answer = await players[0].get(f"/v1/matches/{match}/export?format=mat")
    assert (answer.status, answer.code) == (404, "unknown_format")
    assert (await players[0].get(f"/v1/matches/{match}/export")).status == 200


PER_MOVE: Final = {"kind": "move", "budget_ms": 120_000}


async def test_http_errors_are_problems(house: House) -> None:
    api, player = house.api, house.player()
    match = await house.match((player, house.player()))
    path = f"/v1/matches/{match}/commands"
    body = {"expected": 1, "command": {"type": "ready"}}
    big = b'{"command":{"type":"play","move":"' + b"x" * 100_000 + b'"}}'
    cases = [
        (await api.get("/nothing"), 404, "unknown_route"),
        (await api.get("/v1/matches"), 404, "unknown_route"),
        (await api.request("PUT", "/v1/me"), 405, "method_not_allowed"),
        (await api.request("DELETE", f"/v1/matches/{match}"), 405, "method_not_allowed"),
        (await api.get("/v1/me"), 401, "unauthorized"),
        (await api.get("/v1/me", headers={"Authorization": "Bearer x"}), 401, "unauthorized"),
        (await api.get("/v1/me", headers={"Authorization": "Basic eDp4"}), 401, "unauthorized"),
        (await player.request("POST", path, body), 422, "invalid"),
        (await player.request("POST", path, body, key="a b"), 422, "invalid"),
        (await player.post(path, b"{"), 400, "malformed"),
        (await player.post(path, b"\xff\xfe"), 400, "malformed"),
        (await player.post(path, b"[1]"), 422, "invalid"),
        (await player.post(path, {"expected": 1}), 422, "invalid"),
        (await player.post(path, {"expected": 1, "command": {"type": "fly"}}), 422, "unknown_command"),
        (await player.post(path, {**body, "expcted": 1}), 422, "invalid"),
        (await player.post("/v1/tables", {"game": "backgammon", "clok": "blitz"}), 422, "invalid"),
        (
            await player.post("/v1/tables", {"game": "chess", "clock": {**PER_MOVE, "grace": 1}}),
            422,
            "invalid",
        ),
        (await player.post(path, big), 413, "too_large"),
        (await player.get(f"/v1/matches/{match}?n=99"), 404, "no_such_commit"),
        (await player.get(f"/v1/matches/{match}?n=x"), 422, "invalid"),
        (await player.get(f"/v1/matches/{match}?n={'0' * 5_000}1"), 422, "invalid"),
        (await player.get("/v1/matches/nosuchmatch"), 404, "unknown_match"),
        (await player.get(f"/v1/matches/{match}/commits"), 403, "forbidden"),
        (await api.get(f"/v1/matches/{match}/commits"), 401, "unauthorized"),
        (await house.player(("watch",)).post(path, body), 403, "forbidden"),
    ]
    for answer, status, code_ in cases:
        assert (answer.status, answer.code) == (status, code_), answer
        assert answer.headers["Content-Type"] == "application/problem+json"
        assert set(answer.body) >= {"type", "title", "status", "code"} - {"type"}
    assert len(await house.log.read(match)) == 1


async def test_head_answers_like_get_without_a_body(house: House) -> None:
    answer = await house.api.request("HEAD", "/v1/games")
    assert (answer.status, answer.text) == (200, "")
    assert int(answer.headers["Content-Length"]) > 0
    assert (await house.player().request("HEAD", "/v1/stream?match=mabcdefgh")).status == 405


async def raw(house: House, request: bytes) -> bytes:
    reader, writer = await asyncio.open_connection("127.0.0.1", house.running.port)
    writer.write(request)
    try:
        async with asyncio.timeout(5):
            return await reader.read()
    finally:
        writer.close()


@pytest.mark.parametrize(
    ("head", "status"),
    [
        (b"NONSENSE\r\n\r\n", b"400"),
        (
            b"GET / HTTP/1.1\r\nHost: x\r\n" + b"".join(b"X-%d: y\r\n" % i for i in range(500)) + b"\r\n",
            b"400",
        ),
        (b"GET /" + b"a" * 20_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n", b"413"),
        (b"GET / HTTP/1.1\r\nHost: x\r\nX: " + b"a" * 20_000 + b"\r\n\r\n", b"413"),
        (b"POST /v1/players HTTP/1.1\r\nHost: x\r\nContent-Length: -5\r\n\r\n", b"400"),
    ],
)
async def test_heads_that_cannot_be_read_get_a_problem(house: House, head: bytes, status: bytes) -> None:
    answer = await raw(house, head)
    assert answer.split(b" ", 2)[1] == status
    assert b"application/problem+json" in answer
