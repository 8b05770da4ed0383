"""Lists of words for games of words: found at start-up, built once, then mapped and shared by all processes.

The Czech list is that of the system's package ``hunspell-cs``; ``KRONIKA_CZECH_WORDS`` names another: a
``.dic`` with its ``.aff`` beside it, a text with one word a line, or ``own`` for the small list that is
always there. Built lists lie under ``words`` in the server's directory, named by the hash of what they are
made from. They are built by a process of their own, for that takes half a gigabyte for half a minute.
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
from typing import Final

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

_FORMAT: Final = b"kronika words 1"
_HEAD: Final = 64  # bytes before the automaton: format, hash, number of words
_NO_LETTER: Final = "\x7f"


def provide(environment: Mapping[str, str], directory: Path, log: FilteringBoundLogger) -> None:
    """Offer the list that ``environment`` (``os.environ``) names to the rules, and say which it is.

    It may take a minute when it is built. Raises ``SettingsError`` if a list cannot be used.
    """
    found = named(environment, directory)
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

    Raises ``SettingsError``.
    """
    name = environment.get(SETTING, "").strip()
    source = Path(name) if name else SYSTEM_LIST
    if name == ONLY_OWN or not (name or source.exists()):
        return None
    try:
        return load(source, directory / FOLDER, SYSTEM_NAME if source == SYSTEM_LIST else OTHER_NAME)
    except (OSError, ValueError) as error:
        raise SettingsError(f"{SETTING}: {source} cannot be used: {error}") from error


def load(source: Path, directory: Path, name: str) -> Lexicon:
    """The list made from ``source``, called ``name``; built in ``directory`` if it is not there yet.

    Raises ``OSError`` and ``ValueError``.
    """
    path = directory / f"{_fingerprint(source)}.dawg"
    if not path.exists():
        directory.mkdir(parents=True, exist_ok=True)
        with _alone(directory / "lock"):
            if not path.exists():
                _build_apart(source, path)
    with path.open("rb") as file:
        mapped = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    head = bytes(mapped[:_HEAD]).rstrip(b"\0").removeprefix(_FORMAT).split()
    if len(head) != 2:  # noqa: PLR2004 - hash and number
        raise ValueError(f"{path} holds no list of words; remove it.")
    return Lexicon(name, head[0].decode("ascii"), int(head[1]), units(mapped[_HEAD:]))


def write(source: Path, path: Path) -> None:
    """Make the list of ``source`` and store it at ``path``, whole or not at all."""
    keys = sorted(_keys(_words(source)))
    if not keys:
        raise ValueError("it holds no word that there are tiles for.")
    head = b" ".join((_FORMAT, digest(keys).encode("ascii"), str(len(keys)).encode("ascii")))
    made = path.with_suffix(f".{os.getpid()}")
    made.write_bytes(head.ljust(_HEAD, b"\0") + built(keys))
    made.replace(path)


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


@contextmanager
def _alone(lock: Path) -> Generator[None]:
    """Only one process of this directory at a time; the others wait."""
    with lock.open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        yield


def _build_apart(source: Path, path: Path) -> None:
    command = (sys.executable, "-m", __name__, str(source), str(path))
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - ourselves
    if done.returncode:
        raise ValueError(done.stderr.strip().rpartition("\n")[2] or "it could not be built.")


if __name__ == "__main__":
    write(Path(sys.argv[1]), Path(sys.argv[2]))
