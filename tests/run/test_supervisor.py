"""The supervisor: restarts what dies, gives up on what cannot start, stops what will not stop."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from time import monotonic

import pytest

from services.cli.ports import free_port
from services.cli.probing import answers_ok
from services.cli.supervisor import Launch, Part, StartFailed, Supervisor
from services.cli.watching import Looks, Signs
from tests.support.running import gone

SERVER = (
    "import http.server, sys; http.server.test(http.server.SimpleHTTPRequestHandler, port=int(sys.argv[1]))"
)
STUBBORN = f"import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); {SERVER}"


class Said(list[str]):
    """What the supervisor said, and a way to wait for the next line of a kind."""

    def __init__(self) -> None:
        """Nothing yet."""
        self.more = asyncio.Event()

    def __call__(self, name: str, text: str, tone: str) -> None:
        """Take a line."""
        self.append(f"{name} {text} {tone}")
        self.more.set()

    async def line(self, text: str, times: int = 1) -> None:
        """Return when ``text`` was said so many times."""
        async with asyncio.timeout(20):
            while sum(text in line for line in self) < times:
                self.more.clear()
                await self.more.wait()


@pytest.fixture
async def said() -> Said:
    return Said()


@pytest.fixture
async def supervisor(said: Said) -> AsyncIterator[Supervisor]:
    supervisor = Supervisor(said)
    yield supervisor
    with suppress(OSError):  # the test may have stopped it already
        await supervisor.stop()


def part(tmp_path: Path, code: str = SERVER, name: str = "web", grace_s: float = 5) -> Part:
    def prepare() -> Launch:
        port = free_port()

        async def ready() -> bool:
            return await answers_ok("127.0.0.1", port, "/")

        return Launch((sys.executable, "-c", code, str(port)), ready)

    return Part(name, prepare, tmp_path / f"{name}.log", grace_s=grace_s)


async def test_what_dies_is_started_again_with_a_visible_line(
    supervisor: Supervisor, said: Said, tmp_path: Path
) -> None:
    await supervisor.start(part(tmp_path))
    first = supervisor.pids()["web"]
    os.kill(first, signal.SIGKILL)
    await said.line("web was killed by SIGKILL; starting it again in 0.2 s bad")
    await said.line("web ready in", times=2)
    assert supervisor.pids()["web"] != first


async def test_the_pause_before_a_restart_grows(supervisor: Supervisor, said: Said, tmp_path: Path) -> None:
    await supervisor.start(part(tmp_path))
    for times, pause in enumerate(("0.2", "0.4", "0.8"), 1):
        os.kill(supervisor.pids()["web"], signal.SIGKILL)
        await said.line(f"starting it again in {pause} s")
        await said.line("ready in", times=times + 1)


async def test_what_cannot_start_is_given_up_with_the_end_of_its_log(
    supervisor: Supervisor, tmp_path: Path
) -> None:
    with pytest.raises(StartFailed, match="web cannot start: it ended with status 3") as failed:
        await supervisor.start(part(tmp_path, "print('no paper in the printer'); raise SystemExit(3)"))
    assert "no paper in the printer" in failed.value.tail


async def test_a_wrong_setting_is_not_tried_twice(supervisor: Supervisor, said: Said, tmp_path: Path) -> None:
    with pytest.raises(StartFailed, match="status 2"):
        await supervisor.start(part(tmp_path, "raise SystemExit(2)"))
    assert list(said) == []


async def test_a_program_that_is_not_there_is_named(supervisor: Supervisor, tmp_path: Path) -> None:
    async def ready() -> bool:
        return False

    missing = Part("web", lambda: Launch(("/nowhere/web",), ready), tmp_path / "log")
    with pytest.raises(StartFailed, match="/nowhere/web"):
        await supervisor.start(missing)


async def test_everything_is_stopped_the_last_one_first_and_the_stubborn_are_killed(
    supervisor: Supervisor, said: Said, tmp_path: Path
) -> None:
    await supervisor.start(part(tmp_path, name="first"))
    await supervisor.start(part(tmp_path, STUBBORN, name="stubborn", grace_s=0.3))
    pids = {pid: name for name, pid in supervisor.pids().items()}
    await supervisor.stop()
    await said.line("stubborn did not stop in time and is killed")
    await gone(pids)


async def test_asked_twice_it_has_no_patience(supervisor: Supervisor, tmp_path: Path) -> None:
    await supervisor.start(part(tmp_path, STUBBORN, grace_s=60))
    began = monotonic()
    stopping = asyncio.create_task(supervisor.stop())
    supervisor.hurry.set()
    await stopping
    assert monotonic() - began < 10


class Patient:
    """What is seen of a part: set by the test."""

    def __init__(self) -> None:
        self.why = ""
        self.room = False

    async def trouble(self) -> str:
        return self.why

    async def curable(self) -> bool:
        return self.room


def watched(tmp_path: Path, patient: Patient) -> Part:
    plain = part(tmp_path)
    signs = Signs(patient.trouble, patient.curable)
    return replace(plain, prepare=lambda: replace(plain.prepare(), signs=signs), looks=Looks(0.02, 0.1))


async def test_what_stays_unwell_is_said_with_the_reason_and_so_is_its_recovery(
    supervisor: Supervisor, said: Said, tmp_path: Path
) -> None:
    patient = Patient()
    await supervisor.start(watched(tmp_path, patient))
    pid = supervisor.pids()["web"]
    patient.why = "broker: no connection"
    await said.line("web is not ready: broker: no connection bad")
    patient.why = ""
    await said.line("web ready again after 0 s good")
    assert supervisor.pids()["web"] == pid, "nobody said that a new start would help"
    assert len(said) == 3, "each is said once"


async def test_what_stays_unwell_though_it_could_be_well_is_started_again(
    supervisor: Supervisor, said: Said, tmp_path: Path
) -> None:
    patient = Patient()
    await supervisor.start(watched(tmp_path, patient))
    pid = supervisor.pids()["web"]
    patient.why = "the disk is full"
    await said.line("web is not ready: the disk is full")
    assert supervisor.pids()["web"] == pid, "while the disk is full a new start would not help"
    patient.room = True
    await said.line("although there is room on the disk; starting it again")
    patient.why = ""
    await said.line("web ready in", times=2)
    assert supervisor.pids()["web"] != pid
