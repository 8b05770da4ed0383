"""Presence in this process's memory, with time as a number that its owner moves: for tests."""

from collections.abc import Callable, Sequence

from shared.ports.presence import LEASE_MS, PresenceUnavailable, Sign, Word
from shared.wire.presence import AWAY, IS_HERE, IS_UNKNOWN, Presence


class _Record:
    """What is known of a player: the gateways that have him, and since when he was away."""

    def __init__(self) -> None:
        self.at: dict[str, Word] = {}
        self.away_ms: int | None = None

    def went(self, since_ms: int) -> None:
        self.away_ms = max(self.away_ms or 0, since_ms)


class MemoryStore:
    """What several gateways share.

    ``reachable`` and ``lose`` are for tests of what happens without it, ``asked`` counts the requests.
    """

    def __init__(self, now_ms: Callable[[], int]) -> None:
        """Nobody is known."""
        self.now_ms = now_ms
        self.reachable = True
        self.asked = 0
        self.records: dict[str, _Record] = {}
        self.leases: dict[str, int] = {}

    def lose(self) -> None:
        """Everything is gone."""
        self.records.clear()
        self.leases.clear()

    def alive(self, gateway: str) -> bool:
        """Whether the lease of ``gateway`` holds."""
        return self.leases.get(gateway, 0) > self.now_ms()


class MemoryPresence:
    """``Presences`` over a ``MemoryStore``, as ``gateway``."""

    def __init__(self, store: MemoryStore, gateway: str = "") -> None:
        """Nothing is said yet."""
        self._store = store
        self._gateway = gateway

    async def say(self, signs: Sequence[Sign]) -> bool:
        """See ``Presences.say``."""
        store, us = self._store, self._gateway
        self._reach()
        known = store.alive(us)
        store.leases[us] = store.now_ms() + LEASE_MS
        for sign in signs:
            record = store.records.setdefault(sign.player, _Record())
            if sign.word in (Word.HERE, Word.ACTED):
                record.at[us] = sign.word
                continue
            record.at.pop(us, None)
            if sign.word is Word.AWAY or record.away_ms is not None:
                record.went(sign.since_ms)
        return known

    async def of(self, players: Sequence[str], now_ms: int) -> dict[str, Presence]:
        """See ``Presences.of``."""
        self._reach()
        if not any(map(self._store.alive, self._store.leases)):
            raise PresenceUnavailable("no gateway is alive")
        return {player: self._of(player, now_ms) for player in players}

    def _of(self, player: str, now_ms: int) -> Presence:
        record = self._store.records.get(player)
        if record is None:
            return IS_UNKNOWN
        for gateway, word in list(record.at.items()):
            if self._store.alive(gateway):
                continue
            del record.at[gateway]
            if word is Word.HERE or record.away_ms is not None:
                record.went(now_ms)
        if record.at:
            return IS_HERE
        return IS_UNKNOWN if record.away_ms is None else Presence(AWAY, record.away_ms)

    def _reach(self) -> None:
        self._store.asked += 1
        if not self._store.reachable:
            raise PresenceUnavailable("the store is out of reach")
