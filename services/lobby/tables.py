"""Tables: read, decide, append, again on a conflict; and the one step from a full table to its match."""

import asyncio
import hashlib
from collections.abc import Callable
from typing import Final

import msgspec
import structlog

from services.lobby import domain
from services.lobby.accounts import Accounts
from services.lobby.domain import Close, Join, Leave, Open, RecordMatch, Table, TableCommand, decide, evolve
from services.lobby.journal import Tip, follow, next_entry
from services.lobby.listing import Listing
from services.lobby.terms import agree
from shared import subjects
from shared.events.codec import TableEntry, UnreadableLog, decode_table, encode
from shared.ids import derived_id, is_id, new_id
from shared.ports.bus import Bus, NoAnswer
from shared.ports.log import Conflict, EventLog, LogUnavailable
from shared.problems import Refused
from shared.wire.lobby import ListTables, OpenTable, SeatView, TableList, TableView, TermsView, plays_at
from shared.wire.match import COMMAND_ANSWER, ENCODER, Accepted, CommandRequest

CREATE_TIMEOUT_MS: Final = 3_000
EXPIRY_MS: Final = 24 * 3600 * 1000  # a table that found nobody for a day
MOST_OPEN: Final = 200  # open tables of one player
BY_LOBBY: Final = "lobby"
_TRIES: Final = 20
_BACK_OFF_S: Final = 0.005  # a replica that answers reads may be behind the one that refused the append

_log = structlog.get_logger("lobby")


class Asker(msgspec.Struct, frozen=True):
    """Who asks (``player`` is authenticated), with which idempotency key (may be empty)."""

    player: str
    scopes: tuple[str, ...] = ()
    key: str = ""


class _Request(msgspec.Struct, frozen=True):
    """What an entry of the log says about its cause: the command's id and hash, and who gave it."""

    id: str
    hash: str
    by: str


class Tables:
    """All that concerns tables, on any number of instances: the log decides races."""

    def __init__(
        self, *, log: EventLog, bus: Bus, accounts: Accounts, now_ms: Callable[[], int], main_game: str = ""
    ) -> None:
        """``log`` holds the tables' logs; ``main_game`` is what the list opens with (B2), empty for all."""
        self._log = log
        self._bus = bus
        self._accounts = accounts
        self._now_ms = now_ms
        self._main_game = main_game
        self._again: set[str] = set()
        self.listing = Listing(self._again.add)

    # ---- requests

    async def open(self, wish: OpenTable, asker: Asker) -> TableView:
        """Open a table; with the same key again the same table."""
        opened = agree(wish, asker.player, asker.scopes)
        await self._must_exist(asker.player)
        table_id = derived_id("t", asker.player, "open_table", asker.key) if asker.key else new_id("t")
        request = _request(asker, "open_table", ENCODER.encode(wish))
        table = await self._read(table_id) if asker.key else None
        if table is None:
            if len(self.listing.opened_by(asker.player)) >= MOST_OPEN:
                raise Refused("rate_limited", "You have too many open tables.")
            table = await self._append(table_id, None, Open(opened), request)
        if table is None:  # the same key came first on another instance
            table = await self._known(table_id)
        if table.commands.get(request.id) != request.hash:
            raise Refused("id_reused")
        return await self.view(await self.settle(table))

    async def join(self, table_id: str, asker: Asker) -> TableView:
        """Sit down; the last seat makes the match."""
        await self._must_exist(asker.player)
        table = await self._do(table_id, Join(asker.player, asker.scopes), asker, "join_table")
        return await self.view(await self.settle(table))

    async def leave(self, table_id: str, asker: Asker) -> TableView:
        """Get up; the creator's leaving closes the table."""
        return await self.view(await self._do(table_id, Leave(asker.player), asker, "leave_table"))

    async def get(self, table_id: str) -> TableView:
        """One table. Whoever looks at a full one whose match is not known yet sees to it."""
        return await self.view(await self.settle(await self._known(table_id)))

    async def list(self, asked: ListTables) -> TableList:
        """One page of the open tables."""
        await self.catch_up()
        page = self.listing.page(asked, self._main_game)
        return TableList(tuple([await self.view(table) for table in page.tables]), page.next)

    async def view(self, table: Table) -> TableView:
        """The table with the names of its players."""
        opened = table.opened
        seats = [
            SeatView(i, None)
            if seat is None
            else SeatView(i, await self._accounts.view(seat.player), plays_at(seat))
            for i, seat in enumerate(table.seats)
        ]
        return TableView(
            id=table.id,
            n=table.n,
            state=table.state,
            game=opened.rules,
            rules_version=opened.rules_version,
            terms=TermsView(**msgspec.structs.asdict(opened.terms)),
            options=opened.options,
            house=opened.house,
            computer=opened.computer,
            chance=opened.chance,
            creator=opened.player,
            seats=tuple(seats),
            match=table.match,
            cause=table.cause,
            opened_at_ms=table.opened_at_ms,
        )

    # ---- what nobody asks for

    async def settle(self, table: Table) -> Table:
        """Turn a full table into its match; every other one stays as it is.

        The match's id and the command are derived from the table, so whoever does it again, after a crash
        in between or at the same time, finds the first one. Without an answer from ``game`` the table
        stays ``starting``, and the next reader tries again.
        """
        if table.state != "starting":
            return table
        match = domain.match_id(table.id)
        request = CommandRequest(
            id=domain.CREATE, command=domain.create_match(table), arrived_ms=self._now_ms()
        )
        try:
            data = await self._bus.request(
                subjects.command("lobby", "game", match), ENCODER.encode(request), CREATE_TIMEOUT_MS
            )
        except NoAnswer as error:
            _log.warning("a full table waits for its match", table=table.id, why=str(error))
            return table
        answer = COMMAND_ANSWER.decode(data)
        if isinstance(answer, Accepted):
            return await self._settled(table, RecordMatch())
        _log.error("a match was refused", table=table.id, code=answer.problem.code, why=answer.problem.detail)
        return table if answer.problem.retryable else await self._settled(table, Close("match_refused"))

    async def _settled(self, table: Table, command: TableCommand) -> Table:
        """Record how a full table went on; whoever does it first is right."""
        request = _Request(domain.CREATE, hashlib.sha256(ENCODER.encode(command)).hexdigest(), BY_LOBBY)
        while table.state == "starting":
            after = await self._append(table.id, table, command, request)
            table = await self._known(table.id) if after is None else after
        return table

    async def sweep(self) -> None:
        """Finish what was interrupted, close what expired, close what a forgotten player left behind."""
        await self.catch_up()
        for table in self.listing.all():
            try:
                if table.state == "starting":
                    await self.settle(table)
                elif self._now_ms() - table.opened_at_ms >= EXPIRY_MS:
                    await self._close(table, "expired")
            except UnreadableLog as error:  # one damaged log must not keep the others waiting
                _log.error("a table cannot be read and is left alone", table=table.id, why=str(error))

    async def close_all_of(self, player: str) -> None:
        """Close the open tables of a player who is gone, and free his seats at others'."""
        for table in self.listing.all():
            if table.state == "open" and table.seat_of(player) is not None:
                try:
                    await self._do(table.id, Leave(player), Asker(player), "forget")
                except Refused as refused:
                    _log.info("a table went on without waiting", table=table.id, code=refused.problem.code)

    async def _close(self, table: Table, cause: str) -> None:
        try:
            await self._do(table.id, Close(cause), Asker(BY_LOBBY), cause)
        except Refused as refused:
            _log.info("a table needs no closing", table=table.id, code=refused.problem.code)

    async def catch_up(self) -> None:
        """Read again the tables of which the list missed something."""
        while self._again:
            table_id = self._again.pop()
            try:
                table = await self._read(table_id)
            except LogUnavailable:
                self._again.add(table_id)
                raise
            except UnreadableLog as error:
                _log.error("a table cannot be read and is not listed", table=table_id, why=str(error))
                continue
            if table is not None:
                self.listing.put(table)

    # ---- inside

    async def _do(self, table_id: str, command: TableCommand, asker: Asker, route: str) -> Table:
        """Decide and append until it is stored or refused. A repeated command gets the table as it is now.

        Repeats are looked for in this table's own log: the table is part of the route (``POST
        /tables/{id}/join``), so the same key at another table is another command.
        """
        request = _request(asker, route, table_id.encode())
        for attempt in range(_TRIES):
            table = await self._known(table_id)
            if request.id in table.commands:
                if table.commands[request.id] != request.hash:
                    raise Refused("id_reused")
                return table
            after = await self._append(table_id, table, command, request)
            if after is not None:
                return after
            await asyncio.sleep(_BACK_OFF_S * (attempt + 1))
        raise Refused("unavailable", "Too many people are at this table at once.")

    async def _append(
        self, table_id: str, table: Table | None, command: TableCommand, request: _Request
    ) -> Table | None:
        """The table after ``command``; None if somebody else's entry came first. Raises ``Refused``."""
        events = decide(table, command)
        tip = Tip() if table is None else Tip(table.n, table.head, table.at_ms)
        entry: TableEntry = next_entry(
            tip,
            table_id,
            self._now_ms(),
            command=request.id,
            command_hash=request.hash,
            by=request.by,
            events=events,
        )
        stored = encode(entry)
        try:
            await self._log.append(table_id, entry.n, stored)
        except Conflict:
            return None
        after = evolve(table, entry, follow(tip, table_id, entry, stored).head)
        self.listing.put(after)
        return after

    async def _known(self, table_id: str) -> Table:
        table = await self._read(table_id) if is_id(table_id) else None
        if table is None:
            raise Refused("unknown_table")
        return table

    async def _read(self, table_id: str) -> Table | None:
        table, tip = None, Tip()
        for stored in await self._log.read(table_id):
            entry = decode_table(stored)
            tip = follow(tip, table_id, entry, stored)
            table = evolve(table, entry, tip.head)
        return table

    async def _must_exist(self, player: str) -> None:
        try:
            forgotten = (await self._accounts.view(player)).forgotten
        except Refused as refused:
            raise Refused("unauthorized") from refused
        if forgotten:
            raise Refused("unauthorized", "There is no such player any more.")


def _request(asker: Asker, route: str, body: bytes) -> _Request:
    """The identity of a request: (player, route, key), or a fresh one without a key.

    It is unique within one table's log; the table's id, part of the route, needs no second place here.
    Hashed: what a client chose as its key is nobody else's business.
    """
    name = derived_id("c", asker.player, route, asker.key) if asker.key else new_id("c")
    return _Request(name, hashlib.sha256(body).hexdigest(), asker.player)
