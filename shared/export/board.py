"""A single game between two as other programs' files tell it: who, when, the moves, and how it ended.

This is what the forms of the board games have in common. What they have no word for is left out: draws that
were offered in vain, what the clocks showed, who played for whom.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeVar

import msgspec

from shared import clocks
from shared.events.codec import decode_match
from shared.events.match import GameEnded, GameStarted, MatchCancelled, MatchCreated, MovePlayed, TurnPassed
from shared.export.about import SEATS, About, about
from shared.export.agreed import exports, why_not
from shared.export.form import Form, NotExportable, begun
from shared.rules.protocol import PASS
from shared.rules.registry import AnyRules
from shared.series import options_of, rules_at

SITE: Final = "Kronika"
WIDTH: Final = 80
"""Lines of a file that people read are not longer."""

T = TypeVar("T")


class Ply(msgspec.Struct, frozen=True):
    """``seat`` played ``move`` (canonical, or ``PASS``), ``written`` in the game's notation."""

    seat: int
    move: str
    written: str


class BoardGame(About, frozen=True, kw_only=True):
    """The game. Seat ``first`` began; ``word`` is the form's word for the game.

    ``position`` is the rules' state after the last ply. ``end`` is None while it is played.
    """

    rules: AnyRules
    word: str
    first: int
    plies: tuple[Ply, ...]
    position: Any
    end: GameEnded | MatchCancelled | None

    @property
    def options(self) -> dict[str, Any]:
        """Every option of the rules with its value."""
        schemas: dict[str, Any] = self.rules.options().get("properties", {})
        defaults = {name: schema["default"] for name, schema in schemas.items()}
        return defaults | options_of(self.rules, self.created.options)

    @property
    def ended(self) -> GameEnded | None:
        """How the game ended; None while it is played, and where it counts for nothing."""
        return self.end if isinstance(self.end, GameEnded) and self.end.counted else None

    def result(self, first: T, second: T, drawn: T, none: T) -> T:
        """``first`` if who began has won, ``second`` if the other has; ``none``: there is no result."""
        if self.ended is None:
            return none
        if self.ended.winner is None:
            return drawn
        return first if self.ended.winner == self.first else second

    @property
    def how(self) -> str:
        """In a word or two, how it ended: ``checkmate``, ``resigned``, ``agreed``; "" while it is played."""
        match self.end:
            case GameEnded(cause="played" | "claimed") | GameEnded(winner=None, cause="flag") as end:
                return end.kind  # tells more than the cause
            case GameEnded() | MatchCancelled() as end:
                return end.cause
            case None:
                return ""

    @property
    def by_players(self) -> tuple[str, str]:
        """The names of who began and of the other."""
        return self.names[self.first], self.names[1 - self.first]


def read(stored: Sequence[bytes], names: Sequence[str], form: str) -> BoardGame:
    """The game of a log's stored commits from the first on; ``names`` by seat (without: ``Seat 0`` …).

    Raises ``NotExportable`` where ``why_not`` has found a reason, or if no game was begun.
    """
    created = begun(stored)
    if reason := why_not(created, form):
        raise NotExportable(reason)
    commits = [decode_match(line) for line in stored]
    told = about(created, commits, names)
    rules = rules_at(created, 1)
    position: Any = None
    first, plies = 0, list[Ply]()
    end: GameEnded | MatchCancelled | None = None
    for event in (event for commit in commits for event in commit.events):
        match event:
            case GameStarted(first=int(seat)):
                first = seat
                position = rules.setup(SEATS, options_of(rules, created.options), seat)
            case MovePlayed() | TurnPassed():
                move = event.move if isinstance(event, MovePlayed) else PASS
                plies.append(Ply(event.seat, move, rules.write(position, event.seat, move, None)))
                position = rules.play(position, event.seat, move)
            case GameEnded() | MatchCancelled() if end is None:
                end = event
            case _:
                pass
    return BoardGame(
        match=told.match,
        created=created,
        names=told.names,
        day=told.day,
        rules=rules,
        word=exports(rules, created)[form],
        first=first,
        plies=tuple(plies),
        position=position,
        end=end,
    )


def seconds(created: MatchCreated) -> tuple[int, bool] | None:
    """The seconds of each player's clock, and whether they are those of every single move; None: no clock."""
    clock = created.terms.clock
    return None if clock is None else (clock.budget_ms // 1000, clock.kind == clocks.MOVE)


def line(text: str) -> str:
    """A name or sentence on one line, without what cannot be shown."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def by_word(name: str, media: str, purpose: str, writers: Mapping[str, Callable[[BoardGame], bytes]]) -> Form:
    """A form that writes each game in a way of the game's own: ``writers`` by its word for the game."""

    def render(stored: Sequence[bytes], names: Sequence[str]) -> bytes:
        game = read(stored, names, name)
        return writers[game.word](game)

    return Form(name=name, media=media, purpose=purpose, named=True, render=render)
