"""Our own outages as arithmetic: what of a stretch of time was ours, and what a match is given back. Pure."""

from typing import Final

import msgspec

from services.game.draft import Draft
from shared.events.match import TimeReturned
from shared.match.timing import counts_from

GAP_MS: Final = 3_000
"""Beats, or signs of life of gateways, further apart are an outage; a shorter one is the players' risk."""

REASON: Final = "outage"
"""What ``time_returned`` says; a planned restart is the players' loss no more than a crash."""


class Outage(msgspec.Struct, frozen=True, array_like=True, order=True):
    """Moves could not be accepted from ``from_ms`` to ``to_ms``."""

    from_ms: int
    to_ms: int

    def within(self, since_ms: int, until_ms: int) -> int:
        """How much of since … until fell into it, in ms."""
        return max(0, min(self.to_ms, until_ms) - max(self.from_ms, since_ms))


class Outages(msgspec.Struct, frozen=True):
    """The known outages, oldest first; no two of them overlap.

    ``heard_ms`` is when a gateway was last heard; None: none ever was, and nobody measures whether one is.
    """

    known: tuple[Outage, ...] = ()
    heard_ms: int | None = None

    def over_by(self, at_ms: int) -> bool:
        """Whether all of them were over at ``at_ms``: so it is with almost every move, and costs one look."""
        return not self.known or self.known[-1].to_ms <= at_ms

    def overlap(self, since_ms: int, until_ms: int) -> int:
        """How much of since … until moves could not be accepted, in ms."""
        return sum(outage.within(since_ms, until_ms) for outage in self.known)

    def counted(self, arrived_ms: int) -> int:
        """When a command counts as arrived that came at ``arrived_ms``: during an outage, at its end."""
        if self.over_by(arrived_ms):
            return arrived_ms
        for outage in self.known:
            if outage.from_ms < arrived_ms < outage.to_ms:
                return outage.to_ms
        return arrived_ms

    def open(self, now_ms: int) -> bool:
        """Whether an outage runs that ends with the next sign of life of a gateway."""
        return self.heard_ms is not None and now_ms - self.heard_ms > GAP_MS

    def proven_ms(self, now_ms: int) -> int:
        """Up to when moves could be sent, as far as is known at ``now_ms``."""
        return now_ms if self.heard_ms is None else min(self.heard_ms, now_ms)


NONE: Final = Outages()


def joined(known: tuple[Outage, ...], from_ms: int, to_ms: int) -> tuple[Outage, ...]:
    """``known`` and what lasted from … to, if that was long enough; what overlaps it becomes one with it."""
    if to_ms - from_ms <= GAP_MS:
        return known
    one = [outage for outage in known if outage.from_ms < to_ms and from_ms < outage.to_ms]
    whole = Outage(min([from_ms, *(o.from_ms for o in one)]), max([to_ms, *(o.to_ms for o in one)]))
    return tuple(sorted([*(outage for outage in known if outage not in one), whole]))


def heard(
    known: tuple[Outage, ...], heard_ms: int, knocks: tuple[int, ...]
) -> tuple[tuple[Outage, ...], int]:
    """What is known, and when a gateway was last heard, after these signs of life, oldest first.

    An outage that was over within ``GAP_MS`` of a sign of life may have been given back: it stays as it is,
    and the silence counts from its end. Later ones are part of the silence; nobody was given anything back
    meanwhile (``services.game.waiting``).
    """
    for at_ms in knocks:
        if at_ms > heard_ms:
            over = (outage.to_ms for outage in known if outage.to_ms <= heard_ms + GAP_MS)
            known = joined(known, max([heard_ms, *over]), at_ms)
            heard_ms = at_ms
    return known, heard_ms


def give_back(draft: Draft, outages: Outages, now_ms: int) -> None:
    """The time that outages took from what runs in the match goes back to it, before anything is judged."""
    since_ms = counts_from(draft.state)
    if since_ms is None or outages.over_by(since_ms):
        return
    for outage in outages.known:
        taken_ms = outage.within(since_ms, now_ms)
        if taken_ms > 0:
            draft.add(TimeReturned(ms=taken_ms, from_ms=outage.from_ms, to_ms=outage.to_ms, reason=REASON))
