"""Stored bytes to state: every reader checks match, n and ``prev`` on the way."""

from collections.abc import Iterable

from shared.events.base import FIRST_PREV, chain_hash
from shared.events.codec import MatchCommit, UnreadableLog, decode_match
from shared.match import MatchState, evolve


class BrokenChain(UnreadableLog):
    """A commit does not follow the one before: wrong match, gap in n, wrong ``prev``, time going back."""


def step(state: MatchState | None, stored: bytes, commit: MatchCommit | None = None) -> MatchState:
    """The state after the commit with these stored bytes (``commit`` if they are decoded already).

    Raises ``BrokenChain`` if it does not follow, ``UnreadableLog`` if this reader does not know its shape.
    """
    commit = commit or decode_match(stored)
    _follows(state, commit)
    return evolve(state, commit, chain_hash(stored))


def _follows(state: MatchState | None, commit: MatchCommit) -> None:
    if state is None:
        if commit.n != 1 or commit.prev != FIRST_PREV:
            raise BrokenChain(f"{commit.match}: the log does not begin with commit 1.")
    elif commit.match != state.match:
        raise BrokenChain(f"{state.match}: commit {commit.n} belongs to {commit.match}.")
    elif commit.n != state.n + 1:
        raise BrokenChain(f"{state.match}: commit {commit.n} follows {state.n}.")
    elif commit.prev != state.head:
        raise BrokenChain(f"{state.match}: commit {commit.n} does not name commit {state.n} as its prev.")
    elif commit.at_ms < state.at_ms:
        raise BrokenChain(f"{state.match}: commit {commit.n} is older than the one before it.")


def fold(log: Iterable[bytes], state: MatchState | None = None) -> MatchState | None:
    """The state after all of ``log`` on top of ``state``; None for an empty log."""
    for stored in log:
        state = step(state, stored)
    return state
