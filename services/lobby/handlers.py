"""From a request to its answer: who may ask, which part of the lobby answers, what a refusal looks like."""

from typing import Final

import msgspec
import structlog

from services.lobby.accounts import Accounts, Throttled
from services.lobby.book import Asker
from services.lobby.tables import Tables
from services.lobby.terms import agree
from shared import subjects, telemetry
from shared.ids import is_command_id
from shared.problems import Refused, problem
from shared.refusals import problem_of
from shared.tokens import PLAY
from shared.wire.lobby import (
    ENCODER,
    LOBBY_REQUEST,
    Agreed,
    AgreeTerms,
    Done,
    Forget,
    GetPlayer,
    GetPlayers,
    GetTable,
    JoinTable,
    LeaveTable,
    ListTables,
    LobbyAnswer,
    LobbyRequest,
    LogIn,
    LogOut,
    OpenTable,
    PlayerList,
    PlayerView,
    QuickPair,
    Refresh,
    RefusedAnswer,
    Register,
    Rematch,
    SeatPlayers,
    TableCommand,
    TournamentCommand,
)

MOST_PLAYERS: Final = 100
SENDERS = frozenset({"gateway", "tournament"})

_log = structlog.get_logger("lobby")


SeatCommand = OpenTable | QuickPair | Rematch | JoinTable | LeaveTable


class Handlers:
    """Answers every request exactly once, whatever happens."""

    def __init__(self, accounts: Accounts, tables: Tables) -> None:
        """Both parts of the lobby."""
        self._accounts = accounts
        self._tables = tables

    async def answer(self, subject: str, data: bytes) -> bytes:
        """The encoded answer to the request ``data`` on ``subject``."""
        answer = await self._answered(subject, data)
        if isinstance(answer, RefusedAnswer):
            telemetry.REFUSALS.labels(answer.problem.code).inc()
        return ENCODER.encode(answer)

    async def _answered(self, subject: str, data: bytes) -> LobbyAnswer:
        sender, _ = subjects.sender_and_key(subject)
        if sender not in SENDERS:
            return RefusedAnswer(problem("command_not_allowed"))
        try:
            asked = LOBBY_REQUEST.decode(data)
        except msgspec.MsgspecError as error:
            return RefusedAnswer(problem("malformed", _without_values(error)))
        if isinstance(asked.request, TournamentCommand) != (sender == "tournament"):
            return RefusedAnswer(problem("command_not_allowed"))
        try:
            return await self._decided(asked)
        except Exception as error:  # noqa: BLE001 - nobody is left without an answer
            return _refusal(error, asked)

    async def _decided(self, asked: LobbyRequest) -> LobbyAnswer:
        if asked.key and not is_command_id(asked.key):
            raise Refused("invalid", "Idempotency-Key: 1 to 64 letters, digits, and . : _ -")
        match asked.request:
            case Register() | LogIn() | Refresh() as request:
                return await self._session(request, asked)
            case LogOut(refresh_token=token):
                await self._accounts.log_out(token, asked.session)
                return Done()
            case GetPlayer() | GetPlayers() as request:
                return await self._known(request, asked)
            case AgreeTerms() | SeatPlayers() as request:
                return await self._in_tournament(request, asked)
            case Forget():
                await self._accounts.forget(_authenticated(asked))
                await self._tables.close_all_of(asked.player)
                return Done()
            case request:
                return await self._at_tables(request, asked)

    async def _known(self, request: GetPlayer | GetPlayers, asked: LobbyRequest) -> LobbyAnswer:
        if isinstance(request, GetPlayer):
            return await self._accounts.view(request.player or _authenticated(asked))
        return await self._players(request.players)

    async def _players(self, players: tuple[str, ...]) -> PlayerList:
        if len(players) > MOST_PLAYERS:
            raise Refused("invalid", f"players: at most {MOST_PLAYERS}.")
        return PlayerList(tuple([await self._seen(player) for player in players]))

    async def _seen(self, player: str) -> PlayerView:
        try:
            return await self._accounts.view(player)
        except Refused:
            return PlayerView(player, "", forgotten=True)

    async def _session(self, request: Register | LogIn | Refresh, asked: LobbyRequest) -> LobbyAnswer:
        match request:
            case Register():
                return await self._accounts.register(request, asked.key, asked.address)
            case LogIn():
                return await self._accounts.log_in(request, asked.address)
            case Refresh(refresh_token=token):
                return await self._accounts.refresh(token, asked.key)

    async def _in_tournament(self, request: TournamentCommand, asked: LobbyRequest) -> LobbyAnswer:
        match request:
            case AgreeTerms(wish=wish):
                return Agreed(agree(wish, _authenticated(asked), asked.scopes))
            case SeatPlayers():
                return await self._tables.seat(request)

    async def _at_tables(self, request: TableCommand, asked: LobbyRequest) -> LobbyAnswer:
        match request:
            case ListTables():
                return await self._tables.list(request, asked.player)
            case GetTable(table=table, token=token):
                return await self._tables.get(table, asked.player, token)
            case request:
                return await self._seated(request, _player(asked))

    async def _seated(self, request: SeatCommand, who: Asker) -> LobbyAnswer:
        match request:
            case OpenTable():
                return await self._tables.open(request, who)
            case QuickPair():
                return await self._tables.quick(request, who)
            case Rematch():
                return await self._tables.rematch(request, who)
            case JoinTable():
                return await self._tables.join(request, who)
            case LeaveTable(table=table):
                return await self._tables.leave(table, who)


def _refusal(error: Exception, asked: LobbyRequest) -> RefusedAnswer:
    """What the asker is told; what is our own fault is logged and counted."""
    if isinstance(error, Throttled):
        return RefusedAnswer(problem("rate_limited"), error.wait_ms)
    return RefusedAnswer(problem_of(error, _log, request=str(asked.request.__struct_config__.tag)))


def _authenticated(asked: LobbyRequest) -> str:
    if not asked.player:
        raise Refused("unauthorized")
    return asked.player


def _player(asked: LobbyRequest) -> Asker:
    player = _authenticated(asked)
    if PLAY not in asked.scopes:
        raise Refused("forbidden", f"That needs the scope {PLAY}.")
    return Asker(player, asked.scopes, asked.key)


def _without_values(error: msgspec.MsgspecError) -> str:
    """What is wrong and where; a wrong value itself is not repeated, it may be a password."""
    text = str(error)
    return text if len(text) < 200 and "Invalid value" not in text else "The request cannot be read."  # noqa: PLR2004 - a line
