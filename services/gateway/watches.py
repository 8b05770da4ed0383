"""Watched matches: one live fold each, shared by all who watch; a view is rendered once per kind of viewer.

A kind is a seat's number, or None for spectators. The log is the truth: ``EventLog.follow`` finds what a lost
hint would have told, and every commit is checked (match, n, ``prev``) before anybody sees a view of it.
"""

import asyncio
from collections.abc import Callable
from typing import Any, Final, Protocol, TypeVar

import msgspec
import structlog

from services.gateway import outgoing
from services.gateway.limits import COMMITS_PER_READ, Purse
from services.gateway.showing import Showing
from shared.events.base import By
from shared.events.codec import UnreadableLog
from shared.fold import fold, step
from shared.ids import is_id
from shared.match import MatchState, MatchView, Phase, Views, view
from shared.ports.log import EventLog, Following, LogUnavailable
from shared.problems import Problem, Refused, problem
from shared.wire import frames
from shared.wire.presence import Presence

_log = structlog.get_logger("gateway")
_AT_ONCE: Final = 40  # commits that are folded before others get their turn
_ENCODE: Final = msgspec.json.Encoder().encode


class Cause(msgspec.Struct, frozen=True):
    """Of a stored commit only this: which command caused it, and who gave it."""

    command: str
    by: By


_CAUSE: Final = msgspec.json.Decoder(Cause)


class Viewer(Protocol):
    """One who watches a match. All methods are called in order and must not block."""

    seat: int | None

    def show(self, watch: "Watch") -> None:
        """There is a new newest commit: take ``watch.frame(seat)`` or ``watch.payload(seat)``."""
        ...

    def tell(self, presence: bytes) -> None:
        """Take this ``presence`` frame, as JSON."""
        ...

    def fail(self, why: Problem) -> None:
        """This match cannot be read any further."""
        ...


V = TypeVar("V", bound=Viewer)


def payload(seen: MatchView) -> bytes:
    """The ``view`` frame with this view, as JSON."""
    head = f'{{"type":"view","match":"{seen.match}","n":{seen.n},"view":'
    return head.encode() + _ENCODE(seen) + b"}"


def caused(view_payload: bytes, command: str) -> bytes:
    """The same frame, for the one whose ``command`` (a checked id: plain characters) caused the commit."""
    return view_payload[:-1] + b',"command":"' + command.encode() + b'"}'


def over(state: MatchState) -> bool:
    """Whether the match is over."""
    return state.phase is Phase.OVER


class Watch:
    """The live fold of one match and who watches it."""

    def __init__(self, state: MatchState, now_saw: Callable[[int], None], showing: Showing) -> None:
        """``state`` is the fold so far; ``now_saw`` is told the time of every commit."""
        self.state = state
        self.presences = showing.of(state)
        self.viewers: set[Viewer] = set()
        self.broken: Problem | None = None
        self.following: Following | None = None
        self._now_saw = now_saw
        self._showing = showing
        self._stored = b""
        self._cause: Cause | None = None
        self._rendered: dict[int | None, tuple[bytes, bytes]] = {}
        self._views: Views | None = None
        now_saw(state.at_ms)

    @property
    def match(self) -> str:
        """The match's id."""
        return self.state.match

    @property
    def cause(self) -> Cause | None:
        """What caused the newest commit; None if it came before this watch."""
        if self._cause is None and self._stored:
            self._cause = _CAUSE.decode(self._stored)
        return self._cause

    def payload(self, seat: int | None) -> bytes:
        """The newest view of ``seat`` as the JSON of a ``view`` frame."""
        return self._render(seat)[0]

    def frame(self, seat: int | None) -> bytes:
        """The same as a finished WebSocket frame."""
        return self._render(seat)[1]

    def _render(self, seat: int | None) -> tuple[bytes, bytes]:
        rendered = self._rendered.get(seat)
        if rendered is None:
            if self._views is None:
                self._views = Views(self.state, self.presences)
            json = payload(self._views.of(seat))
            rendered = self._rendered[seat] = (json, outgoing.text(json))
        return rendered

    def look_again(self) -> None:
        """See ``showing.Watched``: whoever watches is told what has changed."""
        before, self.presences = self.presences, self._showing.of(self.state)
        if before == self.presences:
            return
        self._rendered = {}
        self._views = None
        if over(self.state):
            return
        for seat, (old, new) in enumerate(zip(before, self.presences, strict=True)):
            if old != new:
                said = _presence(self.match, seat, new)
                for viewer in tuple(self.viewers):
                    viewer.tell(said)

    def said(self) -> list[bytes]:
        """Who is there now, as ``presence`` frames."""
        return [_presence(self.match, seat, now) for seat, now in enumerate(self.presences)]

    def on_entry(self, n: int, stored: bytes) -> None:
        """Commit ``n`` is in the log."""
        if n <= self.state.n or self.broken is not None:
            return
        try:
            self.state = step(self.state, stored)
        except UnreadableLog as error:
            self._break(n, error)
            return
        self._stored = stored
        self._cause = None
        self.presences = self._showing.of(self.state)
        self._rendered = {}
        self._views = None
        self._now_saw(self.state.at_ms)
        for viewer in tuple(self.viewers):
            try:
                viewer.show(self)
            except Exception:  # noqa: BLE001 - one viewer's trouble, or a view that cannot be made, is not the others'
                _log.exception("a view could not be shown", match=self.match, n=n, seat=viewer.seat)
                viewer.fail(problem("internal", n=self.state.n))
        # Spectators may come by the hundred between two commits; a seat's view is made again for a return.
        kept = self._rendered.get(None)
        self._rendered = {} if kept is None else {None: kept}
        self._views = None

    def _break(self, n: int, error: UnreadableLog) -> None:
        _log.error("a log cannot be read", match=self.match, n=n, why=str(error))
        self.broken = problem("unreadable_log", n=self.state.n)
        for viewer in tuple(self.viewers):
            viewer.fail(self.broken)


def _presence(match: str, seat: int, now: Presence) -> bytes:
    return _ENCODE(frames.Presence(match, seat, now.state, now.since_ms))


class Watches:
    """All watched matches of this gateway, and reading matches that nobody watches."""

    def __init__(self, log: EventLog, now_saw: Callable[[int], None], showing: Showing) -> None:
        """``log`` is the log of all matches, ``showing`` knows who is there."""
        self._log = log
        self._showing = showing
        self._now_saw = now_saw
        self._open: dict[str, Watch] = {}
        self._opening: dict[str, asyncio.Task[Watch]] = {}
        self._closing: set[asyncio.Task[None]] = set()

    def __len__(self) -> int:
        """How many matches are watched."""
        return len(self._open)

    async def stored(self, match: str, after: int = 0) -> list[bytes]:
        """The stored commits with n > ``after``; raises ``Refused`` ``unknown_match`` or ``unavailable``."""
        if not is_id(match):
            raise Refused("unknown_match")
        try:
            commits = await self._log.read(match, after)
        except LogUnavailable as error:
            raise Refused("unavailable") from error
        if not commits and after == 0:
            raise Refused("unknown_match")
        return commits

    def newest(self, match: str) -> MatchState | None:
        """The state of a match that somebody watches; None of any other, or one that cannot be read on."""
        watch = self._open.get(match)
        return None if watch is None or watch.broken else watch.state

    async def state(self, match: str, purse: Purse) -> MatchState:
        """The match as it is now; raises as ``stored`` and ``folded``, and ``rate_limited``."""
        watch = self._open.get(match)
        known = None if watch is None or watch.broken else watch.state
        commits = await self.stored(match, known.n if known else 0)
        purse.pay(len(commits) / COMMITS_PER_READ)
        return await folded(commits, known)

    def presences(self, state: MatchState) -> tuple[Presence, ...]:
        """Who is there, as far as it is known without asking."""
        return self._showing.of(state)

    async def enter(self, match: str, viewer_of: Callable[[Watch], V], purse: Purse) -> V:
        """Watch ``match``; ``viewer_of`` makes the viewer, who from then on misses nothing.

        Who comes first owes what reading the log has cost.
        """
        watch = self._open.get(match)
        if watch is None:
            opening = self._opening.get(match)
            first = opening is None
            if opening is None:
                opening = self._opening[match] = asyncio.create_task(self._start(match))
                opening.add_done_callback(lambda done: self._opened(match, done))
            watch = await asyncio.shield(opening)
            if first:
                purse.owe(watch.state.n / COMMITS_PER_READ)
        if watch.broken is not None:
            raise Refused.of(watch.broken)
        viewer = viewer_of(watch)
        watch.viewers.add(viewer)
        return viewer

    def leave(self, watch: Watch, viewer: Viewer) -> None:
        """No more views for ``viewer``; the last one closes the watch."""
        watch.viewers.discard(viewer)
        self._close_unless_watched(watch)

    async def close(self) -> None:
        """Stop following everything."""
        for opening in list(self._opening.values()):
            opening.cancel()
        for watch in list(self._open.values()):
            if watch.following is not None:
                await watch.following.close()
        self._open.clear()
        if self._closing:
            await asyncio.wait(self._closing)

    async def _start(self, match: str) -> Watch:
        watch = Watch(await folded(await self.stored(match)), self._now_saw, self._showing)
        try:
            if not over(watch.state):
                await self._showing.open(watch)
            watch.following = await self._log.follow(match, watch.state.n, watch.on_entry)
        except BaseException as error:
            self._showing.close(watch)
            if isinstance(error, LogUnavailable):
                raise Refused("unavailable") from error
            raise
        self._open[match] = watch
        # Whoever asked for this watch may have gone away while it was opened.
        asyncio.get_running_loop().call_later(1, self._close_unless_watched, watch)
        return watch

    def _opened(self, match: str, opening: asyncio.Task[Watch]) -> None:
        self._opening.pop(match, None)
        if not opening.cancelled():
            opening.exception()  # those who wait for it raise it; there may be nobody left who does

    def _close_unless_watched(self, watch: Watch) -> None:
        if watch.viewers or self._open.get(watch.match) is not watch:
            return
        del self._open[watch.match]
        self._showing.close(watch)
        if watch.following is not None:
            closing = asyncio.create_task(watch.following.close())
            self._closing.add(closing)
            closing.add_done_callback(self._closing.discard)


async def folded(commits: list[bytes], state: MatchState | None = None) -> MatchState:
    """The state after ``commits``, taking turns with other work; raises ``Refused("unreadable_log")``."""
    for begin in range(0, len(commits), _AT_ONCE):
        try:
            state = fold(commits[begin : begin + _AT_ONCE], state)
        except UnreadableLog as error:
            _log.error("a log cannot be read", why=str(error))
            raise Refused("unreadable_log") from error
        await asyncio.sleep(0)
    if state is None:
        raise Refused("unknown_match")
    return state


def result_of(state: MatchState) -> Any:
    """How the match ended, as its view says it; None while it goes on."""
    return view(state, None).result
