"""A player of battleship that shoots where a ship is likeliest; it sees what its seat sees (boardgames §7).

Every place where one of the ships still afloat can lie, by all that the shots have shown, counts for its
cells: if anything is hit, only places through hits, the more hits the better. Of the cells that count nearly
most one is taken by a hash that only this seat can compute, so that nobody can hide from it beforehand.
"""

import hashlib
from collections import Counter
from typing import Any, Final

from services.ghost.players.protocol import Seen
from shared.rules.battleship.board import CELLS, Bar, around, bars, cells_of

_NEARLY: Final = 0.9
"""Cells that count so much of the most are as good."""

_FOR_A_HIT: Final = 16
"""How many times more a place counts for each hit that it explains."""


class BattleshipPlayer:
    """``Player`` by counting places."""

    def move(self, seen: Seen) -> str:
        """A fleet of those that are suggested; later the cell to shoot at."""
        board = seen.view.board or {}
        good = seen.legal if seen.view.suggested else _likeliest(board, 1 - seen.seat, seen.legal)
        return _any_of(good, seen)


class AnyCell:
    """``Player`` that shoots at random, but where nobody can know beforehand, as ``Seeded`` would let him."""

    def move(self, seen: Seen) -> str:
        """A fleet of those that are suggested; later any cell."""
        return _any_of(seen.legal, seen)


def _any_of(moves: tuple[str, ...], seen: Seen) -> str:
    """One of ``moves``, by decision and the seat's nonce, which nobody else sees."""
    nonce = ((seen.view.board or {}).get("nonces") or ["", ""])[seen.seat] or ""
    digest = hashlib.sha256(f"{nonce}.{seen.view.decision}".encode()).digest()
    return moves[int.from_bytes(digest[:8], "big") % len(moves)]


def _likeliest(board: dict[str, Any], owner: int, cells: tuple[str, ...]) -> tuple[str, ...]:
    """Those of ``cells`` that count nearly most on the board of ``owner``."""
    counts = _counts(board, owner)
    most = max(counts[CELLS[cell]] for cell in cells)
    return tuple(cell for cell in cells if counts[CELLS[cell]] >= _NEARLY * most)


def _counts(board: dict[str, Any], owner: int) -> Counter[int]:
    """By cell how much the places of ships through it count."""
    sunk = [[CELLS[cell] for cell in ship] for ship in board["sunk"][owner]]
    hits = cells_of(CELLS[cell] for cell in board["hits"][owner])
    shut = cells_of(CELLS[cell] for cell in board["misses"][owner])
    for ship in sunk:
        shut |= around(ship)
    fleet: list[int] = board["fleet"]
    afloat = Counter(fleet)
    afloat.subtract(len(ship) for ship in sunk)
    counts: Counter[int] = Counter()
    for length, number in afloat.items():
        for bar in bars(length) if number > 0 else ():
            if _possible(bar, hits, shut):
                explained = (bar.cells & hits).bit_count()
                if explained or not hits:
                    for cell in bar.ship:
                        counts[cell] += number * _FOR_A_HIT**explained
    return counts


def _possible(bar: Bar, hits: int, shut: int) -> bool:
    """Whether a ship afloat can lie there: not all hit, and beside no hit that would be another's."""
    return not bar.cells & shut and bar.cells & hits != bar.cells and not bar.around & hits & ~bar.cells
