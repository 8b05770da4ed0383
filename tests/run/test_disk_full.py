"""A full disk: said while it lasts, and over when there is room again."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from services.cli.probing import broker_can_be_cured, broker_trouble, service_trouble
from shared.adapters.jetstream import EXPECT_NOTHING
from shared.adapters.nats_connection import Broker
from shared.ports.bus import NoAnswer
from tests.support.house_of_one import broker_of, house
from tests.support.tiny_http import answering


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 12 MB."""
    if sys.platform != "linux" or os.getuid() != 0:
        pytest.skip("only root may mount a small disk")
    mount = ("mount", "-t", "tmpfs", "-o", "size=12m", "none", str(tmp_path))
    mounted = subprocess.run(mount, check=False, capture_output=True, text=True)  # noqa: S603 - as written above
    if mounted.returncode != 0:
        pytest.skip(f"no small disk can be mounted here: {mounted.stderr.strip()}")
    yield tmp_path
    unmount = ("umount", "-l", str(tmp_path))
    subprocess.run(unmount, check=True)  # noqa: S603 - as above


def fill(disk: Path) -> Path:
    """Take what is left."""
    filling = disk / "filling"
    with filling.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(bytes(4096))
        except OSError:
            return filling


def nearly_nothing(_store: Path) -> int:
    return 4096


async def append(game: Broker, n: int, timeout_ms: int) -> bytes:
    message = await game.ask(f"game.mabcdefgh.{n}", b"x" * 5000, timeout_ms, EXPECT_NOTHING)
    return message.data


async def append_until_it_fails(game: Broker) -> None:
    for n in range(2, 20):
        await append(game, n, 500)


async def test_a_full_disk_is_said_and_with_room_again_the_broker_stores_again(small_disk: Path) -> None:
    async with house(small_disk) as running:
        await running.says("Kronika is ready")
        game = await broker_of(running, small_disk, "game")
        assert b'"seq"' in await append(game, 1, 5_000)
        filling = fill(small_disk)
        with pytest.raises(NoAnswer):  # this broker does not even say that it cannot
            await append_until_it_fails(game)
        await running.says("nats      is not ready: the disk of")
        filling.unlink()
        await running.says("although there is room on the disk; starting it again")
        await running.says("nats      ready in")
        await game.close()
        game = await broker_of(running, small_disk, "game")
        assert await game.request("$JS.API.DIRECT.GET.GAMES.game.mabcdefgh.1", b"", 5_000) == b"x" * 5000
        assert b'"seq"' in await append(game, 30, 5_000)
        await game.close()


async def test_a_broker_whose_jetstream_is_off_can_be_cured_only_where_there_is_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with answering(503, b'{"status":"unavailable","error":"JetStream not enabled"}') as port:
        assert "(JetStream not enabled)" in await broker_trouble(port, tmp_path)
        assert await broker_can_be_cured(port, tmp_path)
        monkeypatch.setattr("services.cli.probing._free", nearly_nothing)
        assert "is full" in await broker_trouble(port, tmp_path)
        assert not await broker_can_be_cured(port, tmp_path)
    monkeypatch.undo()
    assert await broker_trouble(port, tmp_path) == "its health address does not answer"
    assert not await broker_can_be_cured(port, tmp_path), "a paused broker is not killed"
    async with answering(200, b'{"status":"ok"}') as port:
        assert await broker_trouble(port, tmp_path) == ""
        assert not await broker_can_be_cured(port, tmp_path)


async def test_a_service_that_is_not_ready_says_all_its_reasons() -> None:
    body = b'{"ready":false,"why":{"log":"nothing can be stored: x","broker":"no connection"}}'
    async with answering(503, body) as port:
        assert await service_trouble(port) == "log: nothing can be stored: x; broker: no connection"
    async with answering(503, b"<html>") as port:
        assert await service_trouble(port) == "it answers 503"
    assert await service_trouble(port) == "its health address does not answer"
