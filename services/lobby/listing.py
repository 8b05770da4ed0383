"""The open tables in memory: built from the log, kept live, asked for in pages. May be lost and rebuilt."""

import re
from collections.abc import Callable, Iterator
from typing import Final

import msgspec

from services.lobby.domain import Table, evolve
from shared.events.codec import UnreadableLog, decode_table
from shared.events.match import Terms
from shared.ids import is_id
from shared.journal import Tip, follow
from shared.problems import Refused
from shared.wire.lobby import ListTables

MOST_PER_PAGE: Final = 100
_PLACE: Final = re.compile(r"[0-9]{15}-(.*)")
_LISTED: Final = frozenset({"open", "starting"})


class Page(msgspec.Struct, frozen=True):
    """One page of tables, and where the next one begins (empty: nowhere)."""

    tables: tuple[Table, ...]
    next: str


class Listing:
    """Every table that is not a match or closed yet."""

    def __init__(self, missed: Callable[[str], None]) -> None:
        """``missed(table)`` is called when entries of a table were missed: read it again and ``put`` it."""
        self._tables: dict[str, Table] = {}
        self._sorted: list[tuple[str, Table]] | None = None
        self._missed = missed

    def empty(self) -> "Listing":
        """A second one, to be built from the log while this one stays in use; see ``replace``."""
        return Listing(self._missed)

    def replace(self, rebuilt: "Listing") -> None:
        """List what ``rebuilt`` lists from here on, but nothing older than what is known here.

        What only this one lists has ended or is newer than what was read: it is missed, so read again.
        """
        for table in self._tables.values():
            read = rebuilt.find(table.id)
            if read is None:
                self._missed(table.id)
            elif read.n < table.n:
                rebuilt.put(table)
        self._tables, self._sorted = {table.id: table for table in rebuilt.all()}, None

    def find(self, key: str) -> Table | None:
        """The listed table with this id."""
        return self._tables.get(key)

    def apply(self, key: str, n: int, stored: bytes) -> None:
        """One entry of a table's log; those already seen are skipped."""
        table = self._tables.get(key)
        if table is not None and n <= table.n:
            return
        if n != (1 if table is None else table.n + 1):
            self._missed(key)
            return
        try:
            entry = decode_table(stored)
            tip = Tip() if table is None else Tip(table.n, table.head, table.at_ms)
            self.put(evolve(table, entry, follow(tip, key, entry, stored).head))
        except UnreadableLog:
            self._missed(key)

    def put(self, table: Table) -> None:
        """A table as it was just read or written; an older one than the known changes nothing."""
        known = self._tables.get(table.id)
        if known is not None and known.n >= table.n:
            return
        self._sorted = None
        if table.state in _LISTED:
            self._tables[table.id] = table
        else:
            self._tables.pop(table.id, None)

    def all(self) -> Iterator[Table]:
        """Every listed table, a copy of the moment."""
        return iter(tuple(self._tables.values()))

    def opened_by(self, player: str) -> list[Table]:
        """The listed tables that ``player`` opened."""
        return [table for table in self._tables.values() if table.opened.player == player]

    def page(self, asked: ListTables, main_game: str) -> Page:
        """The tables that were asked for, newest first; ``Refused("invalid")`` for a bad limit or place.

        Tables of recorded matches are not shown: they wait for their importer's second client.
        """
        if not 1 <= asked.limit <= MOST_PER_PAGE:
            raise Refused("invalid", f"limit: 1 to {MOST_PER_PAGE}.")
        if asked.after and not _is_place(asked.after):
            raise Refused("invalid", "after: the next that came with a page, as it came.")
        game = asked.game or ("" if asked.others else main_game)
        found: list[Table] = []
        for place, table in self._newest_first():
            if asked.after and place >= asked.after:
                continue
            if not _fits(table, asked, game):
                continue
            if len(found) == asked.limit:
                return Page(tuple(found), _place(found[-1]))
            found.append(table)
        return Page(tuple(found), "")

    def _newest_first(self) -> list[tuple[str, Table]]:
        if self._sorted is None:
            self._sorted = sorted(((_place(t), t) for t in self._tables.values()), key=_first, reverse=True)
        return self._sorted


def _first(row: tuple[str, Table]) -> str:
    return row[0]


def _place(table: Table) -> str:
    """Where a table stands in the list: by time, then by id; text that sorts as it should."""
    return f"{table.opened_at_ms:015d}-{table.id}"


def _is_place(text: str) -> bool:
    """Whether ``text`` can be a place; the table that stood there may have left the list."""
    parts = _PLACE.fullmatch(text)
    return parts is not None and is_id(parts.group(1))


def _target(terms: Terms) -> int | None:
    """The points to play to, 0 in a single game; a series has none."""
    return None if terms.series else terms.target or 0


def _fits(table: Table, asked: ListTables, game: str) -> bool:
    opened = table.opened
    return (
        opened.chance != "recorded"
        and (not game or game in (opened.rules, opened.terms.series))
        and (not asked.house or opened.house == asked.house)
        and (asked.target is None or _target(opened.terms) == asked.target)
        and (asked.computer is None or opened.computer == asked.computer)
    )
