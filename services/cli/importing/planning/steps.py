"""What is to be done to play a recorded match again: its table, its commands, and what they must lead to."""

from typing import Any

import msgspec

from shared.commands import PlayerCommand
from shared.events.match import Terms


class Step(msgspec.Struct, frozen=True):
    """``seat`` gives ``command``; it stands at ``line`` of the file."""

    seat: int
    command: PlayerCommand
    line: int


class PlannedGame(msgspec.Struct, frozen=True, kw_only=True):
    """The commands of one game and what they lead to; ``winner`` is None where nobody wins it.

    It stands from ``line`` to ``last_line`` of the file.
    """

    number: int
    line: int
    last_line: int
    steps: tuple[Step, ...]
    plies: int
    winner: int | None
    points: int
    score: tuple[int, int]


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """A whole match, which begins at ``line`` of ``file``. ``score`` is the one it must end with.

    ``complete``: the last game has an end. ``over``: nothing is left to play; else seat ``leaves`` ends the
    match, None where the file should have gone on. ``position`` is the one at the end, "" where it is not
    compared. ``notes`` are peculiarities worth telling that do no harm.
    ``chance`` as in ``MatchCreated``.
    """

    file: str
    line: int = 1
    game: str
    options: dict[str, Any] = {}
    terms: Terms
    chance: str = "recorded"
    games: tuple[PlannedGame, ...]
    score: tuple[int, int]
    complete: bool
    over: bool
    leaves: int | None = None
    position: str = ""
    notes: tuple[str, ...]

    @property
    def plies(self) -> int:
        """Moves, and where there are such, rolls and cube actions of the whole match."""
        return sum(game.plies for game in self.games)
