"""The broker's rights, attacked: each attempt is refused and nothing is stored, answered or obeyed."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import msgspec
import pytest
from nats.aio.client import Client

from shared import subjects
from shared.adapters.nats_bucket import NatsBucket
from shared.adapters.nats_log import NatsLog
from shared.adapters.nats_timers import NatsTimers
from shared.ids import new_id
from shared.service import Now
from tests.conftest import ConnectAs
from tests.support.servers import NatsServer
from tests.support.waiting import until

SERVICES = ("gateway", "ghost", "lobby", "clock", "rating", "ledger", "game", "audit")
COMMANDING = ("gateway", "ghost", "lobby", "clock", "ledger")
OUTSIDERS = (*COMMANDING, "rating")


class Attacker:
    """A service gone bad: it has the password of ``user`` and speaks to the broker as it likes."""

    def __init__(self, client: Client, user: str, violations: list[str]) -> None:
        self.client = client
        self.user = user
        self.violations = violations

    async def denied(self, subject: str, data: bytes = b"x", **more: Any) -> bool:
        """Whether publishing is refused by the broker itself."""
        before = len(self.violations)
        await self.client.publish(subject, data, **more)
        return await self._violated(before)

    async def deaf(self, subject: str) -> bool:
        """Whether subscribing is refused by the broker itself."""
        before = len(self.violations)
        await self.client.subscribe(subject)  # pyright: ignore[reportUnknownMemberType] - nats-py's own types
        return await self._violated(before)

    async def _violated(self, before: int) -> bool:
        await self.client.flush()
        for _ in range(100):  # the broker's complaint may come a little after its pong
            if len(self.violations) > before:
                return True
            await asyncio.sleep(0.005)
        return False


@pytest.fixture
async def become(nats_server: NatsServer) -> AsyncIterator[Any]:
    clients: list[Client] = []

    async def become_(user: str) -> Attacker:
        violations: list[str] = []

        async def on_error(error: Exception) -> None:
            violations.append(str(error))

        client = Client()
        await client.connect(
            nats_server.url,
            user=user,
            password=nats_server.passwords[user],
            inbox_prefix=f"_INBOX_{user}",
            error_cb=on_error,
            allow_reconnect=False,
        )
        clients.append(client)
        return Attacker(client, user, violations)

    yield become_
    for client in clients:
        await client.close()


async def stored(connect_as: ConnectAs, stream: str, user: str) -> int:
    """How many messages ``stream`` holds."""
    broker = await connect_as(user)
    answer = await broker.request(f"$JS.API.STREAM.INFO.{stream}", b"", 2_000)
    return msgspec.json.decode(answer)["state"]["messages"]


async def totals(connect_as: ConnectAs) -> dict[str, int]:
    """What every stream holds."""
    game = {s: await stored(connect_as, s, "game") for s in ("GAMES", "KV_SECRETS")}
    lobby_streams = ("TABLES", "PLAYERS", "KV_KEYS", "KV_NAMES", "KV_REFRESH")
    lobby = {s: await stored(connect_as, s, "lobby") for s in lobby_streams}
    owned = {"TIMERS": "clock", "RATINGS": "rating", "LEDGER": "ledger"}
    others = {stream: await stored(connect_as, stream, user) for stream, user in owned.items()}
    return game | lobby | others


@pytest.mark.parametrize("user", [*OUTSIDERS, "audit"])
async def test_only_game_appends_to_matches(connect_as: ConnectAs, become: Any, user: str) -> None:
    before = await totals(connect_as)
    attacker = await become(user)
    assert await attacker.denied(f"game.{new_id('m')}.1")
    assert await attacker.denied(f"$KV.SECRETS.{new_id('m')}")
    assert await totals(connect_as) == before


@pytest.mark.parametrize("user", ["gateway", "ghost", "clock", "rating", "ledger", "game", "audit"])
async def test_only_the_lobby_appends_to_tables_players_and_their_buckets(
    connect_as: ConnectAs, become: Any, user: str
) -> None:
    before = await totals(connect_as)
    attacker = await become(user)
    for subject in ("table.x.1", "player.x.1", "$KV.KEYS.x", "$KV.NAMES.x", "$KV.REFRESH.x"):
        assert await attacker.denied(subject)
    assert await totals(connect_as) == before


@pytest.mark.parametrize("user", COMMANDING)
async def test_an_answer_of_game_cannot_be_steered_into_a_log(
    connect_as: ConnectAs, become: Any, user: str
) -> None:
    game = await connect_as("game")
    asked: list[str] = []

    async def answer(subject: str, _data: bytes) -> bytes:
        asked.append(subject)
        return b'{"forged":true}'

    await game.serve("cmd.*.game.*", "game", answer)
    before = await totals(connect_as)
    attacker = await become(user)
    targets = ["game.evil.1", "$KV.SECRETS.evil"]
    if user == "ledger":
        assert await attacker.denied(f"cmd.{user}.game.m1", b"{}", reply=targets[0]), "it commands no match"
        return
    if user != "lobby":  # which may write these anyway
        targets += ["table.evil.1", "player.evil.1", "$KV.NAMES.evil"]
    for target in targets:
        await attacker.client.publish(f"cmd.{user}.game.m1", b"{}", reply=target)
        await attacker.client.flush()
    await until(lambda: len(asked) == len(targets))
    assert await totals(connect_as) == before


@pytest.mark.parametrize("user", ["gateway", "ghost", "clock", "ledger"])
async def test_an_answer_of_the_broker_itself_cannot_be_steered_into_a_log(
    connect_as: ConnectAs, become: Any, user: str
) -> None:
    log = NatsLog(await connect_as("game"), subjects.GAMES)
    key = new_id("m")
    await log.append(key, 1, b"real")
    before = await totals(connect_as)
    attacker = await become(user)
    for target in ("game.evil.1", "table.evil.1", "$KV.NAMES.evil", "$KV.SECRETS.evil"):
        await attacker.client.publish(f"$JS.API.DIRECT.GET.GAMES.game.{key}.1", b"", reply=target)
        body = msgspec.json.encode({"multi_last": [f"game.{key}.1"], "batch": 1})
        await attacker.client.publish("$JS.API.DIRECT.GET.GAMES", body, reply=target)
    await attacker.client.flush()
    await log.read(key)
    assert await totals(connect_as) == before


async def test_an_answer_of_the_lobby_cannot_be_steered_into_its_logs_or_into_a_command(
    connect_as: ConnectAs, become: Any
) -> None:
    lobby, game = await connect_as("lobby"), await connect_as("game")
    commanded: list[str] = []
    asked: list[str] = []

    async def answer(subject: str, data: bytes) -> bytes:
        asked.append(subject)
        return data

    async def obey(subject: str, _data: bytes) -> bytes:
        commanded.append(subject)
        return b""

    await lobby.serve("cmd.*.lobby.*", "lobby", answer)
    await game.serve("cmd.*.game.*", "game", obey)
    before = await totals(connect_as)
    attacker = await become("gateway")
    targets = ("table.evil.1", "player.evil.1", "$KV.NAMES.evil", "cmd.ghost.game.m1", "cmd.lobby.game.m1")
    for target in targets:
        await attacker.client.publish("cmd.gateway.lobby.t1", b"{}", reply=target)
    await attacker.client.flush()
    await until(lambda: len(asked) == len(targets))
    await attacker.client.publish("cmd.gateway.game.last", b"{}", reply="_INBOX_gateway.x")
    await until(lambda: len(commanded) > 0)
    assert commanded == ["cmd.gateway.game.last"]
    assert await totals(connect_as) == before


@pytest.mark.parametrize("user", SERVICES)
async def test_nobody_pretends_to_be_another_service(become: Any, user: str) -> None:
    attacker = await become(user)
    for other in SERVICES:
        if other != user:
            assert await attacker.denied(f"cmd.{other}.game.m1")
            assert await attacker.denied(f"cmd.{other}.rating.chess")
            assert await attacker.denied(f"cmd.{other}.lobby.t1")
            assert await attacker.denied(f"cmd.{other}.ledger.m1")


@pytest.mark.parametrize("user", SERVICES)
@pytest.mark.parametrize("stream", ["GAMES", "TABLES", "RATINGS", "LEDGER", "KV_SECRETS", "KV_KEYS"])
async def test_no_service_purges_deletes_changes_or_creates(become: Any, user: str, stream: str) -> None:
    attacker = await become(user)
    for what in (
        f"STREAM.PURGE.{stream}",
        f"STREAM.DELETE.{stream}",
        f"STREAM.UPDATE.{stream}",
        "STREAM.CREATE.MINE",
        f"CONSUMER.CREATE.{stream}.mine",
        f"CONSUMER.DURABLE.CREATE.{stream}.mine",
        f"CONSUMER.DELETE.{stream}.ghost",
        f"STREAM.SNAPSHOT.{stream}",
    ):
        assert await attacker.denied(f"$JS.API.{what}", b"{}", reply=f"_INBOX_{user}.x"), what


@pytest.mark.parametrize("user", SERVICES)
async def test_no_stored_match_can_be_deleted(become: Any, user: str) -> None:
    attacker = await become(user)
    assert await attacker.denied("$JS.API.STREAM.MSG.DELETE.GAMES", b'{"seq":1}', reply=f"_INBOX_{user}.x")


async def test_only_game_reads_secrets(connect_as: ConnectAs, become: Any) -> None:
    match = new_id("m")
    game = NatsBucket(await connect_as("game"), subjects.SECRETS)
    assert await game.create(match, b"s" * 32)
    for user in (*OUTSIDERS, "audit"):
        attacker = await become(user)
        for subject in (
            f"$JS.API.DIRECT.GET.KV_SECRETS.$KV.SECRETS.{match}",
            "$JS.API.DIRECT.GET.KV_SECRETS",
            "$JS.API.STREAM.MSG.GET.KV_SECRETS",
            "$JS.API.CONSUMER.CREATE.KV_SECRETS.x",
        ):
            assert await attacker.denied(subject, b"{}", reply=f"_INBOX_{user}.x")
        assert await attacker.deaf("$KV.SECRETS.>")


async def test_a_secret_is_written_once_even_by_game(connect_as: ConnectAs, become: Any) -> None:
    match = new_id("m")
    bucket = NatsBucket(await connect_as("game"), subjects.SECRETS)
    assert await bucket.create(match, b"first")
    assert not await bucket.create(match, b"second")
    attacker = await become("game")
    subject = f"$KV.SECRETS.{match}"
    for headers in (None, {"KV-Operation": "DEL"}, {"KV-Operation": "PURGE", "Nats-Rollup": "sub"}):
        answer = await attacker.client.request(subject, b"third", headers=headers)
        assert "error" in msgspec.json.decode(answer.data)
    assert await bucket.get(match) == b"first"


async def test_an_entry_is_written_once_even_without_the_header(connect_as: ConnectAs, become: Any) -> None:
    key = new_id("m")
    log = NatsLog(await connect_as("game"), subjects.GAMES)
    await log.append(key, 1, b"first")
    attacker = await become("game")
    for headers in (None, {"Nats-Rollup": "sub"}, {"Nats-TTL": "1s"}):
        answer = await attacker.client.request(f"game.{key}.1", b"second", headers=headers)
        assert "error" in msgspec.json.decode(answer.data)
    assert await log.read(key) == [b"first"]


async def test_only_a_gateway_asks_game_what_time_it_is_and_only_game_hears_it(
    connect_as: ConnectAs, become: Any
) -> None:
    """Who asks is taken for a gateway that is alive: nobody else may keep flags from waiting for one."""
    game = await connect_as("game")
    asked: list[str] = []

    async def answer(subject: str, _data: bytes) -> bytes:
        asked.append(subject)
        return b"now"

    await game.serve(subjects.TIME_OF_GAME, "", answer)
    before = await totals(connect_as)
    for user in SERVICES:
        attacker = await become(user)
        if user != "gateway":
            assert await attacker.denied(subjects.TIME_OF_GAME, reply=f"_INBOX_{user}.x")
        if user != "game":
            assert await attacker.deaf(subjects.TIME_OF_GAME)
    gateway = await become("gateway")
    for target in ("game.evil.1", "$KV.SECRETS.evil", "pulse.game", "cmd.clock.game.m1"):
        await gateway.client.publish(subjects.TIME_OF_GAME, b"", reply=target)
    assert (await gateway.client.request(subjects.TIME_OF_GAME, b"")).data == b"now"
    assert len(asked) == 5
    assert await totals(connect_as) == before


@pytest.mark.parametrize("user", SERVICES)
async def test_nobody_overhears_others(become: Any, user: str) -> None:
    attacker = await become(user)
    for subject in (">", "cmd.>", "*.*", "$JS.>", "game.>", "player.>", "ledger.>", "$KV.>"):
        assert await attacker.deaf(subject), subject
    if user != "game":
        assert await attacker.deaf("_INBOX_game.>")
        assert await attacker.deaf("cmd.*.game.*")
    if user != "ledger":
        assert await attacker.deaf("cmd.*.ledger.*")


@pytest.mark.parametrize("user", OUTSIDERS)
async def test_nobody_takes_or_acknowledges_what_another_consumes(become: Any, user: str) -> None:
    attacker = await become(user)
    for durable in ("ghost", "audit", "clock", "rating", "ledger"):
        if durable != user:
            assert await attacker.denied(f"$JS.API.CONSUMER.MSG.NEXT.GAMES.{durable}", b"1")
            assert await attacker.denied(f"$JS.ACK.GAMES.{durable}.1.1.1.1.0", b"+TERM")


@pytest.mark.parametrize("user", [user for user in SERVICES if user != "clock"])
async def test_only_the_clock_arms_cancels_and_takes_timers(
    connect_as: ConnectAs, become: Any, user: str
) -> None:
    match = new_id("m")
    timers = NatsTimers(await connect_as("clock"), Now())
    mark = await timers.arm(match, "flag", Now().now_ms() + 3_600_000)
    before = await totals(connect_as)
    attacker = await become(user)
    schedule = {
        "Nats-Schedule": "@at 2026-01-01T00:00:00Z",
        "Nats-Schedule-Target": f"timer.due.{match}.flag",
    }
    assert await attacker.denied(f"timer.arm.{match}.flag", headers=schedule)
    for subject in (
        f"timer.arm.{match}.flag",
        f"timer.due.{match}.flag",
        "$JS.API.STREAM.PURGE.TIMERS",
        "$JS.API.STREAM.INFO.TIMERS",
        "$JS.API.STREAM.MSG.GET.TIMERS",
        "$JS.API.CONSUMER.MSG.NEXT.TIMERS.clock",
        "$JS.ACK.TIMERS.clock.1.1.1.1.0",
    ):
        assert await attacker.denied(subject, b"{}", reply=f"_INBOX_{user}.x"), subject
    assert await attacker.deaf("timer.>")
    assert await totals(connect_as) == before
    await timers.cancel(match, "flag", mark)


async def test_a_timer_that_is_due_comes_from_the_broker_alone(become: Any) -> None:
    attacker = await become("clock")
    assert await attacker.denied("timer.due.m1.flag")
    for what in ("STREAM.DELETE.TIMERS", "STREAM.UPDATE.TIMERS", "CONSUMER.DELETE.TIMERS.clock"):
        assert await attacker.denied(f"$JS.API.{what}", b"{}", reply="_INBOX_clock.x"), what


async def test_no_timer_is_steered_into_a_log_or_a_command(connect_as: ConnectAs, become: Any) -> None:
    """A schedule names where it goes: nowhere but into its own stream."""
    game = await connect_as("game")
    commanded: list[str] = []

    async def obey(subject: str, _data: bytes) -> bytes:
        commanded.append(subject)
        return b""

    await game.serve("cmd.*.game.*", "game", obey)
    before = await totals(connect_as)
    attacker = await become("clock")
    for target in ("game.evil.1", "cmd.clock.game.m1", "cmd.gateway.game.m1", "table.evil.1"):
        headers = {"Nats-Schedule": "@at 2026-01-01T00:00:00Z", "Nats-Schedule-Target": target}
        answer = await attacker.client.request("timer.arm.evil.flag", b"{}", headers=headers)
        assert "error" in msgspec.json.decode(answer.data), target
    await attacker.client.request("cmd.clock.game.last", b"{}")
    assert commanded == ["cmd.clock.game.last"]
    assert await totals(connect_as) == before


@pytest.mark.parametrize("user", [user for user in SERVICES if user != "ledger"])
async def test_nobody_but_the_ledger_writes_reads_or_consumes_accounts(
    connect_as: ConnectAs, become: Any, user: str
) -> None:
    account = new_id("p")
    await NatsLog(await connect_as("ledger"), subjects.LEDGER).append(account, 1, b"a grant")
    before = await totals(connect_as)
    attacker = await become(user)
    for subject in (
        f"ledger.{account}.2",
        f"ledger.{new_id('p')}.1",
        "$JS.API.DIRECT.GET.LEDGER",
        f"$JS.API.DIRECT.GET.LEDGER.ledger.{account}.1",
        "$JS.API.STREAM.MSG.GET.LEDGER",
        "$JS.API.CONSUMER.MSG.NEXT.LEDGER.ledger",
        "$JS.ACK.LEDGER.ledger.1.1.1.1.0",
    ):
        assert await attacker.denied(subject, b"{}", reply=f"_INBOX_{user}.x"), subject
    assert await attacker.deaf("live.ledger.>")
    assert await totals(connect_as) == before


async def test_no_answer_of_the_ledger_is_money_or_a_command(connect_as: ConnectAs, become: Any) -> None:
    ledger = await connect_as("ledger")
    asked: list[str] = []

    async def answer(subject: str, _data: bytes) -> bytes:
        asked.append(subject)
        return b'{"forged":true}'

    await ledger.serve("cmd.*.ledger.*", "ledger", answer)
    before = await totals(connect_as)
    targets = ("ledger.evil.1", "game.evil.1", "table.evil.1", "cmd.game.ledger.m1", "cmd.lobby.ledger.m1")
    for user in ("gateway", "lobby", "game"):
        attacker = await become(user)
        for target in targets:
            if target.split(".")[0] not in ("game", "table"):  # which game and lobby may write anyway
                await attacker.client.publish(f"cmd.{user}.ledger.m1", b"{}", reply=target)
        await attacker.client.flush()
    await until(lambda: len(asked) >= 9)
    assert await totals(connect_as) == before
    assert {subject.split(".")[1] for subject in asked} == {"gateway", "lobby", "game"}
    assert len(asked) == 9, "no answer became a question"


@pytest.mark.parametrize("user", [user for user in SERVICES if user != "rating"])
async def test_only_rating_writes_ratings(connect_as: ConnectAs, become: Any, user: str) -> None:
    before = await totals(connect_as)
    attacker = await become(user)
    assert await attacker.denied(f"rating.chess.{new_id('m')}")
    for what in ("STREAM.INFO.RATINGS", "DIRECT.GET.RATINGS", "STREAM.MSG.DELETE.RATINGS"):
        assert await attacker.denied(f"$JS.API.{what}", b"{}", reply=f"_INBOX_{user}.x"), what
    assert await attacker.deaf("rating.>")
    assert await totals(connect_as) == before


async def test_an_answer_of_rating_cannot_be_steered_into_its_log(connect_as: ConnectAs, become: Any) -> None:
    rating = await connect_as("rating")
    asked: list[str] = []

    async def answer(subject: str, _data: bytes) -> bytes:
        asked.append(subject)
        return b'{"forged":true}'

    await rating.serve("cmd.*.rating.*", "rating", answer)
    before = await totals(connect_as)
    for user in ("lobby", "gateway"):
        attacker = await become(user)
        for target in ("rating.chess.evil", "game.evil.1", "$KV.SECRETS.evil"):
            await attacker.client.publish(f"cmd.{user}.rating.chess", b"{}", reply=target)
        await attacker.client.flush()
    await until(lambda: len(asked) == 6)
    assert await totals(connect_as) == before
