"""A player for every game: any legal move, chosen by a hash of where it is."""

import hashlib
from collections.abc import Sequence

from services.ghost.players.protocol import Seen


class Seeded:
    """Plays without understanding. ``Player``."""

    def move(self, seen: Seen) -> str:
        """A legal move that depends on match, decision and seat alone."""
        return any_of(seen.legal, seen)


def any_of(moves: Sequence[str], seen: Seen) -> str:
    """One of ``moves``, by match, decision and seat."""
    view = seen.view
    digest = hashlib.sha256(f"{view.match}.{view.decision}.{view.seat}".encode()).digest()
    return moves[int.from_bytes(digest[:8], "big") % len(moves)]
