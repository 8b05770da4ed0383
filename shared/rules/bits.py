"""Sets of squares or cells as bits of one integer: bit n stands for the one with the number n."""

from collections.abc import Iterator


def members(bits: int) -> Iterator[int]:
    """The numbers of a set's members, the lowest first."""
    while bits:
        low = bits & -bits
        yield low.bit_length() - 1
        bits ^= low
