"""What players ask for, judged, appended, shown; races are decided by the log."""

import asyncio
import hashlib
from collections.abc import Callable
from typing import Final
from weakref import WeakValueDictionary

import msgspec

from services.tournament import domain, showing
from services.tournament.board import Board
from services.tournament.domain import Join, Open, Proceed, Start, TournamentCommand, Withdraw
from services.tournament.lobby import Lobby
from services.tournament.rounds import MOST_ROUND_ROBIN
from services.tournament.state import KINDS, ROUND_ROBIN, SWISS, Tournament
from shared.catalogue import computer
from shared.events.codec import decode_tournament
from shared.events.match import Level
from shared.events.tournament import PlayerJoined, TournamentEvent, TournamentOpened
from shared.ids import derived_id, is_id, new_id
from shared.journal import Cause, Tip, Written, cause_of, follow, write
from shared.ports.log import Conflict, EventLog
from shared.problems import Refused
from shared.tokens import BOT
from shared.wire.lobby import OpenTable
from shared.wire.tournament import (
    ENCODER,
    JoinTournament,
    OpenTournament,
    StartTournament,
    TournamentRequest,
    TournamentView,
    WithdrawTournament,
)

MOST_PLAYERS: Final = 128
MOST_COMPUTERS: Final = 16
MOST_COMPUTERS_OF_BOTS: Final = 64
MOST_ORGANISED: Final = 5  # not over, of one player
MOST_JOINED: Final = 20
MOST_ROUNDS: Final = MOST_PLAYERS // 2
LONGEST_TITLE: Final = 80
BY_US: Final = "tournament"
_TRIES: Final = 20
_BACK_OFF_S: Final = 0.005  # a replica that answers reads may be behind the one that refused the append
_SEATS: Final = 2
_PLAIN: Final = OpenTable()
_NOT_THERE: Final = (
    "computer",
    "level",
    "chance",
    "stake",
    "rating_min",
    "rating_max",
    "experience_max",
    "invite",
    "link",
    "expires_in_ms",
)
"""What a wish for a table may not ask: who plays is the tournament's to say, and nobody waits there."""


class Office:
    """All that is done to tournaments, on any number of instances."""

    def __init__(self, *, log: EventLog, board: Board, lobby: Lobby, now_ms: Callable[[], int]) -> None:
        """``log`` holds the tournaments' logs."""
        self._log = log
        self._board = board
        self._lobby = lobby
        self._now_ms = now_ms
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    # ---- requests

    async def open(self, wish: OpenTournament, asked: TournamentRequest) -> TournamentView:
        """Open a tournament; with the same key again the same one."""
        player, key = asked.player, asked.key
        _check(wish, asked.scopes)
        tournament_id = derived_id("k", player, "open_tournament", key) if key else new_id("k")
        command = cause_of(asked.player, "open_tournament", asked.key, ENCODER.encode(wish))
        tournament = await self.read(tournament_id) if key else None
        if tournament is None:
            await self._board.catch_up()
            if self._board.organised_by(player) >= MOST_ORGANISED:
                raise Refused("rate_limited", f"At most {MOST_ORGANISED} that are not over.")
            table = await self._lobby.agreed(player, asked.scopes, wished(wish.table))
            if table.seats != _SEATS:
                raise Refused("invalid_options", "table.seats: two players meet at a time.")
            if table.terms.clock is None or table.terms.absence == "wait":
                raise Refused(
                    "invalid_options", "table: it needs a clock, and absence that is judged: nobody waits."
                )
            opened = TournamentOpened(
                player=player,
                title=wish.title.strip(),
                kind=wish.kind,
                rounds=wish.rounds,
                most=wish.most or _most(wish),
                table=table,
            )
            numbers = range(1, wish.computers + 1)
            joined = tuple(PlayerJoined(computer(i), bot=True, level=wish.level or 0) for i in numbers)
            tournament = await self._append(tournament_id, None, Open(opened, joined), command)
        if tournament is None:  # the same key came first on another instance
            tournament = await self.known(tournament_id)
        if tournament.commands.get(command.id) != command.hash:
            raise Refused("id_reused")
        return showing.view(tournament)

    async def get(self, tournament_id: str) -> TournamentView:
        """One tournament as it stands."""
        return showing.view(await self.known(tournament_id))

    async def change(
        self, wish: JoinTournament | WithdrawTournament | StartTournament, asked: TournamentRequest
    ) -> TournamentView:
        """Join, withdraw, start; with the same key again once."""
        command: TournamentCommand
        match wish:
            case JoinTournament():
                await self._board.catch_up()
                if self._board.joined_by(asked.player, but=wish.tournament) >= MOST_JOINED:
                    raise Refused("rate_limited", f"At most {MOST_JOINED} that are not over.")
                command = Join(asked.player)
            case WithdrawTournament():
                command = Withdraw(asked.player)
            case StartTournament():
                command = Start(asked.player)
        route = str(wish.__struct_config__.tag)
        given = cause_of(asked.player, route, asked.key, wish.tournament.encode())
        after = await self.do(wish.tournament, command, given)
        return showing.view(after)

    # ---- logs

    async def ours(self, tournament_id: str, command: TournamentCommand, name: str) -> Tournament:
        """A step of our own, under its ``name``: taken once, whichever instance comes first."""
        given = Cause(name, hashlib.sha256(ENCODER.encode(command)).hexdigest(), BY_US)
        return await self.do(tournament_id, command, given)

    async def do(self, tournament_id: str, command: TournamentCommand, given: Cause) -> Tournament:
        """Decide and append until it is stored or refused; what is repeated gets the newest state."""
        turn = self._turns.setdefault(tournament_id, asyncio.Lock())  # lives as long as somebody waits
        async with turn:
            for attempt in range(_TRIES):
                tournament = await self.known(tournament_id)
                if given.known_in(tournament.commands):
                    return tournament
                after = await self._append(tournament_id, tournament, command, given)
                if after is not None:
                    return after
                await asyncio.sleep(_BACK_OFF_S * (attempt + 1))
        raise Refused("unavailable", "Too much happens in this tournament at once.")

    async def known(self, tournament_id: str) -> Tournament:
        """The tournament as its log says; raises ``Refused("unknown_tournament")``."""
        tournament = await self.read(tournament_id) if is_id(tournament_id) else None
        if tournament is None:
            raise Refused("unknown_tournament")
        return tournament

    async def read(self, tournament_id: str) -> Tournament | None:
        """The tournament as its log says; None for an empty one."""
        tournament, tip = None, Tip()
        for stored in await self._log.read(tournament_id):
            entry = decode_tournament(stored)
            tip = follow(tip, tournament_id, entry, stored)
            tournament = domain.evolve(tournament, entry, tip.head)
        return tournament

    async def _append(
        self,
        tournament_id: str,
        tournament: Tournament | None,
        command: TournamentCommand,
        given: Cause,
    ) -> Tournament | None:
        """The tournament after ``command``; None if somebody else's entry came first. Raises ``Refused``."""
        if isinstance(command, Proceed):  # a large Swiss round takes a second
            events = await asyncio.to_thread(domain.decide, tournament, command)
        else:
            events = domain.decide(tournament, command)
        tip = Tip() if tournament is None else Tip(tournament.n, tournament.head, tournament.at_ms)
        written: Written[TournamentEvent] = write(tip, tournament_id, self._now_ms(), given, events)
        try:
            await self._log.append(tournament_id, written.entry.n, written.stored)
        except Conflict:
            return None
        return domain.evolve(tournament, written.entry, written.tip.head)


def wished(table: OpenTable) -> OpenTable:
    """The wish for a table with what a tournament adds: without a house, time and absence are judged."""
    for name in _NOT_THERE:
        if getattr(table, name) != getattr(_PLAIN, name):
            raise Refused("invalid_options", f"{name}: not at the tables of a tournament.")
    if table.house:
        return table
    return msgspec.structs.replace(
        table,
        clock="move" if table.clock is None else table.clock,
        absence="forfeit" if table.absence is None else table.absence,
    )


def _most(wish: OpenTournament) -> int:
    """How many may take part at most."""
    return MOST_ROUND_ROBIN if wish.kind == ROUND_ROBIN else MOST_PLAYERS


def _check(wish: OpenTournament, scopes: tuple[str, ...]) -> None:
    title = wish.title.strip()
    if len(title) > LONGEST_TITLE or not title.isprintable():
        raise Refused("invalid", f"title: up to {LONGEST_TITLE} characters.")
    if wish.kind not in ("", *KINDS):
        raise Refused("invalid", f"kind: one of {', '.join(KINDS)}, or none.")
    most = _most(wish)
    if wish.most and not domain.LEAST <= wish.most <= most:
        raise Refused("invalid", f"most: {domain.LEAST} to {most}, or 0 for these.")
    if not 0 <= wish.rounds <= MOST_ROUNDS or (wish.rounds and wish.kind not in ("", SWISS)):
        raise Refused("invalid", f"rounds: up to {MOST_ROUNDS}, in a Swiss tournament.")
    computers = min(wish.most or most, MOST_COMPUTERS_OF_BOTS if BOT in scopes else MOST_COMPUTERS)
    if not 0 <= wish.computers <= computers:
        raise Refused("invalid", f"computers: up to {computers} here.")
    levels = tuple(level for level in Level if level)
    if wish.level is not None and (not wish.computers or wish.level not in levels):
        raise Refused("invalid", "level: 1, 2 or 3, where computers play.")
