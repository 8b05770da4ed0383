"""What fell, recomputed from the secret that the match revealed at its end; and that secret itself."""

import re
from collections.abc import Sequence
from typing import Final

from services.audit.report import Differs
from shared.chance import Draw
from shared.draws import NO_STRING, draw, possible, secret_hash
from shared.events.base import salt
from shared.events.match import DiceRolled, MatchCreated, SecretRevealed
from shared.match import MatchState

_REVEALED: Final = re.compile(rb'"type":\s*"secret_revealed",\s*"secret":\s*"([0-9a-f]{64})"')


def revealed(log: Sequence[bytes]) -> bytes | None:
    """The secret that some commit of ``log`` reveals, not yet compared with its published hash."""
    for stored in reversed(log):
        found = _REVEALED.search(stored)
        if found:
            return bytes.fromhex(found[1].decode("ascii"))
    return None


class Luck:
    """Recomputes draws. ``secret`` is None where none is known that has the published hash."""

    def __init__(self, secret: bytes | None) -> None:
        """``secret`` is what the log reveals, if it does."""
        self.secret = secret
        self.draws = 0
        self.checked = 0

    def committed(self, match: str, first_salt: str, created: MatchCreated) -> None:
        """Compare the secret with the hash in commit 1.

        Where they differ the salt of commit 1 tells which was changed: the hash (raises ``Differs``), or
        the secret (forgotten here, and found where it is revealed).
        """
        if self.secret is None or secret_hash(self.secret) == created.secret_hash:
            return
        if salt(self.secret, match, 1) == first_salt:
            raise Differs(
                "events[0].secret_hash",
                secret_hash(self.secret),
                created.secret_hash,
                "The revealed secret, which made the salts, has another hash than the published one.",
            )
        self.secret = None

    def check_roll(
        self, state: MatchState, spec: Draw, seat: int | None, event: DiceRolled, path: str
    ) -> None:
        """Raise ``Differs`` unless ``event`` is the next draw of ``state``, for ``seat``."""
        if event.seat != seat:
            raise Differs(f"{path}.seat", seat, event.seat, "The dice fell for another seat.")
        index = None if state.recorded else state.draws
        if event.draw != index:
            raise Differs(
                f"{path}.draw",
                index,
                event.draw,
                "The dice of a recorded match are given, not drawn."
                if state.recorded
                else "Draws are numbered without gaps: a skipped draw would be a second roll.",
            )
        self.draws += 1
        if self.secret is None or state.recorded:
            if not possible(spec, event.dice):
                raise Differs(f"{path}.dice", str(spec), list(event.dice), "Such dice cannot fall.")
            return
        strings = tuple(bytes.fromhex(s) if s else NO_STRING for s in state.strings)
        fell = draw(self.secret, state.match, strings, state.draws, spec)
        if event.dice != fell:
            raise Differs(
                f"{path}.dice",
                list(fell),
                list(event.dice),
                f"Draw {index} of the revealed secret gives other dice.",
            )
        self.checked += 1

    def check_secret(self, state: MatchState, event: SecretRevealed, path: str) -> None:
        """Raise ``Differs`` unless ``event`` reveals what commit 1 committed to."""
        if self.secret is None or event.secret != self.secret.hex():
            raise Differs(
                f"{path}.secret",
                f"32 bytes in hex with the SHA-256 {state.created.secret_hash}",
                event.secret,
                "The revealed secret is not the one that commit 1 committed to.",
            )
