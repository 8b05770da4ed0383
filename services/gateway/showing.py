"""What the watchers of a match are shown of who is there: our own sockets at once, all else once a second."""

import asyncio
from collections.abc import Callable, Iterable
from typing import Final, Protocol

import structlog

from services.gateway.attendance import Attendance
from shared.match import MatchState
from shared.match.views import presences
from shared.ports.presence import LEASE_MS, RECORD_MS, Presences, PresenceUnavailable
from shared.wire.presence import IS_HERE, IS_UNKNOWN, Presence

LOOK_S: Final = 1.0
"""So often everybody is looked at who plays a watched match, and our lease is renewed."""

_GATHER_S: Final = 0.02  # what comes and goes at the same moment is said in one word
_RENEW_S: Final = RECORD_MS / 4_000

_log = structlog.get_logger("gateway")


class Watched(Protocol):
    """A match that is watched."""

    @property
    def state(self) -> MatchState:
        """As it stands."""
        ...

    def look_again(self) -> None:
        """Who is there may have changed."""
        ...


class Showing:
    """Knows the presence of everybody who plays a watched match."""

    def __init__(self, presences: Presences, attendance: Attendance, now_ms: Callable[[], int]) -> None:
        """Nothing is watched."""
        self._presences = presences
        self._attendance = attendance
        self._now_ms = now_ms
        self._watches: dict[str, set[Watched]] = {}
        self._known: dict[str, Presence] = {}
        self._out_since: float | None = None
        self._news = asyncio.Event()
        attendance.on_change = self._changed

    # ---- what is shown

    def of(self, state: MatchState) -> tuple[Presence, ...]:
        """Who is there, by seat, as far as it is known without asking."""
        return presences(state, self._player)

    async def found(self, state: MatchState) -> tuple[Presence, ...]:
        """The same, asked for where it is not known."""
        players = _people(state)
        asked = await self._ask(p for p in players if p not in self._known and not self._attendance.has(p))
        return presences(state, lambda player: asked.get(player) or self._player(player))

    async def open(self, watch: Watched) -> None:
        """``watch`` is watched from now on."""
        players = _people(watch.state)
        for player in players:
            self._watches.setdefault(player, set()).add(watch)
        asked = await self._ask(p for p in players if p not in self._known)
        for player in players:
            if player in self._watches and player not in self._known:
                self._known[player] = self._ours(player, asked.get(player, IS_UNKNOWN))
        watch.look_again()

    def close(self, watch: Watched) -> None:
        """``watch`` is not watched any more."""
        for player in _people(watch.state):
            watches = self._watches.get(player, set())
            watches.discard(watch)
            if not watches:
                self._watches.pop(player, None)
                self._known.pop(player, None)

    def _player(self, player: str) -> Presence:
        return self._ours(player, self._known.get(player, IS_UNKNOWN))

    def _ours(self, player: str, otherwise: Presence) -> Presence:
        """Here, if he is so through us: what was asked may be older than what we have not said yet."""
        return IS_HERE if self._attendance.has(player) else otherwise

    def _changed(self, player: str) -> None:
        """He came to us, or went: who came is shown at once, who went may be elsewhere."""
        self._news.set()
        if self._attendance.has(player) and player in self._watches:
            self._known[player] = IS_HERE  # what holds, should he go, until it is known where he is
            self._look_again(player)

    def _look_again(self, player: str) -> None:
        for watch in tuple(self._watches.get(player, ())):
            watch.look_again()

    # ---- what is asked and said

    async def run(self) -> None:
        """Say what is new, look at everybody, for ever."""
        loop = asyncio.get_running_loop()
        look_at = renew_at = loop.time()
        while True:
            try:
                self._attendance.tick()
                if loop.time() >= renew_at:
                    renew_at = loop.time() + _RENEW_S
                    self._attendance.renew()
                said = await self.say()
                if loop.time() >= look_at:
                    look_at = loop.time() + LOOK_S
                    await self._look(self._watches)
                else:
                    await self._look(said)
            except PresenceUnavailable as error:
                look_at = loop.time() + LOOK_S
                self._out(str(error))
            except Exception:  # noqa: BLE001 - presence must not end with one mistake; the log has the reason
                _log.exception("presence could not be told")
                look_at = loop.time() + LOOK_S
                self._out("an unexpected error")
            await self._pause(look_at - loop.time())

    async def say(self) -> tuple[str, ...]:
        """Say what is new; of whom."""
        self._news.clear()
        return await self._attendance.say()

    async def _pause(self, seconds: float) -> None:
        try:
            async with asyncio.timeout(max(seconds, 0)):
                await self._news.wait()
        except TimeoutError:
            return
        if self._out_since is not None:  # news cannot be told before the next try
            await asyncio.sleep(max(seconds, 0))
        await asyncio.sleep(_GATHER_S)

    async def _look(self, players: Iterable[str]) -> None:
        wanted = [player for player in players if player in self._watches]
        found = await self._presences.of(wanted, self._now_ms()) if wanted else {}
        if self._out_since is not None:
            _log.info("presence is known again")
            self._out_since = None
        self._learn(found)

    def _learn(self, found: dict[str, Presence]) -> None:
        for player, asked in found.items():
            presence = self._ours(player, asked)
            if player in self._watches and self._known.get(player) != presence:
                self._known[player] = presence
                self._look_again(player)

    async def _ask(self, players: Iterable[str]) -> dict[str, Presence]:
        wanted = list(players)
        if not wanted or self._out_since is not None:
            return {}
        try:
            return await self._presences.of(wanted, self._now_ms())
        except PresenceUnavailable as error:
            self._out(str(error))
            return {}

    def _out(self, why: str) -> None:
        """Nothing can be asked. What was known holds for a moment, then nothing is known of others."""
        now = asyncio.get_running_loop().time()
        if self._out_since is None:
            self._out_since = now
            _log.warning("presence is not known", why=why)
        elif now - self._out_since > LEASE_MS / 1000:
            self._learn(dict.fromkeys(self._known, IS_UNKNOWN))


def _people(state: MatchState) -> list[str]:
    return [taken.player for taken in state.created.seats if not taken.bot]
