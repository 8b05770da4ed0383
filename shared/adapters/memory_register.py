"""A register in memory, for tests."""

from shared.ports.log import LogUnavailable
from shared.ports.register import Held


class MemoryRegister:
    """``Register`` in one process. ``down`` makes it unreachable; ``deaf`` stores, but the answer is lost."""

    def __init__(self) -> None:
        """Holds nothing."""
        self.held = Held(None, 0)
        self.down = False
        self.deaf = False

    async def read(self) -> Held:
        """See ``Register.read``."""
        if self.down:
            raise LogUnavailable("the register is down")
        return self.held

    async def replace(self, value: bytes, revision: int) -> int | None:
        """See ``Register.replace``."""
        if self.down:
            raise LogUnavailable("the register is down")
        if revision != self.held.revision:
            return None
        self.held = Held(value, revision + 1)
        if self.deaf:
            raise LogUnavailable("no answer in time")
        return self.held.revision
