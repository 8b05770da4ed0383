"""``kronika up`` from the first line to the last, with a tiny service in place of the real ones."""

import json
import os
import re
import signal
import socket
import sys
from pathlib import Path

import pytest

from services.cli.embedded import load_passwords
from tests.support.house_of_one import broker_of, house
from tests.support.running import children, gone, program
from tests.support.servers import NatsServer, ValkeyServer

linux = pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc")


async def test_it_starts_says_where_it_is_and_stops_in_order(tmp_path: Path) -> None:
    async with house(tmp_path) as running:
        line = await running.says("Kronika is ready after")
        address = line.split()[-1]
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+", address)
        assert (tmp_path / "address").read_text().strip() == address
        said = "".join(running.lines)
        assert said.index("nats") < said.index("streams") < said.index("ghost")
        started = children(running.process.pid)
        assert len(started) == 3
        running.send(signal.SIGINT)
        assert await running.ends() == 0
        await gone(started)
        assert "Traceback" not in "".join(running.lines)
        assert '"drained"' in (tmp_path / "logs" / "ghost.log").read_text()
        assert not (tmp_path / "address").exists()


@linux
@pytest.mark.parametrize("moment", ["nats", "streams"])
async def test_it_can_be_stopped_while_it_starts(tmp_path: Path, moment: str) -> None:
    async with house(tmp_path) as running:
        await running.says(moment)
        started = children(running.process.pid)
        running.send(signal.SIGINT)
        assert await running.ends() == 0
        await gone(started)
        assert "Traceback" not in "".join(running.lines)


@linux
async def test_a_child_that_is_killed_comes_back_and_so_does_the_broker(tmp_path: Path) -> None:
    async with house(tmp_path) as running:
        await running.says("Kronika is ready")
        for name, command in (
            ("ghost", "tiny_service"),
            ("nats", "nats-server"),
            ("valkey", "valkey-server"),
        ):
            pid = next(p for p, line in children(running.process.pid).items() if command in line)
            os.kill(pid, signal.SIGKILL)
            await running.says(f"{name:<9} was killed by SIGKILL")
            await running.says(f"{name:<9} ready in")


async def test_a_second_run_goes_on_with_what_was_stored(tmp_path: Path) -> None:
    async with house(tmp_path) as running:
        await running.says("Kronika is ready")
        game = await broker_of(running, tmp_path, "game")
        assert b'"seq":1' in await game.request("game.mabcdefgh.1", b"a commit", 5_000)
        assert await game.request("$JS.API.DIRECT.GET.GAMES.game.mabcdefgh.1", b"", 5_000) == b"a commit"
        await game.close()
        running.send(signal.SIGTERM)
        assert await running.ends() == 0
    keys = {file.name: file.read_bytes() for file in (tmp_path / "keys").iterdir()}
    async with house(tmp_path) as running:
        await running.says("Kronika is ready")
        game = await broker_of(running, tmp_path, "game")
        assert await game.request("$JS.API.DIRECT.GET.GAMES.game.mabcdefgh.1", b"", 5_000) == b"a commit"
        await game.close()
    assert {file.name: file.read_bytes() for file in (tmp_path / "keys").iterdir()} == keys


async def test_the_list_of_words_is_made_once_before_the_services_and_named(tmp_path: Path) -> None:
    few = tmp_path / "few.txt"
    few.write_text("kolo\noko\nžába\n", encoding="utf-8")
    for times in (1, 0):
        async with house(tmp_path / "data", KRONIKA_CZECH_WORDS=str(few)) as running:
            await running.says("3 words")
            assert "".join(running.lines).count(f"made from {few}, once") == times
            await running.says("Kronika is ready")
            said = "".join(running.lines)
            assert said.index("words") < said.index("nats") < said.index("ghost")
            running.send(signal.SIGTERM)
            assert await running.ends() == 0


async def test_a_list_that_cannot_be_used_is_one_sentence_and_one_that_cannot_be_stored_no_end(
    tmp_path: Path,
) -> None:
    async with house(tmp_path / "one", KRONIKA_CZECH_WORDS=str(tmp_path / "none.txt")) as running:
        assert await running.ends() == 1
    (line,) = running.lines
    none = tmp_path / "none.txt"
    assert line.startswith(f"Kronika did not start: KRONIKA_CZECH_WORDS: {none} cannot be used")
    few = tmp_path / "few.txt"
    few.write_text("kolo\noko\nžába\n", encoding="utf-8")
    (tmp_path / "two").mkdir()
    (tmp_path / "two" / "words").write_bytes(b"where a folder should be")
    async with house(tmp_path / "two", KRONIKA_CZECH_WORDS=str(few)) as running:
        await running.says("small list")
        await running.says("Kronika is ready")


async def test_a_taken_port_is_one_sentence(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        async with house(tmp_path, KRONIKA_PORT=str(port)) as running:
            assert await running.ends() == 1
    assert "".join(running.lines) == (
        f"Kronika did not start: Port {port} on 127.0.0.1, meant for players, cannot be used"
        " (Address already in use); set KRONIKA_PORT to another one (0: any free one).\n"
    )


async def test_a_free_port_that_somebody_else_takes_first_is_chosen_again(tmp_path: Path) -> None:
    async with house(tmp_path, KRONIKA_TINY="outrun") as running:
        address = (await running.says("Kronika is ready")).split()[-1]
        assert "ended with status 98; starting it again" in "".join(running.lines)
        ready = next(line for line in running.lines if "ghost     ready" in line)
        assert ready.split()[-1] == address == (tmp_path / "address").read_text().strip()
        taken = (tmp_path / "outrun").read_text()
        assert not address.endswith(f":{taken}")
        pid = next(p for p, line in children(running.process.pid).items() if "tiny_service" in line)
        os.kill(pid, signal.SIGKILL)
        again = await running.says("ghost     ready in")
        assert again.split()[-1] == address, "players know it now"


async def test_a_second_up_on_the_same_data_is_one_sentence(tmp_path: Path) -> None:
    async with house(tmp_path) as running:
        await running.says("Kronika is ready")
        async with house(tmp_path) as second:
            assert await second.ends() == 1
        assert "".join(second.lines) == (
            f"Kronika did not start: Kronika already runs on {tmp_path} (process {running.process.pid});"
            " stop it, or name another directory with KRONIKA_DATA.\n"
        )


@linux
async def test_no_orphan_stays_when_the_supervisor_itself_is_killed(tmp_path: Path) -> None:
    async with house(tmp_path) as running:
        await running.says("Kronika is ready")
        started = children(running.process.pid)
        assert len(started) == 3
        running.send(signal.SIGKILL)
        await running.process.wait()
        async with house(tmp_path) as second:  # at once: it waits for what the first one left behind
            await second.says("Kronika is ready")
            await gone(started)


@linux
async def test_a_stuck_service_is_no_orphan_either(tmp_path: Path) -> None:
    async with house(tmp_path, KRONIKA_TINY="stuck", KRONIKA_DRAIN_MS="100") as running:
        await running.says("Kronika is ready")
        started = children(running.process.pid)
        running.send(signal.SIGKILL)
        await running.process.wait()
        await gone(started)


async def test_a_service_gets_its_own_password_and_nobody_elses(tmp_path: Path) -> None:
    async with house(tmp_path, KRONIKA_GAME_NATS_PASSWORD="of-another") as running:  # noqa: S106 - an example
        await running.says("Kronika is ready")
    log = (tmp_path / "logs" / "ghost.log").read_text()
    names = next(json.loads(line)["names"] for line in log.splitlines() if '"environment"' in line)
    assert "KRONIKA_NATS_PASSWORD" in names
    assert "KRONIKA_PEPPER_FILE" in names
    assert "KRONIKA_GAME_NATS_PASSWORD" not in names
    for private in ("lock", "keys/pepper.key", "nats/nats-passwords.json", "nats/nats.conf"):
        assert (tmp_path / private).stat().st_mode & 0o077 == 0
    assert load_passwords(tmp_path / "nats" / "nats-passwords.json")["ghost"] not in log


async def test_it_uses_a_broker_that_is_already_there(
    tmp_path: Path, own_nats_server: NatsServer, valkey_server: ValkeyServer
) -> None:
    passwords = {f"KRONIKA_{user.upper()}_NATS_PASSWORD": p for user, p in own_nats_server.passwords.items()}
    async with house(
        tmp_path, KRONIKA_NATS_URL=own_nats_server.url, KRONIKA_REDIS_URL=valkey_server.url, **passwords
    ) as running:
        await running.says("Kronika is ready")
        assert len(children(running.process.pid)) == 1
        running.send(signal.SIGINT)
        assert await running.ends() == 0
    own_nats_server.kill_and_restart()


async def test_a_broker_that_does_not_let_us_in_is_one_sentence(
    tmp_path: Path, own_nats_server: NatsServer
) -> None:
    async with house(tmp_path, KRONIKA_NATS_URL=own_nats_server.url) as running:
        assert await running.ends() == 1
    said = "".join(running.lines)
    assert "Kronika did not start: The broker at" in said
    assert "Traceback" not in said


async def test_the_command_itself_refuses_a_port_that_is_none() -> None:
    async with program("-m", "services.cli", "up", KRONIKA_PORT="many") as running:
        assert await running.ends() == 2
    assert "KRONIKA_PORT" in "".join(running.lines)
