"""One process of Kronika: probes, draining, and the exit status that tells a supervisor what to do."""

import json
import re
import signal
from asyncio import to_thread
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from shared.service import EXIT_LOST, EXIT_PORT_TAKEN, EXIT_SETTINGS
from tests.support.probing import get, probes_of
from tests.support.running import Program, program
from tests.support.servers import NatsServer, free_port


@asynccontextmanager
async def tiny(server: NatsServer, user: str = "ghost", **environment: str) -> AsyncGenerator[Program]:
    async with program(
        "-m",
        "tests.support.tiny_service",
        **{
            "KRONIKA_NATS_URL": server.url,
            "KRONIKA_NATS_USER": user,
            "KRONIKA_NATS_PASSWORD": server.passwords[user],
        }
        | environment,
    ) as running:
        yield running


async def test_a_running_service_is_live_started_ready_and_measured(nats_server: NatsServer) -> None:
    async with tiny(nats_server) as running:
        address = await probes_of(running)
        await running.says('"ready"')
        assert await get(f"{address}/health/live") == (200, '{"live": true}')
        assert await get(f"{address}/health/startup") == (200, '{"started": true}')
        assert await get(f"{address}/health/ready") == (200, '{"ready": true, "why": {}}')
        status, page = await get(f"{address}/metrics")
        assert status == 200
        assert "kronika_ready 1.0" in page
        assert "process_cpu_seconds_total" in page
        assert re.search(r"^# TYPE kronika_command_seconds histogram$", page, re.MULTILINE)


async def test_a_clock_that_another_one_pushed_on_keeps_it_from_being_ready(nats_server: NatsServer) -> None:
    async with tiny(nats_server, KRONIKA_TINY="behind") as running:
        address = await probes_of(running)
        await running.says('"ready"')
        status, body = await get(f"{address}/health/ready")
        assert (status, list(json.loads(body)["why"])) == (503, ["clock"])
        _, page = await get(f"{address}/metrics")
        assert "kronika_ready 0.0" in page
        pushed = re.search(r"^kronika_clock_pushed_ms (.+)$", page, re.MULTILINE)
        assert pushed is not None
        assert 1_799_000 < float(pushed[1]) <= 1_800_000
        assert (await get(f"{address}/health/live"))[0] == 200
    assert sum('"the clocks differ"' in line for line in running.lines) == 1


async def test_a_signal_drains_and_ends_with_status_0(nats_server: NatsServer) -> None:
    for number in (signal.SIGTERM, signal.SIGINT):
        async with tiny(nats_server) as running:
            await running.says('"ready"')
            running.send(number)
            await running.says('"drained"')
            assert await running.ends() == 0


async def test_draining_has_a_limit(nats_server: NatsServer) -> None:
    async with tiny(nats_server, KRONIKA_TINY="slow", KRONIKA_DRAIN_MS="200") as running:
        await running.says('"ready"')
        running.send(signal.SIGTERM)
        await running.says("did not drain in time")
        assert await running.ends() == EXIT_LOST


async def test_without_the_broker_it_is_live_but_not_ready_and_recovers(own_nats_server: NatsServer) -> None:
    own_nats_server.process.kill()
    async with tiny(own_nats_server) as running:
        address = await probes_of(running)
        assert (await get(f"{address}/health/live"))[0] == 200
        assert (await get(f"{address}/health/startup"))[0] == 503
        assert (await get(f"{address}/health/ready"))[0] == 503
        await to_thread(own_nats_server.process.start)
        await running.says('"ready"')
        assert (await get(f"{address}/health/ready"))[0] == 200
        await to_thread(own_nats_server.process.kill)
        await running.says("EOF")
        assert (await get(f"{address}/health/live"))[0] == 200
        status, body = await get(f"{address}/health/ready")
        assert (status, json.loads(body)["why"]) == (503, {"broker": "no connection"})
        await to_thread(own_nats_server.process.start)
        await running.says("reconnected")
        assert (await get(f"{address}/health/ready"))[0] == 200
        running.send(signal.SIGTERM)
        assert await running.ends() == 0


async def test_a_broker_that_stays_away_does_not_keep_it_from_stopping(own_nats_server: NatsServer) -> None:
    own_nats_server.process.kill()
    async with tiny(own_nats_server) as running:
        await probes_of(running)
        running.send(signal.SIGTERM)
        assert await running.ends() == 0


async def test_a_connection_that_is_closed_for_good_ends_the_process(nats_server: NatsServer) -> None:
    async with tiny(nats_server, KRONIKA_TINY="forbidden") as running:
        assert await running.ends() == EXIT_LOST
    assert "permissions violation" in "".join(running.lines).lower()


async def test_a_wrong_password_ends_it_without_showing_the_password(nats_server: NatsServer) -> None:
    async with tiny(nats_server, KRONIKA_NATS_PASSWORD="hunter2-hunter2") as running:  # noqa: S106 - a wrong one
        assert await running.ends() == EXIT_LOST
    assert "hunter2" not in "".join(running.lines)


async def test_a_wrong_setting_is_one_sentence_and_status_2(nats_server: NatsServer) -> None:
    async with tiny(nats_server, KRONIKA_PROBE_PORT="x") as running:
        assert await running.ends() == EXIT_SETTINGS
    assert running.lines == ["ghost: KRONIKA_PROBE_PORT: 'x' is not a whole number from 0 to 65535.\n"]


async def test_missing_streams_keep_a_service_from_starting(own_nats_server: NatsServer) -> None:
    async with own_nats_server.broker("provision_game") as provisioner:
        await provisioner.request("$JS.API.STREAM.DELETE.GAMES", b"", 5_000)
    async with tiny(own_nats_server, "game") as running:
        assert await running.ends() == EXIT_SETTINGS
    assert "Stream GAMES is missing" in "".join(running.lines)


async def test_a_taken_probe_port_has_its_own_status(nats_server: NatsServer) -> None:
    port = free_port()
    async with tiny(nats_server, KRONIKA_PROBE_PORT=str(port)) as first:
        await probes_of(first)
        async with tiny(nats_server, KRONIKA_PROBE_PORT=str(port)) as second:
            assert await second.ends() == EXIT_PORT_TAKEN


async def test_every_line_of_the_log_is_json(nats_server: NatsServer) -> None:
    async with tiny(nats_server) as running:
        await running.says('"ready"')
        running.send(signal.SIGTERM)
        await running.ends()
    assert all(json.loads(line)["service"] == "ghost" for line in running.lines)
