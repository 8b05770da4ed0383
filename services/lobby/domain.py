"""A table, pure: what its log says (``evolve``) and what a command makes of it (``decide``)."""

import hashlib
from typing import Final, TypeVar

import msgspec

from services.lobby import admission
from services.lobby.admission import Standing
from shared.commands import CreateMatch
from shared.events.base import FIRST_PREV
from shared.events.codec import TableEntry, UnreadableLog
from shared.events.match import Seat
from shared.events.rated import Rated
from shared.events.staked import Staked
from shared.events.table import (
    DAY_MS,
    MatchOpened,
    RatingsTaken,
    SeatFreed,
    SeatTaken,
    StakesHeld,
    StakesReleased,
    TableClosed,
    TableEvent,
    TableOpened,
)
from shared.ids import COMPUTER, match_of
from shared.problems import Refused
from shared.tokens import BOT

T = TypeVar("T")
_OFFER: Final = msgspec.json.Encoder(order="deterministic")
RATINGS: Final = "ratings"  # the id of the entry that holds the ratings before the match
STAKES: Final = "stakes"  # the id of the entry that says that both stakes are held
CREATE: Final = "create"  # the id of the one CreateMatch that a table ever sends
RELEASE: Final = "release"  # the id of the entry that says that nothing is held after all
GIVEN_UP: Final = ("left", "expired")
"""Why a full table may close before its match was asked for."""

MOST_ENTRIES: Final = 200
"""So long a table's log may be when somebody gets up: then the table closes instead of freeing the seat.

Nobody is kept from sitting down or getting up, and no listed table is one that nobody can join; the log ends
at most one entry for each seat and the few of the match's start later.
"""
REFUSED: Final = ("match_refused", "stake_refused")
"""Why a full table may close."""


def offer_of(opened: TableOpened) -> str:
    """What two who want to play must have in common, as a short text: all but who it is and whom he likes."""
    offer = msgspec.structs.replace(opened, player="", admits=None, expiry_ms=DAY_MS)
    return hashlib.sha256(_OFFER.encode(offer)).hexdigest()[:32]


class Table(msgspec.Struct, frozen=True, kw_only=True):
    """A table at entry ``n`` of its log. ``commands`` are the ids in it, each with its request's hash.

    ``rated`` are the ratings before its match, once they are asked for and if it is rated at all.
    ``taken_at_ms`` says by seat when it was taken, 0 where it is free. ``offer`` is ``offer_of`` it.
    """

    id: str
    n: int
    head: str
    at_ms: int
    opened: TableOpened
    offer: str
    opened_at_ms: int
    seats: tuple[Seat | None, ...]
    match: str = ""
    cause: str = ""
    taken_at_ms: tuple[int, ...] = ()
    rated: Rated | None = None
    staked: Staked | None = None
    released: bool = False
    commands: dict[str, str]

    @property
    def expires_at_ms(self) -> int:
        """When it closes if it is still open then."""
        return self.opened_at_ms + self.opened.expiry_ms

    @property
    def may_end(self) -> bool:
        """Whether it is full and its match cannot have been asked for yet: ratings or stakes are missing.

        What a tournament has seated waits for ever: the tournament decides what becomes of it.
        """
        waits = self.state == "starting" and not self.opened.tournament
        return waits and (wants_ratings(self) or wants_stakes(self))

    @property
    def owes(self) -> bool:
        """Whether it was closed when its stakes may have been held already, and nobody has released them."""
        asked = bool(self.opened.stake) and all(self.seats)
        return self.cause in GIVEN_UP and asked and not self.released

    @property
    def listed(self) -> bool:
        """Whether everybody may see it; recorded matches wait for their importer's second client."""
        opened = self.opened
        return not opened.reserved and not opened.by_link and opened.chance != "recorded"

    def keeps_for(self, player: str) -> bool:
        """Whether a seat is kept for ``player`` that he has not taken."""
        return player in self.opened.reserved and self.seat_of(player) is None

    @property
    def state(self) -> str:
        """``open``, ``starting`` (full, its match is not known to exist yet), ``match`` or ``closed``."""
        if self.cause:
            return "closed"
        if self.match:
            return "match"
        return "starting" if all(self.seats) else "open"

    def seat_of(self, player: str) -> int | None:
        """Where ``player`` sits, or None."""
        return next((i for i, seat in enumerate(self.seats) if seat and seat.player == player), None)


class Open(msgspec.Struct, frozen=True):
    """Open the table; its creator sits down, and the computer with him where it is asked for."""

    opened: TableOpened


class OpenSeated(msgspec.Struct, frozen=True):
    """Open the table with everybody seated: it is full at once."""

    opened: TableOpened
    seats: tuple[Seat, ...]


class Join(msgspec.Struct, frozen=True):
    """Take one's own seat, or the first free one, at ``at_ms``; ``standing`` where the table asks for it."""

    player: str
    scopes: tuple[str, ...] = ()
    at_ms: int = 0
    standing: Standing | None = None


class Leave(msgspec.Struct, frozen=True):
    """Get up again, or decline the seat that is reserved; ``gone``: the player is away for too long."""

    player: str
    gone: bool = False


class RecordRatings(msgspec.Struct, frozen=True):
    """The ratings before the match of the full table, or why it has none."""

    rated: Rated | None = None
    why: str = ""


class RecordStakes(msgspec.Struct, frozen=True):
    """Both stakes of the full table are held by the ledger."""

    staked: Staked


class RecordRelease(msgspec.Struct, frozen=True):
    """The ledger holds nothing more for the table that was given up."""


class RecordMatch(msgspec.Struct, frozen=True):
    """The match of the full table exists."""


class Close(msgspec.Struct, frozen=True):
    """Close a table that came to nothing."""

    cause: str


Found = RecordRatings | RecordStakes | RecordRelease | RecordMatch
TableCommand = Open | OpenSeated | Join | Leave | Found | Close


def decide(table: Table | None, command: TableCommand) -> tuple[TableEvent, ...]:
    """What ``command`` causes; never empty. Raises ``Refused``."""
    if isinstance(command, OpenSeated):
        if table is not None:
            raise Refused("id_reused")
        sitting = tuple(
            SeatTaken(number, seat.player, bot=seat.bot, level=seat.level)
            for number, seat in enumerate(command.seats)
            if number or seat.bot  # who opens it has seat 0 already
        )
        return (command.opened, *sitting)
    if isinstance(command, Open):
        if table is not None:
            raise Refused("id_reused")
        return (command.opened, *_computer(command.opened))
    if table is None:
        raise Refused("unknown_table")
    match command:
        case Join():
            return _join(table, command)
        case Leave(player=player, gone=gone):
            return _leave(table, player, gone=gone)
        case RecordRatings() | RecordStakes() | RecordRelease() | RecordMatch():
            return _recorded(table, command)
        case Close(cause=cause):
            return _closed(table, cause)


def _closed(table: Table, cause: str) -> tuple[TableEvent, ...]:
    if not (cause == "expired" and table.may_end):
        _must_be(table, "starting" if cause in REFUSED else "open")
    return (TableClosed(cause),)


def _computer(opened: TableOpened) -> tuple[SeatTaken, ...]:
    """The computer sits down with the creator where it is asked for."""
    if not opened.computer:
        return ()
    seat = opened.reserved.index(COMPUTER) if opened.reserved else 1
    return (SeatTaken(seat, COMPUTER, bot=True, level=opened.level),)


def _recorded(table: Table, found: Found) -> tuple[TableEvent, ...]:
    """What a step of the start has found out, or of its undoing."""
    if isinstance(found, RecordRelease):
        if not table.owes:
            raise Refused("unchanged")
        return (StakesReleased(),)
    _must_be(table, "starting")
    match found:
        case RecordRatings(rated=rated, why=why) if wants_ratings(table):
            return (RatingsTaken(rated, why),)
        case RecordStakes(staked=staked) if wants_stakes(table):
            return (StakesHeld(staked),)
        case RecordMatch():
            return (MatchOpened(match_id(table.id)),)
        case _:
            raise Refused("unchanged")


def _join(table: Table, join: Join) -> tuple[TableEvent, ...]:
    player, opened = join.player, table.opened
    if opened.reserved and player not in opened.reserved:
        raise Refused("unknown_table")
    if table.seat_of(player) is not None and table.state != "closed":
        raise Refused("already_at_table")
    if table.state in {"closed", "match"}:
        raise Refused("table_closed")
    if opened.chance == "recorded" and BOT not in join.scopes:
        raise Refused("forbidden", "A recorded match needs the scope bot.")
    if None not in table.seats:
        raise Refused("table_full")
    if join.at_ms >= table.expires_at_ms:
        raise Refused("table_closed", "The table has expired.")
    admission.check(opened.admits, join.standing)
    seat = opened.reserved.index(player) if opened.reserved else table.seats.index(None)
    return (SeatTaken(seat, player),)


def _leave(table: Table, player: str, *, gone: bool) -> tuple[TableEvent, ...]:
    seat = table.seat_of(player)
    if seat is None and player not in table.opened.reserved:
        raise Refused("not_at_table")
    if table.state == "closed":
        raise Refused("table_closed")
    if table.may_end:
        return (TableClosed("left"),)
    if table.state != "open":
        # A full table may have its match already, with these very players, though its log lacks it yet.
        raise Refused("table_closed", "The table has become a match; leave there.")
    if seat is None:
        return (TableClosed("declined"),)
    if player == table.opened.player:
        return (TableClosed("gone" if gone else "left"),)
    if table.n >= MOST_ENTRIES:
        return (TableClosed("restless"),)
    return (SeatFreed(seat),)


def _must_be(table: Table, state: str) -> None:
    if table.state != state:
        raise Refused("table_closed")


def evolve(
    table: Table | None, entry: TableEntry, head: str, commands: dict[str, str] | None = None
) -> Table:
    """The table after ``entry``, which follows it (``journal`` checks that); ``head`` is its hash.

    Who folds a whole log and keeps only the last table gives its ``commands`` to be filled in place: they
    are then not copied for every entry.
    """
    for event in entry.events:
        table = _apply(table, entry, event)
    if table is None:
        raise UnreadableLog(f"{entry.key}: a table's log begins with table_opened.")
    if commands is None:
        commands = dict(table.commands)
    commands[entry.command] = entry.command_hash
    return msgspec.structs.replace(table, n=entry.n, head=head, at_ms=entry.at_ms, commands=commands)


def _apply(table: Table | None, entry: TableEntry, event: TableEvent) -> Table:
    if isinstance(event, TableOpened):
        return Table(
            id=entry.key,
            n=0,
            head=FIRST_PREV,
            at_ms=entry.at_ms,
            opened=event,
            offer=offer_of(event),
            opened_at_ms=entry.at_ms,
            seats=_first(event, Seat(event.player), None),
            taken_at_ms=_first(event, entry.at_ms, 0),
            commands={},
        )
    if table is None:
        raise UnreadableLog(f"{entry.key}: a table's log begins with table_opened.")
    match event:
        case SeatTaken(seat=seat, player=player, bot=bot, level=level):
            return _seated(table, seat, Seat(player, bot, level), entry.at_ms)
        case SeatFreed(seat=seat):
            return _seated(table, seat, None, 0)
        case _:
            return _learnt(table, event)


Learnt = RatingsTaken | StakesHeld | StakesReleased | MatchOpened | TableClosed


def _learnt(table: Table, event: Learnt) -> Table:
    """The table after what became of it once it was full, or was given up."""
    match event:
        case RatingsTaken(rated=rated):
            return msgspec.structs.replace(table, rated=rated)
        case StakesHeld(staked=staked):
            return msgspec.structs.replace(table, staked=staked)
        case StakesReleased():
            return msgspec.structs.replace(table, released=True)
        case MatchOpened(match=match):
            return msgspec.structs.replace(table, match=match)
        case TableClosed(cause=cause):
            return msgspec.structs.replace(table, cause=cause)


def _first(opened: TableOpened, his: T, others: T) -> tuple[T, ...]:
    """``his`` at the creator's seat and ``others`` at the rest."""
    seat = opened.reserved.index(opened.player) if opened.reserved else 0
    return tuple(his if i == seat else others for i in range(opened.seats))


def _seated(table: Table, seat: int, who: Seat | None, at_ms: int) -> Table:
    seats = (*table.seats[:seat], who, *table.seats[seat + 1 :])
    taken = (*table.taken_at_ms[:seat], at_ms, *table.taken_at_ms[seat + 1 :])
    return msgspec.structs.replace(table, seats=seats, taken_at_ms=taken)


def wants_ratings(table: Table) -> bool:
    """Whether the full table is still to ask for the ratings before its match."""
    return table.opened.rated and RATINGS not in table.commands


def wants_stakes(table: Table) -> bool:
    """Whether the stakes of the full table are still to be held."""
    return bool(table.opened.stake) and table.staked is None


def match_id(table: str) -> str:
    """The id of the match that ``table`` becomes: always the same, so a repeated creation finds it."""
    return match_of(table)


def create_match(table: Table) -> CreateMatch:
    """The command that turns a full table into its match: always the same for the same table."""
    opened = table.opened
    return CreateMatch(
        rules=opened.rules,
        rules_version=opened.rules_version,
        seats=tuple(seat for seat in table.seats if seat is not None),
        terms=opened.terms,
        options=opened.options,
        chance=opened.chance,
        table=table.id,
        games=opened.games,
        rated=table.rated,
        staked=table.staked,
        tournament=opened.tournament,
    )
