"""Staked matches on the real broker, with the real rights, while ledger processes are killed."""

import asyncio
import random
import secrets
from collections import Counter
from collections.abc import AsyncGenerator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field

import msgspec
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from services.game.cover import LedgerCovers
from services.game.handlers import Game
from shared import subjects
from shared.adapters.nats_bucket import NatsBucket
from shared.adapters.nats_connection import Broker
from shared.adapters.nats_log import NatsLog
from shared.commands import (
    AcceptBeaver,
    AcceptResignation,
    Beaver,
    Double,
    Leave,
    Next,
    Pass,
    Play,
    PlayerCommand,
    Ready,
    Roll,
    Take,
)
from shared.events.codec import decode_match
from shared.events.match import GameEnded, MatchEnded
from shared.fold import fold
from shared.match import MatchState, Phase, demands
from shared.ports.bus import NoAnswer
from shared.service import Now
from shared.wire.lobby import GetTable, JoinTable, OpenTable, RefusedAnswer, Register, Session, TableView
from shared.wire.match import COMMAND_ANSWER, ENCODER, Accepted, CommandRequest
from tests.support.books import settled
from tests.support.ledgers import START, books_of, ledger_environment, nothing_waits
from tests.support.lobby import PASSWORD, Clock, Lobby, real_lobby, session, unique_nickname
from tests.support.running import Program, program
from tests.support.servers import NatsServer

FEE = 25
AT_ONCE = 4
_ANSWERS: dict[str, PlayerCommand] = {
    "ready": Ready(),
    "next": Next(),
    "roll": Roll(),
    "double": Double(),
    "take": Take(),
    "pass": Pass(),
    "beaver": Beaver(),
    "accept_beaver": AcceptBeaver(),
    "accept_resignation": AcceptResignation(),
}


class Mortals:
    """Two ledger processes; ``strike`` kills one, and another takes its place."""

    def __init__(self, server: NatsServer) -> None:
        self._server = server
        self._running: list[tuple[Program, AsyncExitStack]] = []
        self.killed = 0

    async def start(self) -> None:
        stack = AsyncExitStack()
        environment = ledger_environment(self._server, FEE)
        running = await stack.enter_async_context(program("-m", "services.ledger", **environment))
        await running.says('"ready"')
        self._running.append((running, stack))

    async def strike(self) -> None:
        running, stack = self._running.pop(0)
        running.process.kill()
        await running.process.wait()
        await stack.aclose()
        self.killed += 1
        await self.start()

    async def close(self) -> None:
        for _running, stack in self._running:
            await stack.aclose()


@dataclass
class Evening:
    """A lobby and a game service of this process, and people who play at random."""

    lobby: Lobby
    gateway: Broker
    games: NatsLog
    chance: random.Random
    won: Counter[str] = field(default_factory=Counter[str])
    said: Counter[str] = field(default_factory=Counter[str])
    commands: int = 0

    async def match(self, players: list[Session]) -> None:
        """Two of them sit down, play, and one may leave at any time."""
        one, two = self.chance.sample(players, 2)
        opened = await self._table(self._wish(), one)
        if opened is None:
            return
        joined = await self._joined(opened, two)
        if joined is None:
            return
        if joined.state != "match":
            self.said[joined.cause] += 1
            return
        state = await self._state(joined.match)
        leaves_at = self.chance.randrange(2, 120)
        while state.phase is not Phase.OVER:
            leaves = state.n >= leaves_at
            demand = demands(state)[0]
            await self._gives(state, demand.seat, Leave() if leaves else self._answer(state, demand.seat))
            state = await self._state(joined.match)
        await self._count(joined.match, state)

    def _wish(self) -> OpenTable:
        stake = self.chance.randint(1, 30)
        if self.chance.random() < 0.3:
            return OpenTable(game="backgammon", target=2, stake=5 * stake)
        return OpenTable(
            game="backgammon", beaver=True, stake=stake, gammons=self.chance.random() < 0.7, jacoby=False
        )

    async def _table(self, wish: OpenTable, who: Session) -> TableView | None:
        while True:
            answer = await self.lobby.ask(wish, who)
            if isinstance(answer, TableView):
                return answer
            if self._is_for_good(answer):
                return None

    async def _joined(self, opened: TableView, who: Session) -> TableView | None:
        while True:
            answer = await self.lobby.ask(JoinTable(opened.id), who)
            while isinstance(answer, TableView) and answer.state == "starting":
                answer = await self.lobby.ask(GetTable(opened.id), who)
            if isinstance(answer, TableView):
                return answer
            if self._is_for_good(answer):
                return None

    def _is_for_good(self, answer: object) -> bool:
        assert isinstance(answer, RefusedAnswer), answer
        self.said[answer.problem.code] += 1
        if answer.problem.code == "no_cover":
            return True
        assert answer.problem.code == "unavailable", answer
        return False

    def _answer(self, state: MatchState, seat: int) -> PlayerCommand:
        asked = next(demand.commands for demand in demands(state) if demand.seat == seat)
        if "play" in asked:
            return Play(self.chance.choice(state.rules.legal(state.position, seat)))
        return _ANSWERS[self.chance.choice(asked)]

    async def _gives(self, state: MatchState, seat: int, command: PlayerCommand) -> None:
        """As a client does: the same again until it is judged; who has no money passes or rolls."""
        self.commands += 1
        player = state.created.seats[seat].player
        request = CommandRequest(id=f"r{self.commands}", command=command, player=player, expected=state.n)
        subject = subjects.command("gateway", "game", state.match)
        while True:
            try:
                answer = COMMAND_ANSWER.decode(
                    await self.gateway.request(subject, ENCODER.encode(request), 5_000)
                )
            except NoAnswer:
                continue
            if isinstance(answer, Accepted):
                return
            self.said[answer.problem.code] += 1
            if answer.problem.code == "no_cover":
                other = Roll() if isinstance(command, Double) else Pass()
                request = msgspec.structs.replace(request, command=other)
            else:
                assert answer.problem.code == "unavailable", answer.problem

    async def _state(self, match: str) -> MatchState:
        state = fold(await self.games.read(match))
        assert state is not None
        return state

    async def _count(self, match: str, state: MatchState) -> None:
        """What the match's own log says that it costs."""
        events = [e for line in await self.games.read(match) for e in decode_match(line).events]
        staked = state.created.staked
        assert staked is not None
        ended = next((event for event in events if isinstance(event, MatchEnded)), None)
        if ended is None or ended.winner is None:
            self.said["back"] += 1
            return
        points = [event.points for event in events if isinstance(event, GameEnded)][-1]
        amount = staked.base if staked.fixed else staked.base * points
        fee = 2 * amount * FEE // 1_000 if staked.fixed else 0
        winner, loser = (state.created.seats[seat].player for seat in (ended.winner, 1 - ended.winner))
        self.won[winner] += amount - fee
        self.won[loser] -= amount
        self.said["paid"] += 1


@asynccontextmanager
async def evening(server: NatsServer, seed: int) -> AsyncGenerator[Evening]:
    """Everything but the ledger."""
    async with AsyncExitStack() as stack:
        users = ("lobby", "game", "gateway")
        lobby_broker, game_broker, gateway = [
            await stack.enter_async_context(server.broker(user)) for user in users
        ]
        lobby = await stack.enter_async_context(
            real_lobby(lobby_broker, Ed25519PrivateKey.generate(), Clock())
        )
        games = NatsLog(game_broker, subjects.GAMES)
        bucket = NatsBucket(game_broker, subjects.SECRETS)
        covers = LedgerCovers(game_broker)
        game = Game(games, bucket, Now(), secrets.token_bytes, covers=covers)
        await game_broker.serve(subjects.commands("game"), "game", game.answer)
        yield Evening(lobby, gateway, games, random.Random(seed))


async def _plays(server: NatsServer, matches: int, people: int, seed: int) -> Counter[str]:
    mortals = Mortals(server)
    try:
        for _ in range(2):
            await mortals.start()
        async with evening(server, seed) as played:
            players = [
                session(await played.lobby.ask(Register(nickname=unique_nickname(), password=PASSWORD)))
                for _ in range(people)
            ]
            numbers = iter(range(matches))

            async def one_after_the_other() -> None:
                for _ in numbers:
                    await played.match(players)

            async def death() -> None:
                while True:
                    wanted = played.commands + played.chance.randrange(20, 120)
                    while played.commands < wanted:  # noqa: ASYNC110 - struck at some point of play
                        await asyncio.sleep(0.01)
                    await mortals.strike()

            striking = asyncio.create_task(death())
            await asyncio.gather(*(one_after_the_other() for _ in range(AT_ONCE)))
            striking.cancel()
            await asyncio.wait((striking,))
            if not mortals.killed:
                await mortals.strike()
            await nothing_waits(server)
            async with server.broker("ledger") as ledger:
                books = await books_of(ledger)
            settled(books)
            for player in players:
                if player.player.id not in books.balances:
                    assert player.player.id not in played.won, "he has never sat down"
                    continue
                assert books.balances[player.player.id] == START + played.won[player.player.id]
            assert books.total == 0
            assert books.of("house_") == -sum(played.won.values())
            return played.said | Counter({"killed": mortals.killed, "commands": played.commands})
    finally:
        await mortals.close()


async def test_staked_matches_on_the_real_servers_conserve_every_unit(own_nats_server: NatsServer) -> None:
    said = await _plays(own_nats_server, 10, 6, 1)
    assert said["paid"] >= 3, said


@pytest.mark.nightly
async def test_three_hundred_staked_matches_on_the_real_servers_conserve_every_unit(
    own_nats_server: NatsServer, record_property: Callable[[str, object], None]
) -> None:
    said = await _plays(own_nats_server, 300, 12, 2)
    record_property("figures", f"300 staked matches: {dict(said)}")
    assert said["paid"] > 100, said
    assert min(said["killed"], said["no_cover"]) >= 5, said
