"""Keeps processes running: starts them in order, waits until they are ready, restarts what dies, stops all.

What runs is watched too: a line says when it stays unwell, and where that helps it is started again.

No process outlives the supervisor, even if that is killed with -9: services hold the reading end of a pipe
whose end tells them; foreign programs are started through ``prctl(PR_SET_PDEATHSIG)`` where there is one.
"""

import asyncio
import contextlib
import os
import signal
import sys
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import Final

from services.cli.watching import BAD, GOOD, USUAL, Looks, Signs, watch
from shared.service import EXIT_SETTINGS

POLL_S: Final = 0.05
_READY_S: Final = 60.0  # longer than the slowest first start on a slow disk
_TRIES: Final = 4  # in a row before the first readiness; then starting is given up
_FIRST_PAUSE_S: Final = 0.2
_LONGEST_PAUSE_S: Final = 5.0
_STABLE_S: Final = 30.0  # running for so long makes earlier deaths forgotten
_GRACE_S: Final = 12.0  # a service drains for at most 8 s
_TAIL: Final = 12
_LOG_BYTES: Final = 20_000_000

_DIE_WITH_PARENT: Final = """
import ctypes, os, signal, sys
if sys.platform == "linux":
    ctypes.CDLL(None).prctl(1, signal.SIGTERM)
    if os.getppid() != int(sys.argv[1]):
        sys.exit(1)
os.execv(sys.argv[2], sys.argv[2:])
"""

Say = Callable[[str, str, str], None]


class StartFailed(Exception):  # noqa: N818 - what the operator reads
    """A part did not get ready; the text says which and why, ``tail`` holds the last lines of its log."""

    def __init__(self, why: str, tail: str = "") -> None:
        """Say ``why``."""
        super().__init__(why)
        self.tail = tail


@dataclass(frozen=True)
class Launch:
    """One start of a part: what to run, with which variables added, and how to see that it is ready."""

    command: tuple[str, ...]
    ready: Callable[[], Awaitable[bool]]
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    foreign: bool = False  # not one of our services: it does not watch the pipe
    where: str = ""  # its address, for whoever reads the line that it is ready
    signs: Signs | None = None  # of how it is while it runs


@dataclass(frozen=True)
class Part:
    """A process to keep running. ``prepare`` is asked anew before every start; ``log`` takes its output."""

    name: str
    prepare: Callable[[], Launch]
    log: Path
    grace_s: float = _GRACE_S
    looks: Looks = USUAL


class Supervisor:
    """Runs parts. ``say(name, text, tone)`` gets a line for everything an operator wants to see."""

    def __init__(self, say: Say, keep_open: tuple[int, ...] = ()) -> None:
        """``keep_open`` are descriptors that every part holds as long as it lives (the lock)."""
        self._say = say
        self._keep_open = keep_open
        self._pipe, self._pipe_held = os.pipe()
        self._kept: list[_Kept] = []
        self.hurry = asyncio.Event()

    async def start(self, *parts: Part) -> None:
        """Start ``parts`` at once; return when all are ready. Raises ``StartFailed``."""
        new = [_Kept(part, self._say, self._pipe, self._keep_open) for part in parts]
        self._kept += new
        for kept in new:
            kept.task = asyncio.create_task(kept.keep())
        await asyncio.gather(*(kept.first_ready for kept in new))

    def pids(self) -> dict[str, int]:
        """The process ids of the running parts, by name."""
        return {kept.part.name: kept.process.pid for kept in self._kept if kept.process is not None}

    async def stop(self) -> None:
        """Stop everything, the last started first; what does not stop in its time is killed."""
        for kept in self._kept:
            kept.leave()
        for kept in reversed(self._kept):
            await kept.stop(self.hurry)
        os.close(self._pipe)
        os.close(self._pipe_held)


class _Kept:
    """One part over all its starts."""

    def __init__(self, part: Part, say: Say, pipe: int, keep_open: tuple[int, ...]) -> None:
        self.part = part
        self.process: asyncio.subprocess.Process | None = None
        self.task: asyncio.Task[None] | None = None
        self.first_ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._say = say
        self._pipe = pipe
        self._keep_open = keep_open
        self._leaving = asyncio.Event()
        self._spawning = asyncio.Lock()  # stopping waits for a start that is under way

    async def keep(self) -> None:
        """Run the part, again and again, until it is to leave or cannot be started."""
        pause, tries = _FIRST_PAUSE_S, 0
        while not self._leaving.is_set():
            began = monotonic()
            try:
                launch = await self._start()
            except (OSError, StartFailed) as error:
                if not self.first_ready.done():
                    self.first_ready.set_exception(StartFailed(str(error), _tail(self.part.log)))
                    return
                self._say(self.part.name, f"cannot be started: {error}", BAD)
                launch = None
            if launch is not None:
                self._say(
                    self.part.name, f"ready in {monotonic() - began:.1f} s  {launch.where}".rstrip(), GOOD
                )
                if not self.first_ready.done():
                    self.first_ready.set_result(None)
            status = EXIT_SETTINGS if self.process is None else await self._until_ended(self.process, launch)
            self.process = None
            if self._leaving.is_set():
                return
            tries += 1
            if not self.first_ready.done() and (status == EXIT_SETTINGS or tries == _TRIES):
                why = f"{self.part.name} cannot start: it {_ended(status)}."
                self.first_ready.set_exception(StartFailed(why, _tail(self.part.log)))
                return
            if monotonic() - began > _STABLE_S:
                pause = _FIRST_PAUSE_S
            self._say(self.part.name, f"{_ended(status)}; starting it again in {pause:.1f} s", BAD)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._leaving.wait(), pause)
            pause = min(2 * pause, _LONGEST_PAUSE_S)

    async def _until_ended(self, process: asyncio.subprocess.Process, launch: Launch | None) -> int:
        """The exit status of what runs; it is watched meanwhile, and ended where a new start would help."""
        ended = asyncio.create_task(process.wait())
        if launch is not None and launch.signs is not None:
            watching = asyncio.create_task(watch(launch.signs, self.part.looks, self._say_of_it))
            await asyncio.wait((ended, watching), return_when=asyncio.FIRST_COMPLETED)
            watching.cancel()
            if not ended.done():
                process.terminate()
                await asyncio.wait((ended,), timeout=self.part.grace_s)
            if not ended.done():
                os.killpg(process.pid, signal.SIGKILL)
        return await ended

    def _say_of_it(self, text: str, tone: str) -> None:
        if not self._leaving.is_set():  # it is not ready any more because it was told to stop
            self._say(self.part.name, text, tone)

    def leave(self) -> None:
        """From here on a death is what was wanted."""
        self._leaving.set()

    async def stop(self, hurry: asyncio.Event) -> None:
        """End the process: ask, wait, kill. Returns when it is gone."""
        async with self._spawning:
            process, task = self.process, self.task
        if process is not None and process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                process.terminate()
            waiting = asyncio.create_task(process.wait())
            hurried = asyncio.create_task(hurry.wait())
            await asyncio.wait(
                (waiting, hurried), timeout=self.part.grace_s, return_when=asyncio.FIRST_COMPLETED
            )
            hurried.cancel()
            if not waiting.done():
                self._say(self.part.name, "did not stop in time and is killed", BAD)
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
            await waiting
        if task is not None:
            await task

    async def _start(self) -> Launch | None:
        """Start it once; what is ready now, or None if it ended or is to leave before that."""
        launch = self.part.prepare()
        async with self._spawning:
            if self._leaving.is_set():
                return None
            self.process = await self._spawn(launch)
        return launch if await self._until_ready(launch) else None

    async def _spawn(self, launch: Launch) -> asyncio.subprocess.Process:
        command = launch.command
        if launch.foreign:
            command = (sys.executable, "-I", "-S", "-c", _DIE_WITH_PARENT, str(os.getpid()), *command)
        self.part.log.parent.mkdir(parents=True, exist_ok=True)
        if self.part.log.exists() and self.part.log.stat().st_size > _LOG_BYTES:
            self.part.log.replace(self.part.log.with_suffix(".old"))
        with self.part.log.open("ab") as log:
            return await asyncio.create_subprocess_exec(
                *command,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env={**launch.environment, "KRONIKA_PARENT_FD": str(self._pipe)},
                pass_fds=(self._pipe, *self._keep_open),
                start_new_session=True,  # Ctrl-C on the terminal is for the supervisor alone
            )

    async def _until_ready(self, launch: Launch) -> bool:
        """True when it is ready, False when it ended or is to leave before that."""
        assert self.process is not None  # noqa: S101 - set one line before the only call
        ended = asyncio.create_task(self.process.wait())
        leaving = asyncio.create_task(self._leaving.wait())
        latest = monotonic() + _READY_S
        try:
            while not ended.done() and not leaving.done():
                if await launch.ready():
                    return True
                if monotonic() > latest and not self.first_ready.done():
                    os.killpg(self.process.pid, signal.SIGKILL)
                    raise StartFailed(f"{self.part.name} was not ready after {_READY_S:.0f} s.")
                await asyncio.wait((ended, leaving), timeout=POLL_S, return_when=asyncio.FIRST_COMPLETED)
            return False
        finally:
            ended.cancel()
            leaving.cancel()


def _ended(status: int) -> str:
    """What an exit status says."""
    if status < 0:
        return f"was killed by {signal.Signals(-status).name}"
    return f"ended with status {status}"


def _tail(log: Path) -> str:
    try:
        with log.open(errors="replace") as lines:
            return "".join(deque(lines, _TAIL))
    except OSError:
        return ""
