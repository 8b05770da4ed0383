"""What a file says of one game between two, whatever its form: who, what was played, how it ended."""

from typing import Any, Final

import msgspec

from shared.rules.registry import CURRENT, AnyRules

MAX_BYTES: Final = 16 << 20
MAX_GAMES: Final = 10_000
MAX_PLIES: Final = 2_000


class RecordError(Exception):
    """A file that cannot be read or replayed: which file, which line (from 1), and why."""

    def __init__(self, file: str, line: int, reason: str) -> None:
        """Keep the three parts apart for programs; the text has them all."""
        self.file, self.line, self.reason = file, line, reason
        super().__init__(f"{file}:{line}: {reason}")


class Ply(msgspec.Struct, frozen=True):
    """A move as it stands at ``line``; ``seat`` is whose it is, None where the file does not say."""

    line: int
    text: str
    seat: int | None = None


class Ending(msgspec.Struct, frozen=True, kw_only=True):
    """How the file says that a game ended; ``known`` is False where it does not.

    ``winner`` is the seat that has won, None in a draw; ``cause`` is what else than play decided, in the
    file's own words.
    """

    line: int
    known: bool = False
    winner: int | None = None
    cause: str = ""


class RecordedGame(msgspec.Struct, frozen=True, kw_only=True):
    """Game ``number`` (from 1) of ``file``, which begins at ``line``; seat 0 makes the first move.

    ``score``, by seat, and ``final``, a position, are what the file says of the end besides; None and "" if
    nothing. ``notes`` are peculiarities worth telling that do no harm.
    """

    file: str
    number: int
    line: int
    game: str
    names: tuple[str, str]
    plies: tuple[Ply, ...]
    ending: Ending
    options: dict[str, Any] = {}
    score: tuple[int, int] | None = None
    final: str = ""
    notes: tuple[str, ...] = ()


def game_of(form: str, word: str | None = None) -> AnyRules:
    """The game whose files have this form, under this word of the form's own for it (None: any)."""
    return next(
        rules
        for rules in CURRENT.values()
        if form in rules.traits.exports and word in (None, rules.traits.exports[form])
    )


def text_of(data: bytes, file: str) -> str:
    """The text of a file, its lines ended by line feeds alone; raises ``RecordError``.

    UTF-8 or UTF-16 by their marks, UTF-8, else Latin-1 (which reads anything).
    """
    if len(data) > MAX_BYTES:
        raise RecordError(file, 1, f"the file is too large (at most {MAX_BYTES >> 20} MiB)")
    text = _decoded(data)
    if "\0" in text:
        raise RecordError(file, text.count("\n", 0, text.index("\0")) + 1, "not a text file")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _decoded(data: bytes) -> str:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", errors="replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.removeprefix(b"\xef\xbb\xbf").decode("latin-1")
