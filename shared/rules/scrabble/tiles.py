"""The hundred Czech tiles: how many of each letter and what they are worth (§9).

A tile is one sign: a capital letter, or ``?`` for a blank. On the board and in a move a small letter is a
blank that stands for it. CH is two tiles; letters with other accents are other letters.
"""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final

BLANK: Final = "?"
ALPHABET: Final = "AÁBCČDĎEÉĚFGHIÍJKLMNŇOÓPRŘSŠTŤUÚŮVXYÝZŽ"
"""The 39 letters that there are tiles of, in the order of the Czech alphabet."""

RACK: Final = 7

_BY_VALUE: Final = {
    0: "?2",
    1: "O6 A5 E5 N5 I4 S4 T4 V4 D3 K3 L3 P3 R3",
    2: "C3 H3 Í3 M3 U3 Á2 J2 Y2 Z2",
    3: "B2 É2 Ě2",
    4: "Ř2 Š2 Ý2 Č1 Ů1 Ž1",
    5: "F1 G1 Ú1",
    6: "Ň1",
    7: "Ó1 Ť1",
    8: "Ď1",
    10: "X1",
}
VALUES: Final[Mapping[str, int]] = MappingProxyType(
    {item[0]: value for value, items in _BY_VALUE.items() for item in items.split()}
)
"""What each tile is worth, a blank nothing."""

_COUNTS: Final = {item[0]: int(item[1:]) for items in _BY_VALUE.values() for item in items.split()}
_ORDER: Final = {sign: place for place, sign in enumerate(ALPHABET + BLANK)}

TILES: Final = "".join(sign * _COUNTS[sign] for sign in ALPHABET + BLANK)
"""All hundred, in the order of the alphabet, blanks last; a shuffle is a permutation of these."""

CAPITAL: Final[Mapping[str, str]] = MappingProxyType(
    {sign: letter for letter in ALPHABET for sign in (letter, letter.lower())}
)
"""By letter, capital or small, the capital one."""


def tile_of(sign: str) -> str:
    """The tile that lies where ``sign`` stands: a small letter is a blank."""
    return sign if sign in VALUES else BLANK


def in_order(tiles: Iterable[str]) -> str:
    """These tiles as a rack: in the order of the alphabet, blanks last."""
    return "".join(sorted(tiles, key=_ORDER.__getitem__))


def without(rack: str, tiles: Iterable[str]) -> str | None:
    """The rack when these tiles are taken from it; None if they are not all there."""
    left = list(rack)
    for tile in tiles:
        if tile not in left:
            return None
        left.remove(tile)
    return "".join(left)


def worth(tiles: str) -> int:
    """The value of all these tiles."""
    return sum(VALUES[tile] for tile in tiles)
