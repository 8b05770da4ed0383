"""The test servers as containers, with the same configuration mounted; needs Docker and testcontainers."""

import os
from pathlib import Path
from typing import Final

from testcontainers.core.container import DockerContainer
from testcontainers.core.waiting_utils import wait_for_logs

from services.cli.embedded import load_passwords, render

NATS_IMAGE: Final = "nats:2.15.1-alpine"
VALKEY_IMAGE: Final = "valkey/valkey:9.1.2-alpine"
_NATS_PORT: Final = 4222
_VALKEY_PORT: Final = 6379
_READY_S: Final = 30


class ContainerNats:
    """A nats-server in a container; its store is a mounted directory, so it survives ``kill``."""

    def __init__(self, directory: Path, port: int) -> None:
        """``port`` on this machine stays the same over restarts, as clients need it to."""
        self._directory = directory
        self._port = port
        self._container: DockerContainer | None = None
        self.passwords = load_passwords(directory / "nats-passwords.json")

    @property
    def url(self) -> str:
        """Its address."""
        host = self._running().get_container_host_ip() if self._container is not None else "127.0.0.1"
        return f"nats://{host}:{self._port}"

    def start(self) -> None:
        """Start, on the same store as before."""
        config = self._directory / "nats.conf"
        store = self._directory / "jetstream"
        store.mkdir(exist_ok=True)
        config.write_text(
            render(
                self.passwords,
                listen=f"0.0.0.0:{_NATS_PORT}",
                monitor="0.0.0.0:8222",
                store="/data",
                name="kronika",
            )
        )
        self._container = (
            DockerContainer(NATS_IMAGE)
            .with_command("-c /etc/kronika/nats.conf")
            .with_bind_ports(_NATS_PORT, self._port)
            .with_volume_mapping(str(config), "/etc/kronika/nats.conf", "ro")
            .with_volume_mapping(str(store), "/data", "rw")
            .with_kwargs(user=f"{os.getuid()}:{os.getgid()}")
        )
        self._container.start()
        wait_for_logs(self._container, "Server is ready", timeout=_READY_S)

    def stop(self) -> None:
        """Stop in order and remove the container; the store stays."""
        if self._container is not None:
            self._container.get_wrapped_container().stop()
            self._container.stop()
            self._container = None

    def kill(self) -> None:
        """SIGKILL."""
        self._running().get_wrapped_container().kill()
        self._running().stop()
        self._container = None

    def pause(self) -> None:
        """Freeze it."""
        self._running().get_wrapped_container().pause()

    def resume(self) -> None:
        """Go on."""
        self._running().get_wrapped_container().unpause()

    def _running(self) -> DockerContainer:
        if self._container is None:
            raise RuntimeError("the container does not run")
        return self._container


class ContainerValkey:
    """A Valkey in a container."""

    def __init__(self) -> None:
        """Not started."""
        self._container: DockerContainer | None = None
        self.url = ""

    def start(self) -> None:
        """Start; ``url`` is known afterwards."""
        container = DockerContainer(VALKEY_IMAGE).with_exposed_ports(_VALKEY_PORT)
        container.start()
        wait_for_logs(container, "Ready to accept connections", timeout=_READY_S)
        self._container = container
        self.url = f"redis://{container.get_container_host_ip()}:{container.get_exposed_port(_VALKEY_PORT)}"

    def stop(self) -> None:
        """Stop and remove it."""
        if self._container is not None:
            self._container.stop()
            self._container = None
