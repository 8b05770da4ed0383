"""Tables: open, see, find, join, leave, play again; and the one step from a full table to its match."""

import asyncio
import hashlib
from collections.abc import Callable
from typing import Final

import msgspec

from services.lobby.accounts import Accounts
from services.lobby.admission import Standing
from services.lobby.book import BY_LOBBY, Asker, Book
from services.lobby.domain import Close, Join, Leave, Open, OpenSeated, Table, TableCommand
from services.lobby.finding import Finding
from services.lobby.gone import GRACE_MS, Gone
from services.lobby.links import Links
from services.lobby.listing import Listing
from services.lobby.pairing import Pairing
from services.lobby.rematch import Rematches
from services.lobby.showing import Showing
from services.lobby.staking import Staking
from services.lobby.standings import Standings
from services.lobby.starting import Starting
from services.lobby.terms import agree
from shared.events.codec import UnreadableLog
from shared.events.table import DAY_MS, TableOpened
from shared.ids import derived_id, new_id
from shared.journal import Cause, cause_of
from shared.ports.bus import Bus
from shared.ports.log import EventLog
from shared.ports.presence import Presences
from shared.ports.secrets import Bucket
from shared.problems import Refused
from shared.wire.lobby import (
    JoinTable,
    ListTables,
    OpenTable,
    PlayerView,
    QuickPair,
    Rematch,
    SeatPlayers,
    TableList,
    TableView,
)
from shared.wire.match import ENCODER

AT_ONCE: Final = 16  # tables that are seen to at once
MOST_OPEN: Final = 200  # open tables of one player
MOST_INVITATIONS: Final = 50  # tables that keep a seat for one player
LINK_MS: Final = 10 * 60 * 1000  # so long after its end a table tells who has its link what became of it


class Tables:
    """All that concerns tables, on any number of instances: the log decides races."""

    def __init__(
        self,
        *,
        log: EventLog,
        bus: Bus,
        accounts: Accounts,
        standings: Standings,
        presences: Presences,
        aims: Bucket,
        links: Links,
        now_ms: Callable[[], int],
        main_game: str = "",
        expiry_ms: int = DAY_MS,
        grace_ms: int = GRACE_MS,
        stakes: bool = True,
    ) -> None:
        """``log`` holds the tables' logs, ``aims`` what quick pairing aims at (it may forget after a day).

        ``main_game`` is what the list opens with (B2), empty for all; a table waits ``expiry_ms`` where it
        does not say otherwise, and ``grace_ms`` for a player of his who has gone. ``stakes``: this deployment
        has stakes.
        """
        self.book = Book(log, now_ms)
        self._accounts = accounts
        self._standings = standings
        self._links = links
        self._now_ms = now_ms
        self._expiry_ms = expiry_ms
        self._staking = Staking(bus, accounts, on=stakes)
        self._starting = Starting(bus=bus, accounts=accounts, record=self._record, now_ms=now_ms)
        self._showing = Showing(accounts, links)
        self._finding = Finding(self.book.listing, standings, now_ms, main_game)
        self._pairing = Pairing(self.book, standings, aims, now_ms)
        self._rematches = Rematches(self.book, accounts, self._staking)
        self._gone = Gone(self.book, presences, now_ms, grace_ms)

    @property
    def listing(self) -> Listing:
        """The open tables."""
        return self.book.listing

    # ---- requests

    async def open(self, wish: OpenTable, asker: Asker) -> TableView:
        """Open a table; with the same key again the same table."""
        opened = await self._agreed(wish, asker)
        table_id = derived_id("t", asker.player, "open_table", asker.key) if asker.key else new_id("t")
        request = cause_of(asker.player, "open_table", asker.key, ENCODER.encode(wish))
        table = await self.book.read(table_id) if asker.key else None
        if table is None:
            self._check_room(opened)
            await self._staking.may_sit(opened, asker.player)
            table = await self.book.append(table_id, None, Open(opened), request)
        if table is None:  # the same key came first on another instance
            table = await self.book.known(table_id)
        if not request.known_in(table.commands):
            raise Refused("id_reused")
        return await self._view(await self.settle(table), asker.player)

    async def seat(self, wanted: SeatPlayers) -> TableView:
        """A table of a tournament with everybody seated, and so its match; asked again, the same table."""
        asked = hashlib.sha256(ENCODER.encode(wanted)).hexdigest()
        request = Cause("seat_players", asked, "tournament")
        table = await self.book.read(wanted.table)
        if table is None:
            seated = OpenSeated(wanted.opened, wanted.seats)
            table = await self.book.append(wanted.table, None, seated, request)
        if table is None:  # another instance was asked, too
            table = await self.book.known(wanted.table)
        if not request.known_in(table.commands):
            raise Refused("id_reused")
        return await self._view(await self.settle(table), "")

    async def quick(self, quick: QuickPair, asker: Asker) -> TableView:
        """Sit down with anybody on these terms; with the same key again at the same table."""
        wish = quick.wish
        if wish.computer or wish.invite or wish.link or wish.chance == "recorded":
            raise Refused("invalid_options", "Quick pairing is with anybody: no computer, link, invite.")
        opened = await self._agreed(wish, asker)
        await self.book.catch_up()
        request = cause_of(asker.player, "quick_pair", asker.key, ENCODER.encode(wish))

        async def may_sit() -> None:
            await self._staking.may_sit(opened, asker.player)

        table = await self._pairing.seat(opened, asker, request, may_sit, lambda: self._check_room(opened))
        return await self._view(await self.settle(table), asker.player)

    async def rematch(self, asked: Rematch, asker: Asker) -> TableView:
        """Offer or accept to play a match again."""
        await self._must_exist(asker.player)
        table = await self._rematches.offer(asked.table, asked.match, asker, self._now_ms())
        return await self._view(await self.settle(table), asker.player)

    async def join(self, asked: JoinTable, asker: Asker) -> TableView:
        """Sit down; the last seat makes the match."""
        await self._must_exist(asker.player)
        table = await self._visible(asked.table, asker.player, asked.token)
        request = cause_of(asker.player, "join_table", asker.key, table.id.encode())
        if not request.known_in(table.commands):
            await self._staking.may_sit(table.opened, asker.player)
            standing = await self._standing(table, asker.player)
            join = Join(asker.player, asker.scopes, self._now_ms(), standing)
            table = await self.book.do(table.id, join, request)
        return await self._view(await self.settle(table), asker.player)

    async def leave(self, table_id: str, asker: Asker) -> TableView:
        """Get up, or decline; the creator's leaving closes the table."""
        table = await self._visible(table_id, asker.player)
        request = cause_of(asker.player, "leave_table", asker.key, table_id.encode())
        table = await self.book.do(table.id, Leave(asker.player), request)
        return await self._view(await self.settle(table) if table.owes else table, asker.player)

    async def get(self, table_id: str, player: str = "", token: str = "") -> TableView:
        """One table. Whoever looks at a full one whose match is not known yet sees to it."""
        return await self._view(await self.settle(await self._visible(table_id, player, token)), player)

    async def list(self, asked: ListTables, player: str = "") -> TableList:
        """One page of the open tables."""
        await self.book.catch_up()
        page = await self._finding.page(asked, player)
        return TableList(tuple([await self._view(table, player) for table in page.tables]), page.next)

    # ---- what nobody asks for

    async def settle(self, table: Table) -> Table:
        """Turn a full table into its match, as far as can be done now; any other stays as it is."""
        return await self._starting.settle(table)

    async def _record(self, table: Table, command: TableCommand, name: str) -> Table:
        """The table once ``command`` of the lobby itself is in its log, or what another put there first."""
        request = Cause(name, hashlib.sha256(ENCODER.encode(command)).hexdigest(), BY_LOBBY)
        after = await self.book.append(table.id, table, command, request)
        return await self.book.known(table.id) if after is None else after

    async def sweep(self) -> None:
        """Finish what was interrupted, close what has expired and what those left who have gone."""
        await self.book.catch_up()
        some = asyncio.Semaphore(AT_ONCE)  # those that wait for a silent service must not add up

        async def one(table: Table) -> None:
            async with some:
                await self._see_to(table)

        await asyncio.gather(*map(one, self.listing.all()))
        await self._gone.see_to_it()

    async def _see_to(self, table: Table) -> None:
        try:
            late = self._now_ms() >= table.expires_at_ms
            if late and (table.state == "open" or table.may_end):
                await self.book.try_do(table.id, Close("expired"), "expired")
            elif table.state == "starting" or table.owes:
                await self.settle(table)
        except UnreadableLog:  # said when it was read; one damaged log keeps no other waiting
            return

    async def close_all_of(self, player: str) -> None:
        """Close the open tables of a player who is forgotten, and free his seats at others'."""
        for table in self.listing.all():
            if table.state == "open" and (table.seat_of(player) is not None or table.keeps_for(player)):
                await self.book.try_do(table.id, Leave(player), "forget")

    # ---- inside

    async def _agreed(self, wish: OpenTable, asker: Asker) -> TableOpened:
        """The table that is asked for, by somebody who exists."""
        invited = await self._accounts.find(wish.invite) if wish.invite else ""
        opened = agree(wish, asker.player, asker.scopes, self._expiry_ms, invited)
        creator = await self._must_exist(asker.player)
        if opened.rated and creator.guest:
            if wish.rated:
                raise Refused("invalid_options", "rated: guests play unrated.")
            opened = msgspec.structs.replace(opened, rated=False)
        return opened

    def _check_room(self, opened: TableOpened) -> None:
        """Refuse one table too many."""
        if len(self.listing.opened_by(opened.player)) >= MOST_OPEN:
            raise Refused("rate_limited", "You have too many open tables.")
        for player in opened.reserved:
            if player != opened.player and self.listing.invitations_of(player) >= MOST_INVITATIONS:
                raise Refused("rate_limited", "That player has too many invitations.")

    async def _visible(self, table_id: str, player: str, token: str = "") -> Table:
        """The table, if ``player`` may know of it; an unlisted one does not exist for strangers."""
        table = await self.book.known(table_id)
        opened = table.opened
        if not opened.reserved and not opened.by_link:
            return table
        concerned = bool(player) and (table.seat_of(player) is not None or player in opened.reserved)
        fresh = self._now_ms() < table.expires_at_ms + LINK_MS
        if concerned or (opened.by_link and fresh and self._links.opens(table.id, token)):
            return table
        raise Refused("unknown_table")

    async def _standing(self, table: Table, player: str) -> Standing | None:
        """How ``player`` stands, where the table asks for it."""
        if table.opened.admits is None:
            return None
        return (await self._standings.of(table.opened.rules, [player]))[player]

    async def _view(self, table: Table, player: str) -> TableView:
        return await self._showing.view(table, player)

    async def _must_exist(self, player: str) -> PlayerView:
        try:
            view = await self._accounts.view(player)
        except Refused as refused:
            raise Refused("unauthorized") from refused
        if view.forgotten:
            raise Refused("unauthorized", "There is no such player any more.")
        return view
