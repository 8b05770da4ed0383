"""``kronika up`` with one tiny service, as a program under test."""

import re
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from services.cli.embedded import load_passwords
from shared.adapters.nats_connection import Broker
from tests.support.running import Program, program


@asynccontextmanager
async def house(data: Path, **environment: str) -> AsyncGenerator[Program]:
    async with program("-m", "tests.support.tiny_house", KRONIKA_DATA=str(data), **environment) as running:
        yield running


async def broker_of(running: Program, data: Path, user: str) -> Broker:
    """A connection to the broker that this house started."""
    found = re.search(r"nats://\S+", "".join(running.lines))
    assert found
    passwords = load_passwords(data / "nats" / "nats-passwords.json")
    broker = Broker(found.group(), user=user, password=passwords[user])
    await broker.connect()
    return broker
