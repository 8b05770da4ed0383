"""Who asks: the bearer token, checked here without asking anybody. A token never stands in an address."""

from collections import OrderedDict
from collections.abc import Callable
from typing import Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from shared import tokens
from shared.problems import Refused
from shared.tokens import Token

_KNOWN: Final = 10_000  # checked tokens that are remembered; a check costs about 0.2 ms, a look-up nothing


class Tokens:
    """Checks access tokens and remembers those it found good until they expire."""

    def __init__(self, public_key: Ed25519PublicKey, now_ms: Callable[[], int]) -> None:
        """``now_ms`` is our own clock alone: a commit from a host whose clock is wrong signs nobody out."""
        self._public_key = public_key
        self._now_ms = now_ms
        self._good: OrderedDict[str, Token] = OrderedDict()

    def check(self, text: str) -> Token:
        """What the token says; raises ``Refused("unauthorized")`` or ``Refused("token_expired")``."""
        known = self._good.get(text)
        if known is None:
            known = tokens.verify(self._public_key, text, self._now_ms())
            self._good[text] = known
            if len(self._good) > _KNOWN:
                self._good.popitem(last=False)
        elif self.over_ms(known) >= 0:
            del self._good[text]
            raise Refused("token_expired")
        return known

    def over_ms(self, token: Token) -> int:
        """For how many ms ``token`` has been expired; less than 0 while it holds."""
        return self._now_ms() - token.expires_at_ms

    def of_header(self, value: str | None) -> Token | None:
        """The token in an ``Authorization`` header; None without one; raises as ``check``."""
        if not value:
            return None
        scheme, _, text = value.partition(" ")
        if scheme.lower() != "bearer" or not text:
            raise Refused("unauthorized", "Send the access token as: Authorization: Bearer <token>.")
        return self.check(text.strip())
