"""All tournaments in memory, brought up to the log: those that are not over whole, the others by a line."""

import asyncio
from typing import Final, Protocol

import structlog

from services.tournament.domain import evolve
from services.tournament.showing import summary
from services.tournament.state import Tournament
from shared.events.codec import UnreadableLog, decode_tournament
from shared.journal import Tip, follow
from shared.ports.facts import Fact
from shared.problems import Refused
from shared.wire.tournament import MOST_PER_PAGE, ListTournaments, Summary, TournamentList

BATCH: Final = 1_000
STATES: Final = ("open", "running", "ended")

_log = structlog.get_logger("tournament")


class Stored(Protocol):
    """Everything stored, in stored order (``Facts`` without its writing)."""

    async def after(self, place: int, most: int) -> list[Fact]:
        """See ``Facts.after``."""
        ...


class Board:
    """Any instance builds it from the whole log and keeps it up by what is stored next."""

    def __init__(self, stored: Stored) -> None:
        """Nothing is read yet."""
        self._stored = stored
        self._place = 0
        self._reading = asyncio.Lock()
        self._unreadable: set[str] = set()
        self._lines: dict[str, tuple[Summary, frozenset[str]]] = {}
        self.live: dict[str, Tournament] = {}

    async def catch_up(self) -> None:
        """Read what was stored since; raises ``LogUnavailable``."""
        async with self._reading:
            while True:
                batch = await self._stored.after(self._place, BATCH)
                for fact in batch:
                    self._take(fact.data)
                    self._place = fact.place
                if len(batch) < BATCH:
                    return

    def _take(self, data: bytes) -> None:
        key = ""
        try:
            entry = decode_tournament(data)
            key = entry.key
            if key in self._unreadable:
                return
            known = self.live.get(key)
            tip = Tip() if known is None else Tip(known.n, known.head, known.at_ms)
            after = evolve(known, entry, follow(tip, key, entry, data).head)
        except UnreadableLog as error:  # one damaged log must not keep the others waiting
            _log.error("a tournament cannot be read and is left alone", tournament=key, why=str(error))
            self._unreadable.add(key)
            self.live.pop(key, None)
            return
        self._lines[key] = (summary(after), frozenset(after.players))
        if after.state == "ended":
            self.live.pop(key, None)
        else:
            self.live[key] = after

    def organised_by(self, player: str) -> int:
        """How many that are not over ``player`` has opened."""
        return sum(tournament.opened.player == player for tournament in self.live.values())

    def joined_by(self, player: str, but: str) -> int:
        """In how many that are not over, beside tournament ``but``, ``player`` takes part."""
        taking = (known.players.get(player) for name, known in self.live.items() if name != but)
        return sum(known is not None and not known.withdrawn for known in taking)

    def page(self, asked: ListTournaments) -> TournamentList:
        """The tournaments that were asked for, newest first; raises ``Refused("invalid")``."""
        if not 1 <= asked.limit <= MOST_PER_PAGE:
            raise Refused("invalid", f"limit: 1 to {MOST_PER_PAGE}.")
        if asked.state not in ("", *STATES):
            raise Refused("invalid", f"state: one of {', '.join(STATES)}.")
        found: list[Summary] = []
        newest = sorted(self._lines.values(), key=lambda known: _place(known[0]), reverse=True)
        for line, players in newest:
            if asked.after and _place(line) >= asked.after:
                continue
            if asked.state not in ("", line.state) or asked.game not in ("", line.game, line.series):
                continue
            if asked.player and asked.player not in players:
                continue
            if len(found) == asked.limit:
                return TournamentList(tuple(found), _place(found[-1]))
            found.append(line)
        return TournamentList(tuple(found), "")


def _place(line: Summary) -> str:
    return f"{line.opened_at_ms:015}-{line.id}"
