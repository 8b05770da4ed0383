"""Playing again: the table that repeats a match, the same for whoever asks for it first."""

from typing import Final

import msgspec

from services.lobby import domain
from services.lobby.accounts import Accounts
from services.lobby.book import Asker, Book
from services.lobby.domain import Join, Open, Table, TableCommand
from services.lobby.staking import Staking
from services.lobby.terms import renewed
from shared.events.table import TableOpened
from shared.ids import COMPUTER, derived_id
from shared.journal import cause_of
from shared.problems import Refused

REMATCH_MS: Final = 10 * 60 * 1000  # so long an offer to play again waits for its answer


def table_after(match: str) -> str:
    """The id of the table that repeats ``match``: always the same, so nobody opens a second one."""
    return derived_id("t", "rematch", match)


def again(before: Table, player: str, match: str) -> TableOpened:
    """The table at which ``player`` offers to play ``match``, which came of ``before``, again.

    Everybody moves one seat down, the first one to the end: of two, who moved first moves second. Nothing
    else changes but the version of the rules, which is today's.
    """
    players = tuple(seat.player for seat in before.seats if seat is not None)
    return msgspec.structs.replace(
        renewed(before.opened),
        player=player,
        reserved=(*players[1:], players[0]),
        admits=None,
        by_link=False,
        expiry_ms=REMATCH_MS,
        rematch=match,
    )


def _may_be_repeated(opened: TableOpened) -> None:
    if opened.chance == "recorded":
        raise Refused("rematch_unavailable", "A recorded match is not played again.")
    if opened.tournament:
        raise Refused("rematch_unavailable", "The tournament says who plays whom.")


class Rematches:
    """Offers to play again, and their acceptance."""

    def __init__(self, book: Book, accounts: Accounts, staking: Staking) -> None:
        """``accounts`` knows who can still be played with, ``staking`` who can play for what."""
        self._staking = staking
        self._book = book
        self._accounts = accounts

    async def offer(self, table_id: str, match: str, asker: Asker, now_ms: int) -> Table:
        """Offer or accept a rematch of ``match``; whoever did so before gets the table as it is.

        Raises ``unknown_match``, ``not_your_seat``, ``rematch_unavailable``; ``table_closed`` once the offer
        was declined, withdrawn or has expired.
        """
        before = await self._book.known(table_id)
        if domain.match_id(table_id) != match:
            raise Refused("unknown_match")
        if before.seat_of(asker.player) is None:
            raise Refused("not_your_seat")
        _may_be_repeated(before.opened)
        opened = again(before, asker.player, match)
        for player in opened.reserved:
            if player != COMPUTER and (await self._accounts.view(player)).forgotten:
                raise Refused("rematch_unavailable", "One of its players is no more.")

        def click(table: Table | None) -> TableCommand | None:
            if table is None:
                return Open(opened)
            if table.seat_of(asker.player) is not None:
                return None
            return Join(asker.player, asker.scopes, now_ms)

        table = await self._book.read(table_after(match))
        if table is None or table.seat_of(asker.player) is None:
            await self._staking.may_sit(opened, asker.player)
        request = cause_of(asker.player, "rematch", asker.key, match.encode())
        return await self._book.until(table_after(match), request, click)
