"""Reading .mat (Jellyfish) match files, as many programs write them: bytes in, frozen values out. Pure.

The format has no definition; this follows what gnubg's importer accepts and what real files contain.
Nothing is judged here except that every line has a meaning: whether the moves are legal and the scores
add up is for ``planning.tables``. Writing is ``shared.export.mat``.
"""

import re
from statistics import median_low
from typing import Final

import msgspec

from services.cli.importing.reading.file import RecordError, text_of
from services.cli.importing.reading.mat_cells import (
    START,
    Cell,
    Concession,
    CubeAction,
    MatAction,
    Turn,
    Unreadable,
    Win,
    read_cell,
)

__all__ = ["Concession", "CubeAction", "MatAction", "MatError", "MatGame", "MatMatch", "Turn", "parse"]

MatError = RecordError
MAX_TARGET: Final = 99
_LEFT_COLUMN: Final = 5
_RIGHT_COLUMN: Final = 33  # where most writers begin the right player's column


class MatGame(msgspec.Struct, frozen=True, kw_only=True):
    """One recorded game; ``score`` is the one written above it, by seat (0 left, 1 right).

    ``winner`` and ``points`` are what the file says (None: nothing), at line ``result_line``;
    ``line`` is where the game begins and ``last_line`` where it stops.
    """

    number: int
    line: int
    last_line: int
    score: tuple[int, int]
    actions: tuple[MatAction, ...]
    winner: int | None = None
    points: int | None = None
    result_line: int = 0


class MatMatch(msgspec.Struct, frozen=True, kw_only=True):
    """A recorded match to ``target`` points (0: a money session); ``headers`` are the ``; [Key "value"]``."""

    file: str
    target: int
    names: tuple[str, str]
    headers: dict[str, str]
    games: tuple[MatGame, ...]


_HEADER = re.compile(r'[;#]?\s*\[\s*([^"\]]+?)\s*"(.*)"\s*\]?\s*')
_TARGET = re.compile(r"\s*(\d+)\s*-?\s*points?\s+match\b.*", re.IGNORECASE)
_MONEY = re.compile(r"\s*(?:money|unlimited)\b.*", re.IGNORECASE)
_GAME = re.compile(r"\s*Game\s+(\d+)\s*[:.]?\s*", re.IGNORECASE)
_SECOND_SCORE = re.compile(r":\s*(\d+)\s*$")
# A gap ends the first score; a single blank does where there is no gap, for a name may hold ": 3" itself.
_FIRST_SCORE = (re.compile(r"\s*:\s*(\d+)(?:\s\s+|\t)"), re.compile(r"\s*:\s*(\d+)\s"))
_RATING = re.compile(r",\s*\d+(?:\.\d+)?$")
_NUMBER = re.compile(r"\s*\d+\s*\)")


def parse(data: bytes, file: str) -> MatMatch:
    """The match in a .mat file's bytes; ``file`` is its name for messages. Raises ``RecordError``."""
    # Only real line ends: str.splitlines would also split at odd characters inside names.
    return _Reader(file, text_of(data, file).split("\n")).match()


class _Reader:
    """Walks the lines once; ``at`` is the index of the line to read next."""

    def __init__(self, file: str, lines: list[str]) -> None:
        self.file = file
        self.lines = lines
        self.at = 0

    def fail(self, line: int, reason: str) -> RecordError:
        return RecordError(self.file, line, reason)

    def match(self) -> MatMatch:
        headers, target = self._head()
        games: list[MatGame] = []
        names: tuple[str, str] | None = None
        while (start := self._next_filled()) is not None:
            found = _GAME.fullmatch(self.lines[start])
            if found is None:
                if self.lines[start].lstrip().startswith((";", "#")):
                    continue
                raise self.fail(start + 1, f"expected ' Game n', found {self.lines[start].strip()!r}")
            scored = self._scores(start + 1)
            if scored is None:
                break  # the file was cut off right behind the heading
            game_names, score, column = scored
            names = names or game_names
            games.append(self._game(int(found[1]), start + 1, score, column))
        if names is None:
            raise self.fail(max(1, len(self.lines)), "there is no game in this file")
        return MatMatch(file=self.file, target=target, names=names, headers=headers, games=tuple(games))

    def _next_filled(self) -> int | None:
        """The index of the next line with text, stepping over it."""
        while self.at < len(self.lines):
            self.at += 1
            if self.lines[self.at - 1].strip():
                return self.at - 1
        return None

    def _head(self) -> tuple[dict[str, str], int]:
        headers: dict[str, str] = {}
        while (index := self._next_filled()) is not None:
            line = self.lines[index]
            if found := _HEADER.fullmatch(line):
                headers[found[1]] = found[2]
            elif line.lstrip().startswith((";", "#")):
                continue
            elif found := _TARGET.fullmatch(line):
                target = int(found[1])
                if target > MAX_TARGET:
                    raise self.fail(
                        index + 1, f"a match to {target} points is too long (at most {MAX_TARGET})"
                    )
                return headers, target
            elif _MONEY.fullmatch(line):
                return headers, 0
            else:
                raise self.fail(index + 1, f"expected 'n point match', found {line.strip()[:60]!r}")
        raise self.fail(max(1, len(self.lines)), "there is no 'n point match' line")

    def _scores(self, game_line: int) -> tuple[tuple[str, str], tuple[int, int], int] | None:
        """Names, scores, and the column at which the right player's name begins."""
        index = self._next_filled()
        if index is None:
            return None
        line = self.lines[index].rstrip()
        second = _SECOND_SCORE.search(line)
        tries = (score.search(line, 0, second.start()) for score in _FIRST_SCORE) if second else ()
        first = next((found for found in tries if found), None)
        if second is None or first is None:
            if self._next_filled() is None:
                return None
            raise self.fail(
                index + 1, f"expected 'name : score   name : score' for the game at line {game_line}"
            )
        names = (_name(line[: first.start()]), _name(line[first.end() : second.start()]))
        column = len(line[: first.end()].expandtabs())
        return names, (int(first[1]), int(second[1])), column

    def _game(self, number: int, line: int, score: tuple[int, int], column: int) -> MatGame:
        rows: list[tuple[int, str, list[tuple[int, str]]]] = []
        while self.at < len(self.lines) and not _GAME.fullmatch(self.lines[self.at]):
            text = self.lines[self.at]
            self.at += 1
            if "set pos=" in text.lower():
                raise self.fail(self.at, "the game does not begin from the starting position")
            if text.strip() and not text.lstrip().startswith((";", "#")):
                rows.append((self.at, text, self._segments(text, self.at)))
        pairs = [parts[1][0] for _, _, parts in rows if len(parts) > 1]
        right = median_low(pairs) if pairs else max(column, _RIGHT_COLUMN // 2)
        cells = self._seated(rows, (_LEFT_COLUMN + right) // 2)
        return self._ended(number, line, score, cells)

    def _segments(self, text: str, number: int) -> list[tuple[int, str]]:
        """The cells of one line: where each begins (tabs counted as columns) and its text."""
        prefix = _NUMBER.match(text)
        begin = prefix.end() if prefix else 0
        starts = [found.end() - len(found[0].lstrip()) for found in START.finditer(text, begin)]
        lead = text[begin : starts[0]] if starts else text[begin:]
        if lead.strip():
            raise self.fail(number, f"cannot read {text[begin:].strip()[:60]!r}")
        ends = [*starts[1:], len(text)] if starts else []
        return [
            (len(text[:start].expandtabs()), text[start:end].strip())
            for start, end in zip(starts, ends, strict=True)
        ]

    def _seated(self, rows: list[tuple[int, str, list[tuple[int, str]]]], middle: int) -> list[Cell]:
        cells: list[Cell] = []
        for number, text, parts in rows:
            if len(parts) > 2:  # noqa: PLR2004 - a line has a left and a right column
                raise self.fail(number, f"three actions in one line: {text.strip()[:80]!r}")
            for place, (column, part) in enumerate(parts):
                seat = place if len(parts) > 1 else int(column >= middle)
                # Tabs have no fixed width: there the order of play says whose cell it is.
                expected = _next_seat(cells) if "\t" in text and len(parts) == 1 else None
                try:
                    cells.append(read_cell(part, seat if expected is None else expected, number))
                except Unreadable as error:
                    raise self.fail(number, str(error)) from error
        return cells

    def _ended(self, number: int, line: int, score: tuple[int, int], cells: list[Cell]) -> MatGame:
        wins = [cell for cell in cells if isinstance(cell, Win)]
        actions = tuple(cell for cell in cells if not isinstance(cell, Win))
        last_line = cells[-1].line if cells else line
        if wins:
            after = next((a for a in actions if a.line > wins[0].line), None)
            if after is not None:
                raise self.fail(after.line, f"the game goes on after it was won at line {wins[0].line}")
            if any((w.seat, w.points) != (wins[0].seat, wins[0].points) for w in wins):
                raise self.fail(wins[-1].line, "the game is won twice, and differently")
        win = wins[0] if wins else None
        return MatGame(
            number=number,
            line=line,
            last_line=last_line,
            score=score,
            actions=actions,
            winner=win.seat if win else None,
            points=win.points if win else None,
            result_line=win.line if win else 0,
        )


def _name(text: str) -> str:
    """A player's name without the rating that some servers append (``Alfa,1712.5``)."""
    return _RATING.sub("", text.strip())


def _next_seat(cells: list[Cell]) -> int | None:
    """Who acts after these cells, None where they do not tell."""
    match cells[-1] if cells else None:
        case Turn(seat=seat) | CubeAction(seat=seat):
            return 1 - seat
        case _:
            return None
