"""Start-up checks: a broker that is unsafe, too bare or taken is told in a sentence."""

import stat
from pathlib import Path

import msgspec
import pytest

from services.cli import embedded
from services.cli.embedded import EmbeddedNats, EmbeddedValkey, PortTaken, load_passwords
from shared.adapters.nats_connection import Broker
from shared.adapters.nats_provision import WrongServer, check_streams, check_sync, provision
from tests.support.servers import NatsServer, free_port, wanted_containers

embedded_only = pytest.mark.skipif(wanted_containers(), reason="about the embedded servers")


async def test_provisioning_again_changes_nothing(nats_server: NatsServer) -> None:
    await provision(nats_server.url, nats_server.passwords)
    for user in ("game", "lobby", "gateway", "ghost", "clock", "audit", "ledger"):
        async with nats_server.broker(user) as broker:
            await check_streams(broker)


@pytest.mark.parametrize(
    ("stream", "change", "told"),
    [
        ("GAMES", {"allow_direct": False}, "GAMES: allow_direct is False and must be True"),
        ("GAMES", {"max_msgs_per_subject": 5, "discard_new_per_subject": True}, "max_msgs_per_subject is 5"),
        (
            "KV_SECRETS",
            {"max_age": 60_000_000_000, "duplicate_window": 60_000_000_000},
            "KV_SECRETS: max_age",
        ),
    ],
)
async def test_a_changed_stream_is_refused_and_provisioning_mends_it(
    own_nats_server: NatsServer, stream: str, change: dict[str, object], told: str
) -> None:
    async with own_nats_server.broker("provision_game") as admin, own_nats_server.broker("game") as game:
        info = msgspec.json.decode(await admin.request(f"$JS.API.STREAM.INFO.{stream}", b"", 2_000))
        body = msgspec.json.encode(info["config"] | change)
        assert b'"error"' not in await admin.request(f"$JS.API.STREAM.UPDATE.{stream}", body, 2_000)
        with pytest.raises(WrongServer, match=told):
            await check_streams(game)
        await provision(own_nats_server.url, own_nats_server.passwords)
        await check_streams(game)


@embedded_only
async def test_an_unprovisioned_broker_is_refused(tmp_path: Path) -> None:
    server = EmbeddedNats(tmp_path, port=free_port(), monitor_port=free_port())
    server.start()
    broker = Broker(server.url, user="game", password=server.passwords["game"])
    try:
        await broker.connect()
        with pytest.raises(WrongServer, match=r"Stream GAMES is missing .*provision it first"):
            await check_streams(broker)
    finally:
        await broker.close()
        server.stop()


@embedded_only
async def test_a_broker_that_acknowledges_before_the_disk_is_refused(tmp_path: Path) -> None:
    unsafe = tmp_path / "template.conf"
    unsafe.write_text(embedded.TEMPLATE.read_text().replace(", sync_interval: always", ""))
    server = EmbeddedNats(tmp_path / "nats", port=free_port(), monitor_port=free_port(), template=unsafe)
    server.start()
    broker = Broker(server.url, user="sys", password=server.passwords["sys"])
    try:
        await broker.connect()
        with pytest.raises(WrongServer, match="sync_interval: always"):
            await check_sync(broker)
        with pytest.raises(WrongServer, match="sync_interval: always"):
            await provision(server.url, server.passwords)
    finally:
        await broker.close()
        server.stop()


@embedded_only
def test_a_taken_port_is_a_sentence(nats_server: NatsServer, tmp_path: Path) -> None:
    port = int(nats_server.url.rpartition(":")[2])
    with pytest.raises(PortTaken, match=f"Port {port}, meant for nats-server, is taken"):
        EmbeddedNats(tmp_path, port=port, monitor_port=free_port()).start()


@embedded_only
def test_passwords_are_kept_and_nobody_else_may_read_them(tmp_path: Path) -> None:
    server = EmbeddedNats(tmp_path, port=free_port(), monitor_port=free_port())
    server.start()
    server.stop()
    for name in ("nats-passwords.json", "nats.conf"):
        assert stat.S_IMODE((tmp_path / name).stat().st_mode) == 0o600
    assert load_passwords(tmp_path / "nats-passwords.json") == server.passwords
    assert len(set(server.passwords.values())) == len(embedded.USERS)


@embedded_only
def test_valkey_starts_again_on_its_data_even_under_a_long_path(tmp_path: Path) -> None:
    directory = tmp_path / ("d" * 100)
    for _ in range(2):
        server = EmbeddedValkey(directory)
        server.start()
        with pytest.raises(PortTaken, match="already runs"):
            EmbeddedValkey(directory, _short_dir=server.socket_path.parent).start()
        server.stop()
        assert not server.socket_path.exists()
        server.stop()
