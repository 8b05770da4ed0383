"""Single-die steps as text: ``24/18``, ``bar/20*``, ``6/off``; a play is its steps separated by blanks."""

from functools import lru_cache
from typing import Final, NamedTuple

from shared.rules.nard.board import BAR, OFF


class Step(NamedTuple):
    """One checker moved by one die, in the mover's own points; ``hit`` sends a blot to the bar."""

    source: int
    target: int
    hit: bool


def point_text(point: int) -> str:
    """How a point is written: its number, ``bar`` or ``off``."""
    return "bar" if point == BAR else "off" if point == OFF else str(point)


def step_text(source: int, target: int, *, hit: bool = False) -> str:
    """The canonical text of one step."""
    return f"{point_text(source)}/{point_text(target)}{'*' if hit else ''}"


def target_of(source: int, die: int) -> int:
    """Where ``die`` takes a checker from ``source``; beyond the last point is off."""
    return source - die if source > die else OFF


DICE: Final = range(1, 7)

# By die and source, made once: these texts are most of the work of listing plays.
PLAIN: Final = tuple(
    tuple(step_text(s, target_of(s, die)) if die and s else "" for s in range(26)) for die in range(7)
)
HITTING: Final = tuple(tuple(f"{text}*" if text else "" for text in row) for row in PLAIN)

# What a step changes, by die and source, as one number to add: four bits for each own point.
MOVED: Final = tuple(
    tuple((1 << 4 * max(s - die, OFF)) - (1 << 4 * s) for s in range(26)) for die in range(7)
)

STEPS: Final[dict[str, Step]] = {
    step_text(s, target_of(s, die), hit=hit): Step(s, target_of(s, die), hit)
    for die in DICE
    for s in range(1, 26)
    for hit in (False, True)
    if not (hit and target_of(s, die) == OFF)
}
"""Every step that any die can make, by its canonical text."""


class _Leg:
    """A checker's whole way: the points that must be written, and which of them it hits on."""

    def __init__(self, step: Step) -> None:
        self.points = [step.source, step.target]
        self.hits = [False, step.hit]

    def extend(self, step: Step) -> None:
        if self.hits[-1]:  # a hit on the way is written out, so that nobody has to guess it
            self.points.append(step.target)
            self.hits.append(step.hit)
        else:
            self.points[-1], self.hits[-1] = step.target, step.hit


@lru_cache(1 << 10)  # a move is written into every view until the next one
def compact(play: str) -> str:
    """A canonical play as people write it: ``24/13``, ``13/11(2)``, ``24/18*/13``, ``8/4*(2)``."""
    legs: list[_Leg] = []
    for step in (STEPS[text] for text in play.split(" ")):
        for leg in reversed(legs):
            if leg.points[-1] == step.source:
                leg.extend(step)
                break
        else:
            legs.append(_Leg(step))
    grouped: dict[tuple[int, ...], tuple[list[bool], int]] = {}
    for leg in legs:
        hits, count = grouped.get(tuple(leg.points), (leg.hits, 0))
        merged = [one or other for one, other in zip(hits, leg.hits, strict=True)]
        grouped[tuple(leg.points)] = merged, count + 1
    return " ".join(
        "/".join(point_text(p) + "*" * hit for p, hit in zip(points, hits, strict=True))
        + (f"({count})" if count > 1 else "")
        for points, (hits, count) in grouped.items()
    )
