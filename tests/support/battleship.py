"""Fleets for tests of battleship: any, and any other that the shots so far could not tell apart."""

from random import Random

import msgspec

from shared.rules.battleship import State
from shared.rules.battleship.board import Bar, Fleet, Ship, bars, cells_of
from shared.rules.battleship.fleets import NONCE_BYTES, fleet_of
from shared.rules.battleship.game import Told

MOST_TRIES = 400


def fleet_like(lengths: tuple[int, ...], told: Told, random: Random) -> Fleet | None:
    """A fleet that has answered the same shots alike; None if none is found soon."""
    tries = 0

    def search(left: list[int], uncovered: int, shut: int) -> list[Ship] | None:
        nonlocal tries
        tries += 1
        if tries > MOST_TRIES:
            return None
        if not left:
            return None if uncovered else []
        choices = [
            (length, bar)
            for length in (sorted(set(left)) if uncovered else (max(left),))
            for bar in bars(length)
            if _fits(bar, uncovered, hits, shut)
        ]
        random.shuffle(choices)
        for length, bar in choices:
            rest = list(left)
            rest.remove(length)
            found = search(rest, uncovered & ~bar.cells, shut | bar.around)
            if found is not None:
                return [bar.ship, *found]
        return None

    hits = cells_of(told.hits)
    left = list(lengths)
    shut = cells_of(told.misses)
    for ship in told.sunk:
        left.remove(len(ship))
        shut |= next(bar.around for bar in bars(len(ship)) if bar.ship == ship)
    found = search(left, hits, shut)
    return None if found is None else fleet_of([*found, *told.sunk])


def _fits(bar: Bar, uncovered: int, hits: int, shut: int) -> bool:
    """Whether the ship may lie there: it covers the lowest hit that has none, and is not known to be sunk.

    No hit may lie beside it that is none of its own.
    """
    lowest = uncovered & -uncovered
    return (
        not bar.cells & shut
        and bool(not uncovered or bar.cells & lowest)
        and bar.cells & hits != bar.cells
        and not bar.around & hits & ~bar.cells
    )


def rehidden(state: State, seat: int | None, random: Random) -> State:
    """A state that differs from ``state`` only in what ``seat`` (None: a spectator) may not know.

    The others' nonces are drawn anew and their fleets lie elsewhere. Their commitments stay: what they are
    made of, nobody can tell from them.
    """
    if state.result is not None or state.opened or not state.nonces[0]:
        return state
    nonces, fleets = list(state.nonces), list(state.fleets)
    for owner in (0, 1):
        if owner != seat:
            nonces[owner] = random.randbytes(NONCE_BYTES).hex()
            if fleets[owner]:
                other = fleet_like(state.lengths, state.told(owner), random)
                fleets[owner] = other or fleets[owner]
    return msgspec.structs.replace(state, nonces=(nonces[0], nonces[1]), fleets=(fleets[0], fleets[1]))
