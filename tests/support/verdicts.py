"""What absence, a throw-out and Next come to, written from the houses' text and from nothing else.

Backgammon rules §7 ("Disconnect and ghost") and §6 (throwing out), HOUSE_RULES S5, S7, S8, S13, S18, N13.
Nothing here knows how the product decides; the tests compare.
"""

from collections.abc import Collection
from typing import Final, NamedTuple

NEXT_MS: Final = 120_000
"""So long both have for Next; exactly so much is still in time (rules §7)."""
CLAIMED_MS: Final = 600
"""So long after it a deadline is judged (DESIGN §5: W + 100 ms)."""

GOES_ON: Final = "goes on"
CANCELLED: Final = "cancelled"
NOBODY: Final[tuple[int, ...]] = ()
BOTH: Final = (0, 1)
WHO: Final[tuple[tuple[int, ...], ...]] = (NOBODY, (0,), (1,), BOTH)
"""Which of two players: neither, one, the other, both."""


class End(NamedTuple):
    """How a game ended. ``target`` None is a single game; ``score`` is that before it.

    ``points`` is its worth with the cube. ``computer`` are the seats that a ghost or the computer played when
    it ended, ``taken_over`` those that one ever played in it.
    """

    target: int | None
    score: tuple[int, int]
    winner: int
    points: int
    computer: Collection[int] = NOBODY
    taken_over: Collection[int] = NOBODY


class Verdict(NamedTuple):
    """Whether the game counts, the score after it, and what follows when the two minutes for Next are over.

    ``follows`` is ``GOES_ON``, ``CANCELLED`` (stakes go back) or the seat that has won the match; ``asks``
    says whether there is a Next at all.
    """

    counts: bool
    score: tuple[int, int]
    asks: bool
    follows: str | int


def verdict(end: End, pressed: Collection[int] = BOTH) -> Verdict:
    """What ``end`` comes to if ``pressed`` press Next in time."""
    if end.target is None:
        return _single(end)
    counts = end.winner not in end.computer  # a game won by the ghost counts no points (S8, S13)
    score = _added(end) if counts else end.score
    if max(score) >= end.target:
        return Verdict(counts, score, asks=False, follows=end.winner)  # no Next any more
    if len(pressed) == len(BOTH):
        return Verdict(counts, score, asks=True, follows=GOES_ON)
    # One who lets the two minutes pass loses the match; where both do it is cancelled (S5).
    return Verdict(counts, score, asks=True, follows=next(iter(pressed), CANCELLED))


def _single(end: End) -> Verdict:
    # Where his side wins after a takeover, stakes are returned; otherwise the result counts (S18).
    if end.winner in end.taken_over:
        return Verdict(counts=False, score=end.score, asks=False, follows=CANCELLED)
    return Verdict(counts=True, score=_added(end), asks=False, follows=end.winner)


def _added(end: End) -> tuple[int, int]:
    one, other = end.score
    return (one + end.points, other) if end.winner == 0 else (one, other + end.points)
