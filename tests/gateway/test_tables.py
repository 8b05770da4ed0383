"""Watched tables, where the lobby answers nonsense."""

from collections.abc import AsyncIterator, Callable
from typing import Any

import msgspec
import pytest

from shared import subjects
from shared.ids import new_id
from shared.problems import problem
from shared.wire import lobby
from shared.wire.lobby import (
    LOBBY_REQUEST,
    Done,
    GetTable,
    LobbyAnswer,
    RefusedAnswer,
    TableView,
    TermsView,
)
from tests.support.api import Socket, eventually
from tests.support.house import House, open_house

OPEN = TableView(
    id=new_id("t"),
    n=1,
    state="open",
    game="backgammon",
    rules_version=1,
    terms=TermsView(
        target=None,
        first_move="rolled",
        cube=True,
        beaver=False,
        clock=None,
        flag="loss",
        absence="wait",
        grace_ms=30_000,
        series="",
        jacoby=False,
        gammons=True,
    ),
    options={},
    house="",
    computer=False,
    chance="committed",
    creator="",
    seats=(),
    match="",
    cause="",
    opened_at_ms=0,
)


class Lobby:
    """A lobby that answers whatever the test wants."""

    def __init__(self) -> None:
        self.says: LobbyAnswer = OPEN
        self.refuses: set[tuple[str, str]] = set()  # by (player, token)
        self.asked: list[tuple[str, str]] = []

    async def answer(self, _subject: str, data: bytes) -> bytes:
        asked = LOBBY_REQUEST.decode(data)
        assert isinstance(asked.request, GetTable)
        right = (asked.player, asked.request.token)
        self.asked.append(right)
        refused = right in self.refuses
        return lobby.ENCODER.encode(RefusedAnswer(problem("unknown_table")) if refused else self.says)


@pytest.fixture
async def house() -> AsyncIterator[House]:
    async with open_house() as opened:
        yield opened


@pytest.fixture
async def other_lobby(house: House) -> AsyncIterator[Lobby]:
    made = Lobby()
    serving = await house.bus.serve(subjects.commands("lobby"), "lobby", made.answer)
    yield made
    await serving.close()


async def _watch(socket: Socket, token: str = "") -> None:
    await socket.send({"type": "watch", "table": OPEN.id, "token": token})


def _at(n: int) -> Callable[[dict[str, Any]], bool]:
    return lambda f: f["type"] == "table" and f["n"] == n


async def test_a_table_that_cannot_be_shown_any_more_is_answered(house: House, other_lobby: Lobby) -> None:
    await house.gateway.table_log.append(OPEN.id, 1, b"{}")
    async with house.player().socket() as one, house.player().socket() as two:
        for socket in (one, two):
            await _watch(socket)
            await socket.get(lambda f: f["type"] == "table")
        other_lobby.says = Done()
        await house.gateway.table_log.append(OPEN.id, 2, b"{}")
        for socket in (one, two):
            refused = await socket.get(lambda f: f["type"] == "refused")
            assert (refused["table"], refused["problem"]["code"]) == (OPEN.id, "internal")
        await _watch(one)
        assert (await one.get(lambda f: f["type"] == "refused"))["problem"]["code"] == "internal"
        other_lobby.says = OPEN
        await _watch(one)
        await one.get(lambda f: f["type"] == "table")


@pytest.mark.usefixtures("other_lobby")
async def test_watched_tables_are_counted_for_each_socket_until_it_closes(house: House) -> None:
    tables = house.gateway.tables
    async with house.player().socket() as one, house.player().socket() as two:
        for socket in (one, one, two):
            await _watch(socket)
            await socket.get(lambda f: f["type"] == "table")
        wires = [socket.wire for socket in house.sockets]
        assert [tables.count(wire) for wire in wires] == [1, 1]
        await two.send({"type": "unwatch", "table": OPEN.id})
        await eventually(lambda: sorted(tables.count(wire) for wire in wires) == [0, 1])
    await eventually(lambda: not any(tables.count(wire) for wire in wires))


@pytest.mark.rule("S1")
async def test_who_may_not_see_an_unlisted_table_any_more_is_dropped_alone(
    house: House, other_lobby: Lobby
) -> None:
    leaver, creator, linked = house.player(), house.player(), house.player()
    other_lobby.says = msgspec.structs.replace(OPEN, unlisted=True)
    await house.gateway.table_log.append(OPEN.id, 1, b"{}")
    async with leaver.socket() as left, creator.socket() as stays, linked.socket() as has_link:
        for socket, token in ((left, ""), (stays, ""), (has_link, "link")):
            await _watch(socket, token)
            await socket.get(_at(1))
        for n in (2, 3):
            other_lobby.says = msgspec.structs.replace(OPEN, unlisted=True, n=n)
            other_lobby.refuses = {(leaver.player, "")}
            await house.gateway.table_log.append(OPEN.id, n, b"{}")
            for socket in (stays, has_link):
                await socket.get(_at(n))
        refused = await left.get(lambda f: f["type"] == "refused")
        assert (refused["table"], refused["problem"]["code"]) == (OPEN.id, "unknown_table")
        other_lobby.refuses |= {("", "link")}  # it is no good any more, but he sits there
        other_lobby.says = msgspec.structs.replace(OPEN, unlisted=True, n=4)
        await house.gateway.table_log.append(OPEN.id, 4, b"{}")
        for socket in (stays, has_link):
            await socket.get(_at(4))
            assert not [f for f in socket.frames if f["type"] == "refused"]
        assert [f["n"] for f in left.frames if f["type"] == "table"] == [1]


async def test_all_who_watch_a_listed_table_are_told_by_one_question(
    house: House, other_lobby: Lobby
) -> None:
    await house.gateway.table_log.append(OPEN.id, 1, b"{}")
    async with house.player().socket() as one, house.player().socket() as two:
        for socket in (one, two):
            await _watch(socket)
            await socket.get(_at(1))
        other_lobby.asked.clear()
        other_lobby.says = msgspec.structs.replace(OPEN, n=2)
        await house.gateway.table_log.append(OPEN.id, 2, b"{}")
        for socket in (one, two):
            await socket.get(_at(2))
        assert other_lobby.asked == [("", "")]
