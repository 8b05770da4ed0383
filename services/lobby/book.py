"""The tables' logs: read, decide, append, again on a conflict; and the list of open tables beside them."""

import asyncio
from collections.abc import Callable, Iterable
from typing import Final

import msgspec
import structlog

from services.lobby.domain import Table, TableCommand, decide, evolve
from services.lobby.listing import Listing
from shared.events.codec import UnreadableLog, decode_table
from shared.events.table import TableEvent
from shared.ids import is_id
from shared.journal import Cause, Tip, Written, cause_of, follow, write
from shared.ports.log import Conflict, EventLog, LogUnavailable
from shared.problems import Refused

BY_LOBBY: Final = "lobby"
_TRIES: Final = 20
_BACK_OFF_S: Final = 0.005  # a replica that answers reads may be behind the one that refused the append

_log = structlog.get_logger("lobby")


class Asker(msgspec.Struct, frozen=True):
    """Who asks (``player`` is authenticated), with which idempotency key (may be empty)."""

    player: str
    scopes: tuple[str, ...] = ()
    key: str = ""


Choose = Callable[[Table | None], TableCommand | None]
"""What is to be done to the table as it is (None: there is none); None for nothing any more."""


class Book:
    """All tables' logs, on any number of instances: the log decides races."""

    def __init__(self, log: EventLog, now_ms: Callable[[], int]) -> None:
        """``log`` holds the tables' logs."""
        self.log = log
        self._now_ms = now_ms
        self._again: set[str] = set()
        self.listing = Listing(self._again.add)

    async def read(self, table_id: str) -> Table | None:
        """The table, None if there is none; the list learns how it is.

        One that raises ``UnreadableLog`` is left alone from here on: said once, and listed no more.
        """
        stored = await self.log.read(table_id)
        try:
            table = folded(table_id, stored)
        except UnreadableLog as error:
            if self.listing.leave_out(table_id):
                _log.error("a table cannot be read and is left alone", table=table_id, why=str(error))
            raise
        if table is not None:
            self.listing.put(table)
        return table

    async def known(self, table_id: str) -> Table:
        """The table; raises ``unknown_table``."""
        table = await self.read(table_id) if is_id(table_id) else None
        if table is None:
            raise Refused("unknown_table")
        return table

    async def append(
        self, table_id: str, table: Table | None, command: TableCommand, request: Cause
    ) -> Table | None:
        """The table after ``command``; None if somebody else's entry came first. Raises ``Refused``."""
        events = decide(table, command)
        tip = Tip() if table is None else Tip(table.n, table.head, table.at_ms)
        written: Written[TableEvent] = write(tip, table_id, self._now_ms(), request, events)
        try:
            await self.log.append(table_id, written.entry.n, written.stored)
        except Conflict:
            return None
        after = evolve(table, written.entry, written.tip.head)
        self.listing.put(after)
        return after

    async def until(self, table_id: str, request: Cause, choose: Choose) -> Table:
        """Do what ``choose`` says, again where somebody else's entry came first, until that is stored.

        A repeated request gets the table as it is now, and so does one for which nothing is left to do.
        Raises what ``choose`` and the decision refuse.
        """
        for attempt in range(_TRIES):
            table = await self.read(table_id)
            if table is not None and request.known_in(table.commands):
                return table
            command = choose(table)
            if command is None:
                if table is None:
                    raise Refused("unknown_table")
                return table
            after = await self.append(table_id, table, command, request)
            if after is not None:
                return after
            await asyncio.sleep(_BACK_OFF_S * (attempt + 1))
        raise Refused("unavailable", "Too many people are at this table at once.")

    async def do(self, table_id: str, command: TableCommand, request: Cause) -> Table:
        """Give ``command``, see ``until``. Raises ``unknown_table``, or why it is refused.

        Repeats are looked for in this table's own log: the table is part of the route (``POST
        /tables/{id}/join``), so the same key at another table is another command.
        """

        def always(table: Table | None) -> TableCommand:
            if table is None:
                raise Refused("unknown_table")
            return command

        return await self.until(table_id, request, always)

    async def try_do(self, table: str, command: TableCommand, cause: str) -> None:
        """Give ``command`` for the lobby itself, if the table still is in a state for it."""
        try:
            await self.do(table, command, cause_of(BY_LOBBY, cause, "", table.encode()))
        except UnreadableLog:
            return  # said when it was read; one damaged log keeps no other waiting
        except Refused as refused:
            _log.info("a table went on without waiting", table=table, why=cause, code=refused.problem.code)

    async def catch_up(self) -> None:
        """Read again the tables of which the list missed something."""
        while self._again:
            table_id = self._again.pop()
            try:
                await self.read(table_id)
            except LogUnavailable:
                self._again.add(table_id)
                raise
            except UnreadableLog:
                continue


def folded(table_id: str, stored: Iterable[bytes]) -> Table | None:
    """The table that its whole log makes, None of no entry. Raises ``UnreadableLog``."""
    table, tip = None, Tip()
    commands: dict[str, str] = {}
    for data in stored:
        entry = decode_table(data)
        tip = follow(tip, table_id, entry, data)
        table = evolve(table, entry, tip.head, commands)
    return table
