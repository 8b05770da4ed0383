"""Watched tables: who waits at one is told when somebody sits down, stands up, or the match begins.

The table's log says that something happened, the lobby says what is there now. One question serves all who
see by the same right: everybody at a listed table, at an unlisted one who has its link, and else each player
for himself. Who may see it no more is told so, and nobody else notices.
"""

import asyncio
from typing import Final

import msgspec
import structlog

from services.gateway import outgoing
from services.gateway.lobby import ask_lobby, localised
from services.gateway.wire import Wire
from shared.ids import is_id
from shared.ports.bus import Bus
from shared.ports.log import EventLog, Following, LogUnavailable
from shared.problems import Problem, Refused, problem
from shared.wire import frames, lobby
from shared.wire.lobby import GetTable, LobbyRequest, TableView

_ENDED: Final = ("match", "closed")
_NO_MORE: Final = "unknown_table"
_log = structlog.get_logger("gateway")


class _Table:
    """One watched table."""

    def __init__(self, table: str) -> None:
        self.table = table
        self.watchers: dict[Wire, LobbyRequest] = {}  # with the question that each may ask
        self.joining: set[Wire] = set()
        self.changes = 0
        self.following: Following | None = None
        self.task: asyncio.Task[None] | None = None
        self.again = False
        self.unlisted = False  # a table stays what it was opened as

    def groups(self) -> dict[LobbyRequest, dict[Wire, LobbyRequest]]:
        """The watchers by the question whose answer is that to each of theirs."""
        groups: dict[LobbyRequest, dict[Wire, LobbyRequest]] = {}
        for wire, request in self.watchers.items():
            groups.setdefault(self._shared(request), {})[wire] = request
        return groups

    def _shared(self, request: LobbyRequest) -> LobbyRequest:
        asked = request.request
        token = asked.token if self.unlisted and isinstance(asked, GetTable) else ""
        if self.unlisted and not token:
            return request
        return LobbyRequest(request=GetTable(self.table, token))


class Tables:
    """All watched tables of this gateway."""

    def __init__(self, bus: Bus, log: EventLog) -> None:
        """``log`` is the log of all tables."""
        self._bus = bus
        self._log = log
        self._open: dict[str, _Table] = {}
        self._watched: dict[Wire, set[str]] = {}
        self._closing: set[asyncio.Task[None]] = set()

    async def watch(self, table: str, wire: Wire, player: str = "", token: str = "") -> None:
        """Send ``wire`` of ``player`` the table as it is, and again whenever it changes.

        ``token`` is that of the table's link. Raises ``Refused`` ``unknown_table`` or ``unavailable``.
        """
        if not is_id(table):
            raise Refused("unknown_table")
        watched = self._open.get(table)
        if watched is None:
            watched = self._open[table] = _Table(table)
        watched.joining.add(wire)
        self._watched.setdefault(wire, set()).add(table)
        request = LobbyRequest(request=GetTable(table, token), player=player)
        changes = watched.changes
        try:
            view = await self._view(request)
            if wire not in watched.joining:
                return
            watched.joining.discard(wire)
            watched.watchers[wire] = request
            watched.unlisted = view.unlisted
            if self._told(watched, (wire,), view):
                return
            await self._follow(watched, view.n)
            if watched.changes != changes:  # meanwhile the others may have been told something newer
                self._changed(watched)
        except Exception:
            self.unwatch(table, wire)
            raise

    def unwatch(self, table: str, wire: Wire) -> None:
        """No more news of this table for ``wire``."""
        tables = self._watched.get(wire, set())
        tables.discard(table)
        if not tables:
            self._watched.pop(wire, None)
        watched = self._open.get(table)
        if watched is not None:
            watched.watchers.pop(wire, None)
            watched.joining.discard(wire)
            self._close_unless_watched(watched)

    def leave(self, wire: Wire) -> None:
        """``wire`` is gone."""
        for table in tuple(self._watched.get(wire, ())):
            self.unwatch(table, wire)

    def count(self, wire: Wire) -> int:
        """How many tables ``wire`` watches."""
        return len(self._watched.get(wire, ()))

    async def _view(self, request: LobbyRequest) -> TableView:
        view = await ask_lobby(self._bus, request, TableView)
        return msgspec.structs.replace(view, link="")  # one frame for all who watch

    async def _follow(self, watched: _Table, after: int) -> None:
        if watched.following is not None:
            return
        try:
            following = await self._log.follow(watched.table, after, lambda _n, _data: self._changed(watched))
        except LogUnavailable as error:
            raise Refused("unavailable") from error
        if watched.following is not None or self._open.get(watched.table) is not watched:
            await following.close()
        else:
            watched.following = following

    def _changed(self, watched: _Table) -> None:
        watched.again = True
        watched.changes += 1
        if watched.task is None and watched.watchers:
            watched.task = asyncio.get_running_loop().create_task(self._tell(watched))

    async def _tell(self, watched: _Table) -> None:
        try:
            while watched.again and watched.watchers:
                watched.again = False
                for question, group in watched.groups().items():
                    await self._tell_group(watched, question, group)
        finally:
            watched.task = None

    async def _tell_group(
        self, watched: _Table, question: LobbyRequest, group: dict[Wire, LobbyRequest]
    ) -> None:
        """Tell those of ``group``, who see the table by ``question``; who may not any more is dropped."""
        try:
            view = await self._view(question)
        except Refused as refused:
            if refused.problem.code == _NO_MORE and any(request != question for request in group.values()):
                for wire, request in group.items():  # the link is no good any more; some may still sit there
                    await self._tell_group(watched, request, {wire: request})
                return
            self._fail(watched, group, refused.problem)
        except Exception:  # noqa: BLE001 - this table cannot be shown: logged, and its watchers are told
            _log.exception("a table could not be shown", table=watched.table)
            self._fail(watched, group, problem("internal"))
        else:
            self._told(watched, _still(watched, group), view)

    def _fail(self, watched: _Table, group: dict[Wire, LobbyRequest], why: Problem) -> None:
        _log.warning("a table is not shown any more", table=watched.table, code=why.code)
        for wire in _still(watched, group):
            wire.send(frames.Refused(why, table=watched.table))
            self.unwatch(watched.table, wire)

    def _told(self, watched: _Table, wires: tuple[Wire, ...], view: TableView) -> bool:
        """Send the view; whether it was the last one, because the table has become a match or is closed."""
        spoken = {wire.language for wire in wires}
        said = {language: _frame(view, language) for language in spoken}
        ended = view.state in _ENDED
        for wire in wires:
            if wire.congested:
                wire.close_slow()
            else:
                wire.write(said[wire.language])
            if ended:
                self.unwatch(watched.table, wire)
        return ended

    def _close_unless_watched(self, watched: _Table) -> None:
        if watched.watchers or watched.joining or self._open.get(watched.table) is not watched:
            return
        del self._open[watched.table]
        if watched.following is not None:
            closing = asyncio.get_running_loop().create_task(watched.following.close())
            self._closing.add(closing)
            closing.add_done_callback(self._closing.discard)


def _still(watched: _Table, group: dict[Wire, LobbyRequest]) -> tuple[Wire, ...]:
    """Those of ``group`` who watch as they did when it was asked for them."""
    return tuple(wire for wire, request in group.items() if watched.watchers.get(wire) is request)


def _frame(view: TableView, language: str) -> bytes:
    return outgoing.text(lobby.ENCODER.encode(localised(view, language)))
