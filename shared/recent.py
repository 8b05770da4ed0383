"""What a service remembers and may forget: bounded, the longest unused goes first."""

from collections import OrderedDict
from typing import Generic, TypeVar

V = TypeVar("V")


class Recent(Generic[V]):
    """The ``most`` most recently used values by key."""

    def __init__(self, most: int) -> None:
        """Empty."""
        self._most = most
        self._values: OrderedDict[str, V] = OrderedDict()

    def __len__(self) -> int:
        """How many are remembered."""
        return len(self._values)

    def get(self, key: str) -> V | None:
        """The value under ``key``, now the most recently used; None if there is none (any more)."""
        value = self._values.get(key)
        if value is not None:
            self._values.move_to_end(key)
        return value

    def put(self, key: str, value: V) -> None:
        """Remember ``value``."""
        self._values[key] = value
        self._values.move_to_end(key)
        if len(self._values) > self._most:
            self._values.popitem(last=False)

    def forget(self, key: str) -> None:
        """Drop what stands under ``key``, if anything does."""
        self._values.pop(key, None)
