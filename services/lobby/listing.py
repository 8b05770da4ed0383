"""The open tables in memory: built from the log, kept live, asked for in pages. May be lost and rebuilt."""

import re
from collections.abc import Callable, Iterator
from typing import Final

import msgspec

from services.lobby.domain import Table, evolve
from shared.events.codec import UnreadableLog, decode_table
from shared.ids import is_id
from shared.journal import Tip, follow
from shared.recent import Recent

_PLACE: Final = re.compile(r"[0-9]{15}-(.*)")
_LISTED: Final = frozenset({"open", "starting"})
_REMEMBERED: Final = 20_000  # tables that are listed no more; what is read late cannot bring them back


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
        self._left: Recent[str] = Recent(_REMEMBERED)

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
        listed = {table.id: table for table in rebuilt.all() if not self._left.get(table.id)}
        self._tables, self._sorted = listed, None

    def find(self, key: str) -> Table | None:
        """The listed table with this id."""
        return self._tables.get(key)

    def apply(self, key: str, n: int, stored: bytes) -> None:
        """One entry of a table's log; those already seen are skipped."""
        table = self._tables.get(key)
        if self._left.get(key) or (table is not None and n <= table.n):
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
        if self._left.get(table.id) or (known is not None and known.n >= table.n):
            return
        if table.state in _LISTED or table.owes:
            self._sorted = None
            self._tables[table.id] = table
        else:
            self.leave_out(table.id)

    def leave_out(self, key: str) -> bool:
        """List it no more, for it has ended or cannot be read; whether it was not left out already."""
        if self._left.get(key):
            return False
        self._left.put(key, key)
        if self._tables.pop(key, None) is not None:
            self._sorted = None
        return True

    def all(self) -> Iterator[Table]:
        """Every listed table, a copy of the moment."""
        return iter(tuple(self._tables.values()))

    def opened_by(self, player: str) -> list[Table]:
        """The listed tables that ``player`` opened."""
        return [table for table in self._tables.values() if table.opened.player == player]

    def invitations_of(self, player: str) -> int:
        """How many listed tables keep a seat for ``player`` that he has not taken."""
        return sum(table.keeps_for(player) for table in self._tables.values())

    def newest_first(self) -> list[tuple[str, Table]]:
        """All of them, each with its place."""
        if self._sorted is None:
            self._sorted = sorted(((place_of(t), t) for t in self._tables.values()), key=_first, reverse=True)
        return self._sorted


def _first(row: tuple[str, Table]) -> str:
    return row[0]


def place_of(table: Table) -> str:
    """Where a table stands in the list: by time, then by id; text that sorts as it should."""
    return f"{table.opened_at_ms:015d}-{table.id}"


def is_place(text: str) -> bool:
    """Whether ``text`` can be a place; the table that stood there may have left the list."""
    parts = _PLACE.fullmatch(text)
    return parts is not None and is_id(parts.group(1))
