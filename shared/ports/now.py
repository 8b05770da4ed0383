"""The service's one notion of now; ``shared.service.Now`` fulfils it, tests give a number."""

from typing import Protocol


class Reading(Protocol):
    """What a reader of the time needs."""

    def now_ms(self) -> int:
        """Now, in ms since the epoch."""
        ...


class Now(Reading, Protocol):
    """For who also meets times that other instances have recorded."""

    def saw(self, at_ms: int) -> None:
        """A commit (or beat) of this time was seen; now is never behind it."""
        ...
