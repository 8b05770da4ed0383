"""What every commit must be whatever it says: numbered, chained, dated, salted, given by somebody."""

import re
from typing import Final

from services.audit.report import Differs
from shared.events.base import COMMIT_VERSION, FIRST_PREV, By, salt
from shared.events.codec import MatchCommit
from shared.ids import is_command_id, is_id

STAMP_WINDOW_MS: Final = 500
"""A command counts as arrived at most this long before it was decided (DESIGN §5)."""

LOBBY: Final = "lobby"
GHOST: Final = "ghost"
CLOCK: Final = By(service="clock")
"""The clock service acts for no seat."""

_HASH: Final = re.compile(r"[0-9a-f]{64}")
_SALT: Final = re.compile(r"[0-9a-f]{32}")


def is_hash(text: str) -> bool:
    """Whether ``text`` is 32 bytes in lower-case hex."""
    return _HASH.fullmatch(text) is not None


class Chain:
    """Checks one commit after the other; ``n`` and ``head`` are of the newest that was in order."""

    def __init__(self) -> None:
        """Before commit 1."""
        self.match = ""
        self.n = 0
        self.head = FIRST_PREV
        self._at_ms = 0
        self._given: set[tuple[int | None, str | None, int | None, str]] = set()

    def check(self, commit: MatchCommit, secret: bytes | None) -> None:
        """Raise ``Differs`` unless ``commit`` follows; its salt is recomputed where ``secret`` is known."""
        if commit.v != COMMIT_VERSION:
            raise Differs("v", COMMIT_VERSION, commit.v, "This version of a commit is unknown.")
        self._place(commit)
        self._time(commit)
        self._command(commit)
        expected = None if secret is None else salt(secret, commit.match, commit.n)
        if expected is not None and commit.salt != expected:
            raise Differs("salt", expected, commit.salt, "The salt does not come from the revealed secret.")
        if not _SALT.fullmatch(commit.salt):
            raise Differs("salt", "16 bytes in hex", commit.salt, "The salt has not the form of one.")

    def took(self, head: str, commit: MatchCommit) -> None:
        """The commit whose bytes have the hash ``head`` was in order."""
        self.match, self.n, self.head, self._at_ms = commit.match, commit.n, head, commit.at_ms

    def _place(self, commit: MatchCommit) -> None:
        if self.n and commit.match != self.match:
            raise Differs("match", self.match, commit.match, "The commit belongs to another match.")
        if not is_id(commit.match):
            raise Differs("match", "an id", commit.match, "The match has an impossible id.")
        if commit.n != self.n + 1:
            raise Differs(
                "n", self.n + 1, commit.n, f"Commit {self.n + 1} is missing: {commit.n} stands in its place."
            )
        if commit.prev != self.head:
            raise Differs(
                "prev",
                self.head,
                commit.prev,
                f"Commit {commit.n} was written after another commit {self.n} than the one that stands here."
                if self.n
                else "The first commit has no predecessor.",
            )

    def _time(self, commit: MatchCommit) -> None:
        if commit.at_ms < self._at_ms:
            raise Differs("at_ms", f"at least {self._at_ms}", commit.at_ms, "Time goes back.")
        if not commit.at_ms - STAMP_WINDOW_MS <= commit.arrived_ms <= commit.at_ms:
            raise Differs(
                "arrived_ms",
                f"{commit.at_ms - STAMP_WINDOW_MS} to {commit.at_ms}",
                commit.arrived_ms,
                f"A command counts as arrived at most {STAMP_WINDOW_MS} ms before it is decided.",
            )

    def _command(self, commit: MatchCommit) -> None:
        if not is_command_id(commit.command):
            raise Differs("command", "a command's id", commit.command, "The command has an impossible id.")
        if not is_hash(commit.command_hash):
            raise Differs(
                "command_hash", "32 bytes in hex", commit.command_hash, "The hash has not the form of one."
            )
        by = commit.by
        given = (by.seat, by.service, by.for_seat, commit.command)
        if given in self._given:
            raise Differs(
                "command", "a new id", commit.command, "The same command of the same seat acted twice."
            )
        self._given.add(given)


def creator(by: By) -> None:
    """Raise ``Differs`` unless the lobby, and nobody else, gave the command of commit 1."""
    if by != By(service=LOBBY):
        raise Differs("by", LOBBY, name(by), "Only the lobby creates matches.")


def actor(by: By, computers: tuple[bool, ...]) -> int:
    """The seat that gave a later command: the computer's seats are the ghost's, all others their players'."""
    seat = by.seat if by.service is None else by.for_seat
    if seat is None or not 0 <= seat < len(computers):
        raise Differs("by", f"one of {len(computers)} seats", name(by), "No seat gave this command.")
    expected = By(service=GHOST, for_seat=seat) if computers[seat] else By(seat=seat)
    if by != expected:
        who = "the computer" if computers[seat] else "its player"
        raise Differs("by", name(expected), name(by), f"Only {who} gives commands for seat {seat}.")
    return seat


def name(by: By) -> str:
    """``by`` in words."""
    if by.service is None and by.for_seat is None:
        return f"seat {by.seat}"
    own = "" if by.seat is None else f" (seat {by.seat})"
    return f"{by.service}{own}" if by.for_seat is None else f"{by.service}{own} for seat {by.for_seat}"
