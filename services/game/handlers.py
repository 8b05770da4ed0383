"""From a command on the bus to a commit in the log and one answer. The only place that appends to matches."""

import asyncio
from collections.abc import Generator
from contextlib import contextmanager
from time import perf_counter
from typing import Final, Protocol

import msgspec
import structlog

from services.game import judge
from services.game.cover import Covers, NoMoney, raised
from services.game.domain import create, decide, report
from services.game.draft import NOBODY, Covered, Draft
from services.game.identities import record
from services.game.live import Live, Match, owner
from services.game.outages import NONE, Outages
from services.game.timed import Moment
from services.game.waiting import wait_for_gateway
from shared.commands import ClockCommand, CreateMatch
from shared.draws import SECRET_BYTES
from shared.events.base import FIRST_PREV, By, Commit, salt
from shared.events.codec import MatchCommit, UnreadableLog, encode
from shared.events.match import MatchEvent
from shared.ids import is_command_id, is_id
from shared.match import MatchState, Phase
from shared.match.applying import created
from shared.ports.log import Conflict, EventLog, LogUnavailable
from shared.ports.now import Now
from shared.ports.secrets import Bucket
from shared.problems import Refused, problem
from shared.service import Health
from shared.subjects import sender_and_key
from shared.telemetry import (
    APPEND_SECONDS,
    CONFLICTS,
    NOT_STORED,
    REPEATED,
    UNEXPECTED,
    command_answered,
    timed,
)
from shared.wire.match import COMMAND_REQUEST, ENCODER, Accepted, CommandAnswer, CommandRequest, RefusedAnswer

ATTEMPTS: Final = 20
"""So often a command is decided again after another instance's commit came first."""

UNSTORED: Final = "log"
"""What keeps a game service from being ready whose commits the broker does not store."""

_log = structlog.get_logger("game")


class Interruptions(Protocol):
    """What knows our own outages (``services.game.pulse``)."""

    async def fresh(self, *, by_gateway: bool = False) -> Outages:
        """All outages up to now, good until something is awaited; raises ``LogUnavailable``.

        ``by_gateway``: what is to be judged came through a gateway, so one is there.
        """
        ...


class NeverDown:
    """For a game service that nobody measures: there are no outages."""

    async def fresh(self, *, by_gateway: bool = False) -> Outages:  # noqa: ARG002 - nothing depends on it
        """See ``Interruptions.fresh``."""
        return NONE


class Randomness(Protocol):
    """Where a match's secret comes from."""

    def __call__(self, size: int, /) -> bytes:
        """``size`` unguessable bytes."""
        ...


class Game:
    """Serves commands for matches. Stateless but for what ``Live`` caches."""

    def __init__(
        self,
        log: EventLog,
        secrets: Bucket,
        now: Now,
        randomness: Randomness,
        health: Health | None = None,
        *,
        pulse: Interruptions | None = None,
        covers: Covers | None = None,
    ) -> None:
        """Serve from ``log``, keeping match secrets in ``secrets``; ``health`` learns if neither stores.

        Nothing is judged before ``pulse`` has said which outages there were, and nobody doubles or takes
        for money before ``covers`` has said that it is held.
        """
        self._log = log
        self._health = health or Health()
        self._secrets = secrets
        self._now = now
        self._randomness = randomness
        self._pulse = pulse or NeverDown()
        self._covers = covers or NoMoney()
        self._live = Live(log, secrets)

    async def answer(self, subject: str, data: bytes) -> bytes:
        """The answer to one request; whatever goes wrong, the asker learns it and nothing is half done."""
        begin = perf_counter()
        sender, match = sender_and_key(subject)
        outcome, code = "accepted", ""
        try:
            reply: CommandAnswer = await self._serve(sender, match, data)
        except Refused as refused:
            outcome, code = "refused", refused.problem.code
            reply = RefusedAnswer(refused.problem)
        except LogUnavailable as error:
            _log.warning("log unavailable", match=match, error=str(error))
            outcome, code = "failed", "unavailable"
            reply = RefusedAnswer(problem("unavailable"))
        except UnreadableLog as error:
            _log.error("unreadable log", match=match, error=str(error))
            outcome, code = "failed", "unreadable_log"
            reply = RefusedAnswer(problem("unreadable_log"))
        except Exception:  # noqa: BLE001 - an exception of ours costs nobody the game: refuse, alarm, reread
            _log.exception("command failed", match=match, sender=sender)
            self._live.forget(match)
            UNEXPECTED.inc()
            outcome, code = "failed", "internal"
            reply = RefusedAnswer(problem("internal"))
        command_answered(outcome, perf_counter() - begin, code)
        return ENCODER.encode(reply)

    async def _serve(self, sender: str, match: str, data: bytes) -> Accepted:
        try:
            request = COMMAND_REQUEST.decode(data)
        except msgspec.MsgspecError as error:
            raise Refused("malformed", str(error)) from error
        if not is_id(match):
            raise Refused("unknown_match")
        if not is_command_id(request.id):
            raise Refused("invalid", "A command's id is 1 to 64 letters, digits or _.:-")
        async with self._live.turn(match):
            if isinstance(request.command, CreateMatch):
                return await self._create(sender, match, request, request.command)
            return await self._command(sender, match, request)

    async def _create(
        self, sender: str, match: str, request: CommandRequest, command: CreateMatch
    ) -> Accepted:
        by = judge.creator(sender, command)
        hashed = judge.command_hash(request)
        taken = record(owner(by), request.id, hashed)
        # A match that exists is not judged again: what stands of it (its stakes) must not go by a refusal.
        if (known := await self._existing(match)) is not None:
            return self._repeated(known, taken) or self._already(match)
        secret = self._randomness(SECRET_BYTES)
        events = create(command, secret)
        if not request.dry_run and not await self._keep_secret(match, secret):
            kept = await self._secrets.get(match)
            if kept is None:
                raise LogUnavailable(f"the secret of match {match} is missing")
            events = create(command, kept)
            secret = kept
        if request.dry_run:
            return Accepted(1)
        made = Match(secret)
        try:
            moment = self._moment(None, request.arrived_ms)
            commit = self._commit(match, None, request, by, hashed, events, secret, moment)
            await self._append(made, created(match, events[0]), commit)
        except Conflict:
            made = await self._live.get(match)
            return self._repeated(made, taken) or self._already(match)
        self._live.keep(match, made)
        return Accepted(1)

    async def _existing(self, match: str) -> Match | None:
        try:
            return await self._live.get(match)
        except Refused:  # unknown
            return None

    @staticmethod
    def _already(match: str) -> Accepted:
        raise Refused("id_reused", f"Match {match} exists already.")

    async def _command(self, sender: str, match: str, request: CommandRequest) -> Accepted:
        made = await self._live.get(match)
        hashed = judge.command_hash(request)
        for _ in range(ATTEMPTS):
            state = _state(made)
            try:
                seat = None if sender == "clock" else judge.seat_of(state, sender, request.player)
                by = judge.by(sender, seat)
                taken = record(owner(by), request.id, hashed)
                if known := self._repeated(made, taken):
                    return known
                covered = NOBODY if seat is None else await self._covered(state, seat, request)
                # Up to the judgement nothing may be awaited any more.
                outages = await self._pulse.fresh(by_gateway=sender == "gateway")
                moment = self._moment(state, request.arrived_ms, outages)
                wait_for_gateway(sender, state, outages, moment.now_ms)
                draft = self._decided(state, seat, request, made.secret, moment, outages, covered=covered)
            except Refused as refused:
                # Memory may be behind what another instance stored: no refusal before the log was asked.
                # Who waits for a gateway is refused nothing: he asks again, and many may do so at once.
                if refused.problem.code != "unavailable" and await self._live.refresh(match, made):
                    continue
                raise _dated(refused, state) from None
            if request.dry_run:
                if await self._live.refresh(match, made):
                    continue
                return Accepted(state.n + 1)
            try:
                events = tuple(draft.events)
                commit = self._commit(match, state, request, by, hashed, events, made.secret, moment)
                await self._append(made, draft.state, commit)
            except Conflict:
                CONFLICTS.inc()
                await self._live.refresh(match, made)
                continue
            return Accepted(state.n + 1)
        raise LogUnavailable(f"match {match} is contended: {ATTEMPTS} attempts")

    async def _covered(self, state: MatchState, seat: int, request: CommandRequest) -> Covered:
        """The seats of which the ledger holds what they can lose after ``seat``'s command and its answer.

        Raises ``Refused``; a command that would be refused anyway moves no money.
        """
        cube = raised(state, seat, request.command)
        if cube is None:
            return NOBODY
        judge.timely(state, seat, request.expected)
        hold = self._covers.covered
        asked = [
            hold(state.match, taken.player, cube, dry_run=request.dry_run) for taken in state.created.seats
        ]
        held = await asyncio.gather(*asked)
        return frozenset(other for other, is_held in enumerate(held) if is_held)

    def _moment(self, state: MatchState | None, arrived_ms: int, outages: Outages = NONE) -> Moment:
        """When a command counts as arrived and is judged: never before the match's newest commit.

        What arrived during an outage counts as arrived at its end.
        """
        if state is not None:
            self._now.saw(state.at_ms)
        now_ms = self._now.now_ms()
        return Moment(outages.counted(judge.stamp(arrived_ms, now_ms)), now_ms)

    @staticmethod
    def _decided(  # noqa: PLR0917 - all that a judgement depends on
        state: MatchState,
        seat: int | None,
        request: CommandRequest,
        secret: bytes,
        moment: Moment,
        outages: Outages,
        *,
        covered: Covered,
    ) -> Draft:
        if seat is None:
            if not isinstance(request.command, ClockCommand):
                raise Refused("command_not_allowed", "The clock claims flags and reports absence.", n=state.n)
            if state.phase is Phase.OVER:
                raise Refused("match_over", n=state.n)
            return report(state, request.command, secret, moment.now_ms, outages=outages)
        judge.timely(state, seat, request.expected)
        return decide(state, seat, request.command, secret, moment, outages=outages, covered=covered)

    @staticmethod
    def _repeated(made: Match, taken: bytes) -> Accepted | None:
        found = made.identities.find(taken)
        if found is None:
            return None
        n, same = found
        if not same:
            raise Refused("id_reused", f"It stands in commit {n}.")
        REPEATED.inc()
        return Accepted(n)

    def _commit(  # noqa: PLR0917 - one argument for each thing that a commit says
        self,
        match: str,
        state: MatchState | None,
        request: CommandRequest,
        by: By,
        hashed: str,
        events: tuple[MatchEvent, ...],
        secret: bytes,
        moment: Moment,
    ) -> MatchCommit:
        n = 1 if state is None else state.n + 1
        return Commit(
            match=match,
            n=n,
            at_ms=moment.now_ms,
            arrived_ms=moment.arrived_ms,
            command=request.id,
            command_hash=hashed,
            by=by,
            salt=salt(secret, match, n),
            prev=FIRST_PREV if state is None else state.head,
            events=events,
        )

    async def _append(self, made: Match, drafted: MatchState, commit: MatchCommit) -> None:
        stored = encode(commit)
        with self._storing(), timed(APPEND_SECONDS):
            await self._log.append(commit.match, commit.n, stored)
        made.made(drafted, commit, stored)

    async def _keep_secret(self, match: str, secret: bytes) -> bool:
        with self._storing():
            return await self._secrets.create(match, secret)

    @contextmanager
    def _storing(self) -> Generator[None]:
        """Not ready while the broker stores nothing (a full disk, no leader), ready with the next success."""
        try:
            yield
        except LogUnavailable as error:
            NOT_STORED.inc()
            self._health.hinder(UNSTORED, f"nothing can be stored: {error}")
            raise
        except Conflict:
            self._health.clear(UNSTORED)
            raise
        self._health.clear(UNSTORED)


def _state(made: Match) -> MatchState:
    assert made.state is not None  # noqa: S101 - a kept match has at least its first commit
    return made.state


def _dated(refused: Refused, state: MatchState) -> Refused:
    """The refusal with the match's current n, which every refusal carries."""
    if refused.problem.n is not None:
        return refused
    return Refused.of(msgspec.structs.replace(refused.problem, n=state.n))
