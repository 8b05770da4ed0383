"""A player for any game that somebody can evaluate: it looks one move ahead."""

from collections.abc import Sequence
from typing import Final, Protocol

from services.ghost.players.protocol import Seen

_PASS: Final = -0.5
"""What is lost by giving up, in units of what the game would be played for: half of it, double or beaver."""


class Evaluation(Protocol):
    """A game's own judgement, from what one seat sees.

    The unit is the worth of a single game, so that a certain gammon is 2; a certain loss is -1, a draw 0.
    """

    def after(self, seen: Seen) -> Sequence[float]:
        """What the seat can expect of the game after each of ``seen.legal``, in their order."""
        ...

    def now(self, seen: Seen) -> float:
        """What it can expect as the game stands, whoever is to roll."""
        ...


class Greedy:
    """``Doubling`` by an evaluation of the position after each legal move."""

    def __init__(self, evaluation: Evaluation) -> None:
        """Believe ``evaluation``."""
        self._evaluation = evaluation

    def move(self, seen: Seen) -> str:
        """The move with the best position after it; of equal ones the first."""
        values = self._evaluation.after(seen)
        return seen.legal[max(range(len(values)), key=values.__getitem__)]

    def takes(self, seen: Seen) -> bool:
        """From one chance in four on, gammons counted."""
        return self._evaluation.now(seen) >= _PASS

    def accepts_beaver(self, seen: Seen) -> bool:
        """As ``takes``: giving up costs half of what would be played for, here too."""
        return self._evaluation.now(seen) >= _PASS
