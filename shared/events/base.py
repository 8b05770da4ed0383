"""The commit: what one command caused, atomic, hash-chained to the commit before it.

An export of a log is its stored bytes, line by line; nothing stored is ever re-encoded.
"""

import hashlib
import hmac
from typing import Final, Generic, TypeVar

import msgspec

FIRST_PREV: Final = "0" * 64
COMMIT_VERSION: Final = 1

E = TypeVar("E")


class By(msgspec.Struct, frozen=True, omit_defaults=True):
    """Who gave the command: a player's ``seat``, or a ``service`` (``for_seat`` when it acts for one)."""

    seat: int | None = None
    service: str | None = None
    for_seat: int | None = msgspec.field(default=None, name="for")


class Commit(msgspec.Struct, Generic[E], frozen=True, kw_only=True):
    """One entry of a match's log.

    ``n`` counts 1, 2, 3 … without gaps; ``at_ms`` never goes back; ``arrived_ms`` is when the command
    reached a gateway; ``command_hash`` is the SHA-256 of the command; ``prev`` is the lower-case hex
    SHA-256 of the previous commit's stored bytes (64 zeros at first); ``salt`` keeps the published hash
    of a commit with few possible contents from being guessed.
    """

    v: int = COMMIT_VERSION
    match: str
    n: int
    at_ms: int
    arrived_ms: int
    command: str
    command_hash: str
    by: By
    salt: str
    prev: str
    events: tuple[E, ...]


class Entry(msgspec.Struct, Generic[E], frozen=True, kw_only=True):
    """One entry of any other log (a table's, a player's): as ``Commit``, without what only a match needs."""

    v: int = COMMIT_VERSION
    key: str
    n: int
    at_ms: int
    command: str
    command_hash: str
    by: str
    prev: str
    events: tuple[E, ...]


def chain_hash(stored: bytes) -> str:
    """The ``prev`` of the commit that follows the one with these stored bytes."""
    return hashlib.sha256(stored).hexdigest()


def salt(secret: bytes, match: str, n: int) -> str:
    """The salt of commit ``n``: HMAC(secret, "salt" ‖ match ‖ n as decimal text), 16 bytes in hex."""
    return hmac.digest(secret, f"salt{match}{n}".encode(), "sha256")[:16].hex()
