"""Twin logs: two matches with one public course that differ in what one viewer may not know.

``twin`` takes the log of a running match and gives another whole one with the same commits, times and ids.
All secrets in it that the viewer has not seen are others: cards, tiles, fleets, nonces, hidden choices,
and with them salts, hashes and the chain. Both are as possible: whatever tells them apart is a leak.
"""

import hashlib
from collections.abc import Sequence
from random import Random
from typing import Any, Final, Protocol

import msgspec

from shared.events.base import FIRST_PREV, chain_hash
from shared.events.codec import MatchCommit, decode_match, encode
from shared.events.match import MatchEvent
from shared.match import MatchState, Phase
from shared.match.applying import created
from shared.match.evolving import happen, settled
from tests.support.twins.battleship import Fleets
from tests.support.twins.prsi import Cards
from tests.support.twins.scrabble import Tiles


class Retold(Protocol):
    """How the secrets of one game are changed. First it sees the whole course, then it tells it again."""

    def see(self, before: Any, event: MatchEvent, after: Any) -> None:
        """``event`` led the rules from one state to the next."""
        ...

    def change(self, random: Random) -> None:
        """The course has been seen: choose other secrets."""
        ...

    def tell(self, before: Any, event: MatchEvent) -> MatchEvent:
        """``event`` as it was with the other secrets, where the first course had come to ``before``."""
        ...


_RETOLD: Final[dict[str, type[Any]]] = {"battleship": Fleets, "prsi": Cards, "scrabble": Tiles}

GAMES: Final = tuple(_RETOLD)
"""The games with secrets."""

Step = tuple[Any, MatchEvent, Any]


def steps(commits: Sequence[MatchCommit]) -> list[list[Step]]:
    """By commit its events, each with the rules' state before and after it."""
    found: list[list[Step]] = []
    state: MatchState | None = None
    for commit in commits:
        told: list[Step] = []
        for event in commit.events:
            before = state
            state = created(commit.match, event) if state is None else happen(state, event, commit.n)  # pyright: ignore[reportArgumentType] - the first event is always match_created
            told.append((None if before is None else before.position, event, state.position))
        assert state is not None
        assert state.phase is not Phase.OVER, "after the end nothing is secret"
        state = settled(state, commit, "")
        found.append(told)
    return found


def twin(lines: Sequence[bytes], viewer: int | None, random: Random) -> list[bytes]:
    """The log of a running match, told again with other secrets for ``viewer`` (None: a spectator)."""
    commits = [decode_match(line) for line in lines]
    course = steps(commits)
    game = commits[0].events[0].rules  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType, reportUnknownVariableType] - the first event is always match_created
    retold: Retold = _RETOLD[game](viewer)
    for step in (step for told in course for step in told):
        retold.see(*step)
    retold.change(random)
    made: list[bytes] = []
    for commit, told in zip(commits, course, strict=True):
        events = tuple(retold.tell(before, event) for before, event, _ in told)
        hidden = {} if events == commit.events else {"command_hash": random.randbytes(32).hex()}
        prev = chain_hash(made[-1]) if made else FIRST_PREV
        other = msgspec.structs.replace(commit, events=events, salt=random.randbytes(16).hex(), prev=prev)
        made.append(encode(msgspec.structs.replace(other, **hidden)))
    return made


def moved(lines: Sequence[bytes], match: str) -> list[bytes]:
    """The same log as that of another match."""
    made: list[bytes] = []
    for line in lines:
        prev = chain_hash(made[-1]) if made else FIRST_PREV
        made.append(encode(msgspec.structs.replace(decode_match(line), match=match, prev=prev)))
    return made


def twin_id(match: str) -> str:
    """Another id, as long."""
    return "m" + hashlib.sha256(f"twin of {match}".encode()).hexdigest()[: len(match) - 1]


def unsealed(state: MatchState, sent: bytes) -> bytes:
    """``sent`` without the commitments of ``state``.

    They differ in twins, and tell nothing to who does not have the 32 bytes that are sealed with the fleet.
    """
    for sealed in getattr(state.position, "commitments", ()):
        if sealed:
            sent = sent.replace(sealed.encode(), b"sealed")
    return sent
