"""The list of tables where something is damaged, late or overdone: the others go on, and it heals."""

import pytest
from structlog.testing import capture_logs

from services.lobby.domain import MOST_ENTRIES
from services.lobby.gone import GRACE_MS
from shared.adapters.memory_log import MemoryLog
from shared.adapters.memory_presence import MemoryPresence
from shared.events.table import DAY_MS
from shared.ports.presence import Sign, Word
from shared.wire.lobby import (
    GetTable,
    JoinTable,
    LeaveTable,
    ListTables,
    OpenTable,
    QuickPair,
    TableList,
)
from tests.support.lobby import Lobby, MemoryHouse, code, table

OPEN = OpenTable(game="backgammon")


def _stored(house: MemoryHouse) -> MemoryLog:
    assert isinstance(house.stores.tables, MemoryLog)
    return house.stores.tables


async def _listed(lobby: Lobby) -> set[str]:
    answer = await lobby.ask(ListTables())
    assert isinstance(answer, TableList), answer
    return {row.id for row in answer.tables}


async def _damage(house: MemoryHouse, table_id: str) -> None:
    await _stored(house).append(table_id, 2, b'{"v":1,"type":"of a later release"}')


@pytest.mark.rule("B2")
async def test_quick_pairing_passes_by_a_table_that_cannot_be_read() -> None:
    house = MemoryHouse()
    lobby = house.lobby()
    jana, ivan, eva = [await lobby.player() for _ in range(3)]
    damaged = table(await lobby.ask(QuickPair(OPEN), jana, key="quick"))
    await _damage(house, damaged.id)
    with capture_logs() as said:
        paired = table(await lobby.ask(QuickPair(OPEN), ivan, key="quick"))
        assert paired.id != damaged.id
        assert table(await lobby.ask(QuickPair(OPEN), ivan, key="quick")).id == paired.id
        assert await _listed(lobby) == {paired.id}
        assert table(await lobby.ask(QuickPair(OPEN), eva, key="quick")).id == paired.id
        assert code(await lobby.ask(GetTable(damaged.id))) == "unreadable_log"
    errors = [line["event"] for line in said if line["log_level"] == "error"]
    assert errors.count("a table cannot be read and is left alone") == 1


@pytest.mark.rule("B2")
async def test_a_table_that_cannot_be_read_keeps_nobody_elses_table_from_closing() -> None:
    house = MemoryHouse()
    lobby = house.lobby()
    jana = await lobby.player()
    damaged, other, third = [table(await lobby.ask(OPEN, jana)) for _ in range(3)]
    await _damage(house, damaged.id)
    presence = MemoryPresence(house.presence, "g1")
    await presence.say((Sign(jana.player.id, Word.HERE, 0),))
    await presence.say((Sign(jana.player.id, Word.AWAY, house.clock.ms),))
    house.clock.ms += GRACE_MS
    await presence.say(())  # a gateway is alive
    with capture_logs() as said:
        for _ in range(2):
            await lobby.tables.sweep()
    assert len([line for line in said if line["log_level"] == "error"]) == 1
    for closed in (other, third):
        assert table(await lobby.ask(GetTable(closed.id))).cause == "gone"
    assert await _listed(lobby) == set()


async def test_who_is_forgotten_leaves_his_tables_though_one_cannot_be_read() -> None:
    house = MemoryHouse()
    lobby = house.lobby()
    jana = await lobby.player()
    damaged, other = [table(await lobby.ask(OPEN, jana)) for _ in range(2)]
    await _damage(house, damaged.id)
    await lobby.tables.close_all_of(jana.player.id)
    assert table(await lobby.ask(GetTable(other.id))).cause == "left"


async def test_a_table_that_ended_is_not_listed_again_by_what_was_read_before() -> None:
    house = MemoryHouse()
    lobby, other = house.lobby(), house.lobby()
    jana = await lobby.player()
    opened = table(await lobby.ask(OPEN, jana))
    stale = await lobby.tables.book.known(opened.id)
    await lobby.ask(LeaveTable(opened.id), jana)
    lobby.tables.listing.put(stale)
    lobby.tables.listing.apply(*_stored(house).entries[0])
    assert await _listed(lobby) == set()
    other.tables.listing.put(stale)  # it has not heard of the end: whoever asks for the table tells the list
    assert table(await other.ask(GetTable(opened.id))).state == "closed"
    assert await _listed(other) == set()


async def test_a_table_whose_end_was_not_heard_of_leaves_the_list_when_it_expires() -> None:
    house = MemoryHouse()
    lobby, other = house.lobby(), house.lobby()
    jana = await lobby.player()
    opened = table(await lobby.ask(OPEN, jana))
    other.tables.listing.put(await lobby.tables.book.known(opened.id))
    await lobby.ask(LeaveTable(opened.id), jana)
    house.clock.ms += DAY_MS
    await other.tables.sweep()
    assert list(other.tables.listing.all()) == []


async def test_a_table_at_which_too_many_came_and_went_closes() -> None:
    house = MemoryHouse()
    lobby = house.lobby()
    jana, ivan = [await lobby.player() for _ in range(2)]
    opened = table(await lobby.ask(OpenTable(game="prsi", seats=3), jana))
    left = opened
    while left.state == "open" and left.n < 2 * MOST_ENTRIES:
        assert table(await lobby.ask(JoinTable(opened.id), ivan)).state == "open", "till then all may come"
        left = table(await lobby.ask(LeaveTable(opened.id), ivan))
    assert left.cause == "restless"
    assert MOST_ENTRIES < left.n <= MOST_ENTRIES + 2
    assert code(await lobby.ask(JoinTable(opened.id), ivan)) == "table_closed"
