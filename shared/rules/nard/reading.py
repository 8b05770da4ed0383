"""Reading plays as people and programs write them; which reading is meant depends on the position.

Merged moves (``24/13``), repetitions (``8/4*(2)``), ``bar``/``25``, ``off``/``0``, stars that are missing or
superfluous, any separators, and steps in an order in which they cannot be made are all understood.
"""

import re
from collections.abc import Callable, Iterator
from itertools import pairwise, permutations
from typing import Final, NamedTuple, TypeVar

from shared.problems import Refused
from shared.rules.nard.board import BAR, OFF
from shared.rules.nard.steps import point_text, step_text, target_of

P = TypeVar("P")

MakeStep = Callable[[P, int, int], tuple[P, bool] | str]
"""Position, source and die: the position after the step and whether it hits, or why it cannot be made."""

_POINT: Final = r"(?:bar|off|\d{1,2})"
_LINK: Final = r"\s*[/\\>→\u2013-]+\s*"
_LEG: Final = re.compile(rf"({_POINT}\*?(?:{_LINK}{_POINT}\*?)+)(?:\s*\(\s*(\d)\s*\))?\*?")
_STOP: Final = re.compile(rf"({_POINT})(\*?)")
_BETWEEN: Final = re.compile(r"[\s,;.:|+&]*")
_DICE: Final = re.compile(r"\s*[1-6]\s*[-,]?\s*[1-6]\s*:")
_ONLY_POINTS: Final = re.compile(rf"{_POINT}\*?(?:[\s,;]+{_POINT}\*?)*")
_MOST_STEPS: Final = 4
_LONGEST_TEXT: Final = 200
PASSES: Final = frozenset(
    {"", "-", "pass", "(pass)", "cannot move", "can't move", "no move", "no play", "dance", "fan"}
)


class Hop(NamedTuple):
    """Part of a play as it is written: from point to point by one die or several, with or without a star."""

    source: int
    target: int
    star: bool


class Meant(NamedTuple):
    """One step of a possible reading."""

    source: int
    die: int
    star: bool


def is_pass(text: str) -> bool:
    """Whether ``text`` says in some way that nothing is played."""
    return text.strip().lower() in PASSES


def hops(text: str) -> list[Hop]:
    """The parts of a written play in their order; raises ``Refused("unreadable_move")``."""
    if len(text) > _LONGEST_TEXT:
        raise Refused("unreadable_move", "A play has at most four steps; this text is far too long.")
    plain = text.lower()
    dice = _DICE.match(plain)
    start = dice.end() if dice else 0
    found: list[Hop] = []
    legs = list(_LEG.finditer(plain, start))
    if not legs and _ONLY_POINTS.fullmatch(plain[start:].strip()):
        stops = _stops(plain[start:])
        if len(stops) % 2:
            raise Refused("unreadable_move", "Every step needs a point to leave and a point to reach.")
        for (source, _), (target, star) in zip(stops[::2], stops[1::2], strict=True):
            found.append(_hop(source, target, star=star))
        return _bounded(found)
    for leg in legs:
        _expect_separator(plain[start : leg.start()])
        start = leg.end()
        stops = _stops(leg[1])
        after_count = leg[0].endswith("*") and bool(leg[2])
        once = [
            _hop(source, target, star=star or (after_count and i == len(stops) - 2))
            for i, ((source, _), (target, star)) in enumerate(pairwise(stops))
        ]
        found += once * int(leg[2] or 1)
    _expect_separator(plain[start:])
    if not found:
        raise Refused("unreadable_move", f"There is no step in {text!r}; write for example 24/18 13/11.")
    return _bounded(found)


def _stops(leg: str) -> list[tuple[int, bool]]:
    names = {"bar": BAR, "off": OFF}
    return [
        (names[name] if name in names else int(name), bool(star))
        for name, star in ((m[1], m[2]) for m in _STOP.finditer(leg))
    ]


def _hop(source: int, target: int, *, star: bool) -> Hop:
    if source > BAR or target > BAR:
        raise Refused("unreadable_move", f"There is no point {max(source, target)}; points are 1 to 24.")
    if source <= target:
        raise Refused(
            "unreadable_move",
            f"{point_text(source)}/{point_text(target)} does not lead forward: points count down to off.",
        )
    return Hop(source, target, star)


def _expect_separator(text: str) -> None:
    if not _BETWEEN.fullmatch(text):
        raise Refused("unreadable_move", f"{text.strip()!r} is no step; write for example 24/18 13/11.")


def _bounded(found: list[Hop]) -> list[Hop]:
    if len(found) > _MOST_STEPS:
        raise Refused("illegal_move", "A play has at most four steps.")
    return found


def _readings(written: list[Hop], dice: tuple[int, ...]) -> Iterator[tuple[Meant, ...]]:
    """Every way to make the written hops out of these dice, whatever stands on the board."""
    if not written:
        yield ()
        return
    source, target, star = written[0]
    for die in dict.fromkeys(dice):
        left = list(dice)
        left.remove(die)
        reached = target_of(source, die)
        if reached == target:
            rest = written[1:]
        elif reached > target:
            rest = [Hop(reached, target, star), *written[1:]]
        else:
            continue
        step = Meant(source, die, star and reached == target)
        for more in _readings(rest, tuple(left)):
            yield (step, *more)


class Play(NamedTuple):
    """A reading that can be played: canonical text, how far it strays from what was written."""

    strays: tuple[int, int]
    text: str


def _perform(position: P, steps: tuple[Meant, ...], make: MakeStep[P]) -> Play | str:
    """These steps in exactly this order, or why one of them cannot be made."""
    texts: list[str] = []
    strays = 0
    for source, die, star in steps:
        made = make(position, source, die)
        if isinstance(made, str):
            return made
        position, hit = made
        strays += hit != star
        texts.append(step_text(source, target_of(source, die), hit=hit))
    return Play((strays, len(steps)), " ".join(texts))


def _in_some_order(position: P, steps: tuple[Meant, ...], make: MakeStep[P]) -> Play | str:
    """These steps in the written order, or else in the nearest one in which they can be made."""
    first = _perform(position, steps, make)
    if not isinstance(first, str):
        return first
    for order in permutations(steps):
        done = _perform(position, order, make)
        if not isinstance(done, str):
            return done
    return first


def possible_plays(position: P, written: list[Hop], dice: tuple[int, ...], make: MakeStep[P]) -> list[str]:
    """The canonical texts that the written hops can mean here, the likeliest first.

    A reading whose hits agree with the written stars comes first, then the shorter one. The steps stand in
    the order in which they were written wherever they can be made so. The obligation to play is not checked.
    Raises ``Refused("illegal_move")`` if there is none, saying why.
    """
    found: list[Play] = []
    reason = ""
    for steps in _readings(written, dice):
        done = _in_some_order(position, steps, make)
        if isinstance(done, str):
            reason = reason or done
        else:
            found.append(done)
    if not found:
        shown = "-".join(map(str, dice))
        raise Refused("illegal_move", reason or f"The dice {shown} do not add up to what is written.")
    return [play.text for play in sorted(found, key=lambda play: play.strays)]
