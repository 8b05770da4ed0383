"""The full lobby on memory ports: filters, kept seats, links, quick pairing, rematch, tables of the gone."""

import asyncio
from typing import Any

import pytest
import structlog

from services.lobby.feed import Feed
from services.lobby.rematch import REMATCH_MS, table_after
from services.lobby.tables import LINK_MS, MOST_INVITATIONS
from shared.adapters.memory_presence import MemoryPresence
from shared.commands import CreateMatch
from shared.events.match import Seat
from shared.events.table import DAY_MS
from shared.ports.presence import Sign, Word
from shared.wire.lobby import (
    AdmitsView,
    GetTable,
    JoinTable,
    LeaveTable,
    ListTables,
    OpenTable,
    QuickPair,
    Rematch,
    Session,
    TableList,
    TableView,
)
from tests.support.lobby import Lobby, MemoryHouse, code, names, table

CHESS = OpenTable(game="chess")


def _wish(**more: Any) -> OpenTable:
    return OpenTable(game="chess", **more)


async def _ids(lobby: Lobby, who: Session | None = None, **asked: Any) -> set[str]:
    """The tables of a list."""
    answer = await lobby.ask(ListTables(**asked), who)
    assert isinstance(answer, TableList), answer
    return {row.id for row in answer.tables}


async def _house(players: int, *, game: bool = True) -> tuple[MemoryHouse, Lobby, list[Session]]:
    house = MemoryHouse()
    if game:
        await house.start_game()
    lobby = house.lobby()
    return house, lobby, [await lobby.player() for _ in range(players)]


async def _played(lobby: Lobby, jana: Session, ivan: Session, **more: Any) -> TableView:
    opened = table(await lobby.ask(_wish(**more), jana))
    return table(await lobby.ask(JoinTable(opened.id), ivan))


# ---- who may come


@pytest.mark.rule("S1")
async def test_an_opponents_games_are_counted_when_he_sits_down() -> None:
    house, lobby, (jana, ivan, eva) = await _house(3)
    house.standings.say(ivan, "chess", 1200, 11)
    opened = table(await lobby.ask(_wish(experience_max=10, rating_min=1100), jana))
    assert opened.admits == AdmitsView(rating_min=1100, experience_max=10)
    assert code(await lobby.ask(JoinTable(opened.id), ivan, key="1")) == "terms_exclude_you"
    house.standings.away = True
    assert code(await lobby.ask(JoinTable(opened.id), eva)) == "unavailable"
    house.standings.away = False
    joined = table(await lobby.ask(JoinTable(opened.id), eva, key="1"))
    assert names(joined) == [jana.player.id, eva.player.id]
    house.standings.away = True
    assert table(await lobby.ask(JoinTable(opened.id), eva, key="1")) == joined, "a repeat asks nobody"


@pytest.mark.rule("S1")
async def test_the_list_is_filtered_by_people_and_by_whom_they_want() -> None:
    house, lobby, (jana, ivan, eva) = await _house(3)
    house.standings.say(jana, "chess", 1500, 40)
    house.standings.say(ivan, "chess", 1300, 5)
    house.standings.say(eva, "chess", 1250, 12)
    strong = table(await lobby.ask(CHESS, jana)).id
    beginner = table(await lobby.ask(_wish(experience_max=10), ivan)).id
    other = table(await lobby.ask(OpenTable(game="reversi"), ivan)).id  # where he is as good as new
    assert await _ids(lobby) == {strong, beginner, other}
    assert await _ids(lobby, rating_min=1300) == {strong, beginner}
    assert await _ids(lobby, rating_max=1300) == {beginner, other}
    assert await _ids(lobby, experience_max=5) == {beginner, other}
    assert await _ids(lobby, rating_min=1301, rating_max=1499) == set()
    assert await _ids(lobby, eva, fitting=True) == {strong, other}
    assert code(await lobby.ask(ListTables(fitting=True))) == "unauthorized"
    assert code(await lobby.ask(ListTables(rating_min=10_001))) == "invalid"
    house.clock.ms += 60_000  # what was remembered of people is too old
    house.standings.away = True
    assert code(await lobby.ask(ListTables(experience_max=5))) == "unavailable"
    assert await _ids(lobby) == {strong, beginner, other}, "who asks nothing of people needs no ratings"


async def test_pages_of_a_filtered_list_miss_nobody() -> None:
    house, lobby, (jana, ivan) = await _house(2)
    house.standings.say(ivan, "chess", 1900, 0)
    wanted: list[str] = []
    for number in range(9):
        house.clock.ms += 1
        opened = table(await lobby.ask(CHESS, ivan if number % 2 else jana)).id
        wanted += [opened] if number % 2 else []
    found: list[str] = []
    after = ""
    while True:
        page = await lobby.ask(ListTables(rating_min=1800, limit=2, after=after))
        assert isinstance(page, TableList)
        found += [row.id for row in page.tables]
        after = page.next
        if not after:
            break
    assert found == wanted[::-1]


@pytest.mark.rule("B5")
async def test_the_list_is_filtered_by_clock_and_stake() -> None:
    _, lobby, (jana,) = await _house(1)
    own = {"kind": "chess", "budget_ms": 123_000}
    clocks: dict[str, Any] = {"none": "none", "move": "move", "fast": "fast", "own": own}
    ids = {name: table(await lobby.ask(_wish(clock=clock), jana)).id for name, clock in clocks.items()}
    for name, opened in ids.items():
        assert await _ids(lobby, clock=name) == {opened}
    assert await _ids(lobby, clock="slow") == set()
    assert await _ids(lobby, stake_max=0) == set(ids.values())
    assert await _ids(lobby, stake_min=1) == set()


async def test_tables_of_the_past_are_not_listed_and_cannot_be_joined() -> None:
    house, lobby, (jana, ivan) = await _house(2)
    opened = table(await lobby.ask(_wish(expires_in_ms=60_000), jana))
    assert opened.expires_at_ms == house.clock.ms + 60_000
    house.clock.ms += 60_000
    assert await _ids(lobby) == set()
    assert code(await lobby.ask(JoinTable(opened.id), ivan)) == "table_closed"
    await lobby.tables.sweep()
    assert table(await lobby.ask(GetTable(opened.id))).cause == "expired"


# ---- kept seats and links


async def test_an_invited_player_finds_his_table_and_a_stranger_finds_none() -> None:
    _, lobby, (jana, eva) = await _house(2)
    ivan = await lobby.player("Ivan")
    opened = table(await lobby.ask(_wish(invite="ivan"), jana))
    assert opened.unlisted
    kept_for = opened.seats[1].kept_for
    assert kept_for is not None
    assert kept_for.nickname == "Ivan"
    assert await _ids(lobby, ivan, invited=True) == {opened.id}
    for who in (ivan, eva, jana, None):
        assert await _ids(lobby, who, others=True) == set()
    assert await _ids(lobby, eva, invited=True) == await _ids(lobby, jana, invited=True) == set()
    assert code(await lobby.ask(ListTables(invited=True))) == "unauthorized"
    for stranger in (eva, None):
        assert code(await lobby.ask(GetTable(opened.id), stranger)) == "unknown_table"
    for request in (JoinTable(opened.id), LeaveTable(opened.id)):
        assert code(await lobby.ask(request, eva)) == "unknown_table"
    assert table(await lobby.ask(GetTable(opened.id), ivan)) == opened
    joined = table(await lobby.ask(JoinTable(opened.id), ivan))
    assert (joined.state, names(joined)) == ("match", [jana.player.id, ivan.player.id])


async def test_an_invitation_may_be_declined_and_there_are_not_too_many() -> None:
    house, lobby, (jana, ivan) = await _house(2)
    first = table(await lobby.ask(_wish(invite=ivan.player.id), jana))
    declined = table(await lobby.ask(LeaveTable(first.id), ivan))
    assert (declined.state, declined.cause) == ("closed", "declined")
    assert await _ids(lobby, ivan, invited=True) == set()
    for _ in range(MOST_INVITATIONS):
        table(await lobby.ask(_wish(invite=ivan.player.id), jana))
    assert code(await lobby.ask(_wish(invite=ivan.player.id), jana)) == "rate_limited"
    assert code(await lobby.ask(_wish(invite=jana.player.id), jana)) == "invalid_options"
    for nobody in ("Nobody", "pcomputer", "x" * 200):
        assert code(await lobby.ask(_wish(invite=nobody), jana)) == "unknown_player"
    assert len(house.game.created) == 0


async def test_a_table_by_link_is_found_with_its_token_only_and_the_token_is_in_no_log() -> None:
    house, lobby, (jana, ivan, eva) = await _house(3)
    with structlog.testing.capture_logs() as lines:
        opened = table(await lobby.ask(_wish(link=True), jana, key="1"))
        token = opened.link
        assert token
        assert table(await lobby.ask(_wish(link=True), jana, key="1")).link == token
        assert table(await lobby.ask(GetTable(opened.id), jana)).link == token
        assert await _ids(lobby, eva, others=True) == set()
        wrong = token[:-1] + ("a" if token[-1] != "a" else "b")
        for request in (GetTable(opened.id), GetTable(opened.id, wrong), JoinTable(opened.id, wrong)):
            assert code(await lobby.ask(request, eva)) == "unknown_table"
        seen = table(await lobby.ask(GetTable(opened.id, token)))
        assert (seen.id, seen.link) == (opened.id, "")
        joined = table(await lobby.ask(JoinTable(opened.id, token), ivan))
        assert (joined.state, joined.link) == ("match", "")
    entries = b"".join(await house.stores.tables.read(opened.id))
    secret = token.partition(".")[2]
    assert secret not in str(lines)
    assert secret.encode() not in entries


async def test_a_link_is_worth_nothing_once_its_table_is_over() -> None:
    house, lobby, (jana, ivan) = await _house(2)
    opened = table(await lobby.ask(_wish(link=True, expires_in_ms=60_000), jana))
    house.clock.ms += 60_000
    assert code(await lobby.ask(JoinTable(opened.id, opened.link), ivan)) == "table_closed"
    house.clock.ms += LINK_MS
    for request in (GetTable(opened.id, opened.link), JoinTable(opened.id, opened.link)):
        assert code(await lobby.ask(request, ivan)) == "unknown_table"


# ---- quick pairing


async def test_quick_pairing_takes_the_oldest_table_that_fits_or_opens_one() -> None:
    house, lobby, (jana, ivan, eva) = await _house(3)
    older = table(await lobby.ask(CHESS, jana))
    house.clock.ms += 1
    table(await lobby.ask(CHESS, eva))
    paired = table(await lobby.ask(QuickPair(CHESS), ivan, key="1"))
    assert (paired.id, paired.state) == (older.id, "match")
    assert table(await house.lobby().ask(QuickPair(CHESS), ivan, key="1")).id == older.id
    assert code(await lobby.ask(QuickPair(_wish(clock="fast")), ivan, key="1")) == "id_reused"
    waiting = table(await lobby.ask(QuickPair(_wish(clock="fast")), ivan, key="2"))
    assert (waiting.state, names(waiting)) == ("open", [ivan.player.id, ""])
    assert code(await lobby.ask(QuickPair(_wish(clock="fast")), ivan, key="3")) == "already_at_table"
    assert await _ids(lobby, clock="fast") == {waiting.id}, "it is a table like any other"
    for wish in (_wish(computer=True), _wish(link=True), _wish(invite=eva.player.id)):
        assert code(await lobby.ask(QuickPair(wish), ivan)) == "invalid_options"


async def test_quick_pairing_goes_by_what_both_ask_of_each_other() -> None:
    house, lobby, (jana, ivan, eva) = await _house(3)
    house.standings.say(jana, "chess", 1200, 3)
    house.standings.say(ivan, "chess", 1500, 50)
    his = table(await lobby.ask(QuickPair(_wish(experience_max=10)), jana))
    other = table(await lobby.ask(QuickPair(CHESS), ivan))
    assert other.id != his.id, "she wants no veteran"
    third = table(await lobby.ask(QuickPair(_wish(rating_max=1300)), eva))
    assert third.id == his.id, "the one that suits both"


async def test_of_a_crowd_at_many_instances_everybody_is_paired_once() -> None:
    house, lobby, players = await _house(12)
    answers = await asyncio.gather(
        *[house.lobby().ask(QuickPair(CHESS), who, key=key) for who in players for key in ("1", "1")]
    )
    at: dict[str, set[str]] = {}
    for who, answer in zip([who for who in players for _ in range(2)], answers, strict=True):
        at.setdefault(table(answer).id, set()).add(who.player.id)
    assert len(at) == 6
    for opened, who in at.items():
        final = table(await lobby.ask(GetTable(opened)))
        assert (final.state, set(names(final))) == ("match", who)
    assert len(house.game.created) == 6


async def test_a_crash_between_the_aim_and_the_seat_leaves_one_seat() -> None:
    house, lobby, (jana, ivan) = await _house(2)
    append = house.stores.tables.append

    class Killed(Exception):  # noqa: N818 - what happens
        """The process is gone at this point."""

    async def killed(key: str, n: int, data: bytes) -> None:
        raise Killed(key, n, data)

    house.stores.tables.append = killed
    assert code(await lobby.ask(QuickPair(CHESS), jana, key="1")) == "internal"
    house.stores.tables.append = append
    waiting = table(await house.lobby().ask(QuickPair(CHESS), ivan))
    paired = table(await house.lobby().ask(QuickPair(CHESS), jana, key="1"))
    assert (paired.id, paired.state) == (waiting.id, "match")


# ---- rematch


@pytest.mark.rule("N7")
async def test_a_rematch_is_one_table_however_often_and_by_whomever_it_is_clicked() -> None:
    house, lobby, (jana, ivan, eva) = await _house(3)
    played = await _played(lobby, jana, ivan, clock="fast")
    again = Rematch(played.id, played.match)
    answers = await asyncio.gather(
        *[house.lobby().ask(again, who, key=str(number)) for number in range(4) for who in (jana, ivan)]
    )
    assert {table(answer).id for answer in answers} == {table_after(played.match)}
    final = table(await lobby.ask(again, jana))
    assert (final.state, final.rematch, names(final)) == (
        "match",
        played.match,
        [ivan.player.id, jana.player.id],
    )
    assert final.terms == played.terms
    created = house.game.created[final.match].command
    assert isinstance(created, CreateMatch)
    assert created.seats == (Seat(ivan.player.id), Seat(jana.player.id))
    assert len(house.game.created) == 2
    assert code(await lobby.ask(again, eva)) == "not_your_seat"
    assert code(await lobby.ask(Rematch(played.id, "manother1"), jana)) == "unknown_match"


async def test_a_rematch_is_offered_to_the_other_one_alone_who_may_decline_it_for_good() -> None:
    _, lobby, (jana, ivan, eva) = await _house(3)
    played = await _played(lobby, jana, ivan)
    again = Rematch(played.id, played.match)
    offered = table(await lobby.ask(again, ivan))
    assert (offered.state, offered.unlisted) == ("open", True)
    assert await _ids(lobby, jana, invited=True) == {offered.id}
    assert code(await lobby.ask(GetTable(offered.id), eva)) == "unknown_table"
    assert table(await lobby.ask(LeaveTable(offered.id), jana)).cause == "declined"
    assert code(await lobby.ask(again, jana)) == "table_closed"
    assert table(await lobby.ask(again, ivan)).cause == "declined"


async def test_an_offer_of_a_rematch_expires() -> None:
    house, lobby, (jana, ivan) = await _house(2)
    played = await _played(lobby, jana, ivan)
    offered = table(await lobby.ask(Rematch(played.id, played.match), ivan))
    assert offered.expires_at_ms == house.clock.ms + REMATCH_MS
    house.clock.ms += REMATCH_MS
    assert code(await lobby.ask(Rematch(played.id, played.match), jana)) == "table_closed"


async def test_a_rematch_with_the_computer_begins_at_once_from_the_other_side() -> None:
    house, lobby, (jana,) = await _house(1)
    played = table(await lobby.ask(_wish(computer=True, level=1), jana))
    again = table(await lobby.ask(Rematch(played.id, played.match), jana))
    created = house.game.created[again.match].command
    assert isinstance(created, CreateMatch)
    assert created.seats == (Seat("pcomputer", bot=True, level=1), Seat(jana.player.id))


# ---- those who have gone


async def _presence(house: MemoryHouse, who: Session, word: Word, since_ms: int = 0) -> None:
    await MemoryPresence(house.presence, "g1").say((Sign(who.player.id, word, since_ms),))


async def test_the_tables_of_who_has_gone_close_after_a_grace() -> None:
    house, lobby, (jana, ivan) = await _house(2)
    await _presence(house, jana, Word.HERE)
    his = table(await lobby.ask(CHESS, ivan))  # by REST: he never had a socket
    hers = table(await lobby.ask(CHESS, jana))
    house.clock.ms += 5_000
    await _presence(house, jana, Word.AWAY, house.clock.ms)
    house.clock.ms += 59_999
    await _presence(house, ivan, Word.ACTED)  # a gateway is alive
    await lobby.tables.sweep()
    assert await _ids(lobby) == {his.id, hers.id}
    house.clock.ms += 1
    house.presence.reachable = False
    await lobby.tables.sweep()
    assert await _ids(lobby) == {his.id, hers.id}, "nobody has gone because the store of presence has"
    house.presence.reachable = True
    await _presence(house, ivan, Word.RESTS, house.clock.ms)
    await lobby.tables.sweep()
    assert await _ids(lobby) == {his.id}
    assert table(await lobby.ask(GetTable(hers.id))).cause == "gone"


async def test_who_came_back_or_went_before_he_sat_down_has_not_gone() -> None:
    house, lobby, (jana, ivan) = await _house(2)
    await _presence(house, ivan, Word.AWAY, house.clock.ms - 1)
    opened = {table(await lobby.ask(CHESS, who)).id for who in (jana, ivan)}
    await _presence(house, jana, Word.HERE)
    await _presence(house, jana, Word.AWAY, house.clock.ms)
    house.clock.ms += 120_000
    await _presence(house, jana, Word.HERE)
    await lobby.tables.sweep()
    assert await _ids(lobby) == opened


async def test_who_has_gone_leaves_the_tables_of_others() -> None:
    house, lobby, (jana, ivan) = await _house(2)
    opened = table(await lobby.ask(OpenTable(game="prsi", seats=3), jana))
    joined = table(await lobby.ask(JoinTable(opened.id), ivan))
    assert names(joined) == [jana.player.id, ivan.player.id, ""]
    await _presence(house, ivan, Word.AWAY, house.clock.ms)
    house.clock.ms += 60_000
    await _presence(house, jana, Word.HERE)
    await lobby.tables.sweep()
    assert names(table(await lobby.ask(GetTable(opened.id)))) == [jana.player.id, "", ""]


async def test_lists_of_other_instances_hold_kept_seats_too() -> None:
    house, lobby, (jana, ivan) = await _house(2)
    opened = table(await lobby.ask(_wish(invite=ivan.player.id), jana))
    there = house.lobby()
    await Feed(house.stores.tables, there.tables.listing).read_all()
    assert await _ids(there, ivan, invited=True) == {opened.id}
    assert await _ids(there, ivan, others=True) == set()
    assert opened.expires_at_ms == house.clock.ms + DAY_MS
