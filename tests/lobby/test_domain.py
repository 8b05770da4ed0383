"""A table: given what happened, when somebody wants something, then this follows."""

from typing import Any

import pytest

from services.lobby.domain import (
    Close,
    Join,
    Leave,
    Open,
    RecordMatch,
    Table,
    TableCommand,
    create_match,
    decide,
    evolve,
    match_id,
)
from services.lobby.terms import agree
from shared.catalogue import COMPUTER, catalogue
from shared.events.base import Entry
from shared.events.match import Seat, Terms
from shared.events.table import MatchOpened, SeatFreed, SeatTaken, TableClosed, TableEvent, TableOpened
from shared.problems import Refused
from shared.wire.lobby import OpenTable

JANA, IVAN, EVA = "pjanajana", "pivanivan", "pevaevaeva"
ORDINARY = ("play", "watch")
BOT = (*ORDINARY, "bot")


def _opened(**wish: Any) -> TableOpened:
    return agree(OpenTable(game="backgammon", **wish), JANA, ORDINARY)


def _given(*events: TableEvent) -> Table:
    entry: Entry[TableEvent] = Entry(
        key="ttableta",
        n=1,
        at_ms=5,
        command="c",
        command_hash="h",
        by=JANA,
        prev="0" * 64,
        events=(_opened(), *events),
    )
    return evolve(None, entry, "head")


FULL = (SeatTaken(1, IVAN),)


@pytest.mark.parametrize(
    ("given", "when", "then"),
    [
        ((), Join(IVAN), (SeatTaken(1, IVAN),)),
        ((SeatTaken(1, IVAN), SeatFreed(1)), Join(EVA), (SeatTaken(1, EVA),)),
        ((), Leave(JANA), (TableClosed("left"),)),
        ((), Close("expired"), (TableClosed("expired"),)),
        (FULL, RecordMatch(), (MatchOpened(match_id("ttableta")),)),
        (FULL, Close("match_refused"), (TableClosed("match_refused"),)),
    ],
)
def test_what_may_be_done(
    given: tuple[TableEvent, ...], when: TableCommand, then: tuple[TableEvent, ...]
) -> None:
    assert decide(_given(*given), when) == then


@pytest.mark.parametrize(
    ("given", "when", "code"),
    [
        ((), Join(JANA), "already_at_table"),
        (FULL, Join(IVAN), "already_at_table"),
        (FULL, Join(EVA), "table_full"),
        ((*FULL, MatchOpened("mmatchma")), Join(EVA), "table_closed"),
        ((TableClosed("left"),), Join(IVAN), "table_closed"),
        ((TableClosed("left"),), Join(JANA), "table_closed"),
        ((), Leave(IVAN), "not_at_table"),
        (FULL, Leave(IVAN), "table_closed"),
        (FULL, Leave(JANA), "table_closed"),
        ((*FULL, MatchOpened("mmatchma")), Leave(IVAN), "table_closed"),
        ((TableClosed("left"),), Leave(JANA), "table_closed"),
        ((), RecordMatch(), "table_closed"),
        ((*FULL, MatchOpened("mmatchma")), RecordMatch(), "table_closed"),
        (FULL, Close("expired"), "table_closed"),
        ((), Open(_opened()), "id_reused"),
    ],
)
def test_what_may_not_be_done(given: tuple[TableEvent, ...], when: TableCommand, code: str) -> None:
    with pytest.raises(Refused) as refused:
        decide(_given(*given), when)
    assert refused.value.problem.code == code


def test_without_a_table_one_can_only_open_it() -> None:
    for command in (Join(IVAN), Leave(IVAN), RecordMatch(), Close("expired")):
        with pytest.raises(Refused, match="unknown_table"):
            decide(None, command)
    assert decide(None, Open(_opened())) == (_opened(),)


def test_the_computer_sits_down_at_once() -> None:
    opened = _opened(computer=True)
    assert decide(None, Open(opened)) == (opened, SeatTaken(1, COMPUTER, bot=True))


def test_a_full_table_always_asks_for_the_same_match() -> None:
    table = _given(*FULL)
    assert table.state == "starting"
    command = create_match(table)
    assert command.seats == (Seat(JANA), Seat(IVAN))
    assert (command.rules, command.table, command.terms) == ("backgammon", "ttableta", Terms())
    assert command == create_match(_given(*FULL))
    assert match_id("ttableta") == match_id("ttableta") != match_id("ttabletb")


@pytest.mark.rule("S1")
@pytest.mark.parametrize(
    ("wish", "terms"),
    [
        ({}, Terms()),
        ({"target": 7}, Terms(target=7)),
        (
            {"target": 7, "first_move": "roll_each_game", "cube": False},
            Terms(target=7, first_move="roll_each_game", cube=False),
        ),
        ({"beaver": True}, Terms(beaver=True)),
        ({"house": "boards"}, Terms(cube=False)),
        ({"house": "boards", "cube": True}, Terms()),
        ({"house": "duels", "cube": False}, Terms(first_move="roll_each_game", cube=False)),
    ],
)
def test_what_the_creator_leaves_open_comes_from_the_house(wish: dict[str, Any], terms: Terms) -> None:
    assert _opened(**wish).terms == terms


@pytest.mark.rule("S4")
@pytest.mark.rule("S10")
@pytest.mark.parametrize("target", [None, 3, 5, 9])
def test_duels_have_the_beaver_in_every_mode_and_roll_for_every_game(target: int | None) -> None:
    terms = _opened(house="duels", target=target).terms
    assert terms == Terms(target=target, first_move="roll_each_game", beaver=True)


@pytest.mark.rule("N6")
@pytest.mark.rule("N7")
@pytest.mark.rule("N8")
@pytest.mark.parametrize("target", [2, 3, 5, 7, 9, 11, 13])
def test_nardy_matches_have_the_cube_no_beaver_and_alternate(target: int) -> None:
    assert _opened(house="nardy", target=target).terms == Terms(target=target)
    for changed in ({"cube": False}, {"beaver": True}, {"first_move": "roll_each_game"}):
        with pytest.raises(Refused, match="invalid_options"):
            _opened(house="nardy", target=target, **changed)
        assert _opened(house="nardy", **changed).terms != Terms(), "a single game may differ"


@pytest.mark.parametrize(
    "wish",
    [
        {"target": 0},
        {"target": 1},
        {"target": 4},
        {"target": 99},
        {"target": -3},
        {"house": "duels", "target": 7},
        {"house": "casino"},
        {"first_move": "loser"},
        {"cube": False, "beaver": True},
        {"seats": 3},
        {"seats": 0},
        {"chance": "loaded"},
        {"options": {"unheard_of": 1}},
        {"options": {str(i): i for i in range(1000)}},
    ],
)
def test_impossible_options_are_refused(wish: dict[str, Any]) -> None:
    with pytest.raises(Refused) as refused:
        _opened(**wish)
    assert refused.value.problem.code == "invalid_options"
    assert refused.value.problem.detail


def test_recorded_matches_are_for_bots_and_of_any_length() -> None:
    with pytest.raises(Refused, match="forbidden"):
        _opened(chance="recorded")
    for target in (None, 0, 1, 25, 99):
        wish = OpenTable(game="backgammon", chance="recorded", target=target)
        assert agree(wish, JANA, BOT).terms.target == target
    for wrong in (
        OpenTable(game="backgammon", chance="recorded", target=100),
        OpenTable(game="backgammon", chance="recorded", computer=True),
    ):
        with pytest.raises(Refused, match="invalid_options"):
            agree(wrong, JANA, BOT)
    table = _given()
    recorded = evolve(
        None,
        Entry(
            key="ttableta",
            n=1,
            at_ms=5,
            command="c",
            command_hash="h",
            by=JANA,
            prev="0" * 64,
            events=(agree(OpenTable(game="backgammon", chance="recorded"), JANA, BOT),),
        ),
        "head",
    )
    assert decide(recorded, Join(IVAN, BOT)) == (SeatTaken(1, IVAN),)
    with pytest.raises(Refused, match="forbidden"):
        decide(recorded, Join(IVAN, ORDINARY))
    assert decide(table, Join(IVAN, ORDINARY))


def test_an_unknown_game_is_refused() -> None:
    with pytest.raises(Refused, match="unknown_game"):
        agree(OpenTable(game="tic-tac-toe"), JANA, ORDINARY)


def test_the_catalogue_offers_what_can_be_opened() -> None:
    """Every target and preset of the catalogue makes a table."""
    found = catalogue("backgammon")
    game = next(game for game in found.games if game.name == "backgammon")
    assert game.terms["properties"]["target"]["enum"] == [None, 2, 3, 5, 7, 9, 11, 13]
    assert {house.name for house in found.houses} == {"", "boards", "duels", "nardy"}
    for house in found.houses:
        for target in (None, *house.targets):
            terms = _opened(house=house.name, target=target).terms
            preset = house.single if target is None else house.match
            assert (terms.cube, terms.beaver, terms.first_move) == (
                preset.cube,
                preset.beaver,
                preset.first_move,
            )
