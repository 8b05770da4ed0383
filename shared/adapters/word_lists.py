"""Lists of words for games of words: found at start-up, built once, then mapped and shared by all processes.

The Czech list is that of the system's package ``hunspell-cs``; ``KRONIKA_CZECH_WORDS`` names another: a
``.dic`` with its ``.aff`` beside it, a text with one word a line, or ``own`` for the small list that is
always there. Built lists lie under ``words`` in the server's directory, named by the hash of what they are
made from. They are built by a process of their own, for that takes half a gigabyte for half a minute:
``kronika up`` starts it before the services; services that find no built list wait for one builder together.
Every service needs the list, for each folds matches, and in those a challenge asks for it; mapped, it costs
next to nothing.
"""

import fcntl
import hashlib
import mmap
import os
import subprocess
import sys
from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple

from structlog.typing import FilteringBoundLogger

from shared.adapters.hunspell_words import forms
from shared.rules.scrabble.automaton import built, units
from shared.rules.scrabble.words import CODES, LONGEST, OWN, SHORTEST, Lexicon, digest, offer
from shared.settings import SettingsError

SETTING: Final = "KRONIKA_CZECH_WORDS"
FOLDER: Final = "words"
ONLY_OWN: Final = "own"
SYSTEM_LIST: Final = Path("/usr/share/hunspell/cs_CZ.dic")
SYSTEM_NAME: Final = "hunspell-cs"
OTHER_NAME: Final = "words"
_STOPPED: Final = """
bm ca cd cm cz db dl dm eg ff fp ft hl hm kg km kp lg lm ln lx mf mg ml mm mp nf nt pc pf pp rb tf tg um vf vn
vs yd ccm dkg ppm tbc
brr bzz crč fff frc frr frč grr hmm hí hý kš kšš ppp prr pš pšš pšt pst vrr
"""
"""Units, abbreviations and interjections of the system's list, which are never valid (boardgames §9)."""

_FORMAT: Final = b"kronika words 2"  # another one, also when other forms are made of the same source
_HEAD: Final = 64  # bytes before the automaton: format, hash, number of words
_NO_LETTER: Final = "\x7f"
_NOT_STORED: Final = 73  # as EX_CANTCREAT of sysexits


class NotWritable(OSError):  # noqa: N818 - what the operator reads
    """A list is not built yet, and cannot be stored where it belongs; the text says why."""


class Work(NamedTuple):
    """A list that is still to be built: the command that does it, from what, and where to."""

    command: tuple[str, ...]
    source: Path
    path: Path


def provide(environment: Mapping[str, str], directory: Path, log: FilteringBoundLogger) -> None:
    """Offer the list that ``environment`` (``os.environ``) names to the rules, and say which it is.

    It may take a minute where it is still to be built; where it cannot be stored, our own list must do.
    Raises ``SettingsError`` if a list cannot be used.
    """
    try:
        found = named(environment, directory)
    except NotWritable as error:
        log.warning(
            "scrabble has only its own small list of words: the other cannot be built here",
            why=str(error),
            list=OWN.id,
            words=OWN.count,
        )
        return
    if found is None:
        log.warning(
            "scrabble has only its own small list of words: install hunspell-cs or name a list",
            setting=SETTING,
            list=OWN.id,
            words=OWN.count,
        )
        return
    offer(found)
    log.info("words for scrabble", list=found.id, words=found.count)


def named(environment: Mapping[str, str], directory: Path) -> Lexicon | None:
    """The list that ``environment`` names, built under ``directory``; None where it is our own.

    Raises ``SettingsError``, and ``NotWritable`` where it is to be built and cannot.
    """
    source = _source(environment)
    if source is None:
        return None
    name = SYSTEM_NAME if source == SYSTEM_LIST else OTHER_NAME
    with _usable(source):
        return load(source, directory / FOLDER, name)


def pending(environment: Mapping[str, str], directory: Path) -> Work | None:
    """What has to be done before ``named`` is quick; None if nothing. Raises ``SettingsError``."""
    source = _source(environment)
    if source is None:
        return None
    with _usable(source):
        path = _path(source, directory / FOLDER)
    return None if path.exists() else _work(source, path)


def load(source: Path, directory: Path, name: str) -> Lexicon:
    """The list made from ``source``, called ``name``; built in ``directory`` if it is not there yet.

    Raises ``OSError`` (``NotWritable``) and ``ValueError``.
    """
    path = _path(source, directory)
    if not path.exists():
        done = subprocess.run(  # noqa: S603 - ourselves
            _work(source, path).command, capture_output=True, text=True, check=False
        )
        check(done.returncode, done.stderr)
    with path.open("rb") as file:
        mapped = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    head = bytes(mapped[:_HEAD]).rstrip(b"\0").removeprefix(_FORMAT).split()
    if len(head) != 2:  # noqa: PLR2004 - hash and number
        raise ValueError(f"{path} holds no list of words; remove it.")
    return Lexicon(name, head[0].decode("ascii"), int(head[1]), units(mapped[_HEAD:]))


def check(status: int, errors: str) -> None:
    """Whether a builder that ended so has done its work; raises ``NotWritable`` and ``ValueError``."""
    why = errors.strip().rpartition("\n")[2]
    if status == _NOT_STORED:
        raise NotWritable(why)
    if status:
        raise ValueError(why or "it could not be built.")


def build(source: Path, path: Path) -> None:
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
        if not path.exists():
            write(source, path)


def _source(environment: Mapping[str, str]) -> Path | None:
    """The file that words are to come from; None where our own list is meant, or nothing else is there."""
    name = environment.get(SETTING, "").strip()
    if name == ONLY_OWN or not (name or SYSTEM_LIST.exists()):
        return None
    return Path(name) if name else SYSTEM_LIST


@contextmanager
def _usable(source: Path) -> Generator[None]:
    try:
        yield
    except NotWritable:
        raise
    except (OSError, ValueError) as error:
        raise SettingsError(f"{SETTING}: {source} cannot be used: {error}") from error


def _path(source: Path, directory: Path) -> Path:
    return directory / f"{_fingerprint(source)}.dawg"


def _work(source: Path, path: Path) -> Work:
    return Work((sys.executable, "-m", __name__, str(source), str(path)), source, path)


def write(source: Path, path: Path) -> None:
    """Make the list of ``source`` and store it at ``path``, whole or not at all."""
    keys = sorted(_keys(_words(source)))
    if not keys:
        raise ValueError("it holds no word that there are tiles for.")
    head = b" ".join((_FORMAT, digest(keys).encode("ascii"), str(len(keys)).encode("ascii")))
    made = path.with_suffix(f".{os.getpid()}")
    content = head.ljust(_HEAD, b"\0") + built(keys)
    try:
        made.write_bytes(content)
        made.replace(path)
    except OSError as error:
        made.unlink(missing_ok=True)
        raise NotWritable(f"{path} cannot be stored: {error.strerror}.") from error


def _words(source: Path) -> Iterable[str]:
    if source.suffix == ".dic":
        return forms(source, source.with_suffix(".aff"))
    return source.read_text(encoding="utf-8").split()


def _keys(words: Iterable[str]) -> set[bytes]:
    """Keys of the words that can be laid; names, which begin with a capital letter, are none."""
    table = _Letters({ord(letter.lower()): chr(code) for letter, code in CODES.items()})
    found = {
        coded.encode("ascii")
        for word in words
        if SHORTEST <= len(word) <= LONGEST and _NO_LETTER not in (coded := word.translate(table))
    }
    return found - {word.translate(table).encode("ascii") for word in _STOPPED.split()}


class _Letters(dict[int, str]):
    def __missing__(self, sign: int) -> str:
        return _NO_LETTER


def _fingerprint(source: Path) -> str:
    """What the built list is named by: it changes with the source, the stop-list and the format."""
    found = hashlib.sha256(_FORMAT + _STOPPED.encode())
    files = (source, source.with_suffix(".aff")) if source.suffix == ".dic" else (source,)
    for file in files:
        found.update(hashlib.sha256(file.read_bytes()).digest())
    return found.hexdigest()[:16]


if __name__ == "__main__":
    try:
        build(Path(sys.argv[1]), Path(sys.argv[2]))
    except NotWritable as refused:
        sys.stderr.write(f"{refused}\n")
        sys.exit(_NOT_STORED)
