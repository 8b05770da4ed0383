"""A sensible play where the sides have passed each other: what auto-finish plays (rules §1.5)."""

from collections.abc import Callable

from shared.rules.nard.board import HOME, OFF, Board


def cost(mine: Board) -> tuple[int, int, int, int]:
    """Lower is better: most checkers off, fewest pips to bring the rest home, fewest gaps, fewest pips."""
    outside = sum((point - HOME) * count for point, count in enumerate(mine) if point > HOME)
    gaps = mine[1 : HOME + 1].count(0)
    return -mine[OFF], outside, gaps, sum(point * count for point, count in enumerate(mine))


def race_play(plays: tuple[str, ...], after: Callable[[str], Board], *, slowly: bool = False) -> str:
    """The play with the best position after it, with ``slowly`` the worst; of equal ones the first."""
    return (max if slowly else min)(plays, key=lambda play: cost(after(play)))
