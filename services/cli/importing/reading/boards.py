"""What a file says of one game between two without dice: who, what was played, how it ended."""

from typing import Any

import msgspec


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
