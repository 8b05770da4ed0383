"""Real servers for the tests: from the wheels, or as containers where KRONIKA_TEST_SERVERS says so."""

import asyncio
import os
from collections.abc import AsyncGenerator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from services.cli.embedded import EmbeddedNats, EmbeddedValkey
from shared.adapters.nats_connection import Broker
from shared.adapters.nats_provision import provision
from tests.support.ports import free_port

__all__ = ["NatsServer", "ValkeyServer", "free_port", "new_nats", "new_valkey", "wanted_containers"]


class NatsProcess(Protocol):
    """What a test may do to a broker."""

    passwords: dict[str, str]

    @property
    def url(self) -> str:
        """Its address."""
        ...

    def start(self) -> None:
        """Start, on the same store as before."""
        ...

    def stop(self) -> None:
        """Stop in order."""
        ...

    def kill(self) -> None:
        """SIGKILL."""
        ...

    def pause(self) -> None:
        """SIGSTOP."""
        ...

    def resume(self) -> None:
        """SIGCONT."""
        ...


@dataclass
class NatsServer:
    """A provisioned broker and connections to it by user."""

    process: NatsProcess

    @property
    def url(self) -> str:
        """Its address."""
        return self.process.url

    @property
    def passwords(self) -> dict[str, str]:
        """Passwords by user."""
        return self.process.passwords

    def start(self) -> None:
        """Start and provision."""
        self.process.start()
        try:
            with ThreadPoolExecutor(1) as thread:  # whoever asks for this fixture may run a loop already
                thread.submit(asyncio.run, provision(self.url, self.passwords)).result()
        except BaseException:
            self.process.stop()
            raise

    def kill_and_restart(self) -> None:
        """Crash it and start it again on the same store."""
        self.process.kill()
        self.process.start()

    @asynccontextmanager
    async def broker(self, user: str) -> AsyncGenerator[Broker]:
        """A connection as ``user``."""
        broker = Broker(self.url, user=user, password=self.passwords[user])
        await broker.connect()
        try:
            yield broker
        finally:
            await broker.close()


def wanted_containers() -> bool:
    """Whether the servers come as containers."""
    kind = os.environ.get("KRONIKA_TEST_SERVERS", "embedded")
    if kind not in ("embedded", "containers"):
        raise ValueError(f"KRONIKA_TEST_SERVERS is {kind!r}; it may be embedded or containers")
    return kind == "containers"


def new_nats(directory: Path) -> NatsServer:
    """A broker with the rights that we ship, not started."""
    if wanted_containers():
        from tests.support.containers import ContainerNats  # noqa: PLC0415 - an optional group of packages

        return NatsServer(ContainerNats(directory, free_port()))
    return NatsServer(EmbeddedNats(directory, port=free_port(), monitor_port=free_port()))


class ValkeyServer(Protocol):
    """A Valkey for tests."""

    @property
    def url(self) -> str:
        """What redis clients take."""
        ...

    def start(self) -> None:
        """Start."""
        ...

    def stop(self) -> None:
        """Stop."""
        ...


def new_valkey(directory: Path) -> ValkeyServer:
    """A Valkey, not started."""
    if wanted_containers():
        from tests.support.containers import ContainerValkey  # noqa: PLC0415 - as above

        return ContainerValkey()
    return EmbeddedValkey(directory)
