"""Limits and liveness: rates, connections, silence, slow readers, origins, tokens that run out, the drain."""

import asyncio
import gzip
import socket as sockets
from math import ceil
from typing import Any

import aiohttp
import msgspec
import pytest

from services.gateway.limits import Bucket, Buckets, Limits
from shared.problems import Refused
from shared.service import Now
from shared.tokens import LIFE_MS, Token
from shared.wire import frames
from tests.support import golden
from tests.support.api import Api, Socket, event, eventually
from tests.support.house import ROOMY, House, open_house
from tests.support.matches import SEATS as SEATED


def limits(**changes: Any) -> Limits:
    return msgspec.structs.replace(ROOMY, **changes)


def test_a_bucket_gives_its_burst_and_then_its_rate() -> None:
    now = 100.0
    bucket = Bucket("moves", per_minute=60, burst=3, clock=lambda: now)
    assert [bucket.take("a") for _ in range(3)] == [0, 0, 0]
    assert bucket.take("a") == pytest.approx(1.0)
    assert bucket.take("b") == 0
    assert bucket.headers("a")["RateLimit"] == '"moves";r=0;t=3'
    now += 1.0
    assert bucket.take("a") == 0
    assert bucket.take("a") > 0


def test_a_bucket_forgets_who_is_full_again() -> None:
    now = 0.0
    bucket = Bucket("reads", per_minute=6_000, burst=10, clock=lambda: now)
    for i in range(30_000):
        now += 0.01
        bucket.take(str(i))
    assert len(bucket._full_at) <= 10_000  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - that is the promise


def test_a_bot_may_do_more_than_a_person_in_the_same_time() -> None:
    buckets = Buckets(limits(moves_per_minute=60, moves_burst=3, bot_factor=10))
    bot = Token(player="pbot23456789", scopes=("play", "bot"), id="x", expires_at_ms=0)
    person = Token(player="pman23456789", scopes=("play",), id="y", expires_at_ms=0)
    for token, burst in ((person, 3), (bot, 30)):
        taken = [buckets.moves.take(token.player, buckets.cost(token)) for _ in range(burst + 1)]
        assert taken[:burst] == [0] * burst
        assert taken[burst] > 0


def test_limits_come_from_the_environment() -> None:
    assert Limits.from_environment({"KRONIKA_LIMIT_MOVES_BURST": "7"}).moves_burst == 7


async def test_too_many_requests_get_429_with_retry_after() -> None:
    async with open_house(limits(reads_per_minute=60, reads_burst=5)) as house:
        player, other = house.player(), house.player()
        got = [await player.get("/v1/games") for _ in range(6)]
        assert [a.status for a in got] == [200] * 5 + [429]
        assert (got[5].code, got[5].body["retryable"]) == ("rate_limited", True)
        assert int(got[5].headers["Retry-After"]) == ceil(got[5].body["retry_after_ms"] / 1000) >= 1
        assert got[0].headers["RateLimit"] == '"reads";r=4;t=1'
        assert got[0].headers["RateLimit-Policy"] == '"reads";q=5;w=5'
        assert (await other.get("/v1/games")).status == 200


async def test_bad_tokens_count_against_the_address() -> None:
    async with open_house(limits(reads_burst=2, reads_per_minute=1)) as house:
        stranger = Api(house.http, house.api.base, "no.token.atall")
        assert [(await stranger.get("/v1/games")).status for _ in range(3)] == [401, 401, 429]


async def test_moves_have_a_bucket_of_their_own() -> None:
    async with open_house(
        limits(moves_per_minute=1, moves_burst=2, reads_per_minute=1, reads_burst=1)
    ) as house:
        players = (house.player(), house.player())
        match = await house.match(players)
        assert (await players[0].get("/v1/games")).status == 200
        assert (await players[0].get("/v1/games")).status == 429
        body = {"expected": 1, "command": {"type": "ready"}}
        assert (await players[0].post(f"/v1/matches/{match}/commands", body)).status == 200
        async with players[0].socket() as socket:
            first = await socket.command(match, {"type": "roll"}, 2)
            second = await socket.command(match, {"type": "roll"}, 2)
            assert [f["problem"]["code"] for f in (first, second)] == ["wrong_phase", "rate_limited"]
            assert "retry_after_ms" not in first["problem"]
            assert 50_000 < second["problem"]["retry_after_ms"] <= 60_000, "one move a minute"


async def test_frames_that_come_too_fast_are_refused_and_then_the_socket_closes() -> None:
    async with (
        open_house(limits(frames_per_minute=1, frames_burst=3)) as house,
        house.player().socket() as socket,
    ):
        for _ in range(4):
            await socket.send({"type": "ping"})
        refused = await socket.get(lambda f: f["type"] == "refused")
        assert refused["problem"]["code"] == "rate_limited"
        assert 0 < refused["problem"]["retry_after_ms"] <= 60_000
        assert len([f for f in socket.frames if f["type"] == "pong"]) == 3
        for _ in range(110):
            await socket.send({"type": "ping"})
        assert await socket.close_code() == frames.CLOSE_REFUSED


async def test_watches_of_a_socket_are_counted() -> None:
    async with open_house(limits(watched_per_socket=1)) as house:
        player = house.player()
        matches = [await house.match((player, house.player())) for _ in range(2)]
        async with player.socket() as socket:
            assert (await socket.watch(matches[0]))["type"] == "watching"
            assert (await socket.watch(matches[1]))["problem"]["code"] == "too_many_watched"
            assert (await socket.watch(matches[0]))["type"] == "watching"


async def test_connections_of_one_address_are_counted() -> None:
    async with open_house(limits(connections_per_address=2)) as house:
        held = [await asyncio.open_connection("127.0.0.1", house.running.port) for _ in range(2)]
        reader, writer = await asyncio.open_connection("127.0.0.1", house.running.port)
        with pytest.raises(ConnectionError):
            await _read_all(reader, writer)
        for _, each in held:
            each.close()
        await eventually(lambda: house.gateway.connections.count("127.0.0.1") == 0)
        assert (await house.api.get("/v1/games")).status == 200


async def _read_all(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
    if not await reader.read():
        raise ConnectionError("closed without a word")


async def test_a_head_or_a_body_that_does_not_come_is_not_waited_for() -> None:
    async with open_house(limits(header_ms=200, body_ms=200)) as house:
        reader, writer = await asyncio.open_connection("127.0.0.1", house.running.port)
        writer.write(b"GET / HTTP/1.1\r\nHost:")
        async with asyncio.timeout(5):
            assert await reader.read() == b""
        reader, writer = await asyncio.open_connection("127.0.0.1", house.running.port)
        writer.write(
            b"POST /v1/players HTTP/1.1\r\nHost: x\r\nIdempotency-Key: k\r\nContent-Length: 50\r\n\r\n{"
        )
        async with asyncio.timeout(5):
            assert b" 400 " in await reader.readline()
        writer.close()


async def test_nothing_is_decompressed() -> None:
    """A few compressed kilobytes could become a second of work, read or not."""
    async with open_house() as house:
        packed = {"data": gzip.compress(b'{"guest":true}'), "headers": {"Content-Encoding": "gzip"}}
        answer = await house.api.post("/v1/players", **packed)
        assert (answer.status, answer.code) == (400, "malformed")
        packed["data"] = b"this is not gzip"
        assert (await house.api.get("/v1/games", **packed)).status == 200
        packed["headers"] = {"Content-Encoding": "Identity"}
        assert (await house.api.post("/v1/players", **packed)).body["detail"].startswith("JSON is malformed")


async def test_no_auth_in_time_closes() -> None:
    async with (
        open_house(limits(auth_ms=100)) as house,
        house.http.ws_connect(f"{house.api.base}/v1/socket") as ws,
    ):
        closed = await ws.receive(5)
        assert (closed.type, closed.data) == (aiohttp.WSMsgType.CLOSE, frames.CLOSE_REFUSED)


async def test_a_silent_socket_is_pinged_and_then_closed() -> None:
    async with open_house(limits(heartbeat_ms=300)) as house:
        player = house.player()
        async with house.http.ws_connect(f"{house.api.base}/v1/socket", autoping=False) as ws:
            await ws.send_str(f'{{"type":"auth","token":"{player.token}"}}')
            assert msgspec.json.decode((await ws.receive(5)).data)["heartbeat_ms"] == 300
            assert (await ws.receive(5)).type is aiohttp.WSMsgType.PING
            kinds = [(await ws.receive(5)) for _ in range(1)]
            while kinds[-1].type is aiohttp.WSMsgType.PING:
                kinds.append(await ws.receive(5))
            assert (kinds[-1].type, kinds[-1].data) == (aiohttp.WSMsgType.CLOSE, frames.CLOSE_SILENT)


async def test_a_socket_that_answers_pings_lives_on() -> None:
    async with open_house(limits(heartbeat_ms=200)) as house:
        player = house.player()
        async with house.http.ws_connect(f"{house.api.base}/v1/socket", autoping=False) as ws:
            await ws.send_str(f'{{"type":"auth","token":"{player.token}"}}')
            assert b'"hello"' in (await ws.receive(5)).data.encode()
            for _ in range(3):  # silent for longer than it may be, but for these
                assert (await ws.receive(5)).type is aiohttp.WSMsgType.PING
                await ws.pong()
            await ws.send_str('{"type":"ping"}')
            assert b'"pong"' in (await ws.receive(5)).data.encode()


async def _stuck(house: House, who: Api, match: str) -> tuple[asyncio.StreamWriter, asyncio.StreamReader]:
    """A socket that watches and then never reads."""
    raw = sockets.socket()
    raw.setsockopt(sockets.SOL_SOCKET, sockets.SO_RCVBUF, 4_096)
    raw.connect(("127.0.0.1", house.running.port))
    reader, writer = await asyncio.open_connection(sock=raw, limit=1_024)
    writer.write(
        b"GET /v1/socket HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: upgrade\r\n"
        b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
    )
    await reader.readuntil(b"\r\n\r\n")
    for frame in ({"type": "auth", "token": who.token}, {"type": "watch", "match": match}):
        data = msgspec.json.encode(frame)
        head = (
            bytes((0x81, 0x80 | len(data))) if len(data) < 126 else b"\x81\xfe" + len(data).to_bytes(2, "big")
        )
        writer.write(head + bytes(4) + data)
    return writer, reader


async def _watched(house: House, count: int) -> None:
    await eventually(lambda: sum(len(s.viewings) for s in house.sockets) == count)


LONG = golden.stored("backgammon/luck-strings")[:270]  # a match that goes on
SEATS = tuple(seat.player for seat in SEATED)


async def _flood(house: House, one: Socket) -> None:
    """The rest of the long match happens; ``one`` keeps up."""
    for line in LONG[1:]:
        match = await house.store([line])
        await one.view(match, msgspec.json.decode(line)["n"])


async def test_a_spectator_who_reads_slowly_skips_views_and_memory_stays_flat() -> None:
    async with open_house(limits(send_buffer_bytes=16_384)) as house:
        spectator = house.player()
        async with house.player(name=SEATS[0]).socket() as one:
            match = await house.store(LONG[:1])
            await one.watch(match)
            writer, reader = await _stuck(house, spectator, match)
            await _watched(house, 2)
            await _flood(house, one)
            slow = next(s for s in house.sockets if s.player == spectator.player)
            assert slow.wire.buffered < 64_000
            newest = f'"n":{len(LONG)},"view"'.encode()
            async with asyncio.timeout(10):  # he reads again: the newest view comes, without another commit
                got = b""
                while newest not in got:
                    got = got[-100:] + await reader.read(65_536)
            writer.close()


async def test_a_seat_that_does_not_read_is_closed() -> None:
    async with open_house(limits(send_buffer_bytes=16_384)) as house:
        players = [house.player(name=name) for name in SEATS]
        async with players[0].socket() as one, players[1].socket() as two:
            match = await house.store(LONG[:1])
            for socket in (one, two):
                await socket.watch(match)
            writer, _ = await _stuck(house, players[1], match)
            await _watched(house, 3)
            assert len(house.sockets) == 3
            await _flood(house, one)
            await eventually(lambda: len(house.sockets) == 2)
            assert not two.closed
            writer.close()


async def test_origins_are_checked_and_cors_is_answered() -> None:
    async with open_house(origins=("https://play.example",)) as house:
        good, bad = {"Origin": "https://play.example"}, {"Origin": "https://evil.example"}
        answer = await house.api.get("/v1/games", headers=good)
        assert answer.headers["Access-Control-Allow-Origin"] == "https://play.example"
        assert "Retry-After" in answer.headers["Access-Control-Expose-Headers"]
        assert "Access-Control-Allow-Origin" not in (await house.api.get("/v1/games", headers=bad)).headers
        preflight = await house.api.request("OPTIONS", "/v1/tables", headers=good)
        assert preflight.status == 204
        assert "Idempotency-Key" in preflight.headers["Access-Control-Allow-Headers"]
        refused = await house.api.get("/nothing", headers=good)
        assert refused.headers["Access-Control-Allow-Origin"] == "https://play.example"
        player = house.player()
        async with player.socket(headers=good), player.socket(headers={"Origin": house.api.base}):
            pass
        with pytest.raises(aiohttp.WSServerHandshakeError) as error:
            async with player.socket(headers=bad):
                pass
        assert error.value.status == 403


async def test_a_proxied_client_is_known_by_the_address_that_our_proxy_saw() -> None:
    async with open_house(limits(reads_per_minute=1, reads_burst=1), proxies=1) as house:
        for address in ("192.0.2.1", "192.0.2.2"):
            forwarded = {"X-Forwarded-For": f"203.0.113.9, {address}"}
            assert (await house.api.get("/v1/games", headers=forwarded)).status == 200
            assert (await house.api.get("/v1/games", headers=forwarded)).status == 429


async def test_a_token_that_runs_out_stops_commands_until_a_new_one_comes() -> None:
    async with open_house(limits(heartbeat_ms=400)) as house:
        player = house.player()
        match = await house.match((player, house.player()))
        async with player.socket() as kept, player.socket() as left:
            await kept.watch(match)
            house.hands.move_on(LIFE_MS)
            assert (await kept.command(match, {"type": "roll"}, 1))["problem"]["code"] == "token_expired"
            await kept.send({"type": "auth", "token": house.player().token})
            assert (await kept.get(lambda f: f["type"] == "refused"))["problem"]["code"] == "forbidden"
            await kept.send({"type": "auth", "token": house.token(player.player)})
            await kept.get(lambda f: f["type"] == "hello")
            assert (await kept.command(match, {"type": "ready"}, 1))["type"] == "view"
            assert not left.closed
            house.hands.move_on(house.gateway.limits.reauth_ms)
            assert await left.close_code() == frames.CLOSE_UNAUTHORIZED
            assert not kept.closed


async def test_a_commit_of_a_host_whose_clock_is_ahead_signs_nobody_out() -> None:
    async with open_house(limits(heartbeat_ms=200, reauth_ms=0)) as house:
        player = house.player()
        match = await house.match((player, house.player()))
        headers = {"Authorization": f"Bearer {player.token}"}
        async with (
            player.socket() as socket,
            house.http.get(f"{house.api.base}/v1/stream?match={match}", headers=headers) as stream,
        ):
            await socket.watch(match)
            house.now.saw(house.now.now_ms() + 2 * LIFE_MS)
            assert (await player.get(f"/v1/matches/{match}")).status == 200
            assert (await socket.command(match, {"type": "ready"}, 1))["type"] == "view"
            assert (await event(stream))["event"] == "watching"
            assert [(await event(stream))["event"] for _ in range(2)] == ["view", "view"]
            for _ in range(3):  # signs of life: the stream and the socket's heartbeat go on
                assert (await stream.content.readuntil(b"\n\n")).startswith(b":")
            assert not socket.closed


async def test_expired_tokens_are_told_apart_from_wrong_ones() -> None:
    async with open_house() as house:
        player = house.player()
        player.token = house.token(player.player, age_ms=LIFE_MS + 1_000)
        answer = await player.get("/v1/me")
        assert (answer.status, answer.code) == (401, "token_expired")
        assert answer.headers["WWW-Authenticate"] == "Bearer"


async def test_a_draining_gateway_sends_sockets_away_with_a_hint() -> None:
    quick = limits(notice_ms=50)
    async with open_house(quick) as house, house.player().socket() as one, house.player().socket() as two:
        stopping = asyncio.create_task(house.running.stop())
        for socket in (one, two):
            assert (await socket.get(lambda f: f["type"] == "maintenance"))["in_ms"] == 50
            assert await socket.close_code() == frames.CLOSE_DRAINING
        await stopping
        with pytest.raises(aiohttp.ClientConnectorError):
            await house.api.get("/v1/games")


async def test_a_stream_has_the_same_views_and_resumes() -> None:
    async with open_house(limits(heartbeat_ms=200)) as house:
        players = (house.player(), house.player())
        match = await house.match(players)
        async with players[0].socket() as one:
            await one.watch(match)
            headers = {"Authorization": f"Bearer {players[0].token}"}
            url = f"{house.api.base}/v1/stream?match={match}"
            async with house.http.get(url, headers=headers) as stream:
                assert stream.content_type == "text/event-stream"
                assert (await event(stream))["event"] == "watching"
                first = await event(stream)
                assert (first["event"], first["id"]) == ("view", "1")
                await one.command(match, {"type": "ready"}, 1)
                second = await event(stream)
                assert second["id"] == "2"
                assert second["data"] == one.raw[-1].rpartition(',"command":"')[0] + "}"
                assert (await stream.content.readuntil(b"\n\n")).startswith(b":")
            for resumed in ({"Last-Event-ID": "1"}, {}):
                after = "" if resumed else "&after=1"
                async with house.http.get(url + after, headers={**headers, **resumed}) as stream:
                    assert '"newer"' in (await event(stream))["data"]
                    assert await event(stream) == second
            await one.command(match, {"type": "leave"}, 2)
            async with house.http.get(url + "&after=3", headers=headers) as stream:
                assert [(await event(stream))["event"] for _ in range(2)] == ["watching", "ended"]
                assert await stream.content.read() == b""
            assert (await house.api.get(f"/v1/stream?match={match}")).status == 401


async def test_a_stream_ends_once_with_its_token() -> None:
    """Between two commits, too, where nothing but heartbeats is written."""
    async with open_house(limits(heartbeat_ms=100)) as house:
        player = house.player()
        match = await house.match((player, house.player()))
        url = f"{house.api.base}/v1/stream?match={match}"
        async with house.http.get(url, headers={"Authorization": f"Bearer {player.token}"}) as stream:
            assert [(await event(stream))["event"] for _ in range(2)] == ["watching", "view"]
            house.hands.move_on(LIFE_MS)
            async with asyncio.timeout(5):
                rest = await stream.content.read()
        assert rest.count(b"event:") == rest.count(b"token_expired") == 1


async def test_a_stream_that_nobody_reads_is_cut_off() -> None:
    async with open_house(limits(heartbeat_ms=200, send_buffer_bytes=16_384)) as house:
        player, spectator = house.player(name=SEATS[0]), house.player()
        async with player.socket() as one:
            match = await house.store(LONG[:1])
            await one.watch(match)
            raw = sockets.socket()
            raw.setsockopt(sockets.SOL_SOCKET, sockets.SO_RCVBUF, 4_096)
            raw.connect(("127.0.0.1", house.running.port))
            _, writer = await asyncio.open_connection(sock=raw, limit=1_024)
            head = (
                f"GET /v1/stream?match={match} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {spectator.token}"
            )
            writer.write(head.encode() + b"\r\n\r\n")
            await eventually(lambda: house.gateway.streams)
            await _flood(house, one)
            await eventually(lambda: not house.gateway.streams)
            assert house.gateway.places.count(spectator.player) == 0
            writer.close()


def test_tokens_are_remembered_no_longer_than_they_hold() -> None:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey  # noqa: PLC0415 - only here

    from services.gateway.auth import Tokens  # noqa: PLC0415 - only here
    from shared.tokens import issue  # noqa: PLC0415 - only here

    key, now = Ed25519PrivateKey.generate(), Now().now_ms()
    checked = Tokens(key.public_key(), lambda: now)
    text = issue(key, "p1234567", ("play",), "s", now)
    assert checked.check(text).player == "p1234567"
    now += LIFE_MS
    with pytest.raises(Refused, match="token_expired"):
        checked.check(text)
