"""Verify one match's log offline. Pure: stored bytes in, a report out."""

from collections.abc import Sequence
from typing import Any, Final

import msgspec

from services.audit import chain as chains
from services.audit.cause import caused, over, unjudged
from services.audit.chain import Chain
from services.audit.chance import Luck, revealed
from services.audit.clock import charges, computers, in_time, kicked, told, waits
from services.audit.creation import check_creation
from services.audit.due import due
from services.audit.lines import read
from services.audit.report import CANNOT_JUDGE, DIFFERS, OK, Difference, Differs, MatchReport
from services.audit.returned import leading, returned
from services.audit.tally import Tally
from shared.events.base import chain_hash
from shared.events.codec import MatchCommit
from shared.events.match import (
    TAGS,
    ClockCharged,
    DiceRolled,
    MatchCancelled,
    MatchEvent,
    MovePlayed,
    SeatKicked,
    SecretRevealed,
    TurnPassed,
)
from shared.match import MatchState, Phase
from shared.match.applying import apply, created
from shared.match.evolving import settled
from shared.rules.protocol import Chance, Partitioned

_replace: Final = msgspec.structs.replace


def verify(log: Sequence[bytes], file: str = "") -> MatchReport:
    """What ``log`` (stored commits in their order) shows; never raises for what stands in it."""
    audit = _Audit(revealed(log))
    difference = None
    try:
        for stored in log:
            audit.take(stored)
        audit.end()
    except Differs as differs:
        difference = Difference(
            match=audit.chain.match,
            n=differs.n or audit.chain.n + 1,
            field=differs.field,
            expected=differs.expected,
            found=differs.found,
            sentence=differs.sentence,
        )
    except Exception as error:  # noqa: BLE001 - a fault of ours keeps no other match from its verdict
        difference = Difference(
            match=audit.chain.match,
            n=audit.chain.n + 1,
            field="events",
            expected="a commit that can be judged",
            found=type(error).__name__,
            sentence=f"The verifier itself failed here ({error!r}): please report it with this log.",
        )
    return audit.report(file, difference)


class _Audit:
    """One match on its way from commit to commit."""

    def __init__(self, secret: bytes | None) -> None:
        self.chain = Chain()
        self.luck = Luck(secret)
        self.state: MatchState | None = None
        self.plies = 0
        self.time = Tally()
        self.cancelled = False
        self.unknown: dict[str, int] = {}
        self.missing: dict[str, None] = {}

    def take(self, stored: bytes) -> None:
        """Judge the next commit; raises ``Differs``."""
        if self.state is not None:
            over(self.state)
        line = read(stored, first=self.state is None)
        commit = line.commit
        if self.state is None:
            self._first(commit)
        else:
            self._later(self.state, commit)
        for field in line.unknown:
            self.unknown.setdefault(field, commit.n)
        self.chain.took(chain_hash(stored), commit)

    def _first(self, commit: MatchCommit) -> None:
        self.chain.match = self.chain.match or commit.match
        made = check_creation(commit.events)
        self.luck.committed(commit.match, commit.salt, made)
        self.chain.check(commit, self.luck.secret)
        chains.creator(commit.by)
        self.state = settled(created(commit.match, made), commit, "")

    def _later(self, state: MatchState, commit: MatchCommit) -> None:
        self.chain.check(commit, self.luck.secret)
        if not commit.events:
            raise Differs("events", "at least one event", [], "A commit in which nothing happened.")
        given = leading(commit.events)
        for place, event in enumerate(commit.events[:given]):
            try:
                self._compare(state, returned(state, event, commit.at_ms), event, 0)
            except Differs as differs:
                raise differs.after(place) from None
            state = self._apply(state, event)
        if given == len(commit.events):
            waits(state, commit.by, commit.at_ms)
        else:
            try:
                state = self._happened(state, _replace(commit, events=commit.events[given:]))
            except Differs as differs:
                raise differs.after(given) from None
        self.state = settled(state, commit, "")

    def _happened(self, state: MatchState, commit: MatchCommit) -> MatchState:
        """The state after ``commit``, once what outages took was given back; raises ``Differs``."""
        before, events = state, commit.events
        happened = _without_charges(events)
        self._compare(state, self._caused(state, commit), happened[0], 0)
        state = self._apply(state, happened[0])
        for place, event in enumerate(happened[1:], 1):
            self._compare(state, due(state, happened[place - 1]), event, place)
            state = self._apply(state, event)
        _complete(due(state, happened[-1]), len(happened))
        stamp_ms = commit.at_ms if commit.by == chains.CLOCK else commit.arrived_ms
        bills = charges(before, state, happened, stamp_ms)
        for place, event in enumerate(events[len(happened) :]):
            self._compare(state, bills[place] if place < len(bills) else None, event, len(happened) + place)
            state = self._apply(state, event)
        if len(happened) + len(bills) > len(events):
            _complete(bills[len(events) - len(happened)], len(events))
        return state

    def _caused(self, state: MatchState, commit: MatchCommit) -> MatchEvent:
        """The event that whoever gave the command could cause where the first one stands."""
        cause = commit.events[0]
        if commit.by == chains.CLOCK:
            return told(state, cause, commit.at_ms)
        seat = chains.actor(commit.by, computers(state))
        if isinstance(cause, SeatKicked):
            return kicked(state, seat, commit.at_ms)
        expected = self._rolled(state, seat, cause) if isinstance(cause, DiceRolled) else None
        expected = expected or caused(state, seat, cause)
        if missing := unjudged(state, cause):
            self.missing.setdefault(missing)
        in_time(state, seat, commit.events, commit.arrived_ms)
        return expected

    @staticmethod
    def _rolled(state: MatchState, seat: int, event: DiceRolled) -> MatchEvent:
        caused(state, seat, event)
        waiting = state.rules.waiting(state.position)
        fell_for = waiting.seat if isinstance(waiting, Chance) else seat
        return DiceRolled(dice=(), seat=fell_for, draw=None if state.recorded else state.draws)

    def _compare(self, state: MatchState, expected: MatchEvent | None, found: MatchEvent, place: int) -> None:
        path = f"events[{place}]"
        if type(found) is not type(expected):
            tag = None if expected is None else TAGS[type(expected)]
            what = TAGS[type(found)]
            raise Differs(
                path,
                tag,
                what,
                f"{what} does not follow here; " + (f"{tag} must." if tag else "a player must act first."),
            )
        if isinstance(found, DiceRolled) and isinstance(expected, DiceRolled):
            waiting = state.rules.waiting(state.position)
            assert isinstance(waiting, Chance)  # noqa: S101 - both ways to expect dice have looked
            self.luck.check_roll(state, waiting.draw, expected.seat, found, path)
        elif isinstance(found, SecretRevealed):
            self.luck.check_secret(state, found, path)
        elif found != expected:
            _fields(expected, found, path)

    def _apply(self, state: MatchState, event: MatchEvent) -> MatchState:
        if isinstance(event, MovePlayed | TurnPassed):
            self.plies += 1
        elif isinstance(event, MatchCancelled):
            self.cancelled = True
        self.time.count(state, event)
        after = apply(state, event)
        if isinstance(after.rules, Partitioned) and not (
            after.position is None or after.rules.whole(after.position)
        ):
            raise Differs(
                "events", "every piece once", TAGS[type(event)], "Pieces are missing, or twice there."
            )
        return after

    def end(self) -> None:
        """After the last commit; raises ``Differs`` if there was none."""
        if self.state is None:
            raise Differs("line", "match_created", None, "The log is empty.")

    def report(self, file: str, difference: Difference | None) -> MatchReport:
        """What was found."""
        state = self.state
        finished = state is not None and state.phase is Phase.OVER
        outcome = "cancelled" if self.cancelled else "played" if finished else "unfinished"
        return MatchReport(
            file=file,
            match=self.chain.match,
            ok=difference is None and not self.missing,
            status=DIFFERS if difference else CANNOT_JUDGE if self.missing else OK,
            missing=tuple(self.missing),
            outcome=outcome,
            commits=self.chain.n,
            plies=self.plies,
            draws=self.luck.draws,
            checked_draws=self.luck.checked,
            charges=self.time.charges,
            time=self.time.report(0 if state is None else state.seats),
            score=() if state is None else state.score,
            head=self.chain.head if self.chain.n else "",
            notes=tuple(self._notes(finished=finished, whole=difference is None)),
            difference=difference,
        )

    def _notes(self, *, finished: bool, whole: bool) -> list[str]:
        notes = [f"cannot judge the words: list {name} is not installed here" for name in self.missing]
        state = self.state
        if state is not None and state.recorded:
            notes.append("recorded: dice not checked")
        if state is not None and self.cancelled and any(state.strings):
            notes.append("cancelled after a string was revealed: whoever left could have known the dice")
        if self.time.returned_ms:
            notes.append(f"{self.time.returned_ms} ms given back for outages, which no match's log can show")
        if whole and not finished:
            notes.append(f"unfinished: verified up to commit {self.chain.n}; its dice cannot be checked yet")
        notes += [
            f"commit {n}: {field} is unknown to this version and was not checked"
            for field, n in self.unknown.items()
        ]
        return notes


def _without_charges(events: tuple[MatchEvent, ...]) -> tuple[MatchEvent, ...]:
    """``events`` up to what they cost, which stands at the end of a commit."""
    end = len(events)
    while end > 1 and isinstance(events[end - 1], ClockCharged):
        end -= 1
    return events[:end]


def _complete(missing: MatchEvent | None, place: int) -> None:
    """Raise ``Differs`` if anything is missing at ``place``."""
    if missing is not None:
        tag = TAGS[type(missing)]
        raise Differs(f"events[{place}]", tag, None, f"{tag} must follow by itself in the same commit.")


def _fields(expected: Any, found: Any, path: str) -> None:
    """Raise ``Differs`` for the first field in which two events of the same kind differ."""
    for field in found.__struct_fields__:
        must, stands = getattr(expected, field), getattr(found, field)
        if must != stands:
            raise Differs(
                f"{path}.{field}",
                must,
                stands,
                f"{TAGS[type(found)]} must have {field} {must!r} here, not {stands!r}.",
            )
