"""The lobby on the real broker, with the real rights, beside the real game service."""

import asyncio
import secrets
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from services.cli.embedded import EmbeddedNats
from services.game.handlers import Game
from services.lobby.feed import Feed
from shared import subjects, tokens
from shared.adapters.nats_bucket import NatsBucket
from shared.adapters.nats_connection import Broker
from shared.adapters.nats_log import NatsLog
from shared.events.codec import decode_match
from shared.events.match import MatchCreated, Seat
from shared.service import Now
from shared.wire.lobby import (
    ENCODER,
    LOBBY_ANSWER,
    Done,
    Forget,
    GetPlayer,
    GetTable,
    JoinTable,
    ListTables,
    LobbyAnswer,
    LobbyCommand,
    LobbyRequest,
    LogIn,
    OpenTable,
    PlayerView,
    QuickPair,
    Refresh,
    RefusedAnswer,
    Register,
    Rematch,
    Session,
    TableList,
    TableView,
    subject_key,
)
from tests.conftest import ConnectAs
from tests.support.lobby import (
    PASSWORD,
    Clock,
    Lobby,
    code,
    names,
    real_lobby,
    session,
    table,
    unique_nickname,
    until,
)
from tests.support.servers import NatsServer

OPEN = OpenTable(game="backgammon", target=3)
SIGNING_KEY = Ed25519PrivateKey.generate()


class House:
    """Two lobbies and a game service behind the broker, and a gateway's connection to ask them."""

    def __init__(self, gateway: Broker, lobbies: list[Lobby], game: Broker) -> None:
        self.lobbies = lobbies
        self.clock = lobbies[0].clock
        self.games = NatsLog(game, subjects.GAMES)
        self._gateway = gateway

    async def ask(self, request: LobbyCommand, who: Session | None = None, key: str = "") -> LobbyAnswer:
        """As the gateway, over the broker: whichever instance takes it."""
        asked = LobbyRequest(
            request=request,
            player="" if who is None else who.player.id,
            scopes=() if who is None else who.scopes,
            key=key,
        )
        subject = subjects.command("gateway", "lobby", subject_key(request))
        return LOBBY_ANSWER.decode(await self._gateway.request(subject, ENCODER.encode(asked), 8_000))

    async def guest(self) -> Session:
        """Somebody new."""
        return session(await self.ask(Register(guest=True)))


@pytest.fixture
async def house(connect_as: ConnectAs) -> AsyncIterator[House]:
    """Both services running; the lobby twice."""
    clock = Clock()
    async with AsyncExitStack() as stack:
        game_broker = await connect_as("game")
        game = Game(
            NatsLog(game_broker, subjects.GAMES),
            NatsBucket(game_broker, subjects.SECRETS),
            Now(),
            secrets.token_bytes,
        )
        await game_broker.serve(subjects.commands("game"), "game", game.answer)
        lobbies: list[Lobby] = []
        for _ in range(2):
            broker = await connect_as("lobby")
            lobby = await stack.enter_async_context(real_lobby(broker, SIGNING_KEY, clock))
            await broker.serve(subjects.commands("lobby"), "lobby", lobby.handlers.answer)
            lobbies.append(lobby)
        yield House(await connect_as("gateway"), lobbies, game_broker)


async def test_from_a_nickname_to_a_match(house: House) -> None:
    nickname = unique_nickname()
    jana = session(await house.ask(Register(nickname=nickname, password=PASSWORD)))
    ivan = await house.guest()
    assert session(await house.ask(LogIn(nickname=nickname.lower(), password=PASSWORD))).player == jana.player
    refreshed = session(await house.ask(Refresh(jana.refresh_token)))
    assert (
        tokens.verify(SIGNING_KEY.public_key(), refreshed.access_token, house.clock.ms).player
        == jana.player.id
    )
    assert code(await house.ask(Refresh(jana.refresh_token))) == "unauthorized"
    assert code(await house.ask(Refresh(refreshed.refresh_token))) == "unauthorized", "the session is over"
    opened = table(await house.ask(OPEN, jana, key="1"))
    assert table(await house.ask(OPEN, jana, key="1")) == opened
    assert code(await house.ask(OpenTable(game="backgammon"), jana, key="1")) == "id_reused"
    joined = table(await house.ask(JoinTable(opened.id), ivan))
    assert joined.state == "match"
    created = decode_match((await house.games.read(joined.match))[0]).events[0]
    assert isinstance(created, MatchCreated)
    assert created.seats == (Seat(jana.player.id), Seat(ivan.player.id))
    assert (created.table, created.terms.target) == (opened.id, 3)


async def test_the_computer_plays_at_once(house: House) -> None:
    opened = table(await house.ask(OpenTable(game="backgammon", computer=True), await house.guest()))
    created = decode_match((await house.games.read(opened.match))[0]).events[0]
    assert isinstance(created, MatchCreated)
    assert created.seats[1] == Seat("pcomputer", bot=True)


async def test_two_instances_race_for_the_last_seat_and_one_wins(house: House) -> None:
    here, there = house.lobbies
    for _ in range(10):
        jana, ivan, eva = [await house.guest() for _ in range(3)]
        opened = table(await house.ask(OPEN, jana))
        answers = await asyncio.gather(
            here.ask(JoinTable(opened.id), ivan), there.ask(JoinTable(opened.id), eva)
        )
        won = [answer for answer in answers if isinstance(answer, TableView)]
        assert len(won) == 1
        assert {code(a) for a in answers if isinstance(a, RefusedAnswer)} <= {"table_full", "table_closed"}
        final = table(await house.ask(GetTable(opened.id)))
        assert names(final) == names(won[0])
        assert len(await here.stores.tables.read(opened.id)) == 3


async def test_a_crowd_at_two_instances_is_paired_and_nobody_twice(house: House) -> None:
    wish = QuickPair(OpenTable(game="gomoku", clock="slow"))
    players = [await house.guest() for _ in range(10)]
    asked = [
        (who, lobby.ask(wish, who, key="1"))
        for number, who in enumerate(players)
        for lobby in (house.lobbies if number % 2 else house.lobbies[::-1])
    ]
    answers = await asyncio.gather(*[answer for _, answer in asked])
    at: dict[str, set[str]] = {}
    for (who, _), answer in zip(asked, answers, strict=True):
        at.setdefault(table(answer).id, set()).add(who.player.id)
    assert sorted(map(len, at.values())) == [2] * 5, "a repeat at the other instance finds the same seat"
    for opened, seated in at.items():
        final = table(await house.ask(GetTable(opened)))
        assert (final.state, set(names(final))) == ("match", seated)
        assert len(await house.games.read(final.match)) == 1


async def test_both_click_rematch_at_two_instances_and_one_match_comes_of_it(house: House) -> None:
    for _ in range(3):
        jana, ivan = await house.guest(), await house.guest()
        opened = table(await house.ask(OPEN, jana))
        played = table(await house.ask(JoinTable(opened.id), ivan))
        again = Rematch(played.id, played.match)
        answers = await asyncio.gather(
            *[lobby.ask(again, who) for lobby in house.lobbies for who in (jana, ivan)]
        )
        assert len({table(answer).id for answer in answers}) == 1
        final = table(await house.ask(again, ivan))
        assert (final.state, names(final)) == ("match", [ivan.player.id, jana.player.id])
        assert len(await house.games.read(final.match)) == 1


async def test_two_instances_race_for_one_nickname_and_one_wins(house: House) -> None:
    for _ in range(5):
        wish = Register(nickname=unique_nickname(), password=PASSWORD)
        answers = await asyncio.gather(*[lobby.ask(wish) for lobby in house.lobbies])
        won = [answer for answer in answers if isinstance(answer, Session)]
        assert len(won) == 1
        assert [code(a) for a in answers if isinstance(a, RefusedAnswer)] == ["nickname_taken"]
        again = session(await house.ask(LogIn(nickname=wish.nickname, password=PASSWORD)))
        assert again.player == won[0].player


async def test_one_registration_sent_to_two_instances_is_one_player(house: House) -> None:
    wish = Register(nickname=unique_nickname(), password=PASSWORD)
    key = unique_nickname() + "-registration"
    answers = await asyncio.gather(*[lobby.ask(wish, key=key) for lobby in house.lobbies])
    assert len({session(answer).player.id for answer in answers}) == 1


async def test_one_refresh_token_used_at_two_instances_at_once_is_used_once(house: House) -> None:
    guest = await house.guest()
    answers = await asyncio.gather(*[lobby.ask(Refresh(guest.refresh_token)) for lobby in house.lobbies])
    won = [answer for answer in answers if isinstance(answer, Session)]
    assert len(won) == 1
    assert code(await house.ask(Refresh(won[0].refresh_token))) == "unauthorized"


async def test_the_other_instances_list_follows(house: House) -> None:
    here, there = house.lobbies
    jana = await house.guest()
    opened = table(await here.ask(OPEN, jana))
    await until(lambda: _lists(there, opened.id))
    joined = table(await here.ask(JoinTable(opened.id), await house.guest()))
    assert joined.state == "match"
    await until(lambda: _lists(there, opened.id, listed=False))


async def _lists(lobby: Lobby, table_id: str, *, listed: bool = True) -> bool:
    return (table_id in await _listed(lobby)) == listed


async def _listed(lobby: Lobby) -> set[str]:
    answer = await lobby.ask(ListTables(limit=100))
    assert isinstance(answer, TableList)
    return {row.id for row in answer.tables}


async def test_killed_between_the_match_and_its_record(house: House, connect_as: ConnectAs) -> None:
    """The match is in the log, the table does not know it; a new instance's first sweep sees to it."""
    jana, ivan = await house.guest(), await house.guest()
    broker = await connect_as("lobby")

    class Killed(Exception):  # noqa: N818 - what happens
        """The process is gone at this point."""

    async with real_lobby(broker, SIGNING_KEY, house.clock) as dying:
        append = dying.stores.tables.append

        async def killed_before_match_opened(key: str, n: int, data: bytes) -> None:
            if b"match_opened" in data:
                raise Killed
            await append(key, n, data)

        dying.stores.tables.append = killed_before_match_opened
        opened = table(await dying.ask(OPEN, jana))
        assert code(await dying.ask(JoinTable(opened.id), ivan)) == "internal"
    async with real_lobby(await connect_as("lobby"), SIGNING_KEY, house.clock) as reborn:
        await reborn.tables.sweep()
        stored = await reborn.stores.tables.read(opened.id)
        assert len(stored) == 3
        repaired = table(await reborn.ask(GetTable(opened.id)))
    assert repaired.state == "match"
    assert len(await house.games.read(repaired.match)) == 1


async def test_nothing_personal_is_on_the_brokers_disk(house: House, nats_server: NatsServer) -> None:
    nickname, password = unique_nickname(), "pw-" + unique_nickname()
    jana = session(await house.ask(Register(nickname=nickname, password=password), key=nickname + "-key-1"))
    await house.ask(LogIn(nickname=nickname, password=password))
    opened = table(await house.ask(OPEN, jana, key=nickname))
    here = house.lobbies[0]
    entries = await here.stores.players.read(jana.player.id) + await here.stores.tables.read(opened.id)
    assert len(entries) == 2
    files = [file.read_bytes() for file in _store(nats_server).rglob("*.blk")]
    assert any(jana.player.id.encode() in data for data in files), "the search does find what is there"
    for data in (*entries, *files):
        for personal in (nickname, nickname.lower(), password, "argon2", jana.refresh_token):
            assert personal.encode() not in data


def _store(server: NatsServer) -> Path:
    if not isinstance(server.process, EmbeddedNats):
        pytest.skip("the disk of a container is out of sight")
    return server.process.data_dir


async def test_forgetting_deletes_the_key_and_leaves_the_chain(house: House) -> None:
    nickname = unique_nickname()
    jana = session(await house.ask(Register(nickname=nickname, password=PASSWORD)))
    assert await house.ask(Forget(), jana) == Done()
    here, there = house.lobbies
    assert await here.stores.keys.get(jana.player.id) is None
    assert len(await here.stores.players.read(jana.player.id)) == 2
    for lobby in (here, there):
        lobby.accounts._remembered.clear()  # noqa: SLF001  # pyright: ignore[reportPrivateUsage] - a minute passes
        assert await lobby.ask(GetPlayer(jana.player.id)) == PlayerView(jana.player.id, "", forgotten=True)
    assert code(await house.ask(LogIn(nickname=nickname, password=PASSWORD))) == "bad_credentials"
    session(await house.ask(Register(nickname=nickname, password=PASSWORD)))


async def test_a_reconnect_brings_the_list_up_to_date(own_nats_server: NatsServer) -> None:
    clock = Clock()
    async with (
        own_nats_server.broker("lobby") as broker,
        real_lobby(broker, SIGNING_KEY, clock) as lobby,
    ):
        jana = await lobby.player()
        kept = table(await lobby.ask(OPEN, jana))
        own_nats_server.kill_and_restart()
        async with own_nats_server.broker("lobby") as other_broker:
            other = Lobby(lobby.stores.on(other_broker, SIGNING_KEY), other_broker, clock)
            await Feed(other.stores.tables, other.tables.listing).read_all()
            assert await _listed(other) == {kept.id}
            opened = table(await other.ask(OPEN, jana))
        await until(lambda: _lists(lobby, opened.id), within_s=20)
        assert await _listed(lobby) == {kept.id, opened.id}
