"""Tournaments for tests: pure ones told as a story."""

from collections.abc import Callable
from itertools import count
from random import Random
from typing import Final

from services.tournament.domain import (
    Join,
    Open,
    Proceed,
    Record,
    Start,
    TournamentCommand,
    Withdraw,
    decide,
    evolve,
)
from services.tournament.state import Meeting, Tournament, seats_of, table_of
from shared.events.match import Terms
from shared.events.table import TableOpened
from shared.events.tournament import TournamentEvent, TournamentOpened
from shared.journal import Cause, Tip, Written, write

ORGANISER: Final = "porganiser"
Points = tuple[int, int]
lost_by_both: Final[Points] = (0, 0)


def won(meeting: Meeting, player: str) -> Points:
    """``player`` has won: points of the meeting's first and second."""
    return (2, 0) if player == meeting.first else (0, 2)


def drawn(meeting: Meeting) -> Points:  # noqa: ARG001 - chosen like a winner
    return 1, 1


class Story:
    """A tournament that tests tell event by event, on its own log."""

    def __init__(self, players: int, kind: str = "", rounds: int = 0, name: str = "kstory000") -> None:
        self.log: list[bytes] = []
        self._tip = Tip()
        self._numbers = count(1)
        self._tournament: Tournament | None = None
        self.name = name
        table = TableOpened(player=ORGANISER, rules="gomoku3d", rules_version=1, seats=2, terms=Terms())
        opened = TournamentOpened(player=ORGANISER, title="", kind=kind, rounds=rounds, most=128, table=table)
        self.does(Open(opened))
        for number in range(players):
            self.does(Join(f"pplayer{number:03}"))

    @property
    def tournament(self) -> Tournament:
        """As it stands."""
        assert self._tournament is not None
        return self._tournament

    def does(self, command: TournamentCommand) -> Tournament:
        """The tournament after ``command``."""
        events = decide(self._tournament, command)
        number = next(self._numbers)
        cause = Cause(f"c{number}", "", "tests")
        written: Written[TournamentEvent] = write(self._tip, self.name, number, cause, events)
        self.log.append(written.stored)
        self._tip = written.tip
        self._tournament = evolve(self._tournament, written.entry, written.tip.head)
        return self._tournament

    def started(self) -> Tournament:
        """Begun, with its first round paired."""
        self.does(Start(ORGANISER))
        return self.does(Proceed())

    def records(self, choose: Callable[[Meeting], Points]) -> None:
        """Every game that is being played ends as chosen."""
        for meeting, game in list(self.tournament.running()):
            points = choose(meeting)
            if seats_of(meeting, game)[0] != meeting.first:
                points = (points[1], points[0])
            self.does(Record(table_of(self.name, meeting, game), points, "played"))

    def proceeds(self) -> Tournament:
        """Until games are to be played, or all is over."""
        while self.tournament.state == "running" and self.tournament.round_over:
            self.does(Proceed())
        return self.tournament

    def plays(self, choose: Callable[[Meeting], Points]) -> Tournament:
        """A whole round; the next one is paired, if there is one."""
        while not self.tournament.round_over:
            self.records(choose)
        return self.proceeds()

    def to_the_end(
        self,
        chance: Random | None = None,
        *,
        choose: Callable[[Meeting], Points] | None = None,
        leaving: float = 0,
        faults: float = 0,
    ) -> Tournament:
        """All rounds, at random unless chosen; with ``leaving`` so many withdraw in each round."""
        chance = chance or Random(0)
        if self.tournament.state == "open":
            self.started()

        def random_points(_: Meeting) -> Points:
            if chance.random() < faults:
                return lost_by_both
            return chance.choice(((2, 0), (0, 2), (1, 1)))

        while self.tournament.state == "running":
            for player in self.tournament.active():
                if chance.random() < leaving:
                    self.does(Withdraw(player))
            self.plays(choose or random_points)
        return self.tournament
