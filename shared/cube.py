"""The doubling cube as a small value. Rules: one beaver per double, no raccoon, at most 64."""

from typing import Final

import msgspec

LIMIT: Final = 64


class Cube(msgspec.Struct, frozen=True, omit_defaults=True):
    """``value`` counts; ``owner`` alone may double (None: centred, both may).

    While an offer is open ``offered`` is the value it would have and ``by`` the seat that made it;
    ``beavered`` says that the offer is a beaver, to be answered by the first doubler; ``drop`` that whoever
    must answer has not the money for more and can only pass.
    """

    value: int = 1
    owner: int | None = None
    offered: int | None = None
    by: int | None = None
    beavered: bool = False
    drop: bool = False


def may_double(cube: Cube, seat: int) -> bool:
    """Whether ``seat``, on roll, may double as far as the cube goes."""
    return cube.offered is None and cube.value < LIMIT and cube.owner in (None, seat)


def may_beaver(cube: Cube) -> bool:
    """Whether the double on offer may be beavered: four times the old value must fit on the cube."""
    return cube.offered is not None and not (cube.beavered or cube.drop) and 4 * cube.value <= LIMIT


def offer(cube: Cube, seat: int, *, drop: bool = False) -> Cube:
    """``seat`` doubles."""
    return Cube(value=cube.value, owner=cube.owner, offered=2 * cube.value, by=seat, drop=drop)


def take(cube: Cube, seat: int) -> Cube:
    """``seat`` takes the offer and owns the cube."""
    return Cube(value=2 * cube.value, owner=seat)


def beaver(cube: Cube, seat: int, *, drop: bool = False) -> Cube:
    """``seat``, doubled, takes and doubles on at once; the doubler must answer."""
    doubled = Cube(value=2 * cube.value, owner=seat, offered=4 * cube.value, by=seat)
    return msgspec.structs.replace(doubled, beavered=True, drop=drop)


def accept_beaver(cube: Cube) -> Cube:
    """The doubler plays on; the cube stays with the seat that beavered."""
    return Cube(value=2 * cube.value, owner=cube.by)
