"""How players stand in a kind of game: what the lobby asks the rating service."""

from collections.abc import Callable, Sequence
from typing import Final, Protocol

from services.lobby.admission import Standing
from shared import subjects
from shared.ports.bus import Bus, NoAnswer
from shared.problems import Refused
from shared.recent import Recent
from shared.rules.registry import SHARING
from shared.wire import rating

REMEMBER_MS: Final = 30_000
TIMEOUT_MS: Final = 3_000
_MOST_REMEMBERED: Final = 20_000


class Standings(Protocol):
    """The players' ratings and finished games, by the rules' name of the game."""

    async def of(self, game: str, players: Sequence[str]) -> dict[str, Standing]:
        """Each of ``players``, in the kind that ``game`` belongs to.

        Raises ``Refused("unavailable")`` where that is not known: nobody is taken for a beginner.
        """
        ...


class RatingStandings:
    """``Standings`` of the rating service: from its log, caught up."""

    def __init__(self, bus: Bus) -> None:
        """``bus`` is the lobby's."""
        self._bus = bus

    async def of(self, game: str, players: Sequence[str]) -> dict[str, Standing]:
        """See ``Standings.of``."""
        found: dict[str, Standing] = {}
        kind = SHARING.get(game, game)
        for begin in range(0, len(players), rating.MOST_PLAYERS):
            some = tuple(players[begin : begin + rating.MOST_PLAYERS])
            found |= zip(some, await self._ask(kind, some), strict=True)
        return found

    async def _ask(self, kind: str, players: tuple[str, ...]) -> list[Standing]:
        asked = rating.ENCODER.encode(rating.GetStandings(kind=kind, players=players))
        try:
            data = await self._bus.request(subjects.command("lobby", "rating", kind), asked, TIMEOUT_MS)
        except NoAnswer as error:
            raise Refused("unavailable", "Ratings cannot be read right now.") from error
        answer = rating.RATING_ANSWER.decode(data)
        if isinstance(answer, rating.RefusedAnswer):
            raise Refused.of(answer.problem)
        if not isinstance(answer, rating.Standings):
            raise TypeError(f"rating answered {type(answer).__name__}")
        return [Standing(experience=p.experience, rating=p.rating, unit=p.unit) for p in answer.players]


class Remembered:
    """The same, up to half a minute old: good enough for a list, not for a seat."""

    def __init__(self, standings: Standings, now_ms: Callable[[], int]) -> None:
        """Nothing is remembered."""
        self._standings = standings
        self._now_ms = now_ms
        self._known: Recent[tuple[int, Standing]] = Recent(_MOST_REMEMBERED)

    async def of(self, game: str, players: Sequence[str]) -> dict[str, Standing]:
        """See ``Standings.of``."""
        now = self._now_ms()
        found: dict[str, Standing] = {}
        for player in players:
            known = self._known.get(f"{game} {player}")
            if known is not None and now - known[0] < REMEMBER_MS:
                found[player] = known[1]
        missing = [player for player in players if player not in found]
        if missing:
            for player, standing in (await self._standings.of(game, missing)).items():
                self._known.put(f"{game} {player}", (now, standing))
                found[player] = standing
        return found
