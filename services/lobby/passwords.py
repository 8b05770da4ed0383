"""Password hashes: argon2id in threads, a few at a time: a flood of log-ins must not eat the machine."""

import asyncio
from typing import Final

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from shared.problems import Refused

LEAST: Final = 8
MOST: Final = 256
_WAITING: Final = 64  # who comes while so many wait is sent away: their turn would come too late
# OWASP's profile for argon2id: 19 MB, one lane. The library's default (64 MB, four lanes) took six times as
# long on two busy cores, which belong to the matches that are being played.
_PROFILE: Final = PasswordHasher(time_cost=2, memory_cost=19_456, parallelism=1)


class Passwords:
    """Hash and verify. ``dummy`` is a hash that no password fits, to spend the same time on a stranger."""

    def __init__(self, hasher: PasswordHasher | None = None, at_once: int = 2) -> None:
        """``at_once`` bounds the threads: each needs 19 MB and a core."""
        self._hasher = hasher or _PROFILE
        self._places = asyncio.Semaphore(at_once)
        self._waiting = 0
        self.dummy = self._hasher.hash("no password has a zero byte: \0")

    def check(self, password: str) -> None:
        """Refuse what cannot be a password (``invalid``)."""
        if not LEAST <= len(password) <= MOST or "\0" in password:
            raise Refused("invalid", f"password: {LEAST} to {MOST} characters.")

    async def hash(self, password: str) -> str:
        """The hash to keep."""
        async with _Queue(self):
            return await asyncio.to_thread(self._hasher.hash, password)

    async def verify(self, kept: str, password: str) -> bool:
        """Whether ``password`` fits ``kept``."""
        async with _Queue(self):
            return await asyncio.to_thread(self._verify, kept, password)

    def _verify(self, kept: str, password: str) -> bool:
        try:
            return self._hasher.verify(kept, password[: MOST + 1])
        except (VerificationError, InvalidHashError):
            return False

    async def enter(self) -> None:
        """Wait for a place; refuse when too many wait."""
        if self._waiting >= _WAITING:
            raise Refused("unavailable", "Too many people are logging in.")
        self._waiting += 1
        try:
            await self._places.acquire()
        finally:
            self._waiting -= 1

    def leave(self) -> None:
        """Give the place back."""
        self._places.release()


class _Queue:
    """``async with`` around one hash."""

    def __init__(self, passwords: Passwords) -> None:
        self._passwords = passwords

    async def __aenter__(self) -> None:
        await self._passwords.enter()

    async def __aexit__(self, *_: object) -> None:
        self._passwords.leave()
