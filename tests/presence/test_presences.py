"""Who is here, who is away and since when, of whom nothing is known: the same over memory and over Valkey."""

import asyncio
import itertools
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import Any

import pytest
from redis.asyncio import Redis

from shared.adapters.memory_presence import MemoryPresence, MemoryStore
from shared.adapters.redis_client import connect
from shared.adapters.redis_presence import AT_ONCE, RedisPresence
from shared.ids import new_id
from shared.ports.presence import LEASE_MS, Presences, PresenceUnavailable, Sign, Word
from shared.wire.presence import IS_HERE, IS_UNKNOWN, Presence
from tests.support.servers import ValkeyServer, new_valkey


def away(since_ms: int) -> Presence:
    return Presence("away", since_ms)


@dataclass
class World:
    """Gateways on one store; time is a number, or passes by itself where the store has its own."""

    gateway: Callable[[], Presences]
    dies: Callable[[Presences], Any]
    lose: Callable[[], Any]
    reader: Presences

    async def of(self, player: str, now_ms: int = 0) -> Presence:
        return (await self.reader.of([player], now_ms))[player]


class Time:
    """A number."""

    def __init__(self) -> None:
        self.ms = 1_000_000

    def now_ms(self) -> int:
        return self.ms


async def empty(redis: Redis) -> None:
    await redis.execute_command("FLUSHALL")  # pyright: ignore[reportUnknownMemberType] - redis leaves it untyped


def memory_world() -> World:
    time = Time()
    store = MemoryStore(time.now_ms)
    names = itertools.count()

    async def dies(dead: Presences) -> None:
        """Time passes; the others renew their leases."""
        for _ in range(LEASE_MS // 1_000):
            time.ms += 1_000
            for gateway in made:
                if gateway is not dead:
                    await gateway.say([])

    made: list[Presences] = []

    def gateway() -> Presences:
        made.append(MemoryPresence(store, f"g{next(names)}"))
        return made[-1]

    async def lose() -> None:
        store.lose()

    return World(gateway, dies, lose, MemoryPresence(store))


@pytest.fixture(scope="module")
def valkey(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A Valkey of this file's own: it is emptied."""
    server = new_valkey(tmp_path_factory.mktemp("presence"))
    server.start()
    yield server
    server.stop()


@pytest.fixture
async def redis(valkey: ValkeyServer) -> AsyncIterator[Redis]:
    client = connect(valkey.url)
    await empty(client)
    yield client
    await client.aclose()


@pytest.fixture(params=["memory", "valkey"])
async def world(request: pytest.FixtureRequest, redis: Redis) -> World:
    if request.param == "memory":
        return memory_world()
    names: dict[int, str] = {}

    def gateway() -> Presences:
        name = new_id("g")
        made = RedisPresence(redis, name)
        names[id(made)] = name
        return made

    async def dies(dead: Presences) -> None:
        """As if its lease had run out."""
        await redis.delete(f"presence-lease:{names[id(dead)]}")

    return World(gateway, dies, lambda: empty(redis), RedisPresence(redis))


@pytest.mark.rule("B12", "S7")
async def test_here_then_away_since_the_moment_that_the_gateway_stamped(world: World) -> None:
    one = world.gateway()
    await one.say([])
    assert await world.of("pa") == IS_UNKNOWN
    await one.say([Sign("pa", Word.HERE)])
    assert await world.of("pa") == IS_HERE
    await one.say([Sign("pa", Word.AWAY, 77)])
    assert await world.of("pa", 500) == away(77)


async def test_a_player_on_two_gateways_is_here_until_the_last_one_lets_him_go(world: World) -> None:
    one, two = world.gateway(), world.gateway()
    await one.say([Sign("pa", Word.HERE)])
    await two.say([Sign("pa", Word.HERE)])
    await one.say([Sign("pa", Word.AWAY, 90)])
    assert await world.of("pa") == IS_HERE
    await two.say([Sign("pa", Word.AWAY, 80)])  # its socket had fallen silent before
    assert await world.of("pa") == away(90)


async def test_the_leave_of_an_old_gateway_does_not_remove_a_newer_one(world: World) -> None:
    old, new = world.gateway(), world.gateway()
    await old.say([Sign("pa", Word.HERE)])
    await new.say([Sign("pa", Word.HERE)])
    await old.say([Sign("pa", Word.AWAY, 90)])
    assert await world.of("pa") == IS_HERE


@pytest.mark.rule("S7", "S18", "B12")
async def test_the_death_of_a_gateway_is_absence_only_from_when_it_was_noticed(world: World) -> None:
    dead, alive = world.gateway(), world.gateway()
    await dead.say([Sign("pa", Word.HERE), Sign("pb", Word.HERE)])
    await alive.say([Sign("pc", Word.HERE)])
    await world.dies(dead)
    assert await world.of("pa", 700) == away(700)
    assert await world.of("pa", 900) == away(700)
    assert await world.of("pc", 900) == IS_HERE
    await alive.say([Sign("pb", Word.HERE)])
    assert await world.of("pb", 900) == IS_HERE
    await alive.say([Sign("pb", Word.AWAY, 950)])
    assert await world.of("pb", 999) == away(950)


async def test_while_no_gateway_is_alive_nothing_is_said_and_nothing_noticed(world: World) -> None:
    with pytest.raises(PresenceUnavailable):
        await world.of("pa")


async def test_an_emptied_store_knows_nobody_and_the_gateway_learns_it_with_its_next_word(
    world: World,
) -> None:
    one = world.gateway()
    assert await one.say([]) is False  # the first word: say everybody
    assert await one.say([Sign("pa", Word.HERE), Sign("pb", Word.AWAY, 7)]) is True
    await world.lose()
    other = world.gateway()
    await other.say([])
    assert [await world.of(player) for player in ("pa", "pb")] == [IS_UNKNOWN] * 2
    assert await one.say([]) is False
    await one.say([Sign("pa", Word.HERE)])
    assert await world.of("pa") == IS_HERE


async def test_a_command_without_a_socket_is_presence_for_a_while_and_its_end_is_no_evidence(
    world: World,
) -> None:
    one = world.gateway()
    await one.say([Sign("pa", Word.ACTED)])
    assert await world.of("pa") == IS_HERE
    await one.say([Sign("pa", Word.RESTS, 50)])
    assert await world.of("pa") == IS_UNKNOWN
    await one.say([Sign("pa", Word.AWAY, 60), Sign("pa", Word.ACTED)])
    assert await world.of("pa") == IS_HERE
    await one.say([Sign("pa", Word.RESTS, 70)])
    assert await world.of("pa") == away(70)


async def test_who_only_gave_commands_to_a_gateway_that_died_is_not_away(world: World) -> None:
    dead, alive = world.gateway(), world.gateway()
    await dead.say([Sign("pa", Word.ACTED)])
    await alive.say([])
    await world.dies(dead)
    assert await world.of("pa", 700) == IS_UNKNOWN


async def test_many_players_at_once(world: World) -> None:
    one = world.gateway()
    players = [f"p{i}" for i in range(2 * AT_ONCE + 7)]
    await one.say([])
    assert await one.say([Sign(player, Word.HERE) for player in players]) is True
    assert await world.reader.of(players, 0) == dict.fromkeys(players, IS_HERE)


async def test_what_is_carried_out_too_late_undoes_nothing(redis: Redis) -> None:
    """A request that timed out may still lie in a socket's buffer when the next one is through."""
    late, one = RedisPresence(redis, "g1"), RedisPresence(redis, "g1")
    await one.say([])
    await one.say([Sign("pa", Word.HERE)])
    assert await late.say([Sign("pa", Word.AWAY, 5)]) is False
    assert await RedisPresence(redis).of(["pa"], 9) == {"pa": IS_HERE}


async def test_everything_in_valkey_expires(redis: Redis) -> None:
    one = RedisPresence(redis, "g1")
    await one.say([Sign("pa", Word.HERE), Sign("pb", Word.AWAY, 5)])
    await one.of(["pa", "pb", "pc"], 9)
    keys = ["presence:pa", "presence:pb", "presence-lease:g1", "presence-leases"]
    assert await redis.exists(*keys) == len(keys)
    assert min([await redis.pttl(key) for key in keys]) > 0
    assert await redis.pttl("presence-lease:g1") <= LEASE_MS


async def test_a_valkey_that_is_away_says_so_within_a_second(tmp_path: Any) -> None:
    nobody = connect(f"unix://{tmp_path}/nobody.sock")
    async with asyncio.timeout(1):
        with pytest.raises(PresenceUnavailable):
            await RedisPresence(nobody, "g1").say([])
        with pytest.raises(PresenceUnavailable):
            await RedisPresence(nobody).of(["pa"], 0)
    await nobody.aclose()
