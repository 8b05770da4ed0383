"""The matches in memory: state, secret and taken ids of each, read from the log when first asked for.

A cached match may be behind the log when another instance has served it. That is safe: an append at a taken
n is a conflict, and no refusal is given before the log has been asked for anything newer.
"""

import asyncio
from collections import OrderedDict
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Final

from services.game.identities import Identities
from shared.events.base import By
from shared.events.codec import MatchCommit, decode_match
from shared.fold import step
from shared.match import MatchState
from shared.ports.log import EventLog, LogUnavailable
from shared.ports.secrets import Bucket
from shared.problems import Refused

KEPT: Final = 20_000
"""So many matches stay in memory; the one longest unused goes first and is read again when needed."""


def owner(by: By) -> str:
    """The scope of a command's id: the seat that gave it, or the service (and the seat it acted for)."""
    if by.service is None:
        return str(by.seat)
    return by.service if by.for_seat is None else f"{by.service}:{by.for_seat}"


class Match:
    """One match in memory."""

    __slots__ = ("identities", "secret", "state")

    def __init__(self, secret: bytes) -> None:
        """Nothing read yet."""
        self.state: MatchState | None = None
        self.secret = secret
        self.identities = Identities()

    def take(self, stored: bytes, commit: MatchCommit | None = None) -> None:
        """Count the next commit (``commit`` if decoded already); ``UnreadableLog`` if it does not follow."""
        commit = commit or decode_match(stored)
        self.state = step(self.state, stored, commit)
        self.identities.add(owner(commit.by), commit.command, commit.command_hash)


class Live:
    """Loads, keeps and refreshes matches; one command at a time for each."""

    def __init__(self, log: EventLog, secrets: Bucket, kept: int = KEPT) -> None:
        """Keep up to ``kept`` matches."""
        self._log = log
        self._secrets = secrets
        self._kept = kept
        self._matches: OrderedDict[str, Match] = OrderedDict()
        self._locks: dict[str, tuple[asyncio.Lock, int]] = {}

    @asynccontextmanager
    async def turn(self, match: str) -> AsyncGenerator[None]:
        """Wait for this match's own queue; commands are served in the order they came."""
        lock, waiting = self._locks.get(match, (None, 0))
        lock = lock or asyncio.Lock()
        self._locks[match] = (lock, waiting + 1)
        try:
            async with lock:
                yield
        finally:
            lock, waiting = self._locks[match]
            if waiting == 1:
                del self._locks[match]
            else:
                self._locks[match] = (lock, waiting - 1)

    async def get(self, match: str) -> Match:
        """The match, from memory or from its log; raises ``Refused("unknown_match")``."""
        found = self._matches.get(match)
        if found is not None:
            self._matches.move_to_end(match)
            return found
        log = await self._log.read(match)
        if not log:
            raise Refused("unknown_match", f"There is no match {match}.")
        secret = await self._secrets.get(match)
        if secret is None:
            raise LogUnavailable(f"the secret of match {match} is missing")
        found = Match(secret)
        for stored in log:
            found.take(stored)
        self.keep(match, found)
        return found

    def keep(self, match: str, found: Match) -> None:
        """Remember a match that was read or has just been created."""
        self._matches[match] = found
        if len(self._matches) > self._kept:
            self._matches.popitem(last=False)

    def forget(self, match: str) -> None:
        """Drop what memory holds of a match; the log has it all."""
        self._matches.pop(match, None)

    async def refresh(self, match: str, found: Match) -> bool:
        """Read what other instances have appended; whether there was anything."""
        assert found.state is not None  # noqa: S101 - a kept match has at least its first commit
        tail = await self._log.read(match, found.state.n)
        for stored in tail:
            found.take(stored)
        return bool(tail)
