"""Tournament and lobby on ports in memory, where all may die at any append, with games that just end."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import msgspec

from services.tournament.board import Board
from services.tournament.handlers import Tournaments
from services.tournament.lobby import Lobby as AskLobby
from services.tournament.office import Office
from services.tournament.state import Tournament
from shared import subjects
from shared.adapters.memory_bus import MemoryBus
from shared.adapters.memory_log import MemoryLog
from shared.commands import CreateMatch
from shared.events.base import FIRST_PREV, By, Commit, chain_hash
from shared.events.codec import encode
from shared.events.match import MatchCreated, MatchEnded, MatchEvent
from shared.ports.facts import Fact
from shared.ports.log import Conflict, EventLog, Following
from shared.tokens import BOT, PLAY
from shared.wire.lobby import OpenTable
from shared.wire.match import COMMAND_REQUEST, ENCODER, Accepted
from shared.wire.tournament import ENCODER as ASKING
from shared.wire.tournament import (
    TOURNAMENT_ANSWER,
    OpenTournament,
    RefusedAnswer,
    Request,
    StartTournament,
    TournamentAnswer,
    TournamentRequest,
    TournamentView,
    subject_key,
)
from tests.support.ledgers import Fate, MortalLog
from tests.support.lobby import Clock, Lobby, Stores

ORGANISER: Final = "porganiser"
MOST_STEPS: Final = 2_000


class Tail:
    """All entries of a log in memory, in stored order."""

    def __init__(self, log: MemoryLog) -> None:
        self._log = log

    async def after(self, place: int, most: int) -> list[Fact]:
        """See ``Facts.after``."""
        entries = self._log.entries[place : place + most]
        return [Fact(place + i, data) for i, (_, _, data) in enumerate(entries, 1)]


class QuickGame:
    """Creates matches, and ends them as the test says: nobody plays."""

    def __init__(self, log: EventLog) -> None:
        self.log = log

    async def answer(self, subject: str, data: bytes) -> bytes:
        """As game answers the lobby."""
        _, match = subjects.sender_and_key(subject)
        command = COMMAND_REQUEST.decode(data).command
        assert isinstance(command, CreateMatch)
        created = msgspec.convert(
            {**msgspec.to_builtins(command), "type": "match_created", "secret_hash": "0" * 64}, MatchCreated
        )
        await self._store(match, 1, (created,), FIRST_PREV)
        return ENCODER.encode(Accepted(1))

    async def ends(self, match: str, *events: MatchEvent) -> None:
        """The match's last commit."""
        first = await self.log.get(match, 1)
        assert first is not None, f"{match} does not exist"
        await self._store(match, 2, events, chain_hash(first))

    async def _store(self, match: str, n: int, events: tuple[MatchEvent, ...], prev: str) -> None:
        commit = Commit[MatchEvent](
            match=match,
            n=n,
            at_ms=n,
            arrived_ms=n,
            command=f"c{n}",
            command_hash="",
            by=By(service="tests"),
            salt="",
            prev=prev,
            events=events,
        )
        try:
            await self.log.append(match, n, encode(commit))
        except Conflict:
            assert n == 2, "a match is created twice, differently"


@dataclass
class Instance:
    """One process of the tournament service."""

    tournaments: Tournaments
    office: Office
    board: Board


def instance(log: EventLog, matches: EventLog, board: Board, bus: MemoryBus, clock: Clock) -> Instance:
    """One more, which knows nothing yet."""
    lobby = AskLobby(bus)
    office = Office(log=log, board=board, lobby=lobby, now_ms=clock.now_ms)
    return Instance(Tournaments(matches=matches, board=board, office=office, lobby=lobby), office, board)


class TournamentHouse:
    """The logs outlive every instance; ``reborn`` makes new instances of all services."""

    def __init__(self) -> None:
        self.fate = Fate()
        self.log, self.tables, self.matches = (MortalLog(self.fate) for _ in range(3))
        self.stores = Stores(tables=self.tables)
        self.clock = Clock()
        self.bus = MemoryBus()
        self.game = QuickGame(self.matches)
        self.serving: list[Following] = []

    async def reborn(self) -> "TournamentHouse":
        """Every service starts anew."""
        for serving in self.serving:
            await serving.close()
        lobby = Lobby(self.stores, self.bus, self.clock)
        self.lobby = lobby
        self.serving = [
            await self.bus.serve(subjects.commands("game"), "game", self.game.answer),
            await self.bus.serve(subjects.commands("lobby"), "lobby", lobby.handlers.answer),
        ]
        self.one = self.another()
        return self

    def another(self) -> Instance:
        """One more instance of the service."""
        return instance(self.log, self.matches, Board(Tail(self.log)), self.bus, self.clock)

    async def ask(
        self,
        request: Request,
        player: str = ORGANISER,
        *,
        key: str = "",
        scopes: tuple[str, ...] = (PLAY, BOT),
        sender: str = "gateway",
    ) -> TournamentAnswer:
        """The answer to ``request``."""
        asked = TournamentRequest(request=request, player=player, scopes=scopes, key=key)
        subject = subjects.command(sender, "tournament", subject_key(request))
        return TOURNAMENT_ANSWER.decode(await self.one.tournaments.answer(subject, ASKING.encode(asked)))

    async def begun(self, ghosts: int, kind: str = "", **more: object) -> TournamentView:
        """A tournament of our computers, started; asked again, the same."""
        wish = OpenTournament(
            table=OpenTable(game="gomoku3d"), kind=kind, computers=ghosts, most=max(ghosts, 2)
        )
        wish = msgspec.structs.replace(wish, **more)
        opened = view(await self.ask(wish, key="open"))
        return view(await self.ask(StartTournament(opened.id), key="start"))

    async def tournament(self, tournament: str) -> Tournament:
        """As its log says."""
        return await self.one.office.known(tournament)

    async def delivered(self, instance: Instance | None = None) -> None:
        """Every commit of every match, from the first, as a durable consumer that lost its place."""
        for entry in list(self.matches.entries):
            await (instance or self.one).tournaments.on_commit(*entry)

    async def end_running(self, tournament: Tournament, choose: Callable[[str], int | None]) -> None:
        """Every match that is played ends; ``choose`` names the seat that wins it."""
        for round_ in (await self.view(tournament.id)).rounds:
            for meeting in round_.meetings:
                match = meeting.games[-1].match
                if not meeting.decided and await self.matches.get(match, 1) is not None:
                    winner = choose(match)
                    score = (0, 0) if winner is None else (1 - winner, winner)
                    await self.game.ends(match, MatchEnded(winner=winner, score=score, cause="played"))

    async def view(self, tournament: str) -> TournamentView:
        """What readers see."""
        return await self.one.office.get(tournament)

    async def to_the_end(self, tournament: str, choose: Callable[[str], int | None]) -> Tournament:
        """All rounds."""
        for _ in range(MOST_STEPS):
            await self.one.tournaments.work()
            state = await self.tournament(tournament)
            if state.state == "ended":
                return state
            await self.end_running(state, choose)
            await self.delivered()
        raise AssertionError("the tournament does not end")


def view(answer: TournamentAnswer) -> TournamentView:
    """The answer as a tournament, or a failed test."""
    assert isinstance(answer, TournamentView), answer
    return answer


def code(answer: TournamentAnswer) -> str:
    """The code of a refusal, or a failed test."""
    assert isinstance(answer, RefusedAnswer), answer
    return answer.problem.code


def by_name(match: str) -> int:
    """Who wins this match: any seat, always the same."""
    return sum(match.encode()) % 2


async def settled() -> None:
    """Whatever was left running by a process that died comes to its end."""
    others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    await asyncio.gather(*others, return_exceptions=True)
