"""Whom a table lets in (S1), kept seats, expiry: given a table, when somebody comes, then this follows."""

from typing import Any

import pytest

from services.lobby import admission
from services.lobby.admission import Standing
from services.lobby.domain import Join, Leave, Open, Table, TableCommand, create_match, decide, evolve
from services.lobby.links import Links
from services.lobby.rematch import again
from services.lobby.terms import agree
from shared.catalogue import LONGEST_WAIT_MS, MOST_EXPERIENCE, MOST_RATING
from shared.events.base import Entry
from shared.events.match import Seat
from shared.events.table import DAY_MS, Admits, SeatFreed, SeatTaken, TableClosed, TableEvent, TableOpened
from shared.ids import COMPUTER
from shared.problems import Refused
from shared.wire.lobby import OpenTable

JANA, IVAN, EVA = "pjanajana", "pivanivan", "pevaevaeva"
PLAYER = ("play", "watch")
OPENED_MS = 1_000


def _opened(invited: str = "", **wish: Any) -> TableOpened:
    return agree(OpenTable(game="backgammon", **wish), JANA, PLAYER, invited=invited)


def _table(opened: TableOpened, *events: TableEvent) -> Table:
    entry: Entry[TableEvent] = Entry(
        key="ttableta",
        n=1,
        at_ms=OPENED_MS,
        command="c",
        command_hash="h",
        by=JANA,
        prev="0" * 64,
        events=(*decide(None, Open(opened)), *events),
    )
    return evolve(None, entry, "head")


def _refused(given: Table, when: TableCommand) -> str:
    with pytest.raises(Refused) as refused:
        decide(given, when)
    return refused.value.problem.code


def _standing(rating: int | None, experience: int, unit: int = 1) -> Standing:
    return Standing(rating=rating, experience=experience, unit=unit)


@pytest.mark.rule("S1")
@pytest.mark.parametrize(
    ("asked", "standing", "lets_in"),
    [
        ({"experience_max": 20}, _standing(1200, 20), True),
        ({"experience_max": 20}, _standing(1200, 21), False),
        ({"experience_max": 0}, _standing(None, 0), True),
        ({"experience_max": 0}, _standing(None, 1), False),
        ({"rating_min": 1200}, _standing(2400, 5, unit=2), True),
        ({"rating_min": 1200}, _standing(2399, 5, unit=2), False),
        ({"rating_max": 1200}, _standing(2400, 5, unit=2), True),
        ({"rating_max": 1200}, _standing(2401, 5, unit=2), False),
        ({"rating_min": 1000, "rating_max": 1400, "experience_max": 9}, _standing(1400, 9), True),
        ({"rating_min": 1000, "rating_max": 1400, "experience_max": 9}, _standing(999, 9), False),
        ({"rating_min": 0}, _standing(None, 0), False),
    ],
)
def test_an_opponent_must_be_within_the_limits_themselves_included(
    asked: dict[str, Any], standing: Standing, *, lets_in: bool
) -> None:
    given = _table(_opened(**asked))
    when = Join(IVAN, standing=standing)
    if lets_in:
        assert decide(given, when) == (SeatTaken(1, IVAN),)
    else:
        assert _refused(given, when) == "terms_exclude_you"


@pytest.mark.rule("S1")
def test_nobody_is_taken_for_a_beginner_because_his_games_are_not_known() -> None:
    given = _table(_opened(experience_max=0))
    assert _refused(given, Join(IVAN)) == "unavailable"
    assert admission.excluded(Admits(), _standing(None, 99)) == ""


@pytest.mark.parametrize(
    ("wish", "name"),
    [
        ({"rating_min": -1}, "rating_min"),
        ({"rating_max": MOST_RATING + 1}, "rating_max"),
        ({"rating_min": 1300, "rating_max": 1200}, "rating_min"),
        ({"experience_max": -1}, "experience_max"),
        ({"experience_max": MOST_EXPERIENCE + 1}, "experience_max"),
        ({"experience_max": 1, "computer": True}, "experience_max"),
        ({"link": True, "computer": True}, "link"),
        ({"expires_in_ms": 59_999}, "expires_in_ms"),
        ({"expires_in_ms": LONGEST_WAIT_MS + 1}, "expires_in_ms"),
        ({"invited": JANA}, "invite"),
        ({"invited": IVAN, "link": True}, "invite"),
        ({"invited": IVAN, "computer": True}, "invite"),
    ],
)
def test_impossible_wishes_are_refused_by_name(wish: dict[str, Any], name: str) -> None:
    with pytest.raises(Refused) as refused:
        _opened(**wish)
    assert refused.value.problem.code == "invalid_options"
    assert name in refused.value.problem.detail


def test_only_a_table_of_two_keeps_a_seat_for_one_player() -> None:
    with pytest.raises(Refused, match="tables of two"):
        agree(OpenTable(game="prsi", seats=3), JANA, PLAYER, invited=IVAN)


def test_a_table_waits_as_long_as_it_says_and_not_a_moment_longer() -> None:
    assert _table(_opened()).expires_at_ms == OPENED_MS + DAY_MS
    given = _table(_opened(expires_in_ms=60_000))
    assert given.expires_at_ms == OPENED_MS + 60_000
    assert decide(given, Join(IVAN, at_ms=OPENED_MS + 59_999)) == (SeatTaken(1, IVAN),)
    assert _refused(given, Join(IVAN, at_ms=OPENED_MS + 60_000)) == "table_closed"


def test_a_kept_seat_is_for_one_and_for_the_others_there_is_no_table() -> None:
    given = _table(_opened(invited=IVAN))
    assert not given.listed
    assert _refused(given, Join(EVA)) == _refused(_table(_opened(invited=IVAN)), Join(EVA)) == "unknown_table"
    assert decide(given, Join(IVAN)) == (SeatTaken(1, IVAN),)
    assert decide(given, Leave(IVAN)) == (TableClosed("declined"),)
    assert _refused(given, Leave(EVA)) == "not_at_table"
    declined = _table(_opened(invited=IVAN), TableClosed("declined"))
    assert _refused(declined, Join(IVAN)) == _refused(declined, Leave(IVAN)) == "table_closed"


def test_of_who_has_gone_the_table_closes_and_at_anothers_the_seat_is_free() -> None:
    given = _table(agree(OpenTable(game="prsi", seats=3), JANA, PLAYER), SeatTaken(1, IVAN))
    assert decide(given, Leave(JANA, gone=True)) == (TableClosed("gone"),)
    assert decide(given, Leave(IVAN, gone=True)) == (SeatFreed(1),)


@pytest.mark.rule("N7")
def test_in_a_rematch_everybody_moves_one_seat_down() -> None:
    before = _table(_opened(target=3, experience_max=5, house="nardy"), SeatTaken(1, IVAN))
    opened = again(before, JANA, "mmatchma")
    assert (opened.reserved, opened.rematch, opened.admits) == ((IVAN, JANA), "mmatchma", None)
    assert (opened.terms, opened.options, opened.house) == (before.opened.terms, {}, "nardy")
    offered = _table(opened)
    assert offered.seats == (None, Seat(JANA)), "who offers it sits where he will play"
    assert decide(offered, Join(IVAN)) == (SeatTaken(0, IVAN),)
    full = _table(opened, SeatTaken(0, IVAN))
    assert create_match(full).seats == (Seat(IVAN), Seat(JANA))
    assert again(full, IVAN, "mmatchmb").reserved == (JANA, IVAN), "and back again"


def test_a_rematch_of_three_and_one_with_the_computer() -> None:
    three = _table(
        agree(OpenTable(game="prsi", seats=3), JANA, PLAYER), SeatTaken(1, IVAN), SeatTaken(2, EVA)
    )
    assert again(three, EVA, "mmatchma").reserved == (IVAN, EVA, JANA)
    alone = _table(_opened(computer=True, level=2))
    offered = _table(again(alone, JANA, "mmatchma"))
    assert offered.seats == (Seat(COMPUTER, bot=True, level=2), Seat(JANA))
    assert offered.state == "starting", "the computer needs no asking"


def test_a_link_is_its_tables_and_its_servers_own() -> None:
    links = Links(b"pepper of one server")
    token = links.token("ttableta")
    assert token.startswith("ttableta.")
    assert len(token.partition(".")[2]) == 32  # 160 bits
    assert links.opens("ttableta", token)
    assert links.token("ttableta") == token
    for wrong in ("", "ttableta", token[:-1], token + "a", Links(b"another").token("ttableta"), "č" + token):
        assert not links.opens("ttableta", wrong)
    assert not links.opens("ttablewb", token)
