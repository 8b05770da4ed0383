"""From requests to answers, from ended matches to results, from results to the next round."""

import asyncio
from typing import Final

import msgspec
import structlog

from services.tournament.board import Board
from services.tournament.domain import Expire, Proceed, Record
from services.tournament.lobby import Lobby
from services.tournament.office import Office
from services.tournament.state import HALF, Meeting, Tournament, table_of
from services.tournament.verdicts import ENDS, verdict
from shared import subjects, telemetry
from shared.events.codec import UnreadableLog
from shared.ids import is_command_id
from shared.ports.creation import created_of
from shared.ports.log import EventLog, LogUnavailable
from shared.problems import Refused, problem
from shared.recent import Recent
from shared.refusals import problem_of
from shared.tokens import PLAY
from shared.wire.tournament import (
    ENCODER,
    TOURNAMENT_REQUEST,
    GetTournament,
    ListTournaments,
    OpenTournament,
    RefusedAnswer,
    TournamentAnswer,
    TournamentRequest,
)

DURABLE: Final = "tournament"
EXPIRY_MS: Final = 7 * 24 * 3_600_000  # a tournament that nobody has started
AT_ONCE: Final = 8
_KEPT: Final = 10_000  # so many tables are remembered to have their match; a forgotten one is asked for again

_log = structlog.get_logger("tournament")


class Tournaments:
    """Any number of instances may run: each step has one name in the log, each table one id."""

    def __init__(self, *, matches: EventLog, board: Board, office: Office, lobby: Lobby) -> None:
        """``matches`` are the matches' logs."""
        self._matches = matches
        self._board = board
        self._office = office
        self._lobby = lobby
        self._seated: Recent[bool] = Recent(_KEPT)
        self._slots = asyncio.Semaphore(AT_ONCE)
        self.due = asyncio.Event()

    # ---- requests

    async def answer(self, subject: str, data: bytes) -> bytes:
        """The encoded answer to the request ``data`` on ``subject``."""
        answer = await self._answered(subject, data)
        if isinstance(answer, RefusedAnswer):
            telemetry.REFUSALS.labels(answer.problem.code).inc()
        return ENCODER.encode(answer)

    async def _answered(self, subject: str, data: bytes) -> TournamentAnswer:
        sender, key = subjects.sender_and_key(subject)
        if sender != "gateway":
            return RefusedAnswer(problem("command_not_allowed"))
        try:
            return await self._decided(TOURNAMENT_REQUEST.decode(data))
        except msgspec.MsgspecError as error:
            return RefusedAnswer(problem("malformed", str(error)))
        except Exception as error:  # noqa: BLE001 - nobody is left without an answer
            return RefusedAnswer(problem_of(error, _log, key=key))

    async def _decided(self, asked: TournamentRequest) -> TournamentAnswer:
        if asked.key and not is_command_id(asked.key):
            raise Refused("invalid", "Idempotency-Key: 1 to 64 letters, digits, and . : _ -")
        match asked.request:
            case GetTournament(tournament=tournament):
                return await self._office.get(tournament)
            case ListTournaments() as wanted:
                await self._board.catch_up()
                return self._board.page(wanted)
            case wish:
                if not asked.player:
                    raise Refused("unauthorized")
                if PLAY not in asked.scopes:
                    raise Refused("forbidden", f"That needs the scope {PLAY}.")
                if isinstance(wish, OpenTournament):
                    return await self._office.open(wish, asked)
                view = await self._office.change(wish, asked)
                self.due.set()
                return view

    # ---- matches

    async def on_commit(self, match: str, n: int, stored: bytes) -> None:
        """A match has moved on; returns when its result is recorded, if it has one for a tournament."""
        if not any(end in stored for end in ENDS):
            return
        try:
            created = await created_of(self._matches, match, n, stored)
            if not created.tournament:
                return
            log = await self._matches.read(match)
            found = verdict(log[:n])
        except UnreadableLog as error:
            # Handed back it would come again for ever; the round waits until somebody can read it.
            _log.error("unreadable log, not recorded", match=match, n=n, error=str(error))
            return
        if found is None:
            return
        await self._record(created.tournament, Record(created.table, found.points, found.cause))

    async def _record(self, tournament: str, found: Record) -> None:
        try:
            await self._office.ours(tournament, found, f"record.{found.table}")
        except Refused as refused:
            if refused.problem.retryable:
                raise LogUnavailable(str(refused)) from refused
            _log.warning("not recorded", tournament=tournament, table=found.table, code=refused.problem.code)
        self.due.set()

    # ---- rounds

    async def work(self) -> None:
        """Everything that is due now: rounds paired and seated, ends told; raises ``LogUnavailable``."""
        await self._board.catch_up()
        for tournament in tuple(self._board.live.values()):
            try:
                await self.advance(tournament)
            except Refused as refused:
                _log.warning("put off", tournament=tournament.id, code=refused.problem.code)
            except LogUnavailable:
                raise
            except Exception:  # noqa: BLE001 - what is wrong with one must not keep the others waiting
                _log.exception("a tournament cannot go on", tournament=tournament.id)
                telemetry.UNEXPECTED.inc()

    async def expire(self, now_ms: int) -> None:
        """End what has not begun within a week."""
        for tournament in tuple(self._board.live.values()):
            if tournament.state == "open" and now_ms - tournament.opened_at_ms >= EXPIRY_MS:
                try:
                    await self._office.ours(tournament.id, Expire(), "expire")
                except Refused as refused:
                    _log.info("not expired", tournament=tournament.id, code=refused.problem.code)

    async def advance(self, tournament: Tournament) -> None:
        """Pair as far as results go, then see to it that every game of the round has its table."""
        while tournament.state == "running" and tournament.round_over:
            name = f"proceed.{len(tournament.rounds)}"
            tournament = await self._office.ours(tournament.id, Proceed(), name)
        if tournament.state != "running":
            return
        waiting = [
            (meeting, game)
            for meeting, game in tournament.running()
            if not self._seated.get(table_of(tournament.id, meeting, game))
        ]
        await asyncio.gather(*(self._seat(tournament, meeting, game) for meeting, game in waiting))

    async def _seat(self, tournament: Tournament, meeting: Meeting, game: int) -> None:
        """The table of this game; one that came to nothing is no match, and its point is halved."""
        table = table_of(tournament.id, meeting, game)
        async with self._slots:
            try:
                state = await self._lobby.seated(tournament, meeting, game)
            except Refused as refused:
                _log.warning("not seated yet", table=table, code=refused.problem.code)
                return
        if state == "match":
            self._seated.put(table, True)  # noqa: FBT003 - a set of tables
        elif state == "closed":
            await self._record(tournament.id, Record(table, (HALF, HALF), "refused"))
