"""The rating service on the real broker and Valkey, with the rights that we ship: killed, without Redis."""

import asyncio
import os
import random
import signal
import sys
from collections.abc import AsyncIterator, Awaitable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, cast

import msgspec
import pytest
from redis.asyncio import Redis
from typer.testing import CliRunner

from services.cli.__main__ import application
from services.rating.handlers import DURABLE, Ratings
from shared import subjects
from shared.adapters import redis_standings
from shared.adapters.nats_connection import Broker
from shared.adapters.nats_facts import NatsFacts
from shared.adapters.nats_log import NatsLog
from shared.adapters.redis_standings import RedisStandings
from shared.wire.rating import (
    ENCODER,
    RATING_ANSWER,
    GetLeaderboard,
    GetRecord,
    RatingAnswer,
    RatingRequest,
    Result,
    Snapshot,
    TakeSnapshot,
)
from tests.support.lobby import until
from tests.support.rated import FORFEIT, IVAN, JANA, chess
from tests.support.servers import NatsServer, ValkeyServer, new_valkey

DEATHS = 4
ACK_WAIT_NS = 10**9  # what a dead instance held comes again so soon, for the test's sake


async def _api(broker: Broker, what: str, body: dict[str, Any]) -> dict[str, Any]:
    answer = await broker.request(f"$JS.API.{what}", msgspec.json.encode(body), 5_000)
    return msgspec.json.decode(answer)


async def _consumer(broker: Broker) -> dict[str, Any]:
    return await _api(broker, f"CONSUMER.INFO.{subjects.GAMES}.{DURABLE}", {})


async def _ask(broker: Broker, asked: RatingRequest, sender: str) -> RatingAnswer:
    subject = subjects.command(sender, "rating", "key")
    return RATING_ANSWER.decode(await broker.request(subject, ENCODER.encode(asked), 8_000))


async def _process(nats: NatsServer, valkey: ValkeyServer, *module: str) -> asyncio.subprocess.Process:
    environment = {
        **os.environ,
        "KRONIKA_NATS_URL": nats.url,
        "KRONIKA_NATS_PASSWORD": nats.passwords["rating"],
        "KRONIKA_REDIS_URL": valkey.url,
        "KRONIKA_CZECH_WORDS": "own",
    }
    return await asyncio.create_subprocess_exec(sys.executable, "-m", *module, env=environment)


async def _store(log: NatsLog, lines: list[bytes], match: str) -> None:
    for n, line in enumerate(lines, 1):
        await log.append(match, n, line)


@pytest.mark.rule("B9")
async def test_killed_between_effect_and_acknowledgement_it_rates_once(
    own_nats_server: NatsServer, valkey_server: ValkeyServer
) -> None:
    """Two instances, five deliveries of the same end; four times whoever has it is killed."""
    async with AsyncExitStack() as stack:
        provisioner, game, lobby, rating = [
            await stack.enter_async_context(own_nats_server.broker(user))
            for user in ("provision_game", "game", "lobby", "rating")
        ]
        config = {**(await _consumer(provisioner))["config"], "ack_wait": ACK_WAIT_NS}
        what = f"CONSUMER.DURABLE.CREATE.{subjects.GAMES}.{DURABLE}"
        assert "error" not in await _api(provisioner, what, {"stream_name": subjects.GAMES, "config": config})
        rated = Ratings(NatsLog(rating, subjects.GAMES), NatsFacts(rating, subjects.RATINGS), _nowhere())
        began = await _snapshot_of(rated)
        played = chess("killed", (JANA, IVAN), began.rated, "first")
        await _store(NatsLog(game, subjects.GAMES), played.lines, played.match)
        dying = ("tests.support.dying", "services.rating")
        running = [await _process(own_nats_server, valkey_server, *dying) for _ in range(2)]
        try:
            for _ in range(DEATHS):
                tasks = {asyncio.ensure_future(process.wait()): process for process in running}
                done, others = await asyncio.wait(tasks, timeout=30, return_when=asyncio.FIRST_COMPLETED)
                for other in others:
                    other.cancel()
                dead = tasks[done.pop()]
                assert dead.returncode == -signal.SIGKILL
                running.remove(dead)
                running.append(await _process(own_nats_server, valkey_server, *dying))
            for process in running:
                process.kill()
                await process.wait()
            running = [await _process(own_nats_server, valkey_server, "services.rating") for _ in range(2)]

            async def acknowledged() -> bool:
                state = await _consumer(provisioner)
                return state["num_pending"] == 0 and state["num_ack_pending"] == 0

            await until(acknowledged, 30)
            asked = TakeSnapshot(rules="chess", terms=FORFEIT, players=(JANA, IVAN))
            answer = await _ask(lobby, asked, "lobby")
            stored = await _api(rating, f"STREAM.INFO.{subjects.RATINGS}", {})
        finally:
            for process in running:
                if process.returncode is None:
                    process.kill()
                    await process.wait()
    assert stored["state"]["messages"] == 1
    assert isinstance(answer, Snapshot)
    assert [(seat.rating, seat.games) for seat in answer.rated.seats] == [(2416, 1), (2384, 1)]


def _nowhere() -> RedisStandings:
    return RedisStandings(redis_standings.connect("unix:///nowhere"))


async def _snapshot_of(ratings: Ratings) -> Snapshot:
    asked = TakeSnapshot(rules="chess", terms=FORFEIT, players=(JANA, IVAN))
    answer = await ratings.answer("cmd.lobby.rating.t", ENCODER.encode(asked))
    snapshot = RATING_ANSWER.decode(answer)
    assert isinstance(snapshot, Snapshot)
    return snapshot


class Evening:
    """Two instances on real servers, and matches that end."""

    def __init__(
        self, games: NatsLog, instances: list[Ratings], redis: Redis, redis_url: str, nats: NatsServer
    ) -> None:
        self.players = [f"pplayer{number:03}" for number in range(6)]
        self.redis = redis
        self.redis_url = redis_url
        self.nats = nats
        self.instances = instances
        self._games = games
        self._rng = random.Random(6)
        self._finished = 0

    async def play(self, matches: int) -> None:
        """So many more finished matches, all of them counted when this returns."""
        for _ in range(matches):
            pair = self._rng.sample(self.players, 2)
            both = (pair[0], pair[1])
            asked = TakeSnapshot(rules="chess", terms=FORFEIT, players=both)
            answer = await self.ask(0, asked, "lobby")
            assert isinstance(answer, Snapshot), answer
            end = self._rng.choice(("first", "second", "draw"))
            game = chess(f"evening {self._finished}", both, answer.rated, end)
            self._finished += 1
            await _store(self._games, game.lines, game.match)
        await until(self._all_counted)

    async def lose_redis(self) -> None:
        """Everything in it is gone."""
        await cast("Awaitable[bool]", cast("Any", self.redis).flushall())

    async def _all_counted(self) -> bool:
        fold = await self.instances[0].caught_up()
        return sum(fold.tally("chess", player).matches for player in self.players) == 2 * self._finished

    async def ask(self, instance: int, asked: RatingRequest, sender: str) -> RatingAnswer:
        """The answer of one of them."""
        subject = subjects.command(sender, "rating", "key")
        return RATING_ANSWER.decode(await self.instances[instance].answer(subject, ENCODER.encode(asked)))

    async def everything(self, instance: int) -> list[RatingAnswer]:
        """The leaderboard and every player's page."""
        asked: list[RatingRequest] = [GetLeaderboard(kind="chess")]
        asked += [GetRecord(player=player, limit=100) for player in self.players]
        return [await self.ask(instance, one, "gateway") for one in asked]


@pytest.fixture
async def evening(own_nats_server: NatsServer, tmp_path: Path) -> AsyncIterator[Evening]:
    """Both instances consume; their Valkey is the test's own."""
    valkey = new_valkey(tmp_path / "valkey")
    valkey.start()
    async with AsyncExitStack() as stack:
        stack.callback(valkey.stop)
        redis = redis_standings.connect(valkey.url)
        stack.push_async_callback(redis.aclose)
        instances: list[Ratings] = []
        for _ in range(2):
            broker = await stack.enter_async_context(own_nats_server.broker("rating"))
            games = NatsLog(broker, subjects.GAMES)
            ratings = Ratings(games, NatsFacts(broker, subjects.RATINGS), RedisStandings(redis))
            consuming = await games.consume(DURABLE, ratings.on_commit)
            stack.push_async_callback(consuming.close)
            instances.append(ratings)
        game = await stack.enter_async_context(own_nats_server.broker("game"))
        yield Evening(
            NatsLog(game, subjects.GAMES), instances, redis, redis_url=valkey.url, nats=own_nats_server
        )


@pytest.mark.rule("B15")
async def test_redis_deleted_during_play_changes_no_rating_and_no_leaderboard(evening: Evening) -> None:
    await evening.play(20)
    before = await evening.everything(0)
    await evening.lose_redis()
    assert await evening.everything(1) == before
    playing = asyncio.create_task(evening.play(20))
    while not playing.done():
        await evening.lose_redis()
        await evening.everything(0)
    await playing
    after = await evening.everything(0)
    assert after != before
    await evening.lose_redis()
    assert await evening.everything(1) == after
    await evening.redis.delete("rating:board:chess")
    assert await evening.everything(0) == after


async def test_the_operator_rebuilds_what_somebody_has_spoilt(evening: Evening) -> None:
    await evening.play(10)
    before = await evening.everything(0)
    await evening.redis.zadd("rating:board:chess", {evening.players[0]: 9_999})
    assert await evening.everything(0) == before, "the log says otherwise, so it is not shown"
    history = f"rating:history:{evening.players[0]}:"
    (line,) = (await RedisStandings(evening.redis).history(evening.players[0], "", 0, 1)).rows
    await evening.redis.zrem(history, line)
    forged = line.replace(b'"finished":1', b'"finished":2')
    await evening.redis.zadd(history, {forged: msgspec.json.decode(line, type=Result).place})
    assert await evening.everything(0) != before, "a history is shown as it stands there"
    environment = {
        "KRONIKA_NATS_URL": evening.nats.url,
        "KRONIKA_REDIS_URL": evening.redis_url,
        "KRONIKA_RATING_NATS_PASSWORD": evening.nats.passwords["rating"],
    }
    runner = CliRunner()
    result = await asyncio.to_thread(
        runner.invoke, application("rebuild"), ["rebuild", "ratings"], env=environment
    )
    assert result.exit_code == 0, result.output
    assert "10 finished matches" in result.output
    assert await evening.everything(0) == before
