"""The events of a table: opened by its creator, joined, left, closed, or turned into a match."""

from typing import Any, Final

import msgspec

from shared.events.match import Pinned, Terms

DAY_MS: Final = 24 * 3600 * 1000


class Admits(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Whom the creator plays with (S1); what is null asks for nothing.

    ``rating_min`` and ``rating_max`` are whole points of the rating in the table's kind of game, both
    included; ``experience_max`` is the most finished games of that kind that an opponent may have.
    """

    rating_min: int | None = None
    rating_max: int | None = None
    experience_max: int | None = None


class TableOpened(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag="table_opened"):
    """A player opened a table on these terms. ``computer`` seats the computer at once.

    ``games`` are those of a series, as in ``MatchCreated``. ``reserved`` names by seat the only players who
    may sit down, the creator among them; without it he sits at seat 0. ``by_link``: only who has the link may
    come. ``expiry_ms`` after it was opened the table closes. ``rematch`` is the match that it repeats.
    """

    player: str
    rules: str
    rules_version: int
    seats: int
    terms: Terms
    options: dict[str, Any] = {}
    house: str = ""
    computer: bool = False
    level: int = 0
    chance: str = "committed"
    games: tuple[Pinned, ...] = ()
    admits: Admits | None = None
    reserved: tuple[str, ...] = ()
    by_link: bool = False
    expiry_ms: int = DAY_MS
    rematch: str = ""


class SeatTaken(msgspec.Struct, frozen=True, omit_defaults=True, tag="seat_taken"):
    """``player`` took ``seat``; ``bot`` when it is our computer, which plays at ``level`` (see ``Seat``)."""

    seat: int
    player: str
    bot: bool = False
    level: int = 0


class SeatFreed(msgspec.Struct, frozen=True, tag="seat_freed"):
    """The player of ``seat`` left before the match."""

    seat: int


class MatchOpened(msgspec.Struct, frozen=True, tag="match_opened"):
    """The full table became ``match``. From the last ``seat_taken`` on nobody can leave or join any more."""

    match: str


class TableClosed(msgspec.Struct, frozen=True, tag="table_closed"):
    """The table is gone without a match; ``cause`` says why.

    ``left``: the creator got up; ``declined``: somebody for whom a seat was reserved did not want it;
    ``gone``: the creator has been away for too long; ``expired``; ``match_refused``.
    """

    cause: str


TableEvent = TableOpened | SeatTaken | SeatFreed | MatchOpened | TableClosed
