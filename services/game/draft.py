"""A commit in the making: the events so far and the state that they lead to."""

from typing import Final

from shared.chance import Draw
from shared.draws import NO_STRING, draw
from shared.events.match import MatchEvent
from shared.match import MatchState
from shared.match.evolving import happen

Covered = frozenset[int]
NOBODY: Final[Covered] = frozenset()


class Draft:
    """Collects what one command causes. Pure: it knows the match's secret and draws from nothing else."""

    def __init__(
        self, state: MatchState, secret: bytes, now_ms: int = 0, *, covered: Covered = NOBODY
    ) -> None:
        """Begin on top of ``state``; it is judged at ``now_ms``.

        ``covered``: the seats of which the ledger holds what they can lose after it (``cover.raised``).
        """
        self.state = state
        self.n = state.n + 1
        self.secret = secret
        self.now_ms = now_ms
        self.covered = covered
        self.events: list[MatchEvent] = []

    def add(self, event: MatchEvent) -> None:
        """One more thing that happened."""
        self.events.append(event)
        self.state = happen(self.state, event, self.n)

    def draw(self, spec: Draw) -> tuple[int, ...]:
        """What falls at this point of the match; the same however often it is asked."""
        state = self.state
        strings = tuple(bytes.fromhex(s) if s else NO_STRING for s in state.strings)
        return draw(self.secret, state.match, strings, state.draws, spec)
