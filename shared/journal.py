"""The logs of everything but matches, entry by entry: chained when written, checked when read."""

import hashlib
from collections.abc import Mapping
from typing import Generic, TypeVar

import msgspec

from shared.events.base import FIRST_PREV, Entry, chain_hash
from shared.events.codec import UnreadableLog, encode
from shared.ids import derived_id, new_id
from shared.problems import Refused

E = TypeVar("E")


class BrokenChain(UnreadableLog):
    """An entry does not follow the one before it."""


class Tip(msgspec.Struct, frozen=True):
    """The end of a log: its last number, hash and time."""

    n: int = 0
    head: str = FIRST_PREV
    at_ms: int = 0


def follow(tip: Tip, key: str, entry: Entry[E], stored: bytes) -> Tip:
    """The end after ``entry`` (stored as these bytes); raises ``BrokenChain`` if it does not follow."""
    if entry.key != key or entry.n != tip.n + 1 or entry.prev != tip.head or entry.at_ms < tip.at_ms:
        raise BrokenChain(f"{key}: entry {entry.n} does not follow {tip.n}.")
    return Tip(entry.n, chain_hash(stored), entry.at_ms)


class Cause(msgspec.Struct, frozen=True):
    """What an entry says about its cause: the command's id and hash, and who gave it."""

    id: str
    hash: str
    by: str

    def known_in(self, commands: Mapping[str, str]) -> bool:
        """Whether ``commands`` (a log's ids, each with its hash) hold it; ``id_reused`` if as another one."""
        if self.id not in commands:
            return False
        if commands[self.id] != self.hash:
            raise Refused("id_reused")
        return True


def cause_of(player: str, route: str, key: str, body: bytes) -> Cause:
    """The identity of a request: (player, route, key), or a fresh one without a key.

    It is unique within one log; the aggregate's id, part of the route, needs no second place here.
    Hashed: what a client chose as its key is nobody else's business.
    """
    name = derived_id("c", player, route, key) if key else new_id("c")
    return Cause(name, hashlib.sha256(body).hexdigest(), player)


class Written(msgspec.Struct, Generic[E], frozen=True):
    """An entry that follows a log, the bytes to store, and the end of the log with them in it."""

    entry: Entry[E]
    stored: bytes
    tip: Tip


def write(tip: Tip, key: str, now_ms: int, cause: Cause, events: tuple[E, ...]) -> Written[E]:
    """The entry that follows ``tip``; its time never goes back."""
    entry = Entry[E](
        key=key,
        n=tip.n + 1,
        at_ms=max(now_ms, tip.at_ms),
        command=cause.id,
        command_hash=cause.hash,
        by=cause.by,
        prev=tip.head,
        events=events,
    )
    stored = encode(entry)
    return Written(entry, stored, follow(tip, key, entry, stored))
