"""Our own outages as arithmetic: what of a stretch of time was ours, and what a match is given back. Pure."""

from typing import Final

import msgspec

from services.game.draft import Draft
from shared.events.match import TimeReturned
from shared.match.timing import counts_from

REASON: Final = "outage"
"""What ``time_returned`` says; a planned restart is the players' loss no more than a crash."""


class Outage(msgspec.Struct, frozen=True, array_like=True):
    """Moves could not be accepted from ``from_ms`` to ``to_ms``."""

    from_ms: int
    to_ms: int

    def within(self, since_ms: int, until_ms: int) -> int:
        """How much of since … until fell into it, in ms."""
        return max(0, min(self.to_ms, until_ms) - max(self.from_ms, since_ms))


class Outages(msgspec.Struct, frozen=True):
    """The known outages, oldest first; no two of them overlap."""

    known: tuple[Outage, ...] = ()

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


NONE: Final = Outages()


def give_back(draft: Draft, outages: Outages, now_ms: int) -> None:
    """The time that outages took from what runs in the match goes back to it, before anything is judged."""
    since_ms = counts_from(draft.state)
    if since_ms is None or outages.over_by(since_ms):
        return
    for outage in outages.known:
        taken_ms = outage.within(since_ms, now_ms)
        if taken_ms > 0:
            draft.add(TimeReturned(ms=taken_ms, from_ms=outage.from_ms, to_ms=outage.to_ms, reason=REASON))
