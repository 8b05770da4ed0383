"""Programs under test: started as an operator would, watched line by line, gone when the test is over."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

ROOT = Path(__file__).resolve().parents[2]
LIMIT_S = 40.0


@dataclass
class Program:
    """A started program; ``lines`` is what it has said so far."""

    process: asyncio.subprocess.Process
    lines: list[str] = field(default_factory=list[str])

    async def says(self, text: str) -> str:
        """The next line that contains ``text``; fails if the program ends without saying it."""
        assert self.process.stdout is not None
        async with asyncio.timeout(LIMIT_S):
            while line := (await self.process.stdout.readline()).decode():
                self.lines.append(line)
                if text in line:
                    return line
        raise AssertionError(f"it ended without saying {text!r}:\n{''.join(self.lines)}")

    async def ends(self) -> int:
        """Its exit status; its last lines are in ``lines``."""
        assert self.process.stdout is not None
        async with asyncio.timeout(LIMIT_S):
            while line := (await self.process.stdout.readline()).decode():
                self.lines.append(line)
            return await self.process.wait()

    def send(self, number: signal.Signals) -> None:
        """Send it a signal."""
        self.process.send_signal(number)


OWN_WORDS: Final = {"KRONIKA_CZECH_WORDS": "own"}
"""What this machine's own dictionary is changes no test, and no test waits until it is built."""


@asynccontextmanager
async def program(*arguments: str, **environment: str) -> AsyncGenerator[Program]:
    """``python *arguments`` in the repository, without the KRONIKA_ variables of whoever runs the tests."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith("KRONIKA_")}
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *arguments,
        cwd=ROOT,
        env={**clean, **OWN_WORDS, **environment, "PYTHONUNBUFFERED": "1"},
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    try:
        yield Program(process)
    finally:
        if process.returncode is None:
            with suppress(ProcessLookupError):
                process.send_signal(signal.SIGTERM)
            try:
                async with asyncio.timeout(LIMIT_S):
                    await process.communicate()
            except TimeoutError:
                process.kill()
                await process.wait()


def children(pid: int) -> Mapping[int, str]:
    """The child processes of ``pid`` and their command lines (Linux)."""
    found = (Path("/proc") / str(pid) / "task" / str(pid) / "children").read_text().split()
    return {int(p): (Path("/proc") / p / "cmdline").read_text().replace("\0", " ") for p in found}


async def gone(pids: Mapping[int, str]) -> None:
    """Return when none of ``pids`` runs any more; fails when that takes too long."""
    async with asyncio.timeout(LIMIT_S):
        while any(_runs(pid) for pid in pids):  # noqa: ASYNC110 - they are nobody's children any more: no event
            await asyncio.sleep(0.05)


def _runs(pid: int) -> bool:
    try:
        return (Path("/proc") / str(pid) / "stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
