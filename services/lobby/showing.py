"""A table as one of those who may see it sees it."""

import msgspec

from services.lobby.accounts import Accounts
from services.lobby.domain import Table
from services.lobby.links import Links
from shared.events.table import Admits
from shared.pregame import pregame
from shared.wire.lobby import AdmitsView, SeatView, TableView, plays_at, terms_view


class Showing:
    """Makes views; whether somebody may have one is decided before."""

    def __init__(self, accounts: Accounts, links: Links) -> None:
        """``accounts`` knows the names."""
        self._accounts = accounts
        self._links = links

    async def view(self, table: Table, player: str) -> TableView:
        """The table with the names of its players; its creator is told its link."""
        opened = table.opened
        told = opened.by_link and player == opened.player
        return TableView(
            id=table.id,
            n=table.n,
            state=table.state,
            game=opened.rules,
            rules_version=opened.rules_version,
            terms=terms_view(opened.terms),
            options=opened.options,
            house=opened.house,
            computer=opened.computer,
            chance=opened.chance,
            creator=opened.player,
            seats=tuple([await self._seat(table, seat) for seat in range(opened.seats)]),
            match=table.match,
            cause=table.cause,
            opened_at_ms=table.opened_at_ms,
            rated=opened.rated,
            pregame=None if table.rated is None else pregame(table.rated),
            stake=opened.stake,
            expires_at_ms=table.expires_at_ms,
            admits=AdmitsView(**msgspec.structs.asdict(opened.admits or Admits())),
            unlisted=not table.listed,
            link=self._links.token(table.id) if told else "",
            rematch=opened.rematch,
            tournament=opened.tournament,
        )

    async def _seat(self, table: Table, seat: int) -> SeatView:
        sits, reserved = table.seats[seat], table.opened.reserved
        return SeatView(
            seat,
            None if sits is None else await self._accounts.view(sits.player),
            await self._accounts.view(reserved[seat]) if reserved else None,
            None if sits is None else plays_at(sits),
        )
