"""Questions to the lobby: accounts, sessions, tables."""

from typing import Final, TypeVar

import msgspec

from services.gateway.questions import ask
from shared.ids import is_id
from shared.ports.bus import Bus
from shared.pregame import in_language
from shared.problems import Refused
from shared.wire import lobby
from shared.wire.lobby import LobbyCommand, LobbyRequest, RefusedAnswer, TableView

T = TypeVar("T")
# Signing in costs the lobby an argon2 hash; repeats carry the same key and find the first outcome. A log-in
# that was heard twice leaves a session whose tokens nobody knows.
TIMEOUTS_MS: Final = (3_000, 4_000, 5_000)


async def ask_lobby(bus: Bus, request: LobbyRequest, answer: type[T]) -> T:
    """The lobby's answer, which must be an ``answer``; raises what the lobby refused, or ``unavailable``."""
    return await ask(
        bus,
        "lobby",
        lobby.subject_key(request.request),
        lobby.ENCODER.encode(request),
        decode=lobby.LOBBY_ANSWER.decode,
        refusal=RefusedAnswer,
        answer=answer,
        timeouts_ms=TIMEOUTS_MS if _repeatable(request) else TIMEOUTS_MS[:1],
    )


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
