"""The events of a table: opened by its creator, joined, left, closed, or turned into a match."""

from typing import Any, Final

import msgspec

from shared.events.match import Pinned, Terms
from shared.events.rated import Rated
from shared.events.staked import Staked

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

    ``games`` are those of a series, as in ``MatchCreated``. ``rated``: the match is rated, unless a guest
    sits down. ``stake`` is what it is played for: for each point of a single game, or for the whole match;
    0: for nothing. ``reserved`` names by seat the only players who may sit down, the creator among them;
    without it he sits at seat 0. ``by_link``: only who has the link may come. ``expiry_ms`` after it was
    opened the table closes. ``rematch`` is the match that it repeats. ``tournament`` is the one
    that seated both players here.
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
    rated: bool = False
    stake: int = 0
    admits: Admits | None = None
    reserved: tuple[str, ...] = ()
    by_link: bool = False
    expiry_ms: int = DAY_MS
    rematch: str = ""
    tournament: str = ""


class SeatTaken(msgspec.Struct, frozen=True, omit_defaults=True, tag="seat_taken"):
    """``player`` took ``seat``; ``bot`` when it is our computer, which plays at ``level`` (see ``Seat``)."""

    seat: int
    player: str
    bot: bool = False
    level: int = 0


class SeatFreed(msgspec.Struct, frozen=True, tag="seat_freed"):
    """The player of ``seat`` left before the match."""

    seat: int


class RatingsTaken(msgspec.Struct, frozen=True, omit_defaults=True, tag="ratings_taken"):
    """The full table asked for the ratings with which its match begins.

    ``rated`` is None where the match is not rated after all; ``why`` then says it: ``guest``.
    """

    rated: Rated | None = None
    why: str = ""


class StakesHeld(msgspec.Struct, frozen=True, tag="stakes_held"):
    """The ledger holds the stakes of both players in the escrow of the match that the table becomes."""

    staked: Staked


class StakesReleased(msgspec.Struct, frozen=True, tag="stakes_released"):
    """The table closed while its stakes were being held; the ledger has given back what it held."""


class MatchOpened(msgspec.Struct, frozen=True, tag="match_opened"):
    """The full table became ``match``.

    Nobody joins from the last ``seat_taken`` on, and nobody can leave any more once the table's ratings are
    taken and its stakes are held.
    """

    match: str


class TableClosed(msgspec.Struct, frozen=True, tag="table_closed"):
    """The table is gone without a match; ``cause`` says why.

    ``left``: the creator got up; ``declined``: somebody for whom a seat was reserved did not want it;
    ``gone``: the creator has been away for too long; ``expired``; ``match_refused``; ``stake_refused``: not
    both stakes could be held; ``restless``: too many sat down and got up again.
    """

    cause: str


TableEvent = (
    TableOpened
    | SeatTaken
    | SeatFreed
    | RatingsTaken
    | StakesHeld
    | StakesReleased
    | MatchOpened
    | TableClosed
)
