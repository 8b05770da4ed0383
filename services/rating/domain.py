"""What a finished match was worth to its players: from its first commit and its last. Pure."""

from typing import Final

from shared.events.base import FIRST_PREV, chain_hash
from shared.events.codec import MatchCommit, RatingEntry
from shared.events.match import GameEnded, MatchCreated, MatchEnded, MatchEvent
from shared.events.rating import MatchCounted, PlayerResult
from shared.ratings import kind_name, played, weight

BY: Final = "rating"
SIGN: Final = b'"match_ended"'
"""What every commit holds that ends a match with a result; most commits do not, and are not even decoded."""


def ending(events: tuple[MatchEvent, ...]) -> MatchEnded | None:
    """The result of the match, if these events bring it. What is annulled or cancelled has none."""
    return next((event for event in events if isinstance(event, MatchEnded)), None)


def finished(events: tuple[MatchEvent, ...]) -> int | None:
    """The number of the game that these events end: so many are finished."""
    return next((event.game for event in events if isinstance(event, GameEnded)), None)


def pool(created: MatchCreated) -> str:
    """Where the match is counted."""
    return kind_name(played(created))


def counts(created: MatchCreated) -> bool:
    """Whether the match can count for anybody: a recorded one never does, nor does one without people."""
    return created.chance != "recorded" and not all(seat.bot for seat in created.seats)


def counted(created: MatchCreated, last: MatchCommit, stored: bytes, games: int) -> RatingEntry:
    """The entry for a match whose commit ``last`` (stored as ``stored``) has brought its result.

    ``games`` of it are finished. The same match always gives the same entry, whoever makes it.
    """
    ended = ending(last.events)
    assert ended is not None  # noqa: S101 - the caller has looked
    rated = created.rated
    results = tuple(
        PlayerResult(
            player=taken.player,
            outcome="drawn" if ended.winner is None else "won" if ended.winner == seat else "lost",
            change=0 if rated is None or ended.winner is None else rated.seats[seat].changes[ended.winner],
            games=0 if rated is None else weight(rated, created.terms),
        )
        for seat, taken in enumerate(created.seats)
        if not taken.bot
    )
    return RatingEntry(
        key=f"{pool(created)}.{last.match}",
        n=1,
        at_ms=last.at_ms,
        command=f"{last.match}.{last.n}",
        command_hash=chain_hash(stored),
        by=BY,
        prev=FIRST_PREV,
        events=(
            MatchCounted(
                rules=played(created),
                finished=games,
                cause=ended.cause,
                rated=rated is not None,
                players=results,
            ),
        ),
    )
