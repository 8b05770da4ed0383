"""Lists of words for games of words: found at start-up, built once, then read by every process.

The Czech list is that of the system's package ``hunspell-cs``; ``KRONIKA_CZECH_WORDS`` names another: a
``.dic`` with its ``.aff`` beside it, a text with one word a line, or ``own`` for the small list that is
always there. Built lists lie under ``words`` in the server's directory, named by the hash of what they are
made from, and all of them are offered: matches go on by the list that they began with. They are built by a
process of their own, for that takes half a gigabyte for half a minute or more: ``kronika up`` starts it
before the services; services that find no built list wait for one builder together. A damaged list is built
anew.
"""

import asyncio
import ctypes
import fcntl
import hashlib
import os
import signal
import subprocess
import sys
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, NamedTuple

from structlog.typing import FilteringBoundLogger

from shared.adapters import word_files, word_texts
from shared.adapters.word_files import NotWritable
from shared.rules.scrabble.words import OWN, Lexicon, offer
from shared.settings import SettingsError

SETTING: Final = "KRONIKA_CZECH_WORDS"
FOLDER: Final = "words"
ONLY_OWN: Final = "own"
SYSTEM_LIST: Final = Path("/usr/share/hunspell/cs_CZ.dic")
SYSTEM_NAME: Final = "hunspell-cs"
OTHER_NAME: Final = "words"
LONGEST_S: Final = 600.0
"""A builder that has not done it in so long is stopped."""

_NOT_STORED: Final = 73  # as EX_CANTCREAT of sysexits
_NOT_USABLE: Final = 65  # as EX_DATAERR
_DIE_WITH_PARENT: Final = 1  # PR_SET_PDEATHSIG of prctl(2)


class NotBuilt(Exception):  # noqa: N818 - what the operator reads
    """The list that nobody named, the system's, cannot be had; the text says why."""


class Work(NamedTuple):
    """A list that is still to be built: the command that does it, from what, and where to."""

    command: tuple[str, ...]
    source: Path
    path: Path


async def provide(environment: Mapping[str, str], directory: Path, log: FilteringBoundLogger) -> None:
    """Offer the lists that are here to the rules, first the one that ``environment`` names, and say which.

    It may take a minute or two where that is still to be built; where it cannot be, our own list must do.
    Raises ``SettingsError`` if a list that was named cannot be used.
    """
    found = None
    try:
        await built(environment, directory)
        found = await asyncio.to_thread(named, environment, directory)
    except (NotWritable, NotBuilt) as error:
        log.warning(
            "scrabble has only its own small list of words: the other cannot be built here",
            why=str(error),
            list=OWN.id,
            words=OWN.count,
        )
    else:
        if found is not None:
            offer(found)
            log.info("words for scrabble", list=found.id, words=found.count)
        elif chosen_own(environment):
            log.info("words for scrabble", list=OWN.id, words=OWN.count)
        else:
            log.warning(
                "scrabble has only its own small list of words: install hunspell-cs or name a list",
                setting=SETTING,
                list=OWN.id,
                words=OWN.count,
            )
    for other in await asyncio.to_thread(lambda: tuple(stored(directory))):
        offer(other, default=False)


def chosen_own(environment: Mapping[str, str]) -> bool:
    """Whether the operator wants our own list."""
    return environment.get(SETTING, "").strip() == ONLY_OWN


def stored(directory: Path) -> Iterator[Lexicon]:
    """Every list that was ever built under ``directory`` and is whole."""
    return word_files.all_in(directory / FOLDER)


def named(environment: Mapping[str, str], directory: Path) -> Lexicon | None:
    """The list that ``environment`` names, built under ``directory``; None where it is our own.

    Raises ``SettingsError``, ``NotBuilt``, and ``NotWritable`` where it is to be built and cannot be stored.
    """
    source = _source(environment)
    if source is None:
        return None
    with _usable(environment, source):
        return load(source, directory / FOLDER, _name(source))


def pending(environment: Mapping[str, str], directory: Path) -> Work | None:
    """What has to be done before ``named`` is quick; None if nothing.

    Raises ``SettingsError`` and ``NotBuilt``.
    """
    source = _source(environment)
    if source is None:
        return None
    with _usable(environment, source):
        path = _path(source, directory / FOLDER, _name(source))
        return None if word_files.read(path) else _work(source, path, _name(source))


async def built(environment: Mapping[str, str], directory: Path) -> None:
    """Have a builder do what is ``pending``; it ends with whoever waits here.

    Raises ``SettingsError``, ``NotBuilt`` and ``NotWritable``.
    """
    work = await asyncio.to_thread(pending, environment, directory)
    if work is None:
        return
    builder = await asyncio.create_subprocess_exec(
        *work.command, stdin=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE
    )
    with _usable(environment, work.source):
        try:
            async with asyncio.timeout(LONGEST_S):
                _, errors = await builder.communicate()
        except TimeoutError as error:
            raise ValueError(_too_long()) from error
        finally:
            if builder.returncode is None:  # too late, or whoever waited was told to stop
                with suppress(ProcessLookupError):
                    builder.kill()
                await builder.wait()
        check(builder.returncode or 0, errors.decode(errors="replace"))


def load(source: Path, directory: Path, name: str) -> Lexicon:
    """The list made from ``source``, called ``name``; built in ``directory`` if it does not lie whole there.

    Raises ``OSError`` (``NotWritable``) and ``ValueError``.
    """
    path = _path(source, directory, name)
    found = word_files.read(path)
    if found is None:
        try:
            done = subprocess.run(  # noqa: S603 - ourselves
                _work(source, path, name).command,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                check=False,
                timeout=LONGEST_S,
            )
        except subprocess.TimeoutExpired as error:
            raise ValueError(_too_long()) from error
        check(done.returncode, done.stderr)
        found = word_files.read(path)
    if found is None:
        raise NotWritable(f"{path} does not hold what was stored there.")
    return found


def check(status: int, errors: str) -> None:
    """Whether a builder that ended so has done its work; raises ``NotWritable`` and ``ValueError``."""
    why = errors.strip().rpartition("\n")[2]
    if status == _NOT_STORED:
        raise NotWritable(why)
    if status < 0:
        raise ValueError(f"its builder was killed by {signal.Signals(-status).name}.")
    if status:
        raise ValueError(why or "it could not be built.")


def build(source: Path, path: Path, name: str) -> None:
    """Make the list of ``source`` at ``path`` unless it is there; who comes second waits for the first.

    Raises ``OSError`` (``NotWritable``) and ``ValueError``.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = (path.parent / "lock").open("w")
    except OSError as error:
        raise NotWritable(f"{path.parent} cannot be written: {error.strerror}.") from error
    with lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if word_files.read(path) is None:
            word_files.store(path, name, word_texts.keys(source))


def _source(environment: Mapping[str, str]) -> Path | None:
    """The file that words are to come from; None where our own list is meant, or nothing else is there."""
    name = environment.get(SETTING, "").strip()
    if name == ONLY_OWN or not (name or SYSTEM_LIST.exists()):
        return None
    return Path(name) if name else SYSTEM_LIST


def _name(source: Path) -> str:
    return SYSTEM_NAME if source == SYSTEM_LIST else OTHER_NAME


@contextmanager
def _usable(environment: Mapping[str, str], source: Path) -> Generator[None]:
    """What is wrong with ``source`` is a wrong setting if somebody named it; else it is only missed."""
    try:
        yield
    except NotWritable:
        raise
    except (OSError, ValueError) as error:
        if environment.get(SETTING, "").strip():
            raise SettingsError(f"{SETTING}: {source} cannot be used: {error}") from error
        raise NotBuilt(f"{source} cannot be used: {error}") from error


def _path(source: Path, directory: Path, name: str) -> Path:
    return directory / f"{_fingerprint(source, name)}{word_files.ENDING}"


def _work(source: Path, path: Path, name: str) -> Work:
    command = (sys.executable, "-m", __name__, str(os.getpid()), str(source), str(path), name)
    return Work(command, source, path)


def _fingerprint(source: Path, name: str) -> str:
    """What the file is called by: it changes with the source, its name, the stop-list and the format."""
    found = hashlib.sha256(b"\0".join((word_files.FORMAT, word_texts.STOPPED.encode(), name.encode())))
    for file in word_texts.files(source):
        found.update(hashlib.sha256(file.read_bytes()).digest())
    return found.hexdigest()[:16]


def _too_long() -> str:
    return f"its builder was stopped after {LONGEST_S:.0f} s."


def _end_with(parent: int) -> None:
    """The builder does not outlive whoever waits for it, even if that is killed."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_DIE_WITH_PARENT, signal.SIGKILL)
        if os.getppid() != parent:
            sys.exit(1)


def _main(parent: str, source: str, path: str, name: str) -> int:
    _end_with(int(parent))
    try:
        build(Path(source), Path(path), name)
    except NotWritable as refused:
        sys.stderr.write(f"{refused}\n")
        return _NOT_STORED
    except (OSError, ValueError) as error:
        sys.stderr.write(f"{error}\n")
        return _NOT_USABLE
    return 0


if __name__ == "__main__":
    sys.exit(_main(*sys.argv[1:]))
