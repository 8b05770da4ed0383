"""Invitations: whoever wants to know is shown each table that keeps a seat for him, rematches among them."""

from typing import Final

import structlog

from services.gateway.lobby import ask_lobby
from services.gateway.tables import Tables
from services.gateway.wire import Wire
from shared.events.codec import UnreadableLog, decode_table
from shared.events.table import TableOpened
from shared.ports.bus import Bus
from shared.problems import Refused
from shared.wire import frames
from shared.wire.lobby import ListTables, LobbyRequest, TableList

MOST: Final = 50  # tables that are shown to a socket on its own account
_log = structlog.get_logger("gateway")


class Invitations:
    """Who wants to know of tables that keep a seat for him."""

    def __init__(self, bus: Bus, tables: Tables) -> None:
        """``tables`` shows a table until it has become a match or is closed."""
        self._bus = bus
        self._tables = tables
        self._wires: dict[str, set[Wire]] = {}

    async def watch(self, player: str, wire: Wire) -> None:
        """Show ``player`` on ``wire`` what waits for him now and what comes; raises ``Refused``."""
        self._wires.setdefault(player, set()).add(wire)
        await self._show_all(player, wire)

    def unwatch(self, player: str, wire: Wire) -> None:
        """Nothing new any more; tables that are shown already go on."""
        wires = self._wires.get(player, set())
        wires.discard(wire)
        if not wires:
            self._wires.pop(player, None)

    def invited(self, n: int, stored: bytes) -> tuple[str, ...]:
        """Who, of those who want to know, is invited by this entry ``n`` of a table's log."""
        if n != 1 or not self._wires:
            return ()
        try:
            opened = decode_table(stored).events[0]
        except UnreadableLog:
            return ()
        if not isinstance(opened, TableOpened):
            return ()
        return tuple(p for p in opened.reserved if p != opened.player and p in self._wires)

    async def show(self, table: str, players: tuple[str, ...]) -> None:
        """Show a table that was just opened to those whom it invites."""
        for player in players:
            for wire in tuple(self._wires.get(player, ())):
                await self._show(table, player, wire)

    async def again(self) -> None:
        """Entries may have been missed: look for all that wait."""
        for player, wires in tuple(self._wires.items()):
            for wire in tuple(wires):
                try:
                    await self._show_all(player, wire)
                except Refused as refused:
                    wire.send(frames.Refused(refused.problem))

    async def _show_all(self, player: str, wire: Wire) -> None:
        asked = LobbyRequest(request=ListTables(invited=True, limit=MOST), player=player)
        for table in (await ask_lobby(self._bus, asked, TableList)).tables:
            await self._show(table.id, player, wire)

    async def _show(self, table: str, player: str, wire: Wire) -> None:
        if wire not in self._wires.get(player, ()) or self._tables.count(wire) >= MOST:
            return
        try:
            await self._tables.watch(table, wire, player)
        except Refused as refused:
            _log.info("an invitation could not be shown", table=table, code=refused.problem.code)
        except Exception:  # noqa: BLE001 - this invitation fails, the others do not
            _log.exception("an invitation could not be shown", table=table)
