"""The matches in memory: state, secret and taken ids of each, read from the log when first asked for.

A cached match may be behind the log when another instance has served it. That is safe: an append at a taken
n is a conflict, and no refusal is given before the log has been asked for anything newer.
"""

import asyncio
from collections import OrderedDict, deque
from typing import Final

from services.game.identities import Identities, record
from shared.events.base import By, chain_hash
from shared.events.codec import MatchCommit, decode_match
from shared.fold import step
from shared.match import MatchState
from shared.match.evolving import settled
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

    def take(self, stored: bytes) -> None:
        """Count the next stored commit; raises ``UnreadableLog`` if it does not follow."""
        commit = decode_match(stored)
        self._count(step(self.state, stored, commit), commit)

    def made(self, drafted: MatchState, commit: MatchCommit, stored: bytes) -> None:
        """Count the commit that has just been appended; ``drafted`` is the state that its events lead to."""
        self._count(settled(drafted, commit, chain_hash(stored)), commit)

    def _count(self, state: MatchState, commit: MatchCommit) -> None:
        self.state = state
        self.identities.add(record(owner(commit.by), commit.command, commit.command_hash))


class Turn:
    """One command's place in the queue of its match; the queue exists only while somebody stands in it."""

    __slots__ = ("_match", "_queues")

    def __init__(self, queues: dict[str, deque[asyncio.Future[None]]], match: str) -> None:
        """Not in the queue yet."""
        self._queues = queues
        self._match = match

    async def __aenter__(self) -> None:
        """Wait until everybody before has been served."""
        queue = self._queues.get(self._match)
        if queue is None:
            self._queues[self._match] = deque()
            return
        served: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        queue.append(served)
        try:
            await served
        except asyncio.CancelledError:
            if served.done() and not served.cancelled():
                self._next()
            raise

    async def __aexit__(self, *_: object) -> None:
        """The next one, please."""
        self._next()

    def _next(self) -> None:
        queue = self._queues[self._match]
        while queue:
            waiting = queue.popleft()
            if not waiting.done():
                waiting.set_result(None)
                return
        del self._queues[self._match]


class Live:
    """Loads, keeps and refreshes matches; one command at a time for each."""

    def __init__(self, log: EventLog, secrets: Bucket, kept: int = KEPT) -> None:
        """Keep up to ``kept`` matches."""
        self._log = log
        self._secrets = secrets
        self._kept = kept
        self._matches: OrderedDict[str, Match] = OrderedDict()
        self._queues: dict[str, deque[asyncio.Future[None]]] = {}

    def turn(self, match: str) -> "Turn":
        """``async with``: wait for this match's own queue; commands are served in the order they came."""
        return Turn(self._queues, match)

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
