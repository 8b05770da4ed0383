"""A tournament as a picture: a cross table, a table of Swiss rounds, or (``bracket``) a knock-out's tree."""

from typing import Final

from shared.export.bracket import bracket
from shared.export.sheet import Sheet
from shared.wire.tournament import Entrant, MeetingView, StandingView, TournamentView

KNOCK_OUT: Final = "knock_out"
ROUND_ROBIN: Final = "round_robin"
_ROW: Final = 28
_TOP: Final = 72  # title and heads of the columns
_PAD: Final = 16
_NAME: Final = _PAD + 34
_CELLS: Final = 230
_CELL: Final = 44
_ROUND: Final = 58  # a cell that names the opponent, too
_SUM: Final = 70
_LONGEST_NAME: Final = 22
_LONGEST_TITLE: Final = 60
_HALVES: Final = 2
_SUMS: Final = {
    "buchholz": ("Buchholz", 2),
    "sonneborn_berger": ("S.-B.", 4),
    "head_to_head": ("Direct", 2),
    "wins": ("Wins", 1),
}
"""The tie-breaks by name: what stands above them, and how many of their units make one."""

_STYLE: Final = """
.best{font-weight:600}.won{fill:#d5eadd}.lost{fill:#f3e0dc}.level{fill:#e6ebef}.self{fill:#cfd8dd}.gone{opacity:.55}
@media(prefers-color-scheme:dark){.won{fill:#1f4a36}.lost{fill:#4a2b26}.level{fill:#35414c}.self{fill:#46535f}}
"""


def svg(tournament: TournamentView) -> str:
    """The picture as an SVG document; players are called by their nicknames."""
    if tournament.kind == KNOCK_OUT and tournament.rounds:
        return bracket(tournament)
    return _Table(tournament).text()


def written(value: int, unit: int = _HALVES) -> str:
    """``value`` units, ``unit`` of which make one: 3½, 2¼."""
    whole, rest = divmod(value, unit)
    part = {0: "", 1: "¼", 2: "½", 3: "¾"}[rest * 4 // unit]
    return f"{whole or ''}{part}" or "0"


class _Table:
    """The drawing while it is made: a line for each player, best first."""

    def __init__(self, tournament: TournamentView) -> None:
        self.of = tournament
        self.entrants = {entrant.player: entrant for entrant in tournament.entrants}
        self.lines = tournament.standings.lines
        self.rank = {line.player: i for i, line in enumerate(self.lines, 1)}
        self.crossed = tournament.kind == ROUND_ROBIN
        self.cell = _CELL if self.crossed else _ROUND
        self.columns = len(self.lines) if self.crossed else len(tournament.rounds)
        self.sums = tournament.standings.tie_breaks
        width = _CELLS + self.cell * self.columns + _SUM * (1 + len(self.sums)) + _PAD
        rows = len(self.lines) or len(tournament.entrants)
        self.width = max(width, 420)
        self.sheet = Sheet(self.width, _TOP + _ROW * rows + _PAD, _title(tournament), _STYLE)

    def text(self) -> str:
        """The whole document."""
        self.sheet.write(_PAD, 30, "title", _title(self.of))
        for row, line in enumerate(self.lines):
            self._line(line, _TOP + _ROW * row)
        if self.lines:
            self._heads()
        else:
            for row, entrant in enumerate(self.of.entrants):
                self._named(entrant, row + 1, _TOP + _ROW * row)
        return self.sheet.text()

    def _heads(self) -> None:
        for column in range(self.columns):
            self.sheet.write(
                _CELLS + self.cell * column + self.cell // 2, _TOP - 10, "small mid", str(column + 1)
            )
        x = _CELLS + self.cell * self.columns
        for i, head in enumerate(("Points", *(_SUMS[name][0] for name in self.sums)), 1):
            self.sheet.write(x + _SUM * i - 6, _TOP - 10, "small end", head)

    def _line(self, line: StandingView, y: int) -> None:
        self._named(self.entrants[line.player], line.place, y)
        if self.crossed:
            x = _CELLS + self.cell * (self.rank[line.player] - 1)
            self.sheet.box("self", (x + 1, y + 1, self.cell - 2, _ROW - 2))
        for number, paired in enumerate(self.of.rounds):
            for meeting in paired.meetings:
                if line.player in (meeting.first, meeting.second):
                    self._met(line.player, meeting, number, y)
            if not self.crossed and line.player in (*paired.byes, *paired.walkovers):
                self._cell("level", number, y, "bye")
        x = _CELLS + self.cell * self.columns
        self.sheet.write(x + _SUM - 6, y + 19, "best end", written(line.points))
        for i, name in enumerate(self.sums, 2):
            value: int = getattr(line, name)
            self.sheet.write(x + _SUM * i - 6, y + 19, "end", written(value, _SUMS[name][1]))

    def _named(self, entrant: Entrant, place: int, y: int) -> None:
        if (y - _TOP) // _ROW % 2 == 0:
            self.sheet.box("line", (_PAD // 2, y, self.width - _PAD, _ROW))
        self.sheet.write(_PAD + 22, y + 19, "small end", str(place))
        kind = "gone" if entrant.withdrawn else "best" if entrant.player in self.of.winners else ""
        self.sheet.write(_NAME, y + 19, kind, (entrant.nickname or entrant.player)[:_LONGEST_NAME])

    def _met(self, player: str, meeting: MeetingView, number: int, y: int) -> None:
        """What came of a meeting: in a cross table below the opponent, otherwise with his place."""
        first = player == meeting.first
        opponent = self.rank[meeting.second if first else meeting.first]
        points = meeting.games[-1].points
        result = "·" if points is None else written(points[0 if first else 1])
        kinds = ("lost", "level", "won")
        kind = "level" if points is None else kinds[points[0 if first else 1]]
        if self.crossed:
            self._cell(kind, opponent - 1, y, result)
            return
        self._cell(kind, number, y, f"{opponent}: {result}", 4)
        side = "white" if first else "black"
        self.sheet.dot(side, _CELLS + self.cell * number + 8, y + _ROW // 2, 3)

    def _cell(self, kind: str, column: int, y: int, text: str, shift: int = 0) -> None:
        x = _CELLS + self.cell * column
        self.sheet.box(kind, (x + 1, y + 1, self.cell - 2, _ROW - 2))
        self.sheet.write(x + self.cell // 2 + shift, y + 19, "mid", text)


def _title(tournament: TournamentView) -> str:
    name = tournament.title[:_LONGEST_TITLE] or "Tournament"
    played = len(tournament.rounds)
    if tournament.state == "open":
        return f"{name}: {len(tournament.entrants)} have joined"
    if tournament.state == "ended":
        return f"{name}: after {played} rounds"
    return f"{name}: round {played} of {tournament.planned}"
