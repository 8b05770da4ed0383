"""One value that several processes keep together: it is replaced by whoever has seen its newest state."""

from typing import NamedTuple, Protocol


class Held(NamedTuple):
    """What the register holds (None: nothing yet), and its revision, which ``replace`` must name."""

    value: bytes | None
    revision: int


class Register(Protocol):
    """Compare and set. Every method raises ``LogUnavailable`` when it cannot be told what happened."""

    async def read(self) -> Held:
        """What is held. A replica may answer that is behind; ``replace`` then finds out."""
        ...

    async def replace(self, value: bytes, revision: int) -> int | None:
        """Hold ``value`` instead of what ``revision`` names; durable on return, which is its revision.

        None, and nothing changed, if the register was replaced in the meantime.
        """
        ...
