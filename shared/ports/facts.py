"""Facts: written once each at (group, key), never changed, read in the order in which they were stored."""

from typing import NamedTuple, Protocol


class Fact(NamedTuple):
    """What was stored, and its place: places grow, not always by one."""

    place: int
    data: bytes


class Facts(Protocol):
    """All facts of one kind; both parts of a name are plain tokens (letters, digits, ``_`` and ``-``)."""

    async def put(self, group: str, key: str, data: bytes) -> bytes:
        """Store ``data`` at (group, key) unless something stands there; what stands there afterwards.

        Durable when it returns, and the same for everybody, however often and by whomever it is put. Raises
        ``LogUnavailable``.
        """
        ...

    async def after(self, place: int, most: int) -> list[Fact]:
        """Up to ``most`` facts after ``place`` (0: from the first), in their order; none: there are no more.

        Raises ``LogUnavailable``.
        """
        ...
