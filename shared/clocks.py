"""Clocks as arithmetic in integer milliseconds over recorded facts. Pure: time is a number here.

Three kinds (HOUSE_RULES B3–B7, S2, S3; rules §6 of backgammon, §0.3 of the board games):

* ``move``: every decision has its own limit; once a game a player may add as much again (B4).
* ``chess``: one budget a game; only the player to decide spends (B5).
* ``credit``: the turn's own segments add up; a turn that took at most ``bonus_ms`` earns as much for the
  next, up to ``cap_ms`` (S2, S3). Answers run on the answerer's credit and earn nothing.

Used ≥ left is expired, everywhere.
"""

from typing import Final

import msgspec

from shared.events.match import ClockTerms

MINUTE_MS: Final = 60_000
EXTENSION_MS: Final = 5 * MINUTE_MS
"""What players agree to add to both clocks (B7)."""

MOVE: Final = "move"
CHESS: Final = "chess"
CREDIT: Final = "credit"
KINDS: Final = (MOVE, CHESS, CREDIT)
"""The kinds of clocks."""

PER_MOVE: Final = ClockTerms(kind=MOVE, budget_ms=2 * MINUTE_MS)
BLITZ: Final = ClockTerms(kind=CREDIT, budget_ms=30_000, bonus_ms=10_000, cap_ms=30_000)
STANDARD: Final = ClockTerms(kind=CREDIT, budget_ms=120_000, bonus_ms=20_000, cap_ms=120_000)


SHORTEST_MS: Final = 1_000
LONGEST_MS: Final = 24 * 60 * MINUTE_MS


def why_not(terms: ClockTerms) -> str:
    """Why no table may have this clock, naming the field; "" for a good one.

    That is a known kind with times of at least a second and at most a day, where it has them. Credit begins
    at no more than its cap: a bonus would take away what stands above.
    """
    if terms.kind not in KINDS:
        return f"kind: one of {', '.join(KINDS)}."
    more = {"bonus_ms": terms.bonus_ms, "cap_ms": terms.cap_ms}
    credit = terms.kind == CREDIT
    times = {"budget_ms": terms.budget_ms} | (more if credit else {})
    for name, ms in times.items():
        if not SHORTEST_MS <= ms <= LONGEST_MS:
            return f"{name}: {SHORTEST_MS} to {LONGEST_MS}."
    for name, ms in more.items():
        if ms and not credit:
            return f"{name}: only a clock of the kind {CREDIT} has it."
    return "budget_ms: at most cap_ms." if credit and terms.budget_ms > terms.cap_ms else ""


def chess_clock(minutes: int) -> ClockTerms:
    """A chess clock of so many minutes a game for each player."""
    return ClockTerms(kind=CHESS, budget_ms=minutes * MINUTE_MS)


class Clocks(msgspec.Struct, frozen=True):
    """The clocks of one game. ``left_ms`` and ``turn_ms`` (spent in the present turn) are by seat.

    ``running`` is the seat that pays since ``since_ms``, None when nobody does; ``answering`` says that it
    only answers (a double, a resignation) and earns no bonus. ``extended``: who has added time (B4).
    """

    left_ms: tuple[int, ...]
    turn_ms: tuple[int, ...]
    extended: tuple[bool, ...]
    running: int | None = None
    since_ms: int = 0
    answering: bool = False


def new(terms: ClockTerms, seats: int, extra_ms: int = 0) -> Clocks:
    """The clocks at the start of a game, with ``extra_ms`` that all agreed on before; nobody's runs."""
    return Clocks((terms.budget_ms + extra_ms,) * seats, (0,) * seats, (False,) * seats)


def used_ms(clocks: Clocks, stamp_ms: int) -> int:
    """What the running clock has spent at ``stamp_ms`` since it was started; never below 0."""
    return max(0, stamp_ms - clocks.since_ms)


def deadline_ms(clocks: Clocks) -> int | None:
    """When the running clock stands at 0:00; None when no clock runs."""
    return None if clocks.running is None else clocks.since_ms + clocks.left_ms[clocks.running]


def expired(clocks: Clocks, stamp_ms: int) -> bool:
    """Whether the running clock stands at 0:00 at ``stamp_ms``."""
    deadline = deadline_ms(clocks)
    return deadline is not None and stamp_ms >= deadline


def run(terms: ClockTerms, clocks: Clocks, seat: int, at_ms: int, *, answering: bool) -> Clocks:
    """``seat``'s clock runs from ``at_ms``; with a limit per move it starts full."""
    left = _put(clocks.left_ms, seat, terms.budget_ms) if terms.kind == MOVE else clocks.left_ms
    return msgspec.structs.replace(clocks, left_ms=left, running=seat, since_ms=at_ms, answering=answering)


def stop(clocks: Clocks, stamp_ms: int) -> Clocks:
    """The running clock is stopped at ``stamp_ms`` and charged; what is left never goes below 0."""
    seat = clocks.running
    if seat is None:
        return clocks
    used = used_ms(clocks, stamp_ms)
    left = max(0, clocks.left_ms[seat] - used)
    turn = clocks.turn_ms if clocks.answering else _put(clocks.turn_ms, seat, clocks.turn_ms[seat] + used)
    return msgspec.structs.replace(
        clocks, left_ms=_put(clocks.left_ms, seat, left), turn_ms=turn, running=None, answering=False
    )


def charged(clocks: Clocks, seat: int, left_ms: int, turn_ms: int) -> Clocks:
    """The clocks after what the log says of ``seat``: what is left, what its turn has taken, not running."""
    return msgspec.structs.replace(
        clocks,
        left_ms=_put(clocks.left_ms, seat, left_ms),
        turn_ms=_put(clocks.turn_ms, seat, turn_ms),
        running=None,
        answering=False,
    )


def turn_over(terms: ClockTerms, clocks: Clocks, seat: int, *, earns: bool = True) -> Clocks:
    """``seat``'s turn is over: a credit clock pays its bonus; the next turn begins with nothing spent.

    A turn that the computer ended for an absent player ``earns`` him nothing.
    """
    left = clocks.left_ms
    if earns and terms.kind == CREDIT and clocks.turn_ms[seat] <= terms.bonus_ms:
        left = _put(left, seat, min(terms.cap_ms, left[seat] + terms.bonus_ms))
    return msgspec.structs.replace(clocks, left_ms=left, turn_ms=_put(clocks.turn_ms, seat, 0))


def add(clocks: Clocks, seat: int, ms: int) -> Clocks:
    """``seat`` gets ``ms`` more (an extension, or time that an outage of ours took)."""
    return msgspec.structs.replace(clocks, left_ms=_put(clocks.left_ms, seat, clocks.left_ms[seat] + ms))


def shown_s(left_ms: int) -> int:
    """What is shown under the name: seconds, up to the next 10; 0 only when no time is left (B6)."""
    return -(-left_ms // 10_000) * 10


def _put(values: tuple[int, ...], seat: int, value: int) -> tuple[int, ...]:
    return (*values[:seat], value, *values[seat + 1 :])
