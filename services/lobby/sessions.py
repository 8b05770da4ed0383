"""Sessions: refresh tokens that are used once, and what happens to one that is used twice.

The bucket holds, by the SHA-256 of a token, whose session it continues; ``used-<hash>`` once it was used;
``revoked-<session>`` once the session ended. Nothing in it is ever changed, so the bucket may forget what
is older than ``REFRESH_MS``.
"""

import base64
import hashlib
import hmac
import secrets
from collections.abc import Callable
from typing import Final

import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from shared import tokens
from shared.ids import is_id, new_id
from shared.ports.secrets import Bucket
from shared.problems import Refused

REFRESH_MS: Final = 30 * 24 * 3600 * 1000
_TOKEN_BYTES: Final = 32


class Continues(msgspec.Struct, frozen=True):
    """What a refresh token is good for."""

    player: str
    session: str
    scopes: tuple[str, ...]
    expires_at_ms: int


class Tokens(msgspec.Struct, frozen=True):
    """Both tokens of a session, as they are given out."""

    access: str
    refresh: str
    player: str
    scopes: tuple[str, ...]


class Sessions:
    """Begin, continue and end sessions."""

    def __init__(
        self, bucket: Bucket, signing_key: Ed25519PrivateKey, pepper: bytes, now_ms: Callable[[], int]
    ) -> None:
        """``pepper`` keys what follows a token when a refresh is repeated; ``now_ms`` is our own clock."""
        self._bucket = bucket
        self._signing_key = signing_key
        self._pepper = pepper
        self._now_ms = now_ms

    async def begin(self, player: str, scopes: tuple[str, ...]) -> Tokens:
        """A new session."""
        return await self._give(player, scopes, new_id("s"), secrets.token_bytes(_TOKEN_BYTES))

    async def refresh(self, token: str, key: str) -> Tokens:
        """The session's next tokens; ``token`` is used up.

        A repeat with the same ``key`` (Idempotency-Key) gives the same refresh token again. Any other second
        use ends the session. Raises ``Refused("unauthorized")``.
        """
        name = _hash(token)
        continues = await self._find(name)
        if continues is None or self._now_ms() >= continues.expires_at_ms:
            raise Refused("unauthorized", "The refresh token is unknown or has expired; log in again.")
        if await self._bucket.get(f"revoked-{continues.session}") is not None:
            raise Refused("unauthorized", "The session has ended; log in again.")
        repeat = self._keyed("repeat", token, key) if key else secrets.token_bytes(_TOKEN_BYTES)
        if not await self._bucket.create(f"used-{name}", repeat):
            used = await self._bucket.get(f"used-{name}") or b""
            if not hmac.compare_digest(used, repeat):
                await self.end(continues.session)
                raise Refused("unauthorized", "The refresh token was used twice; the session has ended.")
        following = self._keyed("next", token, key) if key else secrets.token_bytes(_TOKEN_BYTES)
        return await self._give(continues.player, continues.scopes, continues.session, following)

    async def end(self, session: str) -> None:
        """End ``session``: none of its refresh tokens is good any more."""
        if is_id(session):
            await self._bucket.create(f"revoked-{session}", b"1")

    async def session_of(self, token: str) -> str | None:
        """The session that a refresh token belongs to, used or not."""
        continues = await self._find(_hash(token))
        return None if continues is None else continues.session

    async def _find(self, name: str) -> Continues | None:
        stored = await self._bucket.get(name)
        return None if stored is None else msgspec.json.decode(stored, type=Continues)

    async def _give(self, player: str, scopes: tuple[str, ...], session: str, raw: bytes) -> Tokens:
        now_ms = self._now_ms()
        token = base64.urlsafe_b64encode(raw).decode().rstrip("=")
        continues = Continues(player, session, scopes, now_ms + REFRESH_MS)
        await self._bucket.create(_hash(token), msgspec.json.encode(continues))
        return Tokens(tokens.issue(self._signing_key, player, scopes, session, now_ms), token, player, scopes)

    def _keyed(self, purpose: str, token: str, key: str) -> bytes:
        return hmac.digest(self._pepper, f"{purpose}\0{token}\0{key}".encode(), "sha256")


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
