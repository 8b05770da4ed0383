"""A bucket in memory, for tests."""


class MemoryBucket:
    """``Bucket`` in one process; ``values`` is what is stored."""

    def __init__(self) -> None:
        """Empty."""
        self.values: dict[str, bytes] = {}

    async def create(self, key: str, value: bytes) -> bool:
        """See ``Bucket.create``."""
        if key in self.values:
            return False
        self.values[key] = value
        return True

    async def get(self, key: str) -> bytes | None:
        """See ``Bucket.get``."""
        return self.values.get(key)

    async def delete(self, key: str) -> None:
        """See ``Bucket.delete``."""
        self.values.pop(key, None)
