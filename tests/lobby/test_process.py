"""The lobby as a process of its own, wired as it is shipped, killed and started again."""

import asyncio
import contextlib
import os
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from shared import subjects, tokens
from shared.adapters.nats_connection import Broker
from shared.ports.bus import NoAnswer
from shared.wire.lobby import (
    ENCODER,
    LOBBY_ANSWER,
    GetPlayer,
    ListTables,
    LobbyAnswer,
    LobbyCommand,
    LobbyRequest,
    LogIn,
    OpenTable,
    PlayerView,
    RefusedAnswer,
    Register,
    Session,
    TableList,
    subject_key,
)
from tests.support.lobby import PASSWORD, code, session, table, unique_nickname, until
from tests.support.servers import NatsServer, ValkeyServer

COMPUTER = PlayerView("pcomputer", "Computer", bot=True)


async def _ask(gateway: Broker, request: LobbyCommand, who: Session | None = None) -> LobbyAnswer:
    asked = LobbyRequest(
        request=request,
        player="" if who is None else who.player.id,
        scopes=() if who is None else who.scopes,
        address="192.0.2.77",
    )
    subject = subjects.command("gateway", "lobby", subject_key(request))
    return LOBBY_ANSWER.decode(await gateway.request(subject, ENCODER.encode(asked), 8_000))


async def _answers(gateway: Broker) -> bool:
    with contextlib.suppress(NoAnswer):
        return await _ask(gateway, GetPlayer("pcomputer")) == COMPUTER
    return False


@asynccontextmanager
async def _running(
    nats: NatsServer, redis_url: str, data: Path
) -> AsyncGenerator[asyncio.subprocess.Process]:
    """A lobby process; killed at the end if it still runs."""
    environment = {
        **os.environ,
        "KRONIKA_NATS_URL": nats.url,
        "KRONIKA_NATS_PASSWORD": nats.passwords["lobby"],
        "KRONIKA_REDIS_URL": redis_url,
        "KRONIKA_TOKEN_KEY_FILE": str(data / tokens.PRIVATE_FILE),
        "KRONIKA_PEPPER_FILE": str(data / tokens.PEPPER_FILE),
        "KRONIKA_BOT_KEY_FILE": str(data / tokens.BOT_FILE),
        "KRONIKA_MAIN_GAME": "backgammon",
    }
    process = await asyncio.create_subprocess_exec(sys.executable, "-m", "services.lobby", env=environment)
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


async def test_killed_and_started_again_it_knows_everything(
    own_nats_server: NatsServer, valkey_server: ValkeyServer, tmp_path: Path
) -> None:
    tokens.generate(tmp_path)
    async with own_nats_server.broker("gateway") as gateway:
        await _lives_and_dies(own_nats_server, valkey_server.url, tmp_path, gateway)


async def _lives_and_dies(nats: NatsServer, redis_url: str, tmp_path: Path, gateway: Broker) -> None:
    nickname = unique_nickname()
    async with _running(nats, redis_url, tmp_path) as process:
        await until(lambda: _answers(gateway), within_s=30)
        jana = session(await _ask(gateway, Register(nickname=nickname, password=PASSWORD)))
        bot_key = (tmp_path / tokens.BOT_FILE).read_text().strip()
        assert session(await _ask(gateway, Register(guest=True, bot_key=bot_key))).scopes[-1] == "bot"
        assert code(await _ask(gateway, Register(guest=True, audit_key=bot_key))) == "forbidden"
        opened = table(await _ask(gateway, OpenTable(game="backgammon"), jana))
        process.kill()
        await process.wait()
    async with _running(nats, redis_url, tmp_path) as process:
        await until(lambda: _answers(gateway), within_s=30)
        again = session(await _ask(gateway, LogIn(nickname=nickname, password=PASSWORD)))
        assert again.player == jana.player
        public = tokens.load_public((tmp_path / tokens.PUBLIC_FILE).read_bytes())
        claims = tokens.verify(public, again.access_token, 0)
        assert claims.player == jana.player.id
        page = await _ask(gateway, ListTables(limit=100))
        assert isinstance(page, TableList)
        assert opened.id in {row.id for row in page.tables}
        guesses = [await _ask(gateway, LogIn(nickname=nickname, password="x")) for _ in range(11)]  # noqa: S106 - a test's
        assert [code(answer) for answer in guesses] == ["bad_credentials"] * 10 + ["rate_limited"]
        last = guesses[-1]
        assert isinstance(last, RefusedAnswer)
        assert 0 < last.retry_after_ms <= 20_000
        process.terminate()
        assert await process.wait() == 0
