"""The match diagram (N12) as a picture: games in order, scores, cubes, who began, Crawford, what follows.

Made from the state alone: a title, one row for each finished game, one for the game in hand or how the match
ended, and one for each game that is still to come.
"""

from collections.abc import Sequence
from typing import Final

from shared.export.sheet import Sheet
from shared.match.colours import colours
from shared.match.ending import ending
from shared.match.following import Coming, to_come
from shared.match.state import GameRecord, MatchState, Phase
from shared.series import title

_ROW: Final = 34
_TOP: Final = 64  # title and heads of the columns
_PAD: Final = 16
_GAME: Final = _PAD + 30
_CUBE: Final = 260
_RESULT: Final = 328  # the word Crawford ends before it
_SCORES: Final = 560
_SCORE: Final = 132
_BAR: Final = 72
_LONGEST_NAME: Final = 18

_STYLE: Final = """
.score{font-weight:600;text-anchor:end}.won{fill:#2f6f4f}.had{fill:#cfd8dd}.void{fill:#9aa5b0}
.cube{fill:#fff;stroke:#1d2733}
@media(prefers-color-scheme:dark){.had{fill:#46535f}.won{fill:#58b184}.cube{fill:#101820;stroke:#e8edf2}}
"""


def svg(state: MatchState, names: Sequence[str]) -> str:
    """The diagram as an SVG document; ``names`` by seat are shown as text and nothing else."""
    return _Picture(state, names).text()


class _Picture:
    """The drawing while it is made; ``y`` is the top of the row in hand."""

    def __init__(self, state: MatchState, names: Sequence[str]) -> None:
        self.state = state
        self.names = [names[s] if s < len(names) else f"Seat {s}" for s in range(state.seats)]
        self.y = _TOP
        self.colours = colours(state) or ("white", "black")
        self.most = max(state.created.terms.target or 0, *state.score, 1)
        self.coming = to_come(state)
        rows = len(state.games) + (state.phase in (Phase.PLAYING, Phase.OVER)) + len(self.coming)
        width, height = _SCORES + _SCORE * state.seats + _PAD, _TOP + _ROW * rows + _PAD
        self.sheet = Sheet(width, height, f"{_title(state)}, {':'.join(map(str, state.score))}", _STYLE)
        self._head()

    def text(self) -> str:
        """The whole document."""
        before: tuple[int, ...] = (0,) * self.state.seats
        for record in self.state.games:
            self._row(record, before)
            before = record.score
            self.y += _ROW
        self._present()
        for coming in self.coming:
            said = f"Tie-break if level: {title(coming.rules)}"
            self._begun(coming, said if coming.if_level else f"{title(coming.rules)} follows")
            self.y += _ROW
        return self.sheet.text()

    def _head(self) -> None:
        self._write(_PAD, "title", _title(self.state), y=28)
        for seat, name in enumerate(self.names):
            x = _SCORES + _SCORE * seat
            self._dot(seat, x + 6, y=47)
            self._write(x + 18, "small", name[:_LONGEST_NAME], y=52)

    def _row(self, record: GameRecord, before: tuple[int, ...]) -> None:
        """One finished game."""
        if record.game % 2:
            self.sheet.box("line", (_PAD // 2, self.y, _SCORES + _SCORE * self.state.seats, _ROW))
        self._begun(record, title(record.rules))
        if record.cube > 1:
            self.sheet.box("cube", (_CUBE, self.y + 6, 30, _ROW - 12))
            self._write(_CUBE + 15, "small mid", str(record.cube))
        self._write(_RESULT, "" if record.counted else "small", _outcome(record))
        for seat, total in enumerate(record.score):
            x, bar = _SCORES + _SCORE * seat, self.y + _ROW // 2 - 4
            had, now = (_BAR * points // self.most for points in (before[seat], total))
            self.sheet.box("had", (x, bar, max(had, 1), 8))
            if now > had:
                self.sheet.box("won", (x + had, bar, now - had, 8))
            self._write(x + _BAR + 40, "score", str(total))

    def _present(self) -> None:
        """What is played now, or how the match has ended."""
        state = self.state
        if state.phase is Phase.OVER:
            self._write(_GAME + 14, "title", ending(state, self.names))
        elif state.phase is Phase.PLAYING:
            self._begun(state, f"{state.rules.title} is being played")
            self.y += _ROW

    def _begun(self, game: GameRecord | MatchState | Coming, said: str) -> None:
        """The number of a game, who began or begins it, and what is ``said`` of it."""
        self._write(_PAD, "small", str(game.game))
        if game.first is not None:
            self._dot(game.first, _GAME)
        self._write(_GAME + 14, "", said)
        if game.crawford:
            self._write(_CUBE, "small badge", "Crawford")  # where there is no cube

    def _dot(self, seat: int, x: int, y: int | None = None) -> None:
        """A checker of the seat's colour."""
        at = self.y + _ROW // 2 if y is None else y
        self.sheet.dot(self.colours[seat % len(self.colours)], x, at)

    def _write(self, x: int, kind: str, text: str, y: int | None = None) -> None:
        at = self.y + _ROW // 2 + 5 if y is None else y
        self.sheet.write(x, at, kind, text)


def _title(state: MatchState) -> str:
    terms = state.created.terms
    if terms.series:
        return title(terms.series)
    game = title(state.created.rules)
    if terms.target is None:
        return f"{game}, a single game"
    return f"{game}, match to {terms.target}" if terms.target else f"{game}, open session"


def _outcome(record: GameRecord) -> str:
    """What the game was worth; and where it counts for nothing, that."""
    if record.winner is None:
        return "draw"
    how = "" if record.cause in ("played", record.kind) else f" ({record.cause})"
    if not record.counted:
        return f"{record.kind}{how}, not counted"
    return f"{record.kind}{how}, {record.points} point{'' if record.points == 1 else 's'}"
