"""Which players are here through this gateway, and what is to be said of it to all others.

A player is here while one of his sockets is open and heard. What counts is his own sockets and commands: who
only reads (a stream, a request, a token that may only watch) is not here.
"""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Final

from shared.ports.presence import Presences, PresenceUnavailable, Sign, Word

ACTED_MS: Final = 60_000
"""Who gives a command without a socket is here for so long."""

LEFT_MS: Final = 3_600_000
"""So long it is remembered who left here."""

_MOST_LEFT: Final = 20_000


class Attendance:
    """The sockets that are heard, by player, and the words about them that are not said yet."""

    def __init__(self, presences: Presences, now_ms: Callable[[], int]) -> None:
        """Nobody is here."""
        self._presences = presences
        self._now_ms = now_ms
        self._sockets: dict[str, set[Hashable]] = {}
        self._last_ms: dict[str, int] = {}  # his latest sign of life but for the sockets that are heard
        self._acted_ms: dict[str, int] = {}  # his latest command without a socket
        self._left: OrderedDict[str, int] = OrderedDict()
        self._unsaid: dict[str, Sign] = {}
        self._say_all = True
        self.on_change: Callable[[str], None] = lambda _player: None
        """Called with a player who came, or has gone."""

    def has(self, player: str) -> bool:
        """Whether he is here through us."""
        return player in self._sockets or player in self._acted_ms

    def came(self, player: str, socket: Hashable) -> None:
        """``socket`` of ``player`` is open, or is heard again after a silence."""
        sockets = self._sockets.setdefault(player, set())
        sockets.add(socket)
        if len(sockets) == 1:
            self._left.pop(player, None)
            self._acted_ms.pop(player, None)
            self._say(Sign(player, Word.HERE))

    def went(self, player: str, socket: Hashable, since_ms: int) -> None:
        """``socket`` is closed, or silent; it was heard until ``since_ms``. Only the last one counts."""
        sockets = self._sockets.get(player, set())
        if socket not in sockets:
            return
        sockets.discard(socket)
        last_ms = self._last_ms[player] = max(since_ms, self._last_ms.get(player, 0))
        if sockets:
            return
        del self._sockets[player], self._last_ms[player]
        self._away(player, last_ms)

    def acted(self, player: str) -> None:
        """He gave a command, not necessarily over a socket."""
        if player in self._sockets:
            self._last_ms[player] = self._now_ms()
            return
        known = player in self._acted_ms
        self._acted_ms[player] = self._now_ms()
        if not known:
            self._say(Sign(player, Word.ACTED))

    def tick(self) -> None:
        """Once a second: commands of long ago are no presence any more."""
        now = self._now_ms()
        for player, at_ms in [(p, ms) for p, ms in self._acted_ms.items() if now - ms >= ACTED_MS]:
            del self._acted_ms[player]
            if player in self._left:
                self._away(player, max(at_ms, self._left[player]))
            else:
                self._say(Sign(player, Word.RESTS, at_ms))

    async def say(self) -> tuple[str, ...]:
        """Renew our lease and say what is new; of whom. Raises ``PresenceUnavailable``: it all comes again.

        What was lost, or may be, is said whole: who is here, and of those who left here that they are away
        from now on, for nobody knows who could not tell that he came back elsewhere in the meantime.
        """
        if self._say_all:
            self._say_all = False
            self._unsaid = {**self._unsaid, **self._everybody()}
        signs, self._unsaid = self._unsaid, {}
        try:
            known = await self._presences.say(tuple(signs.values()))
        except PresenceUnavailable:
            self._unsaid = {**signs, **self._unsaid}
            self._say_all = True
            raise
        if not known:
            self._say_all = True
        return tuple(signs)

    def renew(self) -> None:
        """Say again who is here, before the records of it expire."""
        self._unsaid = {**self._present(), **self._unsaid}

    def _away(self, player: str, since_ms: int) -> None:
        """He has gone from here; whoever we have heard nothing of for longest is forgotten first."""
        self._left[player] = since_ms
        self._left.move_to_end(player)
        if len(self._left) > _MOST_LEFT:
            self._left.popitem(last=False)
        self._say(Sign(player, Word.AWAY, since_ms))

    def _everybody(self) -> dict[str, Sign]:
        now = self._now_ms()
        # All are looked at: a silence counts from its start, so their times are in order only nearly.
        for player in [p for p, left_ms in self._left.items() if now - left_ms >= LEFT_MS]:
            del self._left[player]
        return {**{player: Sign(player, Word.AWAY, now) for player in self._left}, **self._present()}

    def _present(self) -> dict[str, Sign]:
        return {
            **{player: Sign(player, Word.ACTED) for player in self._acted_ms},
            **{player: Sign(player, Word.HERE) for player in self._sockets},
        }

    def _say(self, sign: Sign) -> None:
        self._unsaid[sign.player] = sign
        self.on_change(sign.player)
