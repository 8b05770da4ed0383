"""Tables on memory ports: open, list, join, leave, and the match that comes of it."""

import asyncio
from collections.abc import Callable

import pytest

from services.lobby.feed import Feed
from shared.adapters.memory_log import MemoryLog
from shared.clocks import STANDARD
from shared.commands import CreateMatch
from shared.events.match import Level, Seat
from shared.events.table import DAY_MS
from shared.wire.lobby import (
    LOBBY_ANSWER,
    Done,
    Forget,
    GetTable,
    JoinTable,
    LeaveTable,
    ListTables,
    OpenTable,
    Session,
    TableList,
    TableView,
    TermsView,
)
from tests.support.lobby import FakeGame, Lobby, MemoryHouse, code, names, table

OPEN = OpenTable(game="backgammon")


def _stored(house: MemoryHouse) -> MemoryLog:
    assert isinstance(house.stores.tables, MemoryLog)
    return house.stores.tables


async def _list(lobby: Lobby, asked: ListTables | None = None) -> tuple[TableView, ...]:
    answer = await lobby.ask(asked or ListTables())
    assert isinstance(answer, TableList), answer
    return answer.tables


def _created(house: MemoryHouse, match: str) -> CreateMatch:
    command = house.game.created[match].command
    assert isinstance(command, CreateMatch)
    return command


async def _players(lobby: Lobby, count: int) -> list[Session]:
    return [await lobby.player() for _ in range(count)]


@pytest.mark.rule("S1")
async def test_an_opened_table_is_listed_joined_and_becomes_a_match() -> None:
    house = MemoryHouse()
    await house.start_game()
    lobby = house.lobby()
    jana, ivan = await lobby.player("Jana"), await lobby.player("Ivan")
    opened = table(await lobby.ask(OpenTable(game="backgammon", house="duels", target=5), jana))
    assert (opened.state, names(opened)) == ("open", [jana.player.id, ""])
    assert opened.terms == TermsView(
        target=5,
        first_move="roll_each_game",
        cube=True,
        beaver=True,
        clock=STANDARD,
        flag="kick",
        absence="ghost",
        grace_ms=30_000,
        series="",
        jacoby=False,
        gammons=True,
    )
    assert await _list(lobby) == (opened,)
    assert table(await lobby.ask(GetTable(opened.id))) == opened
    joined = table(await lobby.ask(JoinTable(opened.id), ivan))
    assert (joined.state, joined.n) == ("match", 4)  # opened, joined, ratings taken, match
    assert [seat.player for seat in joined.seats] == [jana.player, ivan.player]
    assert await _list(lobby) == ()
    assert _created(house, joined.match).terms.clock == STANDARD
    assert _created(house, joined.match).seats == (Seat(jana.player.id), Seat(ivan.player.id))
    assert code(await lobby.ask(LeaveTable(opened.id), ivan)) == "table_closed"
    assert code(await lobby.ask(JoinTable(opened.id), await lobby.player())) == "table_closed"


async def test_a_table_against_the_computer_is_a_match_at_once() -> None:
    house = MemoryHouse()
    await house.start_game()
    lobby = house.lobby()
    opened = table(await lobby.ask(OpenTable(game="backgammon", computer=True), await lobby.player()))
    assert opened.state == "match"
    assert [seat.level for seat in opened.seats] == [None, Level.BEST], "as well as it can"
    computer = opened.seats[1].player
    assert computer is not None
    assert (computer.id, computer.nickname, computer.bot) == ("pcomputer", "Computer", True)
    assert [seat.bot for seat in _created(house, opened.match).seats] == [False, True]


async def test_leaving_frees_the_seat_and_the_creators_leaving_closes() -> None:
    lobby = MemoryHouse().lobby()
    jana, ivan = await _players(lobby, 2)
    opened = table(await lobby.ask(OPEN, jana))
    assert code(await lobby.ask(LeaveTable(opened.id), ivan)) == "not_at_table"
    assert code(await lobby.ask(JoinTable(opened.id), jana)) == "already_at_table"
    closed = table(await lobby.ask(LeaveTable(opened.id), jana))
    assert (closed.state, closed.cause) == ("closed", "left")
    assert await _list(lobby) == ()
    assert code(await lobby.ask(JoinTable(opened.id), ivan)) == "table_closed"


async def test_a_repeat_finds_its_table_even_when_everything_that_may_be_lost_is_lost() -> None:
    house = MemoryHouse()
    await house.start_game()
    lobby = house.lobby()
    jana, ivan = await _players(lobby, 2)
    opened = table(await lobby.ask(OPEN, jana, key="1"))
    assert table(await house.lobby().ask(OPEN, jana, key="1")) == opened
    assert code(await lobby.ask(OpenTable(game="backgammon", target=3), jana, key="1")) == "id_reused"
    assert table(await lobby.ask(OPEN, ivan, key="1")).id != opened.id, "a key is its player's own"
    joined = table(await lobby.ask(JoinTable(opened.id), ivan, key="1"))
    assert table(await house.lobby().ask(JoinTable(opened.id), ivan, key="1")) == joined
    assert table(await house.lobby().ask(OPEN, jana, key="1")) == joined, "the same table, as it is now"
    assert len(await house.stores.tables.read(opened.id)) == 3
    assert table(await lobby.ask(OPEN, jana)).id != table(await lobby.ask(OPEN, jana)).id


async def test_a_key_used_at_one_table_is_new_at_another() -> None:
    lobby = MemoryHouse().lobby()
    jana, ivan = await _players(lobby, 2)
    a, b = [table(await lobby.ask(OpenTable(game="backgammon"), jana)) for _ in range(2)]
    joined = table(await lobby.ask(JoinTable(a.id), ivan, key="1"))
    assert table(await lobby.ask(JoinTable(b.id), ivan, key="1")).seats[1].player == ivan.player
    assert table(await lobby.ask(JoinTable(a.id), ivan, key="1")) == joined, "at its own table a repeat"
    assert table(await lobby.ask(JoinTable(b.id), ivan, key="1")).n == joined.n


async def test_one_opening_at_many_instances_at_once_is_one_table() -> None:
    house = MemoryHouse()
    jana = await house.lobby().player()
    answers = await asyncio.gather(*[house.lobby().ask(OPEN, jana, key="1") for _ in range(5)])
    assert len({table(answer).id for answer in answers}) == 1
    assert len(_stored(house).entries) == 1


async def test_of_many_who_want_the_last_seat_at_once_one_gets_it() -> None:
    house = MemoryHouse()
    await house.start_game()
    lobby = house.lobby()
    jana, *others = await _players(lobby, 8)
    opened = table(await lobby.ask(OPEN, jana))
    answers = await asyncio.gather(*[house.lobby().ask(JoinTable(opened.id), who) for who in others])
    won = [answer for answer in answers if isinstance(answer, TableView)]
    assert len(won) == 1
    lost = {code(answer) for answer in answers if not isinstance(answer, TableView)}
    assert lost <= {"table_full", "table_closed"}
    assert len(house.game.created) == 1
    final = table(await lobby.ask(GetTable(opened.id)))
    assert final.n == 3
    assert final.state == "match"


async def test_a_full_table_waits_for_the_game_service_and_whoever_reads_it_finishes() -> None:
    house = MemoryHouse()
    lobby = house.lobby()
    jana, ivan, eva = await _players(lobby, 3)
    opened = table(await lobby.ask(OPEN, jana))
    starting = table(await lobby.ask(JoinTable(opened.id), ivan))
    assert (starting.state, starting.match) == ("starting", "")
    assert code(await lobby.ask(LeaveTable(opened.id), ivan)) == "table_closed"
    assert code(await lobby.ask(JoinTable(opened.id), eva)) == "table_full"
    await house.start_game()
    assert table(await house.lobby().ask(GetTable(opened.id))).state == "match"


async def test_a_crash_between_the_match_and_its_record_is_repaired_without_a_second_match() -> None:
    house = MemoryHouse()
    await house.start_game()
    lobby = house.lobby()
    jana, ivan = await _players(lobby, 2)
    opened = table(await lobby.ask(OPEN, jana))

    class Killed(Exception):  # noqa: N818 - what happens
        """The process is gone at this point."""

    append = house.stores.tables.append

    async def killed_before_match_opened(key: str, n: int, data: bytes) -> None:
        if b"match_opened" in data:
            raise Killed
        await append(key, n, data)

    house.stores.tables.append = killed_before_match_opened
    assert code(await lobby.ask(JoinTable(opened.id), ivan)) == "internal"
    house.stores.tables.append = append
    assert len(house.game.created) == 1
    again = house.lobby()
    await Feed(house.stores.tables, again.tables.listing).read_all()
    await again.tables.sweep()
    assert await _list(again) == ()
    repaired = table(await again.ask(GetTable(opened.id)))
    assert repaired.state == "match"
    assert list(house.game.created) == [repaired.match]
    assert house.game.asked == 2


async def test_a_match_that_cannot_be_created_closes_its_table() -> None:
    house = MemoryHouse(game=FakeGame())
    await house.start_game()
    lobby = house.lobby()
    jana, ivan = await _players(lobby, 2)
    house.game.refuses = "unavailable"
    opened = table(await lobby.ask(OPEN, jana))
    assert table(await lobby.ask(JoinTable(opened.id), ivan)).state == "starting", "that may pass"
    house.game.refuses = "invalid_options"
    closed = table(await lobby.ask(GetTable(opened.id)))
    assert (closed.state, closed.cause) == ("closed", "match_refused")


async def test_a_table_that_cannot_be_read_does_not_keep_the_sweep_from_the_others() -> None:
    house = MemoryHouse()
    lobby = house.lobby()
    jana, ivan = await _players(lobby, 2)
    damaged = table(await lobby.ask(OPEN, jana))
    await _stored(house).append(damaged.id, 2, b"{}")
    old = table(await lobby.ask(OPEN, ivan))
    house.clock.ms += DAY_MS
    await lobby.tables.sweep()
    assert table(await lobby.ask(GetTable(old.id))).cause == "expired"
    assert code(await lobby.ask(GetTable(damaged.id))) == "unreadable_log"


async def test_tables_that_found_nobody_and_tables_of_the_forgotten_close() -> None:
    house = MemoryHouse()
    lobby = house.lobby()
    jana, ivan = await _players(lobby, 2)
    old = table(await lobby.ask(OPEN, jana))
    house.clock.ms += DAY_MS
    young = table(await lobby.ask(OPEN, jana))
    other = table(await lobby.ask(OPEN, ivan))
    await lobby.tables.sweep()
    assert table(await lobby.ask(GetTable(old.id))).cause == "expired"
    assert {row.id for row in await _list(lobby)} == {young.id, other.id}
    assert await lobby.ask(Forget(), jana) == Done()
    assert [row.id for row in await _list(lobby)] == [other.id]
    assert table(await lobby.ask(GetTable(young.id))).state == "closed"
    assert code(await lobby.ask(OPEN, jana)) == "unauthorized"
    assert code(await lobby.ask(JoinTable(other.id), jana)) == "unauthorized"


@pytest.mark.rule("B2")
async def test_the_list_opens_with_the_main_game_and_shows_others_on_demand() -> None:
    """The main game of the other instance is one of which no table is open."""
    house = MemoryHouse()
    lobby = house.lobby(main_game="backgammon")
    elsewhere = house.lobby(main_game="another")
    opened = table(await lobby.ask(OPEN, await lobby.player()))
    assert [row.id for row in await _list(lobby)] == [opened.id]
    await Feed(house.stores.tables, elsewhere.tables.listing).read_all()
    assert await _list(elsewhere) == ()
    assert [row.id for row in await _list(elsewhere, ListTables(others=True))] == [opened.id]
    assert [row.id for row in await _list(elsewhere, ListTables(game="backgammon"))] == [opened.id]


async def test_the_list_is_filtered_and_comes_in_pages() -> None:
    house = MemoryHouse()
    lobby = house.lobby()
    jana = await lobby.player()
    ids: list[str] = []
    for target in (None, 3, 3, 5, 3, None, 3):
        house.clock.ms += 1
        wish = OpenTable(game="backgammon", target=target, house="nardy" if target == 5 else "")
        ids.append(table(await lobby.ask(wish, jana)).id)
    newest = ids[::-1]
    assert [row.id for row in await _list(lobby)] == newest
    assert [row.id for row in await _list(lobby, ListTables(target=0))] == [ids[5], ids[0]]
    assert [row.id for row in await _list(lobby, ListTables(target=5))] == [ids[3]]
    assert [row.id for row in await _list(lobby, ListTables(house="nardy"))] == [ids[3]]
    assert await _list(lobby, ListTables(computer=True)) == ()
    assert await _list(lobby, ListTables(game="chess")) == ()
    paged: list[str] = []
    after = ""
    while True:
        page = await lobby.ask(ListTables(limit=3, after=after))
        assert isinstance(page, TableList)
        paged += [row.id for row in page.tables]
        after = page.next
        if not after:
            break
    assert paged == newest
    for limit in (0, -1, 101):
        assert code(await lobby.ask(ListTables(limit=limit))) == "invalid"


@pytest.mark.parametrize("after", ["x", "-", "0", "9" * 40, "1800000000000-tabcdefgh", "001800000000000-t/*"])
async def test_a_page_after_no_place_is_refused_and_not_the_first_page_again(after: str) -> None:
    lobby = MemoryHouse().lobby()
    opened = table(await lobby.ask(OpenTable(game="backgammon"), await lobby.player()))
    assert code(await lobby.ask(ListTables(after=after))) == "invalid"
    gone = f"{lobby.clock.ms + 1:015d}-tnolonger"
    assert [row.id for row in await _list(lobby, ListTables(after=gone))] == [opened.id]


async def test_a_recorded_table_is_not_offered_to_people() -> None:
    lobby = MemoryHouse().lobby()
    recorded = OpenTable(game="backgammon", chance="recorded", target=11)
    assert code(await lobby.ask(recorded, await lobby.player())) == "forbidden"
    opened = table(await lobby.ask(recorded, await lobby.bot()))
    assert await _list(lobby) == ()
    assert code(await lobby.ask(JoinTable(opened.id), await lobby.player())) == "forbidden"
    assert table(await lobby.ask(JoinTable(opened.id), await lobby.bot())).state == "starting"


async def test_a_list_that_missed_something_finds_it() -> None:
    house = MemoryHouse()
    here, there = house.lobby(), house.lobby()
    jana, ivan = await _players(here, 2)
    opened = table(await here.ask(OPEN, jana))
    feed = Feed(house.stores.tables, there.tables.listing)
    await feed.read_all()
    await here.ask(JoinTable(opened.id), ivan)
    second = table(await here.ask(OPEN, ivan))
    await here.ask(LeaveTable(second.id), ivan)
    entries = _stored(house).entries
    feed.live(*entries[1])
    assert [row.state for row in await _list(there)] == ["starting"]
    feed.live(*entries[0])
    feed.live(*entries[-1])
    assert [row.id for row in await _list(there)] == [opened.id], "closed meanwhile, old ones skipped"
    feed.live(opened.id, 9, b"from the future")
    assert [row.id for row in await _list(there)] == [opened.id]


async def test_entries_that_come_while_the_log_is_read_are_not_lost_or_turned_back() -> None:
    house = MemoryHouse()
    here, there = house.lobby(), house.lobby()
    jana = await here.player()
    opened = table(await here.ask(OPEN, jana))
    feed = Feed(house.stores.tables, there.tables.listing)
    scan = house.stores.tables.scan

    async def closed_meanwhile(on_entry: Callable[[str, int, bytes], None]) -> None:
        before = list(_stored(house).entries)
        await here.ask(LeaveTable(opened.id), jana)
        feed.live(*_stored(house).entries[-1])
        await _list(there)
        for entry in before:
            on_entry(*entry)

    house.stores.tables.scan = closed_meanwhile
    await feed.read_all()
    house.stores.tables.scan = scan
    assert await _list(there) == ()


async def test_what_has_ended_is_never_listed_again_and_nothing_new_is_lost_while_all_is_read_again() -> None:
    house = MemoryHouse()
    here, there = house.lobby(), house.lobby()
    jana, ivan = await _players(here, 2)
    ended = table(await here.ask(OPEN, jana))
    stays = table(await here.ask(OPEN, jana))
    feed = Feed(house.stores.tables, there.tables.listing)
    await feed.read_all()
    await there.ask(LeaveTable(ended.id), jana)
    unheard = table(await here.ask(OPEN, jana))
    seen: list[set[str]] = []

    async def ask_in_between(on_entry: Callable[[str, int, bytes], None]) -> None:
        for i, entry in enumerate(list(_stored(house).entries)):
            on_entry(*entry)
            seen.append({row.id for row in await _list(there)})
            if i == 0:
                seen[-1].add(table(await there.ask(OPEN, ivan)).id)  # the hint of it is late
                await here.ask(LeaveTable(stays.id), jana)
                feed.live(*_stored(house).entries[-1])

    house.stores.tables.scan = ask_in_between
    await feed.read_all()
    assert all(ended.id not in listed and unheard.id not in listed for listed in seen)
    assert seen[0] > {stays.id}
    (opened,) = seen[0] - {stays.id}
    assert seen[1:] == [{opened}] * 3
    assert {row.id for row in await _list(there)} == {opened, unheard.id}


async def test_who_may_ask_what() -> None:
    lobby = MemoryHouse().lobby()
    jana = await lobby.player()
    opened = table(await lobby.ask(OPEN, jana))
    assert code(await lobby.ask(OPEN)) == "unauthorized"
    assert code(await lobby.ask(JoinTable(opened.id))) == "unauthorized"
    assert code(await lobby.ask(OPEN, jana, sender="ghost")) == "command_not_allowed"
    watcher = Session(
        access_token="", refresh_token="", expires_in_ms=0, scopes=("watch",), player=jana.player
    )
    assert code(await lobby.ask(OPEN, watcher)) == "forbidden"
    assert code(await lobby.ask(OPEN, jana, key="no blanks")) == "invalid"
    for nowhere in ("tnowhere", "x", "t*", "t.>", "x" * 500):
        assert code(await lobby.ask(GetTable(nowhere))) == "unknown_table"
        assert code(await lobby.ask(JoinTable(nowhere), jana)) == "unknown_table"


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"[]",
        b'{"request":{"type":"drop_tables"}}',
        b'{"request":{"type":"get_table"}}',
        b"\xff\xfe",
    ],
)
async def test_what_cannot_be_read_is_refused(data: bytes) -> None:
    answer = await MemoryHouse().lobby().handlers.answer("cmd.gateway.lobby.x", data)
    assert code(LOBBY_ANSWER.decode(answer)) == "malformed"
