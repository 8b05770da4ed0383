"""Watched tables, where the lobby answers nonsense."""

from collections.abc import AsyncIterator

import pytest

from shared import subjects
from shared.ids import new_id
from shared.wire import lobby
from shared.wire.lobby import Done, LobbyAnswer, TableView, TermsView
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

    async def answer(self, _subject: str, _data: bytes) -> bytes:
        return lobby.ENCODER.encode(self.says)


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


async def _watch(socket: Socket) -> None:
    await socket.send({"type": "watch", "table": OPEN.id})


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
