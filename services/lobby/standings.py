"""How players stand in a kind of game: what the lobby asks the rating service."""

from collections.abc import Callable, Sequence
from typing import Final, Protocol

from services.lobby.admission import Standing
from shared.problems import Refused
from shared.recent import Recent

REMEMBER_MS: Final = 30_000
_MOST_REMEMBERED: Final = 20_000


class Standings(Protocol):
    """The players' ratings and finished games, by the rules' name of the game."""

    async def of(self, game: str, players: Sequence[str]) -> dict[str, Standing]:
        """Each of ``players``, in the kind that ``game`` belongs to.

        Raises ``Refused("unavailable")`` where that is not known: nobody is taken for a beginner.
        """
        ...


class NoStandings:
    """Where no service knows them: tables that ask for them let nobody in."""

    async def of(self, game: str, players: Sequence[str]) -> dict[str, Standing]:
        """See ``Standings.of``."""
        raise Refused("unavailable", f"Nobody knows here how {len(players)} players stand in {game}.")


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
