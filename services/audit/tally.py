"""What time did in a match, counted event by event, each once it was found to be as it must be."""

from collections import Counter

from services.audit.report import TimeReport
from shared.events.match import (
    ClockCharged,
    ExtensionAccepted,
    FlagFell,
    MatchEvent,
    MovePlayed,
    SeatKicked,
    TimeAsked,
    TimeReturned,
    TurnPassed,
)
from shared.match import MatchState


class Tally:
    """The sums so far; ``charges`` is how many times a clock was charged."""

    def __init__(self) -> None:
        """Nothing has happened."""
        self.charges = 0
        self.returned_ms = 0
        self._agreed = 0
        self._charged_ms = Counter[int]()
        self._asked = Counter[int]()
        self._flags = Counter[int]()
        self._thrown_out = Counter[int]()
        self._ghost_turns = Counter[int]()

    def count(self, state: MatchState, event: MatchEvent) -> None:
        """One event more; ``state`` is that before it."""
        match event:
            case ClockCharged():
                self.charges += 1
                self._charged_ms[event.seat] += event.used_ms
            case TimeAsked():
                self._asked[event.seat] += 1
            case ExtensionAccepted():
                self._agreed += 1
            case TimeReturned():
                self.returned_ms += event.ms
            case FlagFell():
                self._flags[event.seat] += 1
            case SeatKicked():
                self._thrown_out[event.seat] += 1
            case MovePlayed() | TurnPassed():
                self._ghost_turns[event.seat] += state.ghosted[event.seat]
            case _:
                pass

    def report(self, seats: int) -> TimeReport:
        """The sums by seat."""

        def by_seat(counted: Counter[int]) -> tuple[int, ...]:
            return tuple(counted[seat] for seat in range(seats))

        return TimeReport(
            charged_ms=by_seat(self._charged_ms),
            asked=by_seat(self._asked),
            agreed=self._agreed,
            flags=by_seat(self._flags),
            thrown_out=by_seat(self._thrown_out),
            ghost_turns=by_seat(self._ghost_turns),
            returned_ms=self.returned_ms,
        )
