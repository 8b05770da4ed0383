"""A player for every game: any legal move, chosen by a hash of where it is."""

import hashlib

from services.ghost.players.protocol import Seen


class Seeded:
    """Plays without understanding. ``Player``."""

    def move(self, seen: Seen) -> str:
        """A legal move that depends on match, decision and seat alone."""
        view = seen.view
        digest = hashlib.sha256(f"{view.match}.{view.decision}.{view.seat}".encode()).digest()
        return seen.legal[int.from_bytes(digest[:8], "big") % len(seen.legal)]

    def takes(self, seen: Seen) -> bool:
        """Always: who knows nothing of the position loses least by playing on."""
        del seen
        return True

    def accepts_beaver(self, seen: Seen) -> bool:
        """Always, as ``takes``."""
        del seen
        return True
