"""Every service as a process of its own on real servers, to be killed, paused and started again by tests.

``Cluster`` is synchronous, so that fixtures of any scope, benches and scripts can use it::

    with Cluster(directory) as cluster:
        cluster.kill("game")
        cluster.start("game")
        print(cluster.address)
"""

import http.client
import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from services.cli.embedded import EmbeddedValkey, freeze
from services.cli.up import SERVICES, Service
from shared import tokens
from shared.service import EXIT_PORT_TAKEN
from tests.support.servers import NatsServer, ValkeyServer, free_port, new_nats, new_valkey

READY_S: Final = 30.0
STOP_S: Final = 15.0
SERVERS: Final = ("nats", "valkey")
_LOOK_S: Final = 0.01
_TRIES: Final = 5
_KNOWN: Final[Mapping[str, Service]] = {service.name: service for service in SERVICES}
# One address asks for many: limits are tested where they are the subject, with limits of their own.
LIMITS: Final[Mapping[str, str]] = {
    "KRONIKA_LIMIT_SIGN_INS_PER_MINUTE": "1000000",
    "KRONIKA_LIMIT_SIGN_INS_BURST": "1000000",
    "KRONIKA_LIMIT_WRITES_PER_MINUTE": "1000000",
    "KRONIKA_LIMIT_WRITES_BURST": "1000000",
    "KRONIKA_LIMIT_READS_PER_MINUTE": "1000000",
    "KRONIKA_LIMIT_READS_BURST": "1000000",
    "KRONIKA_LIMIT_MOVES_PER_MINUTE": "1000000",
    "KRONIKA_LIMIT_MOVES_BURST": "1000000",
    "KRONIKA_LIMIT_FRAMES_PER_MINUTE": "1000000",
    "KRONIKA_LIMIT_FRAMES_BURST": "1000000",
    "KRONIKA_LIMIT_CONNECTIONS_PER_ADDRESS": "20000",
    "KRONIKA_LIMIT_SOCKETS_PER_PLAYER": "1000",
    "KRONIKA_LIMIT_WATCHED_PER_SOCKET": "1000",
}


@dataclass
class Process:
    """One instance of a service."""

    service: str
    popen: subprocess.Popen[bytes]
    probe_port: int
    log: Path

    @property
    def pid(self) -> int:
        """Its process id."""
        return self.popen.pid

    @property
    def running(self) -> bool:
        """Whether it has not ended."""
        return self.popen.poll() is None


class Cluster:
    """A broker, a Valkey and instances of services; everything it started ends with it."""

    def __init__(
        self,
        directory: Path,
        *,
        services: Sequence[str] = tuple(_KNOWN),
        environment: Mapping[str, str] | None = None,
        nats: NatsServer | None = None,
        valkey: ValkeyServer | None = None,
        launcher: str = "",
    ) -> None:
        """Nothing is started yet. ``nats`` and ``valkey`` may be running ones; else own ones are started.

        ``environment`` is added for every service, after ``LIMITS``. ``launcher`` is a module that runs the
        module named as its argument; by default Python does.
        """
        self.directory = directory
        self.keys = directory / "keys"
        self.nats = nats or new_nats(directory / "nats")
        self.valkey = valkey or new_valkey(directory / "valkey")
        self.processes: dict[str, Process] = {}
        self.port = free_port()
        self._parent, self._parent_held = (
            os.pipe()
        )  # closes when the tests are killed: no service outlives them
        self._own_nats = nats is None
        self._own_valkey = valkey is None
        self._services = tuple(services)
        self._launcher = ("-m", launcher) if launcher else ("-m",)
        self._environment = {**LIMITS, **(environment or {})}

    @property
    def address(self) -> str:
        """Where clients connect: ``http://…``."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def socket_address(self) -> str:
        """Where clients open their socket."""
        return f"{self.address}/v1/socket"

    def key(self, name: str) -> str:
        """The text of a key file (``tokens.BOT_FILE``, ``tokens.AUDIT_FILE``)."""
        return (self.keys / name).read_text().strip()

    def __enter__(self) -> Self:
        """Start the servers and all services; return when every one is ready."""
        try:
            self.directory.mkdir(parents=True, exist_ok=True)
            tokens.generate(self.keys)
            if self._own_nats:
                self.nats.start()
            if self._own_valkey:
                self.valkey.start()
            for service in self._services:
                self.launch(service)
            for service in self._services:
                self._first_ready(service)
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        """Stop everything that was started."""
        self.close()

    def close(self) -> None:
        """Stop all services, then the servers of our own."""
        for name in reversed(list(self.processes)):
            self.resume(name)
            if self.processes[name].running:
                self.processes[name].popen.terminate()
        for process in self.processes.values():
            try:
                process.popen.wait(STOP_S)
            except subprocess.TimeoutExpired:
                process.popen.kill()
                process.popen.wait()
        os.close(self._parent)
        os.close(self._parent_held)
        if self._own_valkey:
            self.valkey.stop()
        if self._own_nats:
            self.nats.process.stop()

    # ---- one service

    def start(self, name: str, service: str = "", environment: Mapping[str, str] | None = None) -> Process:
        """Start an instance and wait until it is ready; ``service`` is what it is, by default as its name."""
        process = self.launch(name, service, environment)
        self.wait_ready(name)
        return process

    def launch(self, name: str, service: str = "", environment: Mapping[str, str] | None = None) -> Process:
        """Start an instance without waiting."""
        kind = _KNOWN[service or (self.processes[name].service if name in self.processes else name)]
        if name in self.processes and self.processes[name].running:
            raise RuntimeError(f"{name} is running")
        probe_port = free_port()
        log = self.directory / f"{name}.log"
        with log.open("ab") as output:
            popen = subprocess.Popen(  # noqa: S603 - our own services
                [sys.executable, *self._launcher, kind.module or f"services.{kind.name}"],
                env={**os.environ, **self._variables(kind, probe_port), **(environment or {})},
                stdin=subprocess.DEVNULL,
                pass_fds=(self._parent,),
                stdout=output,
                stderr=output,
            )
        process = self.processes[name] = Process(kind.name, popen, probe_port, log)
        return process

    def wait_ready(self, name: str, within_s: float = READY_S, probe: str = "ready") -> None:
        """Wait until the instance says that it is ready; raises with the end of its log if it is not.

        ``probe``: or only that it has started (``startup``), whatever hinders it afterwards.
        """
        process = self.processes[name]
        give_up = time.monotonic() + within_s
        while process.running and time.monotonic() < give_up:
            if _answers(process.probe_port, probe):
                return
            time.sleep(_LOOK_S)
        state = "is not ready" if process.running else f"ended with {process.popen.returncode}"
        raise RuntimeError(f"{name} {state}:\n{self.tail(name)}")

    def tail(self, name: str, size: int = 4_000) -> str:
        """The end of an instance's log."""
        return self.processes[name].log.read_text(errors="replace")[-size:]

    def _first_ready(self, service: str) -> None:
        """As ``wait_ready``; a port that somebody else took in the meantime is given up for another one."""
        for _ in range(_TRIES):
            try:
                self.wait_ready(service)
            except RuntimeError:
                if self.processes[service].popen.poll() != EXIT_PORT_TAKEN:
                    raise
                if _KNOWN[service].public:
                    self.port = free_port()
                self.launch(service)
            else:
                return
        self.wait_ready(service)

    def kill(self, *names: str) -> None:
        """SIGKILL to all of these at once (instances, ``nats``, ``valkey``), and wait until they are gone."""
        killed = [self.processes[name].popen for name in names if name not in SERVERS]
        for popen in killed:
            popen.kill()
        if "nats" in names:
            self.nats.process.kill()
        if "valkey" in names:
            self._kill_valkey()
        for popen in killed:
            popen.wait()

    def _kill_valkey(self) -> None:
        if isinstance(self.valkey, EmbeddedValkey) and self.valkey.process is not None:
            self.valkey.process.kill()
            self.valkey.process.wait()
        else:
            self.valkey.stop()  # a container: what it knew is gone either way

    def bring_back(self, *names: str) -> None:
        """Start what was killed, on the same stores; return when all of it is ready."""
        if "nats" in names:
            self.nats.process.start()
        if "valkey" in names:
            self.valkey.start()
        services = [name for name in names if name not in SERVERS]
        for name in services:
            self.launch(name)
        for name in services:
            self.wait_ready(name)

    def stop(self, name: str) -> int:
        """SIGTERM: the instance drains; its exit status."""
        self.processes[name].popen.terminate()
        return self.processes[name].popen.wait(STOP_S)

    def restart(self, name: str) -> None:
        """Stop in order and start again, ready."""
        self.stop(name)
        self.start(name)

    def pause(self, name: str) -> None:
        """SIGSTOP; from here on it does nothing."""
        freeze(self.processes[name].popen)

    def resume(self, name: str) -> None:
        """SIGCONT."""
        self.processes[name].popen.send_signal(signal.SIGCONT)

    def _variables(self, service: Service, probe_port: int) -> dict[str, str]:
        return {
            **self._environment,
            **{variable: str(self.keys / file) for variable, file in service.keys.items()},
            "KRONIKA_NATS_URL": self.nats.url,
            "KRONIKA_NATS_USER": service.name,
            "KRONIKA_NATS_PASSWORD": self.nats.passwords.get(service.name, ""),
            "KRONIKA_REDIS_URL": self.valkey.url,
            "KRONIKA_DATA": str(self.directory),
            "KRONIKA_HOST": "127.0.0.1",
            "KRONIKA_PORT": str(self.port),
            "KRONIKA_PARENT_FD": str(self._parent),
            "KRONIKA_PROBE_HOST": "127.0.0.1",
            "KRONIKA_PROBE_PORT": str(probe_port),
        }


def _answers(port: int, probe: str) -> bool:
    """Whether the process behind this probe port says that it is ready, or has started."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/health/{probe}", timeout=1) as answer:
            return bool(answer.status == 200)
    except (OSError, http.client.HTTPException):  # nobody there, or somebody else
        return False
