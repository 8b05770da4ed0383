"""Presence: whether a player has a living socket on any gateway. May be lost; then nobody is taken for away.

A gateway says who came to it and who went, and with every word, or at least once a second, renews a lease. A
player is here while a living gateway has him. He is away only on evidence: his last socket closed or fell
silent, or the gateway that had him is dead; then his absence begins when that was noticed, so that he has
the whole grace to come back elsewhere.
"""

from collections.abc import Sequence
from enum import Enum
from typing import Final, NamedTuple, Protocol

from shared.wire.presence import Presence

LEASE_MS: Final = 5_000
"""A gateway that has said nothing for so long is dead."""

RECORD_MS: Final = 24 * 3_600_000
"""What is known of a player is forgotten after so long; a gateway says who is here more often than that."""


class PresenceUnavailable(Exception):  # noqa: N818 - what the port answers
    """Nothing can be said about anybody: the store is out of reach, or no gateway is alive to return to."""


class Word(Enum):
    """What a gateway may say of a player."""

    HERE = "here"
    """He has a socket that is heard."""
    ACTED = "acted"
    """He has no socket, but gave a command a short while ago: he is here, too."""
    AWAY = "away"
    """His last socket with this gateway closed or fell silent."""
    RESTS = "rests"
    """What was said with ``ACTED`` is over. Who was away before is so again, of others nothing is known."""


class Sign(NamedTuple):
    """One word about ``player``; ``since_ms`` is the moment from which he was not heard any more."""

    player: str
    word: Word
    since_ms: int = 0


class Presences(Protocol):
    """The presence of all players, and one gateway's part in it."""

    async def say(self, signs: Sequence[Sign]) -> bool:
        """Renew our lease and record ``signs``, in order.

        False if our lease had run out, or was lost with everything else: say it all once more. Raises
        ``PresenceUnavailable``; then nobody knows which signs were recorded, and all is to be said again.
        """
        ...

    async def of(self, players: Sequence[str], now_ms: int) -> dict[str, Presence]:
        """Each of ``players``: ``here``, ``away`` or ``unknown``; raises ``PresenceUnavailable``.

        ``now_ms`` is when the death of a gateway counts as noticed.
        """
        ...
