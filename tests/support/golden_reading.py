"""What stands in the golden logs: the match after any of their commits, and everything that happened."""

from shared.events.codec import decode_match
from shared.events.match import MatchEvent
from shared.fold import fold
from shared.match import MatchState, evolve
from tests.support import golden


def folded(name: str, commits: int | None = None) -> MatchState:
    """The match of a log (``folder/name``) after so many commits (all of them)."""
    state = fold(golden.stored(name)[:commits])
    assert state is not None
    return state


def told(name: str) -> list[tuple[MatchState, MatchEvent]]:
    """Every event after the first commit, with the state before its commit."""
    found: list[tuple[MatchState, MatchEvent]] = []
    state: MatchState | None = None
    for stored in golden.stored(name):
        commit = decode_match(stored)
        if state is not None:
            found += [(state, event) for event in commit.events]
        state = evolve(state, commit)
    return found


def events(name: str) -> list[MatchEvent]:
    """Every event after the first commit."""
    return [event for _, event in told(name)]
