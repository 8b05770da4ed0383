"""Which matches have deadlines, which one is armed, and what the answer to a claim means. Pure."""

from enum import Enum
from typing import Final

from services.clock import absence
from shared.events.match import MatchCreated
from shared.match import MatchState
from shared.match.timing import Deadline, deadline
from shared.problems import Problem

KINDS: Final = ("flag", "ready", "reveal", "next")
"""What a ``Deadline`` may be of, and so the timers that are armed for one."""


def concerns(created: MatchCreated) -> bool:
    """Whether a deadline can ever run in the match, or absence is judged; all else is never folded."""
    return created.terms.clock is not None or absence.concerns(created)


def due(state: MatchState) -> Deadline | None:
    """The deadline to be claimed next; None when nothing runs, or the flag that fell was claimed (S13)."""
    next_ = deadline(state)
    claimed = (
        next_ is not None
        and next_.kind == "flag"
        and state.flagged is not None
        and state.clocks is not None
        and state.clocks.running == state.flagged
    )
    return None if claimed else next_


def claim_id(match: str, claimed: Deadline) -> str:
    """The id of the claim: the same for the same deadline, so that a repeat counts once; moved, another."""
    return f"{match}.{claimed.kind}.{claimed.at_ms}"


class After(Enum):
    """What follows a refused claim."""

    NOTHING = "nothing"
    """There is nothing to claim (any more); whatever runs next comes with its own commit."""
    REARM = "rearm"
    """The deadline was moved; the log says where to."""
    AGAIN = "again"
    """Nobody can take it right now: the same claim again, soon."""
    LATER = "later"
    """A fault of ours: again after a while, without holding anything up."""


_SETTLED: Final = frozenset({"nothing_to_claim", "match_over"})


def after(problem: Problem) -> After:
    """What to do about a refused claim; no deadline is ever given up for a fault of ours."""
    if problem.code in _SETTLED:
        return After.NOTHING
    if problem.code == "too_early":
        return After.REARM
    return After.AGAIN if problem.code == "unavailable" else After.LATER
