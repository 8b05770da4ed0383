"""Chance that players can check: every draw is a function of the match's secret and the players' strings.

Draw ``i`` reads the bytes of HMAC-SHA256(secret, message) for block = 0, 1, 2 …, where

    message = "kronika/draw/1" ‖ 0x00 ‖ match ‖ 0x00 ‖ strings by seat ‖ u32be(i) ‖ u32be(block)

and rejects the bytes that would make one value likelier than another. A repeated request gives the same
draw, so nobody can re-roll. ``docs/fairness.md`` has test vectors.
"""

import hashlib
import hmac
from collections.abc import Iterator
from typing import Final

from shared.chance import Dice, Draw, Lot, Shuffle

SECRET_BYTES: Final = 32
STRING_BYTES: Final = 32
NO_STRING: Final = bytes(STRING_BYTES)  # the luck of a seat that trusts the others

_MOST: Final = 1 << 16
_LABEL: Final = b"kronika/draw/1"


def secret_hash(secret: bytes) -> str:
    """What ``match_created`` publishes: the SHA-256 of the secret in hex."""
    return hashlib.sha256(secret).hexdigest()


def string_hash(string: bytes) -> str:
    """What ``ready`` commits to: the SHA-256 of a seat's 32 bytes in hex."""
    return hashlib.sha256(string).hexdigest()


def _bytes(secret: bytes, match: str, strings: tuple[bytes, ...], i: int) -> Iterator[int]:
    head = b"\0".join((_LABEL, match.encode("ascii"), b"")) + b"".join(strings) + i.to_bytes(4, "big")
    block = 0
    while True:
        yield from hmac.digest(secret, head + block.to_bytes(4, "big"), "sha256")
        block += 1


def _below(stream: Iterator[int], size: int) -> int:
    """A number below ``size``: one byte when 256 values are enough, else two (big-endian), with rejection."""
    if not 0 < size <= _MOST:
        raise ValueError(f"nothing of {size} values is drawn")
    width = 1 if size <= 1 << 8 else 2
    limit = (1 << 8 * width) // size * size
    while True:
        value = 0
        for _ in range(width):
            value = value << 8 | next(stream)
        if value < limit:
            return value % size


def draw(secret: bytes, match: str, strings: tuple[bytes, ...], i: int, spec: Draw) -> tuple[int, ...]:
    """Draw number ``i`` (from 0) of ``match``: dice 1 … sides, a permutation, or one lot.

    ``strings`` are 32 bytes for every seat, ``NO_STRING`` where a seat brought none. A shuffle is
    Fisher-Yates from the top: for k = size − 1 … 1 the places k and ``_below(k + 1)`` are exchanged.
    """
    stream = _bytes(secret, match, strings, i)
    match spec:
        case Dice(count=count, sides=sides):
            return tuple(_below(stream, sides) + 1 for _ in range(count))
        case Lot(size=size):
            return (_below(stream, size),)
        case Shuffle(size=size):
            order = list(range(size))
            for k in range(size - 1, 0, -1):
                other = _below(stream, k + 1)
                order[k], order[other] = order[other], order[k]
            return tuple(order)


def possible(spec: Draw, drawn: tuple[int, ...]) -> bool:
    """Whether ``drawn`` could be a draw of ``spec`` at all; for dice that an importer gives."""
    match spec:
        case Dice(count=count, sides=sides):
            return len(drawn) == count and all(1 <= value <= sides for value in drawn)
        case Lot(size=size):
            return len(drawn) == 1 and 0 <= drawn[0] < size
        case Shuffle(size=size):
            return sorted(drawn) == list(range(size))
