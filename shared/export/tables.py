"""A match of a tables game as other programs' files tell it: games, turns, doubles, how each game ended.

This is what .mat and SGF have in common. What neither has a word for is left out: declined resignations,
switches, clocks, Next, who played for whom.
"""

from collections.abc import Sequence
from typing import Literal

import msgspec

from shared.events.codec import decode_match
from shared.events.match import (
    BeaverAccepted,
    DiceRolled,
    DoubleBeavered,
    DoubleOffered,
    DoublePassed,
    DoubleTaken,
    GameEnded,
    GameStarted,
    MatchCancelled,
    MatchCreated,
    MatchEvent,
    MovePlayed,
    TurnPassed,
)
from shared.export.about import SEATS, About, about
from shared.export.agreed import exports
from shared.series import rules_at

Verb = Literal["double", "beaver", "take", "accept", "drop"]
"""``accept``: the first doubler accepts the beaver; ``drop`` answers a double or a beaver."""


class Turn(msgspec.Struct, frozen=True):
    """``seat`` rolled ``dice`` and played ``steps`` one by one, none if it could not move.

    ``steps`` None: the game ended, or the log stops, after the roll.
    """

    seat: int
    dice: tuple[int, ...]
    steps: tuple[str, ...] | None


class CubeAction(msgspec.Struct, frozen=True):
    """What ``seat`` did with the cube; ``value`` is what it is to be turned to, or was (0 for a drop)."""

    seat: int
    verb: Verb
    value: int


Action = Turn | CubeAction


class Game(msgspec.Struct, frozen=True, kw_only=True):
    """One game, ``called`` by the form's word for it; ``score`` is that before it.

    ``end`` is None while it is played, and the match's where that was cancelled in the middle of the game.
    """

    number: int
    called: str
    crawford: bool
    score: tuple[int, ...]
    actions: tuple[Action, ...]
    end: GameEnded | MatchCancelled | None

    @property
    def won(self) -> GameEnded | None:
        """How somebody has won points by it; None while it is played, and where it is void."""
        end = self.end
        return end if isinstance(end, GameEnded) and end.counted and end.winner is not None else None

    @property
    def void(self) -> bool:
        """Whether it has ended and counts nothing: the computer has won it for somebody (S8, S13)."""
        return isinstance(self.end, GameEnded) and not self.end.counted


class TablesMatch(About, frozen=True, kw_only=True):
    """A whole match."""

    games: tuple[Game, ...]

    @property
    def target(self) -> int:
        """The points to play to; 0 for a single game and an open session, where every point counts."""
        return self.created.terms.target or 0


def read(created: MatchCreated, stored: Sequence[bytes], names: Sequence[str], form: str) -> TablesMatch:
    """The match of a log's stored commits from the first on; ``names`` by seat (without: ``Seat 0`` …).

    ``created`` is what the log begins with, a match that ``form`` can hold. Raises ``NotExportable`` if no
    game was begun.
    """
    commits = [decode_match(line) for line in stored]
    told = about(created, commits, names)
    reader = _Reader(created, form)
    for event in (event for commit in commits for event in commit.events):
        reader.take(event)
    reader.close(None)
    return TablesMatch(
        match=told.match,
        created=created,
        names=told.names,
        day=told.day,
        games=tuple(reader.games),
    )


class _Reader:
    """Collects the games, event by event; ``dice`` are rolled and not yet played, by ``roller``."""

    def __init__(self, created: MatchCreated, form: str) -> None:
        self.created, self.form = created, form
        self.games: list[Game] = []
        self.score: tuple[int, ...] = (0,) * SEATS
        self.started: GameStarted | None = None
        self.actions: list[Action] = []
        self.dice: tuple[int, ...] = ()
        self.roller = 0

    def take(self, event: MatchEvent) -> None:
        """One event more."""
        match event:
            case GameStarted():
                self.started = event
            case DiceRolled(dice=(first, second), seat=None):
                # Who rolls higher begins, with these dice; equal ones are rolled again at once.
                self.roller = int(second > first)
                self.dice = (max(first, second), min(first, second))
            case DiceRolled(dice=dice, seat=int(seat)):
                self.roller, self.dice = seat, dice
            case MovePlayed() | TurnPassed():
                steps = tuple(event.move.split(" ")) if isinstance(event, MovePlayed) else ()
                self.actions.append(Turn(event.seat, self.dice, steps))
                self.dice = ()
            case GameEnded() | MatchCancelled():
                self.close(event)
            case _:
                if action := _cube_action(event):
                    self.actions.append(action)

    def close(self, end: GameEnded | MatchCancelled | None) -> None:
        """The game in hand, if there is one, ends with ``end``, or the log does (None)."""
        if self.started is None:
            return
        if self.dice:
            self.actions.append(Turn(self.roller, self.dice, None))
        number = self.started.game
        self.games.append(
            Game(
                number=number,
                called=exports(rules_at(self.created, number), self.created)[self.form],
                crawford=self.started.crawford,
                score=self.score,
                actions=tuple(self.actions),
                end=end,
            )
        )
        self.score = end.score if isinstance(end, GameEnded) else self.score
        self.started, self.actions, self.dice = None, [], ()


def _cube_action(event: MatchEvent) -> CubeAction | None:
    match event:
        case DoubleOffered():
            return CubeAction(event.seat, "double", event.value)
        case DoubleBeavered():
            return CubeAction(event.seat, "beaver", event.value)
        case DoubleTaken():
            return CubeAction(event.seat, "take", event.value)
        case BeaverAccepted():
            return CubeAction(event.seat, "accept", event.value)
        case DoublePassed():
            return CubeAction(event.seat, "drop", 0)
        case _:
            return None
