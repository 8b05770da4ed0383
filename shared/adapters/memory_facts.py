"""Facts in memory, for tests of what stands above them; the same contract runs over them."""

from shared.ports.facts import Fact


class MemoryFacts:
    """``Facts`` in one process; ``stored`` holds them in their order, ``puts`` counts the calls."""

    def __init__(self) -> None:
        """Empty."""
        self.stored: list[bytes] = []
        self.puts = 0
        self._at: dict[tuple[str, str], bytes] = {}

    async def put(self, group: str, key: str, data: bytes) -> bytes:
        """See ``Facts.put``."""
        self.puts += 1
        standing = self._at.setdefault((group, key), data)
        if standing is data:
            self.stored.append(data)
        return standing

    async def after(self, place: int, most: int) -> list[Fact]:
        """See ``Facts.after``."""
        return [Fact(place + i + 1, data) for i, data in enumerate(self.stored[place : place + most])]
