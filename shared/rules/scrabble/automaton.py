"""A list of words as a compact automaton, walked letter by letter (a DAWG in the form of dawgdic).

The library builds it; here its units are only read, so they may lie in a mapped file that processes share.
A unit holds the letter that leads to it, whether a word ends there, and how far its children are; the child
for a letter lies at ``node ^ offset ^ letter`` and is one only if it holds that letter.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Final, Protocol, cast

import dawg

ROOT: Final = 0
NONE: Final = 0
"""No node: nothing leads back to the root."""

_LABEL: Final = 0x8000_00FF
_ENDS: Final = 1 << 8
_FAR: Final = 1 << 9
_HEAD: Final = 4
"""Bytes before the units: their number."""


class _Built(Protocol):
    def tobytes(self) -> bytes: ...


def built(keys: Iterable[bytes]) -> bytes:
    """The automaton of these keys as bytes; no key is empty or has a zero in it."""
    return cast("Callable[[Iterable[bytes]], _Built]", dawg.DAWG)(keys).tobytes()


def units(automaton: bytes | memoryview) -> Sequence[int]:
    """Its units (32 bits, little-endian as everywhere that we run), without a copy."""
    whole = memoryview(automaton)
    number = int.from_bytes(whole[:_HEAD], "little")
    return whole[_HEAD : _HEAD * (number + 1)].cast("I")


def child(nodes: Sequence[int], node: int, letter: int) -> int:
    """The node that ``letter`` leads to, or ``NONE``."""
    unit = nodes[node]
    offset = (unit >> 10) << 8 if unit & _FAR else unit >> 10
    found = node ^ offset ^ letter
    return found if nodes[found] & _LABEL == letter else NONE


def ends(nodes: Sequence[int], node: int) -> bool:
    """Whether a word ends at ``node``."""
    return bool(nodes[node] & _ENDS)
