"""Fleets: which ones there are, what is a right one, how it is written, sealed and suggested (§7)."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import pairwise
from typing import Final

from shared.rules.battleship.board import BESIDE, NAMES, SIZE, Fleet, Ship, bars

FLEETS: Final = ("4,3,3,2,2,2,1,1,1,1", "4,3,3,2,2,2,2,1,1", "5,4,3,3,2", "5,4,3,3,2,2,1")
"""The fleets that a table may choose, by the lengths of their ships; the first is the house's."""

NONCE_BYTES: Final = 32
SUGGESTED: Final = 8
_LABEL: Final = "kronika/fleet/1"


def fleet_of(ships: Iterable[Ship]) -> Fleet:
    """``ships`` in the order of a fleet."""
    return tuple(sorted(ships, key=lambda ship: (-len(ship), ship)))


def ships_in(cells: Iterable[int]) -> Fleet:
    """What touches, at corners too, is one ship, whatever its shape."""
    left, ships = set(cells), list[Ship]()
    while left:
        ship, edge = set[int](), [min(left)]
        while edge:
            cell = edge.pop()
            if cell in left:
                left.remove(cell)
                ship.add(cell)
                edge += [other for other in left if BESIDE[cell] >> other & 1]
        ships.append(tuple(sorted(ship)))
    return fleet_of(ships)


def why_not(fleet: Fleet, lengths: tuple[int, ...]) -> str:
    """Why ``fleet`` (of ``ships_in``) is not one of straight ships of these ``lengths``; "" if it is."""
    for ship in fleet:
        if not _straight(ship):
            return f"{', '.join(NAMES[cell] for cell in ship)} touch and are no straight ship."
    have, want = Counter(map(len, fleet)), Counter(lengths)
    for ship in fleet:
        if not want[len(ship)]:
            return (
                f"{fleet_text((ship,))} is one ship of {len(ship)}, and this fleet has none of that length: "
                f"its ships have {', '.join(map(str, lengths))}, and may not touch, not even at corners."
            )
    for length in sorted(want, reverse=True):
        if have[length] != want[length]:
            return (
                f"There must be {want[length]} of length {length}, not {have[length]}; "
                "ships may not touch, not even at corners."
            )
    return ""


def _straight(ship: Ship) -> bool:
    steps = {after - before for before, after in pairwise(ship)}
    if not steps <= {1} and steps != {SIZE}:
        return False
    return steps == {SIZE} or ship[0] // SIZE == ship[-1] // SIZE


def fleet_text(fleet: Fleet) -> str:
    """Each ship by its first and last cell: ``a1-a4 c3-e3 g7``."""
    return " ".join(
        NAMES[ship[0]] if len(ship) == 1 else f"{NAMES[ship[0]]}-{NAMES[ship[-1]]}" for ship in fleet
    )


def commitment(nonce: str, placed: str) -> str:
    """What everybody sees of a placement: the SHA-256, in hex, of ``kronika/fleet/1 NONCE PLACEMENT``.

    ``nonce`` is 32 bytes in hex, ``placed`` the canonical text (``fleet_text``); one blank between each.
    """
    return hashlib.sha256(f"{_LABEL} {nonce} {placed}".encode()).hexdigest()


@lru_cache(maxsize=64)  # every view of a seat that places asks for the same
def suggestions(nonce: str, lengths: tuple[int, ...]) -> tuple[str, ...]:
    """Some fleets, as texts; which ones, only who knows ``nonce`` can tell."""
    numbers, found = _numbers(nonce), dict[str, None]()
    while len(found) < SUGGESTED:
        if (fleet := _strewn(numbers, lengths)) is not None:
            found[fleet_text(fleet)] = None
    return tuple(found)


def _strewn(numbers: Iterator[int], lengths: tuple[int, ...]) -> Fleet | None:
    """Ships one after another where there is room for them; None where there was none for the last ones."""
    ships, taken = list[Ship](), 0
    for length in sorted(lengths, reverse=True):
        free = [bar for bar in bars(length) if not bar.cells & taken]
        if not free:
            return None
        bar = free[next(numbers) % len(free)]
        ships.append(bar.ship)
        taken |= bar.around
    return fleet_of(ships)


def _numbers(nonce: str) -> Iterator[int]:
    """Numbers of 32 bits: the words of SHA-256 of the nonce and a counter."""
    block = 0
    while True:
        digest = hashlib.sha256(f"{_LABEL} suggested {nonce} {block}".encode()).digest()
        yield from (int.from_bytes(digest[at : at + 4], "big") for at in range(0, len(digest), 4))
        block += 1
