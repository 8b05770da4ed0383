"""Leaderboards and histories as a projection of the ratings: quick to page through, and may vanish any time.

It knows the place in the rating log up to which it is built. What it answers comes with that place, and with
the number of rows there are, so that a reader who knows the log sees when something is missing.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol


class ProjectionUnavailable(Exception):  # noqa: N818 - what the port answers
    """The projection is out of reach."""


class Ranks(NamedTuple):
    """One page of a leaderboard: (player, rating in units), best first, of ``total``; built to ``place``."""

    place: int
    total: int
    rows: list[tuple[str, int]]


class History(NamedTuple):
    """One page of a player's results, newest first, of ``total``; built up to ``place``."""

    place: int
    total: int
    rows: list[bytes]


class Line(NamedTuple):
    """One result to add to the history of ``player`` in ``kind`` (and in all kinds, ``""``)."""

    player: str
    kind: str
    place: int
    data: bytes


Ratings = Mapping[str, Mapping[str, int]]
"""By kind and player: the rating in units."""


class Projection(Protocol):
    """All leaderboards and histories; every call raises ``ProjectionUnavailable``."""

    async def place(self) -> int:
        """How far it is built; 0 where there is nothing."""
        ...

    async def advance(self, expected: int, place: int, ratings: Ratings, lines: Sequence[Line]) -> bool:
        """Take these in and be built up to ``place``, all or nothing; False if it is not at ``expected``."""
        ...

    async def ranks(self, kind: str, after: int, most: int) -> Ranks:
        """The rows after the first ``after``."""
        ...

    async def history(self, player: str, kind: str, before: int, most: int) -> History:
        """The results before place ``before`` (0: the newest); ``kind`` "" for all kinds."""
        ...

    async def clear(self) -> None:
        """Forget everything."""
        ...
