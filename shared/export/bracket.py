"""A knock-out as a tree: rounds from left to right, those to come empty, and who has won it."""

from typing import Final

from shared.export.sheet import Sheet
from shared.wire.tournament import MeetingView, TournamentView

_TOP: Final = 76
_PAD: Final = 16
_WIDE: Final = 168
_GAP: Final = 36
_LINE: Final = 22
_BOX: Final = 2 * _LINE
_STEP: Final = _BOX + 18
_LONGEST_NAME: Final = 18
_LONGEST_TITLE: Final = 60
_FINAL: Final = ("Final", "Semi-finals", "Quarter-finals")

_STYLE: Final = """
.pair{fill:#f3f5f7;stroke:#cfd8dd}.best{font-weight:600}.out{fill:#7a8793}.join{fill:none;stroke:#9aa5b0}
.cup{fill:#fff6dd;stroke:#c79a2b}
@media(prefers-color-scheme:dark){.pair{fill:#26303a;stroke:#46535f}.out{fill:#8a97a3}.cup{fill:#3d3212;stroke:#c79a2b}}
"""


def bracket(tournament: TournamentView) -> str:
    """The tree as an SVG document."""
    return _Tree(tournament).text()


class _Tree:
    """The drawing while it is made; a place is a line of a box, from top to bottom."""

    def __init__(self, tournament: TournamentView) -> None:
        self.of = tournament
        self.names = {e.player: (e.nickname or e.player)[:_LONGEST_NAME] for e in tournament.entrants}
        self.boxes = len(tournament.rounds[0].places) // 2
        width = 2 * _PAD + (_WIDE + _GAP) * tournament.planned + _WIDE
        self.sheet = Sheet(width, _TOP + _STEP * self.boxes + _PAD, self._title(), _STYLE)

    def text(self) -> str:
        """The whole document."""
        self.sheet.write(_PAD, 30, "title", self._title())
        for number in range(self.of.planned):
            left = self.of.planned - number - 1
            head = _FINAL[left] if left < len(_FINAL) else f"Round {number + 1}"
            self.sheet.write(self._x(number) + _WIDE // 2, _TOP - 14, "small mid", head)
            for box in range(self.boxes >> number):
                self._box(number, box)
        self._winner()
        return self.sheet.text()

    def _x(self, number: int) -> int:
        return _PAD + (_WIDE + _GAP) * number

    def _y(self, number: int, box: int) -> int:
        """The middle of a box."""
        return _TOP + (_STEP * ((2 * box + 1) << number)) // 2

    def _box(self, number: int, box: int) -> None:
        x, y = self._x(number), self._y(number, box)
        couple = ("", "")
        if number < len(self.of.rounds):
            places = self.of.rounds[number].places
            couple = (places[2 * box], places[2 * box + 1])
        self.sheet.box("pair", (x, y - _LINE, _WIDE, _BOX))
        middle = x + _WIDE + _GAP // 2
        after = self._y(number + 1, box // 2) if self.boxes >> number > 1 else y
        self.sheet.path("join", ((x + _WIDE, y), (middle, y), (middle, after), (x + _WIDE + _GAP, after)))
        meeting = self._meeting(number, couple)
        for line, player in enumerate(couple):
            base = y - 6 + _LINE * line
            if player:
                self._player(x, base, player, number, meeting)
            elif number == 0:
                self.sheet.write(x + 8, base, "small", "bye")

    def _player(self, x: int, y: int, player: str, number: int, meeting: MeetingView | None) -> None:
        through = player in (*self.of.rounds[number].byes, *self.of.rounds[number].walkovers)
        won = through or (meeting is not None and meeting.winner == player)
        lost = meeting is not None and meeting.decided and not won
        self.sheet.write(x + 8, y, "best" if won else "out" if lost else "", self.names[player])
        if meeting is None:
            return
        at = 0 if player == meeting.first else 1
        marks = "".join("0½1"[game.points[at]] for game in meeting.games if game.points is not None)
        self.sheet.write(x + _WIDE - 8, y, "end best" if won else "end", " ".join(marks))

    def _meeting(self, number: int, couple: tuple[str, str]) -> MeetingView | None:
        if number >= len(self.of.rounds):
            return None
        found = (m for m in self.of.rounds[number].meetings if {m.first, m.second} == set(couple))
        return next(found, None)

    def _winner(self) -> None:
        x, y = self._x(self.of.planned), self._y(self.of.planned - 1, 0)
        self.sheet.box("cup", (x, y - _LINE // 2 - 6, _WIDE, _LINE + 12))
        if self.of.winners:
            self.sheet.write(x + _WIDE // 2, y + 5, "best mid", self.names[self.of.winners[0]])
        elif self.of.state == "ended":
            self.sheet.write(x + _WIDE // 2, y + 5, "small mid", "nobody")

    def _title(self) -> str:
        name = self.of.title[:_LONGEST_TITLE] or "Tournament"
        return f"{name}: {len(self.of.entrants)} players, knock-out"
