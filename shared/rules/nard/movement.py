"""How checkers move in one kind of these games: the geometry of its two ways and the rule of one step.

Every game of the family is ``shared.rules.nard.game.Nard`` over one of these. There are three kinds: the
sides move towards each other and hit (``hitting``) or pin (``pinning``), or they go the same way round and a
single checker closes a point (``parallel``).
"""

from typing import NamedTuple, Protocol

from shared.rules.nard.board import Board
from shared.rules.nard.reading import Hop

Pinned = tuple[int, ...]
"""The own points on which a checker of a player is held by one of the opponent's, highest first."""


class Sides(NamedTuple):
    """Both boards, the mover's first, each in its owner's points; ``pinned`` too, None if nothing ever is."""

    mine: Board
    theirs: Board
    pinned: tuple[Pinned, Pinned] | None = None

    def swapped(self) -> "Sides":
        """The same with the other side first."""
        pinned = self.pinned
        return Sides(self.theirs, self.mine, None if pinned is None else (pinned[1], pinned[0]))


class Movement(Protocol):
    """One geometry and its step rule. Nothing here knows whose turn it is, the mode or the score."""

    @property
    def kind(self) -> str:
        """``hitting``, ``pinning``, ``parallel``, or ``headed``: parallel, and one by one from the head."""
        ...

    @property
    def geometry(self) -> str:
        """``contrary`` (they move towards each other) or ``parallel`` (the same way, half a board apart)."""
        ...

    @property
    def directions(self) -> tuple[int, int]:
        """How each seat moves on a board that is numbered from seat 0's side: -1 down, 1 up."""
        ...

    @property
    def pins(self) -> bool:
        """Whether a checker can be pinned; then ``Sides.pinned`` is never None."""
        ...

    def plays(self, sides: Sides, high: int, low: int) -> tuple[str, ...]:
        """The legal plays of a roll, one text for each distinct result, in a fixed order; empty if none is.

        This is what ``legal`` lists on every push: it must be fast, and may remember.
        """
        ...

    def meant(self, sides: Sides, written: list[Hop], dice: tuple[int, ...]) -> list[str]:
        """The canonical texts that a written play can mean, the likeliest first: steps that can be made so.

        ``dice`` are the single steps of the roll (four of a double). The obligation to play is not checked.
        Raises ``Refused("illegal_move")`` if there is none, saying why.
        """
        ...

    def played(self, sides: Sides, play: str) -> Sides:
        """The sides after a canonical play, seen by the same player; trusts it to be playable."""
        ...

    def decided(self, sides: Sides) -> int | None:
        """What the mover has won though his checkers are not all off: points, 0 for a draw, or None."""
        ...

    def apart(self, sides: Sides) -> bool:
        """Whether neither side can interfere with the other any more, whatever is rolled and played."""
        ...

    def position(self, sides: Sides) -> str:
        """The position as text, the mover's side first: gnubg's position ID where it has one."""
        ...
