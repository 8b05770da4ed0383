"""``kronika up`` as an operator runs it, and what may be killed in it."""

import os
import random
import re
import signal
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from services.cli.embedded import load_passwords
from shared.adapters.nats_connection import Broker
from tests.support.cluster import LIMITS
from tests.support.running import Program, children, program

COMMANDS: Final = {
    "game": "services.game",
    "lobby": "services.lobby",
    "clock": "services.clock",
    "ghost": "services.ghost",
    "rating": "services.rating",
    "ledger": "services.ledger",
    "gateway": "services.gateway",
    "nats": "nats-server",
    "valkey": "valkey-server",
}


@dataclass
class House:
    """A running house; its supervisor restarts what is killed."""

    running: Program
    data: Path
    address: str
    nats_url: str
    kills: list[str] = field(default_factory=list[str])

    def pid(self, name: str) -> int | None:
        """The process of a part, None while it is down."""
        found = children(self.running.process.pid).items()
        return next((pid for pid, line in found if COMMANDS[name] in line), None)

    def kill(self, name: str) -> None:
        """SIGKILL."""
        pid = self.pid(name)
        assert pid is not None, f"{name} is down"
        os.kill(pid, signal.SIGKILL)
        self.kills.append(name)

    async def back(self, name: str) -> None:
        """Return when the supervisor has it ready again."""
        await self.running.says(f"{name:<9} was killed by SIGKILL")
        await self.running.says(f"{name:<9} ready in")

    def log(self, name: str) -> str:
        """What a part wrote."""
        return (self.data / "logs" / f"{name}.log").read_text(errors="replace")

    @asynccontextmanager
    async def broker(self, user: str) -> AsyncGenerator[Broker]:
        """A connection to its broker."""
        password = load_passwords(self.data / "nats" / "nats-passwords.json")[user]
        broker = Broker(self.nats_url, user=user, password=password)
        await broker.connect()
        try:
            yield broker
        finally:
            await broker.close()


@asynccontextmanager
async def house(data: Path) -> AsyncGenerator[House]:
    """Everything, on free ports, ready."""
    names = ("KRONIKA_PORT", "KRONIKA_NATS_PORT", "KRONIKA_NATS_MONITOR_PORT")
    first = random.SystemRandom().randrange(8_500, 19_900)  # outgoing connections cannot take these
    ports = {name: str(first + i) for i, name in enumerate(names)}
    async with program("-m", "services.cli", "up", KRONIKA_DATA=str(data), **ports, **LIMITS) as running:
        address = (await running.says("Kronika is ready after")).split()[-1]
        nats = re.search(r"nats://\S+", "".join(running.lines))
        assert nats
        yield House(running, data, address, nats.group())
