"""A match's log as a .mat file (the Jellyfish format), written so that gnubg's importer reads it back.

Every step of a play is written on its own (``24/18* 18/13``), so that no reader has to guess a way. What
the format has no words for is left out: declined resignations, switches, Next; an accepted beaver is told
by the roll that follows it, because gnubg takes the roll for the acceptance.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from shared import cube as cubes
from shared.events.codec import MatchCommit, decode_match
from shared.events.match import (
    DiceRolled,
    DoubleBeavered,
    DoubleOffered,
    DoublePassed,
    DoubleTaken,
    GameEnded,
    GameStarted,
    MatchCreated,
    MatchEnded,
    MatchEvent,
    MovePlayed,
    TurnPassed,
)
from shared.rules.registry import AnyRules, rules

FORMAT: Final = "mat"
MEDIA: Final = "text/plain; charset=utf-8"
_SEATS: Final = 2
_LEFT_WIDTH: Final = 38  # four steps with hits are 35 characters; gnubg splits at two blanks
_NUMBER: Final = "{:3}) "
_INDENT: Final = 5
_LONGEST_NAME: Final = 31  # gnubg cuts there


class NotExportable(Exception):  # noqa: N818 - says what the match is
    """This match cannot be told in this format; the text says why."""


def can_write(game: AnyRules, options: Mapping[str, Any]) -> bool:
    """Whether ``game`` under these options can be written as .mat."""
    return FORMAT in game.offers(options).exports


def to_mat(stored: Iterable[bytes], names: Sequence[str] = ()) -> str:
    """The .mat text of a log's stored commits from the first on; see ``render``.

    Raises ``NotExportable``, and ``shared.events.codec.UnreadableLog`` for bytes that are no commits.
    """
    return render((decode_match(line) for line in stored), names)


def render(commits: Iterable[MatchCommit], names: Sequence[str] = ()) -> str:
    """The .mat text of a log from its first commit on; ``names`` by seat (without: ``Seat 0`` …).

    Raises ``NotExportable`` for a game that the format cannot hold.
    """
    writer: _Writer | None = None
    for commit in commits:
        for event in commit.events:
            if isinstance(event, MatchCreated):
                writer = _Writer(event, commit, names)
            elif writer is not None:
                writer.write(event)
    if writer is None:
        raise NotExportable("The log does not begin with match_created.")
    return writer.text()


class _Writer:
    """Collects lines; ``row`` is the line that is being filled, left and right."""

    def __init__(self, created: MatchCreated, commit: MatchCommit, names: Sequence[str]) -> None:
        if created.games:
            raise NotExportable("A series of different games cannot be written as .mat.")
        game = rules(created.rules, created.rules_version)
        if not can_write(game, created.options):
            raise NotExportable(f"{game.name} cannot be written as .mat.")
        self.names = [_plain(names[s]) if s < len(names) else f"Seat {s}" for s in range(_SEATS)]
        self.score: tuple[int, ...] = (0,) * _SEATS
        self.lines = _head(created, commit, self.names)
        self.row: list[str] = []
        self.number = 0
        self.dice = ""  # rolled and not yet played
        self.roller = 0

    def write(self, event: MatchEvent) -> None:
        """One event more."""
        match event:
            case GameStarted():
                self._begin(event.game)
            case DiceRolled(dice=dice, seat=seat):
                if dice[0] != dice[1] or seat is not None:  # equal opening dice are rolled again
                    self.roller = int(dice[1] > dice[0]) if seat is None else seat
                    self.dice = "".join(map(str, sorted(dice, reverse=True) if seat is None else dice))
            case GameEnded():
                self._end(event)
            case MatchEnded() if "Wins" in self.lines[-1]:
                self.lines[-1] += " and the match"
            case _:
                if cell := _cell(event, self.dice):
                    self._add(*cell)

    def _begin(self, game: int) -> None:
        self.number = 0
        left = f" {self.names[0]} : {self.score[0]}"
        right = f"{self.names[1]} : {self.score[1]}"
        self.lines += ["", f" Game {game}", f"{left:<{_INDENT + _LEFT_WIDTH}}{right}"]

    def _add(self, seat: int, text: str) -> None:
        self.dice = ""
        if len(self.row) > seat:
            self._flush()
        self.row += [""] * (seat - len(self.row)) + [text]

    def _flush(self) -> None:
        if not self.row:
            return
        self.number += 1
        left, right = (*self.row, "")[:_SEATS]
        self.lines.append(f"{_NUMBER.format(self.number)}{left:<{_LEFT_WIDTH - 2}}  {right}".rstrip())
        self.row = []

    def _end(self, event: GameEnded) -> None:
        if self.dice:
            self._add(self.roller, f"{self.dice}: ????")  # given up after the roll
        self.score = event.score
        if event.winner is None:
            self._flush()
            return
        wins = "Wins 1 point" if event.points == 1 else f"Wins {event.points} points"
        if event.winner == 1 and len(self.row) == 1:
            self.row.append(f" {wins}")  # on a line of its own gnubg would not see a left-hand drop before it
            self._flush()
        else:
            self._flush()
            self.lines.append(" " * (_INDENT + 1 if event.winner == 0 else _INDENT + _LEFT_WIDTH) + wins)

    def text(self) -> str:
        """The whole file."""
        self._flush()
        return "\n".join(self.lines) + "\n"


def _cell(event: MatchEvent, dice: str) -> tuple[int, str] | None:
    """Seat and text of a player's action, None for what stands in no cell. Words keep a leading blank."""
    match event:
        case MovePlayed():
            text = f"{dice}: {event.move}"
        case TurnPassed():
            text = f"{dice}: Cannot Move"
        case DoubleOffered():
            text = f" Doubles => {event.value}"
        case DoubleBeavered():
            text = f" Beavers => {event.value}"
        case DoubleTaken():
            text = " Takes"
        case DoublePassed():
            text = " Drops"
        case _:
            return None
    return event.seat, text


def _plain(name: str) -> str:
    """A name that cannot be taken for a part of the format."""
    text = " ".join("".join(c if c.isprintable() and c not in ':,"' else " " for c in name).split())
    return text[:_LONGEST_NAME] or "Anonymous"


def _head(created: MatchCreated, commit: MatchCommit, names: list[str]) -> list[str]:
    tags = {
        "Site": "Kronika",
        "Match ID": commit.match,
        "Player 1": names[0],
        "Player 2": names[1],
        "Variation": created.rules.capitalize(),
        "Crawford": "On",
        "CubeLimit": str(cubes.LIMIT),
    }
    if created.chance != "recorded":  # a recorded match was played at another time
        tags["EventDate"] = datetime.fromtimestamp(commit.at_ms / 1000, UTC).strftime("%Y.%m.%d")
    lines = [f'; [{key} "{value}"]' for key, value in tags.items()]
    return [*lines, "", f"{created.terms.target or 0} point match"]
