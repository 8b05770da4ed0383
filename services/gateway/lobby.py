"""Questions to the lobby: accounts, sessions, tables."""

import asyncio
from typing import Final, TypeVar

import msgspec

from services.gateway.commands import SENDER
from services.gateway.problems import Limited
from shared import subjects
from shared.ids import is_id
from shared.ports.bus import Bus, NoAnswer
from shared.pregame import in_language
from shared.problems import Refused
from shared.wire import lobby
from shared.wire.lobby import LobbyCommand, LobbyRequest, RefusedAnswer, TableView

T = TypeVar("T")
# Signing in costs the lobby an argon2 hash; repeats carry the same key and find the first outcome. A log-in
# that was heard twice leaves a session whose tokens nobody knows.
TIMEOUTS_MS: Final = (3_000, 4_000, 5_000)
_PAUSE_S: Final = 0.3


async def ask_lobby(bus: Bus, request: LobbyRequest, answer: type[T]) -> T:
    """The lobby's answer, which must be an ``answer``; raises what the lobby refused, or ``unavailable``."""
    subject = subjects.command(SENDER, "lobby", lobby.subject_key(request.request))
    data = lobby.ENCODER.encode(request)
    for timeout_ms in TIMEOUTS_MS:
        try:
            got = lobby.LOBBY_ANSWER.decode(await bus.request(subject, data, timeout_ms))
        except NoAnswer:
            if not _repeatable(request):
                break
            await asyncio.sleep(_PAUSE_S)
            continue
        if isinstance(got, RefusedAnswer):
            if got.retry_after_ms:
                raise Limited(got.retry_after_ms / 1000, got.problem.detail)
            raise Refused.of(got.problem)
        if not isinstance(got, answer):
            raise TypeError(f"the lobby answered {type(got).__name__} instead of {answer.__name__}")
        return got
    raise Refused("unavailable")


def _repeatable(request: LobbyRequest) -> bool:
    """A question or a log-in may be asked again, a change under a key; a refresh, good for once, never."""
    kind: LobbyCommand = request.request
    harmless = isinstance(
        kind, lobby.GetPlayer | lobby.GetPlayers | lobby.GetTable | lobby.ListTables | lobby.LogIn
    )
    return harmless or (bool(request.key) and not isinstance(kind, lobby.Refresh))


def table_id(text: str) -> str:
    """``text`` if it can be a table's id; raises ``Refused("unknown_table")``."""
    if not is_id(text):
        raise Refused("unknown_table")
    return text


def localised(view: TableView, language: str) -> TableView:
    """The table with the message before its match in ``language``."""
    if view.pregame is None:
        return view
    return msgspec.structs.replace(view, pregame=in_language(view.pregame, language))
