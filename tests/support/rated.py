"""Finished matches for the rating service, made by the real ``decide``, and the service over memory ports."""

from dataclasses import dataclass, field

import msgspec

from services.rating.handlers import Ratings
from shared import subjects
from shared.adapters.memory_facts import MemoryFacts
from shared.adapters.memory_log import MemoryLog
from shared.adapters.memory_standings import MemoryStandings
from shared.clocks import PER_MOVE
from shared.commands import AcceptDraw, Leave, OfferDraw, Play, Ready, Resign
from shared.events.match import Seat, Terms
from shared.events.rated import Rated
from shared.wire.rating import (
    ENCODER,
    RATING_ANSWER,
    GetLeaderboard,
    GetRecord,
    Leaderboard,
    RatingAnswer,
    RatingRequest,
    Record,
    RefusedAnswer,
    Snapshot,
    TakeSnapshot,
)
from tests.support.matches import MemoryGame

JANA, IVAN, OLGA = "pjananovakova", "pivanpetrov", "polgaivanova"
FORFEIT = Terms(absence="forfeit", clock=PER_MOVE)
_OPENING = ("e4", "e5", "Nf3", "Nc6")


def chess(
    name: str, players: tuple[str, str], rated: Rated | None, end: str, terms: Terms = FORFEIT
) -> MemoryGame:
    """A game of chess that ends by ``end``: first, second (wins), left, draw, or annulled."""
    game = MemoryGame(name, terms, seats=(Seat(players[0]), Seat(players[1])), rules="chess", rated=rated)
    for seat in (0, 1):
        game.send(seat, Ready())
    for ply, move in enumerate(_OPENING[: 1 if end == "annulled" else 4]):
        game.send(ply % 2, Play(move))
    match end:
        case "first":
            game.send(1, Resign())
        case "second":
            game.send(0, Resign())
        case "left":
            game.send(1, Leave())
        case "annulled":
            game.send(1, Leave())
        case _:
            game.send(0, OfferDraw())
            game.send(1, AcceptDraw())
    assert game.over
    return game


@dataclass
class Hall:
    """One rating service over ports in memory; another one on the same ports by ``again``."""

    games: MemoryLog = field(default_factory=MemoryLog)
    facts: MemoryFacts = field(default_factory=MemoryFacts)
    projection: MemoryStandings = field(default_factory=MemoryStandings)
    halving: str = "own"

    def __post_init__(self) -> None:
        """The service on these ports."""
        self.ratings = Ratings(self.games, self.facts, self.projection, self.halving)

    def again(self) -> "Hall":
        """Another instance."""
        return Hall(self.games, self.facts, self.projection, self.halving)

    async def store(self, game: MemoryGame) -> None:
        """The match is in the log, and nobody was told."""
        for n, line in enumerate(game.lines, 1):
            await self.games.append(game.match, n, line)

    async def deliver(self, game: MemoryGame) -> None:
        """Every commit of the match is delivered."""
        for n, line in enumerate(game.lines, 1):
            await self.ratings.on_commit(game.match, n, line)

    async def finish(self, name: str, players: tuple[str, str], end: str) -> MemoryGame:
        """A rated game of chess from its snapshot to its entry."""
        game = chess(name, players, (await self.snapshot("chess", players)).rated, end)
        await self.store(game)
        await self.deliver(game)
        return game

    async def ask(self, asked: RatingRequest, sender: str) -> RatingAnswer:
        """The answer to ``sender``."""
        subject = subjects.command(sender, "rating", "key")
        return RATING_ANSWER.decode(await self.ratings.answer(subject, ENCODER.encode(asked)))

    async def snapshot(self, rules: str, players: tuple[str, str], terms: Terms = FORFEIT) -> Snapshot:
        """What a match would begin with."""
        answer = await self.ask(TakeSnapshot(rules=rules, terms=terms, players=players), "lobby")
        assert isinstance(answer, Snapshot), answer
        return answer

    async def board(self, kind: str = "chess", after: int = 0, limit: int = 50) -> Leaderboard:
        """A page of a leaderboard."""
        answer = await self.ask(GetLeaderboard(kind=kind, after=after, limit=limit), "gateway")
        assert isinstance(answer, Leaderboard), answer
        return answer

    async def record(self, player: str, **more: object) -> Record:
        """A player's page."""
        asked = msgspec.structs.replace(GetRecord(player=player), **more)
        answer = await self.ask(asked, "gateway")
        assert isinstance(answer, Record), answer
        return answer


def code(answer: RatingAnswer) -> str:
    """The code of a refusal, or a failed test."""
    assert isinstance(answer, RefusedAnswer), answer
    return answer.problem.code
