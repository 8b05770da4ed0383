"""The text of a file that somebody brings, how large it may be, and the error that names a line of it."""

from typing import Final

MAX_BYTES: Final = 16 << 20
MAX_GAMES: Final = 10_000
MAX_PLIES: Final = 2_000


class RecordError(Exception):
    """A file that cannot be read or replayed: which file, which line (from 1), and why."""

    def __init__(self, file: str, line: int, reason: str) -> None:
        """Keep the three parts apart for programs; the text has them all."""
        self.file, self.line, self.reason = file, line, reason
        super().__init__(f"{file}:{line}: {reason}")


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
