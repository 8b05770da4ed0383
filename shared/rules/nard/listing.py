"""What every list of legal plays goes by: as many dice as can be played, and of two the higher (rules §1.4).

The loops that make the steps stand apart, in ``hitting``, ``pinning`` and ``parallel``, though they resemble
each other: they run on every push to the player to move, and asking in the innermost of them what kind of
step it is would cost more than the step.
"""

from collections.abc import Callable, Sequence
from itertools import chain
from typing import Final

from shared.rules.nard.board import Board
from shared.rules.nard.steps import STEPS

FirstSteps = tuple[Sequence[str], Sequence[str]]
"""The first steps after which the other die cannot be played, and those that end the game."""

InOrder = Callable[[tuple[int, int], dict[int, str]], FirstSteps]
"""For two dice in this order, and the plays found so far by what they change: adds those that it finds.

What it returns are the first steps that lead to none.
"""

NOTHING_ENDS: Final[tuple[tuple[str, ...], ...]] = ((),) * 5
"""No step ends the game, after however many."""


def of_two(high: int, low: int, in_order: InOrder) -> tuple[str, ...]:
    """The plays of two different dice: both if possible, else the higher, else the lower.

    Each step that ends the game is a whole play beside them.
    """
    pairs: dict[int, str] = {}
    alone_high, ending_high = in_order((high, low), pairs)
    alone_low, ending_low = in_order((low, high), pairs)
    if pairs:
        return (*pairs.values(), *ending_high, *ending_low)
    return (*(alone_high if alone_high or ending_high else alone_low), *ending_high, *ending_low)


def longest(
    by_length: Sequence[Sequence[str]], ending: Sequence[Sequence[str]] = NOTHING_ENDS
) -> tuple[str, ...]:
    """The plays of a double that have the most steps, and all that end the game; empty if there is no step.

    Both are given by the number of their steps, 0 … 4.
    """
    for stuck, over in zip(reversed(by_length[1:]), reversed(ending[1:]), strict=True):
        if stuck or over:
            return (*stuck, *chain.from_iterable(ending))
    return ()


def apply_steps(mine: Board, play: str) -> Board:
    """The mover's board after a canonical play; trusts it to be playable."""
    own = list(mine)
    for text in play.split(" "):
        source, target, _ = STEPS[text]
        own[source] -= 1
        own[target] += 1
    return tuple(own)
