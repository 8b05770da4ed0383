"""Built lists of words as files: stored whole or not at all, and read only if they are still whole.

A file is a line that says what it holds, then the automaton. It is read into memory, some megabytes for each
list and process, and not mapped: a mapped file that shrinks kills whoever looks at it.
"""

import hashlib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from shared.rules.scrabble.automaton import built, units
from shared.rules.scrabble.words import Lexicon, digest

FORMAT: Final = b"kronika words 3"
"""Another one, also when other forms are made of the same source."""

ENDING: Final = ".dawg"
_HEAD: Final = 192  # bytes before the automaton: a line, filled up with zeros
_FIELDS: Final = 4  # name, hash of the words, number of words, hash of this and the automaton


class NotWritable(OSError):  # noqa: N818 - what the operator reads
    """A list is not built yet, and cannot be stored where it belongs; the text says why."""


def store(path: Path, name: str, keys: Sequence[bytes]) -> None:
    """Store the list of sorted ``keys``, called ``name``, at ``path``. Raises ``NotWritable``.

    Only one process may do so at a time (``word_lists.build`` holds a lock).
    """
    said = b" ".join((name.encode("ascii"), digest(keys).encode("ascii"), str(len(keys)).encode("ascii")))
    automaton = built(keys)
    head = b" ".join((FORMAT, said, _seal(said, automaton))).ljust(_HEAD, b"\0")
    made = path.with_suffix(".part")
    try:
        with made.open("wb") as file:
            file.write(head + automaton)
            file.flush()
            os.fsync(file.fileno())
        made.replace(path)
        _sync(path.parent)
    except OSError as error:
        made.unlink(missing_ok=True)
        raise NotWritable(f"{path} cannot be stored: {error.strerror}.") from error


def read(path: Path) -> Lexicon | None:
    """The list at ``path``; None if there is none, or not the one that was stored, whole."""
    try:
        content = path.read_bytes()
    except OSError:
        return None
    fields = content[:_HEAD].rstrip(b"\0").removeprefix(FORMAT).split()
    automaton = memoryview(content)[_HEAD:]
    if not content.startswith(FORMAT) or len(fields) != _FIELDS:
        return None
    if _seal(b" ".join(fields[:-1]), automaton) != fields[-1]:
        return None
    name, found, count, _ = (field.decode("ascii") for field in fields)
    return Lexicon(name, found, int(count), units(automaton))


def all_in(directory: Path) -> Iterator[Lexicon]:
    """Every list that lies whole in ``directory``; what cannot be read is none. Newest last."""
    try:
        paths = sorted(directory.glob(f"*{ENDING}"), key=lambda path: (path.stat().st_mtime_ns, path.name))
    except OSError:  # one vanished meanwhile, or nobody may look
        return
    for path in paths:
        found = read(path)
        if found is not None:
            yield found


def _seal(said: bytes, automaton: bytes | memoryview) -> bytes:
    """What changes with every byte: of a file cut short, too."""
    made = hashlib.sha256(said + b"\0")
    made.update(automaton)
    return made.hexdigest().encode("ascii")


def _sync(directory: Path) -> None:
    """The name too is on the disk."""
    number = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)
