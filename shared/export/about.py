"""What every file of a match tells besides the play: which match it is, who plays it, and when."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final

import msgspec

from shared.events.codec import MatchCommit
from shared.events.match import GameStarted, MatchCreated
from shared.export.form import NotExportable

SEATS: Final = 2


class About(msgspec.Struct, frozen=True, kw_only=True):
    """The match, and the event that ``created`` it. ``names`` are by seat.

    ``day`` (UTC) is when it was created, None for a recorded match, which was played at another time.
    """

    match: str
    created: MatchCreated
    names: tuple[str, ...]
    day: datetime | None


def about(created: MatchCreated, commits: Sequence[MatchCommit], names: Sequence[str]) -> About:
    """What the commits of a log, from the first on, tell; ``names`` by seat (without: ``Seat 0`` …).

    Raises ``NotExportable`` if no game was begun.
    """
    if not any(isinstance(event, GameStarted) for commit in commits for event in commit.events):
        raise NotExportable("No game of this match was begun, so there is nothing to tell.")
    made = datetime.fromtimestamp(commits[0].at_ms / 1000, UTC)
    return About(
        match=commits[0].match,
        created=created,
        names=tuple(names[seat] if seat < len(names) else f"Seat {seat}" for seat in range(SEATS)),
        day=None if created.chance == "recorded" else made,
    )
