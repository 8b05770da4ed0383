"""The golden logs: one folder for each game, one script for each log.

``python -m tests.support.golden`` lists them, ``--write`` writes those that do not exist yet. A stored golden
log is never overwritten, for a stored match is not either.
"""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

import msgspec

from tests.support.matches import MemoryGame
from tests.support.scripts import (
    abalone,
    backgammon,
    battleship,
    chess,
    draughts,
    gomoku,
    modes,
    prsi,
    reversi,
    scrabble,
    series,
    timed,
    variants,
)

ROOT: Final = Path(__file__).parent.parent / "golden"

Scripts = dict[str, Callable[[], MemoryGame]]

SCRIPTS: Final[dict[str, Scripts]] = {
    "backgammon": backgammon.SCRIPTS | timed.SCRIPTS | modes.SCRIPTS,
    **variants.SCRIPTS,
    **series.SCRIPTS,
}
"""Of the tables family, by folder, then by the name of the file."""

BOARDS: Final[dict[str, Scripts]] = {
    "chess": chess.SCRIPTS,
    "draughts": draughts.SCRIPTS,
    "abalone": abalone.SCRIPTS,
    "reversi": reversi.SCRIPTS,
    "gomoku": gomoku.GOMOKU,
    "gomoku3d": gomoku.GOMOKU3D,
}
"""Of the board games, likewise."""

HIDDEN: Final[dict[str, Scripts]] = {
    "prsi": prsi.SCRIPTS,
    "battleship": battleship.SCRIPTS,
    "scrabble": scrabble.SCRIPTS,
}
"""Of the games with secrets, likewise."""

FOLDERS: Final = SCRIPTS | BOARDS | HIDDEN
"""All of them."""


class Golden(msgspec.Struct, frozen=True):
    """How a golden match ended, for whoever replays its log."""

    score: tuple[int, ...]
    winner: int | None
    cause: str
    commits: int


def names() -> tuple[str, ...]:
    """Every golden log, as ``folder/name``."""
    return tuple(f"{folder}/{name}" for folder, scripts in FOLDERS.items() for name in scripts)


def script(name: str) -> MemoryGame:
    """The match that the script ``name`` (``folder/name``) plays now."""
    folder, _, log = name.partition("/")
    return FOLDERS[folder][log]()


def golden(game: MemoryGame) -> Golden:
    """The result of ``game``."""
    return Golden(game.state.score, game.state.winner, game.state.cause, len(game.lines))


def stored(name: str) -> list[bytes]:
    """The stored lines of one golden log (``folder/name``)."""
    return (ROOT / f"{name}.ndjson").read_bytes().splitlines()


def results() -> dict[str, Golden]:
    """How every golden match ended, by ``folder/name``."""
    return {f"{folder}/{name}": ended for folder in FOLDERS for name, ended in _results(folder).items()}


def _results(folder: str) -> dict[str, Golden]:
    path = ROOT / folder / "results.json"
    return msgspec.json.decode(path.read_bytes(), type=dict[str, Golden]) if path.exists() else {}


def _write(folder: str) -> None:
    known = _results(folder)
    (ROOT / folder).mkdir(exist_ok=True)
    for name, play in FOLDERS[folder].items():
        path = ROOT / folder / f"{name}.ndjson"
        if path.exists():
            continue
        game = play()
        path.write_bytes(b"".join(line + b"\n" for line in game.lines))
        known[name] = golden(game)
        print(name, known[name])  # noqa: T201 - a tool of the developers
    ordered = {name: known[name] for name in FOLDERS[folder]}
    encoded = msgspec.json.format(msgspec.json.encode(ordered), indent=2)
    (ROOT / folder / "results.json").write_bytes(encoded + b"\n")


if __name__ == "__main__":
    if "--write" in sys.argv:
        for each in FOLDERS:
            _write(each)
    else:
        print(*names(), sep="\n")  # noqa: T201 - a tool of the developers
