"""Quick pairing: a seat at the oldest table on these terms, or a new one; the log decides who sits where.

New tables of one offer have numbered places: the id of the k-th is derived from the offer and k, and a place
is used once all before it are. So two who look for an opponent at the same moment, on whatever instances,
meet at the same place: one entry opens the table there, the next one joins it.

What a request aims at is written down first, under its idempotency key, so that a repeat finds the same seat.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

import msgspec

from services.lobby import admission
from services.lobby.book import Asker, Book
from services.lobby.domain import Join, Open, Table, TableCommand, offer_of
from services.lobby.standings import Standings
from shared.events.codec import UnreadableLog
from shared.events.table import TableOpened
from shared.ids import derived_id
from shared.journal import Cause
from shared.ports.secrets import Bucket
from shared.problems import Refused
from shared.recent import Recent

MOST_AIMS: Final = 64  # seats that somebody else may snatch before we give up
_TRIES: Final = 20
_BACK_OFF_S: Final = 0.005


MayOpen = Callable[[], None]
"""Refuses where the asker may open no table more."""

MaySit = Callable[[], Awaitable[None]]
"""Refuses where he may not sit at any table of this offer."""


class Wish(msgspec.Struct, frozen=True):
    """One request: the table that ``asker`` would open, and what it is called."""

    opened: TableOpened
    offer: str
    asker: Asker
    request: Cause


class Pairing:
    """Finds seats."""

    def __init__(self, book: Book, standings: Standings, aims: Bucket, now_ms: Callable[[], int]) -> None:
        """``aims`` holds what requests aim at; what is in it may be forgotten after a day."""
        self._book = book
        self._standings = standings
        self._aims = aims
        self._now_ms = now_ms
        self._used: Recent[int] = Recent(10_000)  # by offer, so many places are known to be used

    async def seat(
        self, opened: TableOpened, asker: Asker, request: Cause, may_sit: MaySit, may_open: MayOpen
    ) -> Table:
        """The table at which ``asker`` sits now (with the same ``request`` again: the same one).

        Raises ``already_at_table`` while he waits on these terms.
        """
        wish = Wish(opened, offer_of(opened), asker, request)
        tried: set[str] = set()
        for number in range(MOST_AIMS):
            aim = await self._kept(wish, number)
            if not aim:
                if number == 0:
                    await may_sit()
                aim = await self._aim(wish, number, tried, may_open)
            table = await self._sit(wish, aim)
            if table is not None:
                return table
            tried.add(aim)
        raise Refused("unavailable", "Too many people look for an opponent at once.")

    # ---- where to

    async def _kept(self, wish: Wish, number: int) -> str:
        """What this request aims at as its ``number``-th, on every instance the same; empty: nothing yet."""
        kept = await self._aims.get(_name(wish, number))
        if kept is None:
            return ""
        hashed, _, table = kept.decode().partition(" ")
        if hashed != wish.request.hash:
            raise Refused("id_reused")
        return table

    async def _aim(self, wish: Wish, number: int, tried: set[str], may_open: MayOpen) -> str:
        """Choose what to aim at next, unless another instance has chosen for the same request."""
        chosen = await self._candidate(wish, tried, may_open)
        if await self._aims.create(_name(wish, number), f"{wish.request.hash} {chosen}".encode()):
            return chosen
        kept = await self._kept(wish, number)
        if not kept:
            raise Refused("unavailable")
        return kept

    async def _candidate(self, wish: Wish, tried: set[str], may_open: MayOpen) -> str:
        tables = self._book.listing.all()
        waiting = [table for table in tables if table.state == "open" and _same_offer(table, wish)]
        for table in sorted(waiting, key=lambda t: (t.opened_at_ms, t.id)):
            _not_twice(table, wish)
            if table.id not in tried and await self._suits(table, wish):
                return table.id
        used = await self._places(wish.offer)
        if used:  # what the list may not have heard of yet
            last = await self._readable(_place(wish.offer, used - 1))
            if last is not None and last.id not in tried and last.state == "open":
                _not_twice(last, wish)
                if await self._suits(last, wish):
                    return last.id
        may_open()
        return _place(wish.offer, used)

    async def _places(self, offer: str) -> int:
        """How many places of ``offer`` are used: doubling steps up, then halving ones back."""
        used, step = self._used.get(offer) or 0, 1
        while await self._is_used(offer, used + step - 1):
            used, step = used + step, 2 * step
        free = used + step - 1
        while used < free:
            middle = (used + free) // 2
            if await self._is_used(offer, middle):
                used = middle + 1
            else:
                free = middle
        self._used.put(offer, used)
        return used

    async def _readable(self, table_id: str) -> Table | None:
        """The table, None if there is none or its log cannot be read."""
        try:
            return await self._book.read(table_id)
        except UnreadableLog:
            return None

    async def _is_used(self, offer: str, place: int) -> bool:
        return await self._book.log.get(_place(offer, place), 1) is not None

    # ---- sitting down

    async def _suits(self, table: Table, wish: Wish) -> bool:
        """Whether the asker and those at the table let each other in, and the table is not about to close."""
        asked_of_him, asked_of_them = table.opened.admits, wish.opened.admits
        if not table.listed or self._now_ms() >= table.expires_at_ms:
            return False
        if asked_of_him is None and asked_of_them is None:
            return True
        them = [seat.player for seat in table.seats if seat is not None]
        known = await self._standings.of(table.opened.rules, [wish.asker.player, *them])
        if asked_of_him is not None and admission.excluded(asked_of_him, known[wish.asker.player]):
            return False
        return asked_of_them is None or not any(admission.excluded(asked_of_them, known[p]) for p in them)

    async def _sit(self, wish: Wish, aim: str) -> Table | None:
        """The table ``aim`` with the asker at it; None if somebody else sits where he wanted to."""
        for attempt in range(_TRIES):
            try:
                table = await self._book.read(aim)
            except UnreadableLog:
                return None
            if table is not None and wish.request.known_in(table.commands):
                return table
            command: TableCommand = Open(wish.opened)
            if table is not None:
                if table.state != "open" or not await self._suits(table, wish):
                    return None
                command = await self._join(table, wish)
            try:
                after = await self._book.append(aim, table, command, wish.request)
            except Refused as refused:
                if refused.problem.retryable:
                    raise
                return None
            if after is not None:
                return after
            await asyncio.sleep(_BACK_OFF_S * (attempt + 1))
        return None

    async def _join(self, table: Table, wish: Wish) -> Join:
        player = wish.asker.player
        standing = None
        if table.opened.admits is not None:
            standing = (await self._standings.of(table.opened.rules, [player]))[player]
        return Join(player, wish.asker.scopes, self._now_ms(), standing)


def _name(wish: Wish, number: int) -> str:
    return f"quick-{wish.request.id}-{number}"


def _place(offer: str, place: int) -> str:
    return derived_id("t", "quick", offer, str(place))


def _same_offer(table: Table, wish: Wish) -> bool:
    return table.offer == wish.offer


def _not_twice(table: Table, wish: Wish) -> None:
    """Nobody waits twice on the same terms: he would be paired twice."""
    if table.seat_of(wish.asker.player) is not None:
        raise Refused("already_at_table", f"You wait on these terms already, at {table.id}.")
