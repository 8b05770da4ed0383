"""The logs of everything but matches, entry by entry: chained when written, checked when read."""

from typing import TypeVar

import msgspec

from shared.events.base import FIRST_PREV, Entry, chain_hash
from shared.events.codec import UnreadableLog

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


def next_entry(
    tip: Tip, key: str, now_ms: int, *, command: str, command_hash: str, by: str, events: tuple[E, ...]
) -> Entry[E]:
    """The entry that follows ``tip``; its time never goes back."""
    return Entry[E](
        key=key,
        n=tip.n + 1,
        at_ms=max(now_ms, tip.at_ms),
        command=command,
        command_hash=command_hash,
        by=by,
        prev=tip.head,
        events=events,
    )
