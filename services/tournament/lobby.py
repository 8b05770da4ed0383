"""Questions to the lobby: what a wish for a table comes to, and tables with both players seated."""

from typing import Final

import msgspec

from services.tournament.state import Meeting, Tournament, seats_of, table_of
from shared import subjects
from shared.events.match import Seat
from shared.events.table import TableOpened
from shared.ports.bus import Bus, NoAnswer
from shared.problems import Refused
from shared.wire.lobby import (
    ENCODER,
    LOBBY_ANSWER,
    Agreed,
    AgreeTerms,
    LobbyAnswer,
    LobbyRequest,
    OpenTable,
    RefusedAnswer,
    SeatPlayers,
    TableView,
    subject_key,
)

TIMEOUT_MS: Final = 3_000


class Lobby:
    """The lobby, asked over the broker."""

    def __init__(self, bus: Bus) -> None:
        """Asked over ``bus``."""
        self._bus = bus

    async def agreed(self, player: str, scopes: tuple[str, ...], wish: OpenTable) -> TableOpened:
        """The table that ``wish`` of ``player`` comes to; raises ``Refused`` as the lobby does."""
        answer = await self._ask(LobbyRequest(request=AgreeTerms(wish), player=player, scopes=scopes))
        if isinstance(answer, RefusedAnswer):
            raise Refused.of(answer.problem)
        if not isinstance(answer, Agreed):
            raise TypeError(f"the lobby answered {type(answer).__name__}")
        return answer.opened

    async def seated(self, tournament: Tournament, meeting: Meeting, game: int) -> str:
        """What has become of the table of this game: ``starting``, ``match`` or ``closed``.

        Asked for the first time it is opened, with both seated. Raises ``Refused``, ``unavailable`` too.
        """
        sitting = [tournament.players[name] for name in seats_of(meeting, game)]
        bots = any(player.bot for player in sitting)
        opened = msgspec.structs.replace(
            tournament.opened.table,
            player=sitting[0].id,
            computer=bots,
            rated=tournament.opened.table.rated and not bots,
            tournament=tournament.id,
        )
        table = table_of(tournament.id, meeting, game)
        seats = tuple(Seat(player.id, player.bot, player.level) for player in sitting)
        answer = await self._ask(LobbyRequest(request=SeatPlayers(table, opened, seats)))
        if isinstance(answer, RefusedAnswer):
            raise Refused.of(answer.problem)
        if not isinstance(answer, TableView):
            raise TypeError(f"the lobby answered {type(answer).__name__}")
        return answer.state

    async def _ask(self, request: LobbyRequest) -> LobbyAnswer:
        subject = subjects.command("tournament", "lobby", subject_key(request.request))
        try:
            return LOBBY_ANSWER.decode(await self._bus.request(subject, ENCODER.encode(request), TIMEOUT_MS))
        except NoAnswer as error:
            raise Refused("unavailable", "The lobby does not answer.") from error
