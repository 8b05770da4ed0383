"""``kronika up``: the broker, Valkey and every service on this machine, each in a process of its own."""

import asyncio
import fcntl
import os
import signal
import sys
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import Annotated, Any, Final

import typer
from rich.console import Console

from services.cli import words
from services.cli.embedded import USERS, EmbeddedNats, EmbeddedValkey, ServerFailed, load_passwords
from services.cli.ports import CannotStart, Port, free_port
from services.cli.probing import answers_ok, broker_can_be_cured, broker_trouble, service_trouble
from services.cli.supervisor import Launch, Part, StartFailed, Supervisor
from services.cli.watching import GOOD, USUAL, Looks, Signs
from shared import tokens
from shared.adapters.nats_connection import BrokerUnreachable
from shared.adapters.nats_provision import WrongServer, provision
from shared.settings import Settings, SettingsError, from_environment

_PASSWORDS_FILE: Final = "nats-passwords.json"
_LEFTOVERS_S: Final = 15.0  # what a killed supervisor left behind drains for less


@dataclass(frozen=True)
class Service:
    """A row of the table: ``keys`` are the variables that name key files, with the file each names."""

    name: str
    keys: Mapping[str, str] = field(default_factory=dict[str, str])
    public: bool = False  # listens on the address that players use
    module: str = ""  # by default services.<name>


# In the order of starting; stopped the other way round. A new service is one line here.
SERVICES: Final = (
    Service(
        "lobby",
        {
            "KRONIKA_TOKEN_KEY_FILE": tokens.PRIVATE_FILE,
            "KRONIKA_PEPPER_FILE": tokens.PEPPER_FILE,
            "KRONIKA_BOT_KEY_FILE": tokens.BOT_FILE,
            "KRONIKA_AUDIT_KEY_FILE": tokens.AUDIT_FILE,
        },
    ),
    Service("game"),
    Service("clock"),
    Service("ghost"),
    Service("rating"),
    Service("ledger"),
    Service("tournament"),
    Service("gateway", {"KRONIKA_TOKEN_PUBLIC_KEY_FILE": tokens.PUBLIC_FILE}, public=True),
)


def command(
    port: Annotated[
        int,
        typer.Option(envvar="KRONIKA_PORT", min=0, max=65535, help="Where players connect; 0: a free one."),
    ] = 8480,
    nats_port: Annotated[
        int, typer.Option(envvar="KRONIKA_NATS_PORT", min=0, max=65535, help="The broker's; 0: a free one.")
    ] = 8422,
    monitor_port: Annotated[
        int,
        typer.Option(
            envvar="KRONIKA_NATS_MONITOR_PORT",
            min=0,
            max=65535,
            help="The broker's monitoring; 0: a free one.",
        ),
    ] = 8482,
    data: Annotated[
        Path, typer.Option(envvar="KRONIKA_DATA", help="Where matches, keys and logs are kept.")
    ] = Path(".kronika"),
) -> None:
    """Start everything on this machine and keep it running until Ctrl-C.

    KRONIKA_NATS_URL and KRONIKA_REDIS_URL name servers that are already there (a broker's users keep their
    names; their passwords come as KRONIKA_GAME_NATS_PASSWORD, KRONIKA_LOBBY_NATS_PASSWORD … or …_FILE);
    KRONIKA_PROVISION=no leaves that broker's streams to somebody else.
    """
    house = House(port=port, nats_port=nats_port, monitor_port=monitor_port, data=data)
    sys.exit(asyncio.run(house.run()))


@dataclass
class House:
    """One run of everything."""

    port: int
    nats_port: int
    monitor_port: int
    data: Path
    services: tuple[Service, ...] = SERVICES
    environment: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    console: Console = field(default_factory=Console)
    looks: Looks = USUAL
    _port: Port = field(init=False)
    _nats_port: Port = field(init=False)
    _monitor_port: Port = field(init=False)

    async def run(self) -> int:
        """Start, keep running, stop; the exit status."""
        stopping = asyncio.Event()
        try:
            settings = from_environment(self.environment)
            lock = await self._lock()
            self._choose_ports()
            tokens.generate(self.data / "keys")
        except (CannotStart, SettingsError) as error:
            self._complain(str(error))
            return 1
        except OSError as error:
            self._complain(f"{error.filename or self.data} cannot be used: {error.strerror}.")
            return 1
        supervisor = Supervisor(self._say, keep_open=(lock,))
        self._on_signals(stopping, supervisor)
        status = 0
        try:
            starting = asyncio.create_task(self._start(supervisor, settings))
            told = asyncio.create_task(stopping.wait())
            with self.console.status("Starting …"):
                await asyncio.wait((starting, told), return_when=asyncio.FIRST_COMPLETED)
            if starting.done():
                starting.result()
                await told
            else:
                starting.cancel()
                await asyncio.wait((starting,))
        except StartFailed as error:
            self._complain(str(error), error.tail)
            status = 1
        except (WrongServer, BrokerUnreachable, SettingsError) as error:
            self._complain(str(error))
            status = 1
        (self.data / "address").unlink(missing_ok=True)
        if status == 0:
            self._print("\nStopping …")
        await supervisor.stop()
        if status == 0:
            self._print("Stopped. Everything that was played is kept.")
        os.close(lock)
        return status

    # ---- starting

    async def _start(self, supervisor: Supervisor, settings: Settings) -> None:
        began = monotonic()
        listed = await words.prepare(self.environment, self.data, self._say)
        servers: list[Part] = []
        address, passwords = self._broker(settings, servers)
        redis_url = self._redis(settings, servers)
        await supervisor.start(*servers)
        if not self.environment.get("KRONIKA_NATS_URL"):
            self._nats_port.settle()
            self._monitor_port.settle()
        nats_url = address()
        if self.environment.get("KRONIKA_PROVISION", "yes") != "no":
            await provision(nats_url, passwords, settings_known_safe=not passwords.get("sys"))
            self._say("streams", "as they must be", GOOD)
        common = {"KRONIKA_NATS_URL": nats_url, "KRONIKA_REDIS_URL": redis_url, **listed}
        await supervisor.start(
            *(self._service(service, common, passwords.get(service.name, "")) for service in self.services)
        )
        self._port.settle()
        self._greet(monotonic() - began)

    def _broker(self, settings: Settings, servers: list[Part]) -> tuple[Callable[[], str], dict[str, str]]:
        """Its address once the servers are ready, its users' passwords; adds our own unless one is named."""
        if self.environment.get("KRONIKA_NATS_URL"):
            return lambda: settings.nats_url, {user: self._password(user) for user in USERS}
        nats = EmbeddedNats(self.data / "nats")

        async def ready() -> bool:
            with suppress(OSError):
                return await asyncio.to_thread(nats.ready)
            return False

        def prepare() -> Launch:
            nats.port, nats.monitor_port = self._nats_port.choose(), self._monitor_port.choose()
            return _foreign(nats.prepare, ready, nats.url, signs)

        signs = Signs(
            lambda: broker_trouble(nats.monitor_port, nats.data_dir),
            lambda: broker_can_be_cured(nats.monitor_port, nats.data_dir),
        )
        servers.append(Part("nats", prepare, self._log_file("nats"), looks=self.looks))
        nats.data_dir.mkdir(parents=True, exist_ok=True)
        return lambda: nats.url, load_passwords(nats.data_dir / _PASSWORDS_FILE)

    def _redis(self, settings: Settings, servers: list[Part]) -> str:
        """Valkey's address; adds our own server unless one is named."""
        if self.environment.get("KRONIKA_REDIS_URL"):
            return settings.redis_url.reveal()
        valkey = EmbeddedValkey(self.data / "valkey")

        async def ready() -> bool:
            return await asyncio.to_thread(valkey.ready)

        def prepare() -> Launch:
            return _foreign(valkey.prepare, ready, valkey.url)

        servers.append(Part("valkey", prepare, self._log_file("valkey")))
        return valkey.url

    def _service(self, service: Service, common: Mapping[str, str], password: str) -> Part:
        keys = {variable: str(self.data / "keys" / file) for variable, file in service.keys.items()}
        environment = {
            **{k: v for k, v in self.environment.items() if not _private(k)},
            **common,
            **keys,
            "KRONIKA_NATS_USER": service.name,
            "KRONIKA_NATS_PASSWORD": password,
            "KRONIKA_DATA": str(self.data),
            "PYTHONUNBUFFERED": "1",
        }

        def prepare() -> Launch:
            probe = free_port()  # anew at each start: in between, somebody else may have taken it

            port = self._port.choose() if service.public else self._port.number

            async def ready() -> bool:
                return await answers_ok("127.0.0.1", probe, "/health/ready")

            return Launch(
                (sys.executable, "-m", service.module or f"services.{service.name}"),
                ready,
                {
                    **environment,
                    "KRONIKA_PORT": str(port),
                    "KRONIKA_PROBE_HOST": "127.0.0.1",
                    "KRONIKA_PROBE_PORT": str(probe),
                },
                where=self._address() if service.public else "",
                signs=Signs(lambda: service_trouble(probe)),
            )

        return Part(service.name, prepare, self._log_file(service.name), looks=self.looks)

    def _password(self, user: str) -> str:
        """A user's password for a broker that is already there: its own variable, or the one for all."""
        own = f"KRONIKA_{user.upper()}_NATS_PASSWORD"
        file = self.environment.get(f"{own}_FILE")
        try:
            if file:
                return Path(file).read_text().strip()
        except OSError as error:
            raise SettingsError(f"{own}_FILE: {file} cannot be read: {error.strerror}.") from error
        return self.environment.get(own) or self.environment.get("KRONIKA_NATS_PASSWORD", "")

    # ---- before anything is started

    async def _lock(self) -> int:
        """Hold this data directory; every process that we start holds it too, so leftovers are noticed."""
        self.data.mkdir(parents=True, exist_ok=True, mode=0o700)
        path = self.data / "lock"
        lock = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        told = False
        latest = monotonic() + _LEFTOVERS_S
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                pid = path.read_text().strip()
                if _runs(pid) or monotonic() > latest:
                    os.close(lock)
                    raise CannotStart(
                        f"Kronika already runs on {self.data} (process {pid}); stop it, or name another"
                        " directory with KRONIKA_DATA."
                    ) from None
                if not told:
                    self._print("An earlier run was killed; waiting until its processes have stopped …")
                    told = True
                await asyncio.sleep(0.1)
            else:
                os.ftruncate(lock, 0)
                os.pwrite(lock, f"{os.getpid()}\n".encode(), 0)
                return lock

    def _choose_ports(self) -> None:
        host = self.environment.get("KRONIKA_HOST", "").strip() or "127.0.0.1"
        self._port = Port(host, self.port, "KRONIKA_PORT", "players")
        if not self.environment.get("KRONIKA_NATS_URL"):
            self._nats_port = Port("127.0.0.1", self.nats_port, "KRONIKA_NATS_PORT", "the broker")
            self._monitor_port = Port(
                "127.0.0.1", self.monitor_port, "KRONIKA_NATS_MONITOR_PORT", "the broker's monitoring"
            )

    def _on_signals(self, stopping: asyncio.Event, supervisor: Supervisor) -> None:
        def told() -> None:
            if stopping.is_set():
                supervisor.hurry.set()  # asked twice: no more patience
            stopping.set()

        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            asyncio.get_running_loop().add_signal_handler(number, told)

    # ---- saying

    def _address(self) -> str:
        host = self.environment.get("KRONIKA_HOST", "").strip() or "127.0.0.1"
        return f"http://{'127.0.0.1' if host in ('0.0.0.0', '::') else host}:{self._port.number}"  # noqa: S104 - compared

    def _log_file(self, name: str) -> Path:
        return self.data / "logs" / f"{name}.log"

    def _greet(self, seconds: float) -> None:
        address = self._address()
        (self.data / "address").write_text(f"{address}\n")
        self._print(
            f"\nKronika is ready after {seconds:.1f} s:  [bold]{address}[/bold]\n\n"
            f"  What can be played     curl {address}/v1/games\n"
            f"  The API                {address}/v1/openapi.json\n"
            f"  Its socket             {address}/v1/asyncapi.json\n"
            f"  Play a recorded match  .venv/bin/kronika import FILE.mat\n"
            f"  A first match by hand  see README.md\n\n"
            f"Data is kept in {self.data}, logs in {self.data / 'logs'}. Ctrl-C stops everything."
        )

    def _say(self, name: str, text: str, tone: str) -> None:
        mark = "[green]✓[/green]" if tone == GOOD else "[yellow]![/yellow]"
        self._print(f"  {mark} {name:<9} {text}")

    def _complain(self, text: str, tail: str = "") -> None:
        if tail:
            self.console.print(tail.rstrip(), markup=False, highlight=False, soft_wrap=True)
        self._print(f"[red]Kronika did not start:[/red] {text}")

    def _print(self, text: Any) -> None:
        with suppress(BrokenPipeError):  # whoever read our lines has gone; the matches go on
            self.console.print(text, highlight=False, soft_wrap=True)


def _foreign(
    prepare: Callable[[], list[str]],
    ready: Callable[[], Awaitable[bool]],
    where: str,
    signs: Signs | None = None,
) -> Launch:
    """The start of an embedded server; what keeps it from starting is said like everything else."""
    try:
        return Launch(tuple(prepare()), ready, foreign=True, where=where, signs=signs)
    except ServerFailed as error:
        raise StartFailed(str(error)) from error


def _runs(pid: str) -> bool:
    try:
        os.kill(int(pid), 0)
    except (ValueError, ProcessLookupError):
        return False
    except PermissionError:
        return True
    return True


def _private(variable: str) -> bool:
    """Variables that hold or name other parts' passwords are not handed on."""
    return variable.startswith("KRONIKA_") and ("PASSWORD" in variable or variable.endswith("_FILE"))
