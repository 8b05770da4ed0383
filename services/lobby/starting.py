"""From a full table to its match: a saga, each step of which is in the table's log before the next begins.

Whoever does it again, after a crash in between or at the same time, goes on where the log stands: what was
asked for once is not asked for again, and the match's id and the command that creates it are derived from the
table. Without an answer the table stays ``starting``, and the next reader (or the sweep) tries again.
"""

from collections.abc import Awaitable, Callable
from typing import Final

import structlog

from services.lobby import domain
from services.lobby.accounts import Accounts
from services.lobby.domain import (
    Close,
    RecordMatch,
    RecordRatings,
    RecordRelease,
    RecordStakes,
    Table,
    TableCommand,
)
from services.lobby.staking import staked
from shared import subjects
from shared.ports.bus import Bus, NoAnswer
from shared.problems import Problem
from shared.wire import ledger, rating
from shared.wire.match import COMMAND_ANSWER, ENCODER, Accepted, CommandRequest

TIMEOUT_MS: Final = 3_000

Record = Callable[[Table, TableCommand, str], Awaitable[Table]]
"""Appends what a step has found out, under its name; the table as it then is, whoever was first."""

_log = structlog.get_logger("lobby")


class Starting:
    """The steps, in their order: ratings, stakes, match."""

    def __init__(self, *, bus: Bus, accounts: Accounts, record: Record, now_ms: Callable[[], int]) -> None:
        """``record`` writes to the tables' logs."""
        self._bus = bus
        self._accounts = accounts
        self._record = record
        self._now_ms = now_ms

    async def settle(self, table: Table) -> Table:
        """The table after every step that can be taken now; one that is not full stays as it is."""
        if table.owes:
            return await self._release(table)
        while table.state == "starting":
            after = await self._step(table)
            if after is None:
                break
            table = after
        return table

    async def _release(self, table: Table) -> Table:
        """The table that was given up, once nothing is held for it; as it is while the ledger is silent."""
        match = domain.match_id(table.id)
        data = await self._ask("ledger", match, ledger.ENCODER.encode(ledger.Release()), table)
        if data is None or not isinstance(ledger.LEDGER_ANSWER.decode(data), ledger.Done):
            return table
        return await self._record(table, RecordRelease(), domain.RELEASE)

    async def _step(self, table: Table) -> Table | None:
        """The table after the step that is next; None when it has to wait."""
        if domain.wants_ratings(table):
            return await self._take_ratings(table)
        if domain.wants_stakes(table):
            return await self._hold_stakes(table)
        return await self._create(table)

    async def _take_ratings(self, table: Table) -> Table | None:
        """The ratings with which the match begins; a guest's match is not rated."""
        players = tuple(seat.player for seat in table.seats if seat is not None)
        if [player for player in players if (await self._accounts.view(player)).guest]:
            return await self._record(table, RecordRatings(why="guest"), domain.RATINGS)
        asked = rating.TakeSnapshot(rules=table.opened.rules, terms=table.opened.terms, players=players)
        data = await self._ask("rating", table.id, rating.ENCODER.encode(asked), table)
        if data is None:
            return None
        answer = rating.RATING_ANSWER.decode(data)
        if isinstance(answer, rating.Snapshot):
            return await self._record(table, RecordRatings(answer.rated), domain.RATINGS)
        if isinstance(answer, rating.RefusedAnswer):
            return await self._refused(table, "its ratings", answer.problem, "match_refused")
        raise TypeError(f"rating answered {type(answer).__name__}")

    async def _hold_stakes(self, table: Table) -> Table | None:
        """The stakes of both, in the escrow of the match; the ledger holds both or neither."""
        wanted = staked(table.opened)
        if wanted is None:
            return None
        asked = ledger.Hold(
            players=tuple(seat.player for seat in table.seats if seat is not None),
            base=wanted.base,
            worst=wanted.worst,
            fixed=wanted.fixed,
        )
        data = await self._ask("ledger", domain.match_id(table.id), ledger.ENCODER.encode(asked), table)
        if data is None:
            return None
        answer = ledger.LEDGER_ANSWER.decode(data)
        if isinstance(answer, ledger.Held):
            return await self._record(table, RecordStakes(answer.staked), domain.STAKES)
        if isinstance(answer, ledger.RefusedAnswer):
            return await self._refused(table, "its stakes", answer.problem, "stake_refused")
        raise TypeError(f"the ledger answered {type(answer).__name__}")

    async def _create(self, table: Table) -> Table | None:
        """The match itself. Where it is refused for good, nothing stays held."""
        match = domain.match_id(table.id)
        request = CommandRequest(
            id=domain.CREATE, command=domain.create_match(table), arrived_ms=self._now_ms()
        )
        data = await self._ask("game", match, ENCODER.encode(request), table)
        if data is None:
            return None
        answer = COMMAND_ANSWER.decode(data)
        if isinstance(answer, Accepted):
            return await self._record(table, RecordMatch(), domain.CREATE)
        if table.staked is not None and not answer.problem.retryable:
            released = await self._ask("ledger", match, ledger.ENCODER.encode(ledger.Release()), table)
            if released is None or not isinstance(ledger.LEDGER_ANSWER.decode(released), ledger.Done):
                return None
        return await self._refused(table, "its match", answer.problem, "match_refused")

    async def _ask(self, service: str, key: str, data: bytes, table: Table) -> bytes | None:
        try:
            return await self._bus.request(subjects.command("lobby", service, key), data, TIMEOUT_MS)
        except NoAnswer as error:
            _log.warning("a full table waits", table=table.id, waits_for=service, why=str(error))
            return None

    async def _refused(self, table: Table, what: str, problem: Problem, cause: str) -> Table | None:
        """Later again, if that can help; otherwise the table comes to nothing."""
        _log.error("refused", table=table.id, what=what, code=problem.code, why=problem.detail)
        if problem.retryable:
            return None
        return await self._record(table, Close(cause), domain.CREATE)
