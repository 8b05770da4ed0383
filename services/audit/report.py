"""What the verifier says: one report for each match, one for all of them."""

import re
from typing import Any, Final

import msgspec

OK: Final = "ok"
DIFFERS: Final = "differs"
CANNOT_JUDGE: Final = "cannot judge"
_PLACE: Final = re.compile(r"^events\[(\d+)\]")


class Differs(Exception):  # noqa: N818 - the auditor's word: what stands there differs from what must
    """Raised at the first thing in a commit that is not as it must be; ``n`` 0 means the commit at hand."""

    def __init__(self, field: str, expected: Any, found: Any, sentence: str, n: int = 0) -> None:
        """``field`` is a path within the commit, for example ``events[1].dice``."""
        super().__init__(sentence)
        self.field = field
        self.expected = expected
        self.found = found
        self.sentence = sentence
        self.n = n

    def after(self, places: int) -> "Differs":
        """The same, found in a commit whose first ``places`` events were looked at apart."""
        field = _PLACE.sub(lambda found: f"events[{int(found[1]) + places}]", self.field)
        return Differs(field, self.expected, self.found, self.sentence, self.n)


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """The first difference of a match: in commit ``n`` (counted by lines), at ``field``, as plain data."""

    match: str
    n: int
    field: str
    expected: Any
    found: Any
    sentence: str


class TimeReport(msgspec.Struct, frozen=True, kw_only=True):
    """What time did in a match; every sum is of events that were recomputed. By seat, but for two.

    ``charged_ms`` is what the clocks were charged, ``asked`` how often more time was asked for and given,
    ``flags`` how often a clock stood at 0:00, ``thrown_out`` what followed, ``ghost_turns`` the moves and
    passes that a ghost made for an absent player. ``agreed`` is how often the players added time to both
    clocks, ``returned_ms`` what outages took and was given back.
    """

    charged_ms: tuple[int, ...]
    asked: tuple[int, ...]
    agreed: int
    flags: tuple[int, ...]
    thrown_out: tuple[int, ...]
    ghost_turns: tuple[int, ...]
    returned_ms: int


class MatchReport(msgspec.Struct, frozen=True, kw_only=True):
    """What one log shows. ``status`` is ``ok``, ``differs``, or ``cannot judge``.

    The last accuses nobody: all was found in order but the words, which could not be judged because the
    lists that are ``missing`` are not here. ``ok`` is true for the first only.

    ``outcome`` is ``played``, ``cancelled`` or ``unfinished``, as far as it got.

    ``commits`` counts those that were found in order; ``plies`` moves and forced passes; ``draws`` the
    draws that the log records and ``checked_draws`` those that were recomputed from the secret; ``charges``
    how often a clock was charged, every time recomputed, and ``time`` what came of it. ``head`` is the hash
    of the newest commit: compare it with one that was published, for a log alone cannot show that its end was
    cut off.
    """

    file: str
    match: str
    ok: bool
    status: str
    outcome: str
    commits: int
    plies: int
    draws: int
    checked_draws: int
    charges: int
    time: TimeReport
    score: tuple[int, ...]
    head: str
    missing: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    difference: Difference | None = None


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that was verified in one go; ``took_ms`` is how long it took.

    ``unjudged`` counts the matches whose words could not be judged, and in which nothing differs.
    """

    ok: bool
    matches: tuple[MatchReport, ...]
    commits: int
    plies: int
    draws: int
    charges: int
    cancelled: int
    unfinished: int
    unjudged: int
    took_ms: int


def total(matches: tuple[MatchReport, ...], took_ms: int) -> Report:
    """The report on all of ``matches``."""
    return Report(
        ok=all(m.ok for m in matches),
        matches=matches,
        commits=sum(m.commits for m in matches),
        plies=sum(m.plies for m in matches),
        draws=sum(m.draws for m in matches),
        charges=sum(m.charges for m in matches),
        cancelled=sum(m.outcome == "cancelled" for m in matches),
        unfinished=sum(m.outcome == "unfinished" for m in matches),
        unjudged=sum(m.status == CANNOT_JUDGE for m in matches),
        took_ms=took_ms,
    )
