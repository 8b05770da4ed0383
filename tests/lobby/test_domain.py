"""A table: given what happened, when somebody wants something, then this follows."""

from typing import Any

import jsonschema
import msgspec
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
from shared.catalogue import Game, catalogue
from shared.clocks import BLITZ, PER_MOVE, STANDARD, chess_clock
from shared.events.base import Entry
from shared.events.match import ClockTerms, Level, Seat, Terms
from shared.events.table import MatchOpened, SeatFreed, SeatTaken, TableClosed, TableEvent, TableOpened
from shared.ids import COMPUTER
from shared.problems import Refused
from shared.rules.protocol import Traits
from shared.wire.lobby import OpenTable
from tests.support.hidden_hand import HiddenHand, hidden_hand

__all__ = ["hidden_hand"]

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
    weak = _opened(computer=True, level=1)
    assert decide(None, Open(weak)) == (weak, SeatTaken(1, COMPUTER, bot=True, level=1))
    assert create_match(_given(weak, SeatTaken(1, COMPUTER, bot=True, level=1))).seats[1].level == 1
    for wish in ({"level": 2}, {"level": 4, "computer": True}):
        with pytest.raises(Refused, match="invalid_options"):
            _opened(**wish)


@pytest.mark.parametrize("game", ["prsi", "scrabble"])
def test_what_is_for_two_is_refused_at_larger_tables_with_their_number_as_the_reason(game: str) -> None:
    kick = OpenTable(game=game, clock="move", flag="kick", seats=3)
    with pytest.raises(Refused) as refused:
        agree(kick, JANA, ORDINARY)
    assert refused.value.problem.detail == "flag: kick is for tables of two; with 3 it is loss."
    assert agree(msgspec.structs.replace(kick, seats=2), JANA, ORDINARY).terms.flag == "kick"
    with pytest.raises(Refused, match="flag is one of loss, kick"):
        agree(msgspec.structs.replace(kick, flag="draw", seats=2), JANA, ORDINARY)
    (told,) = (found for found in catalogue().games if found.name == game)
    assert told.terms["properties"]["flag"]["description"].endswith("at tables of two only.")
    assert told.computer_seats == (2,)


@pytest.mark.parametrize("game", catalogue().games, ids=lambda game: game.name)
def test_the_level_that_the_catalogue_names_can_be_sent_back(game: Game) -> None:
    wish = OpenTable(game=game.name, computer=True)
    asked = agree(msgspec.structs.replace(wish, level=game.level), JANA, ORDINARY)
    assert asked == agree(wish, JANA, ORDINARY)
    assert agree(wish, JANA, ORDINARY).seats in game.computer_seats
    assert game.level in (None, 1, 2, 3)


def test_where_nobody_says_how_well_the_computer_plays_the_game_does() -> None:
    quiet = OpenTable(game="battleship", computer=True)
    assert agree(quiet, JANA, ORDINARY).level == Level.UNTHINKING, "the house's own bot shoots at random"
    asked = msgspec.structs.replace(quiet, level=Level.BEST)
    assert agree(asked, JANA, ORDINARY).level == Level.BEST
    assert agree(OpenTable(game="chess", computer=True), JANA, ORDINARY).level == Level.UNSAID
    assert agree(OpenTable(game="battleship"), JANA, ORDINARY).level == Level.UNSAID, "nobody to ask"


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
        ({"house": "boards"}, Terms(cube=False, clock=PER_MOVE, absence="forfeit")),
        ({"house": "boards", "cube": True}, Terms(clock=PER_MOVE, absence="forfeit")),
        ({"house": "boards", "clock": "none", "absence": "wait"}, Terms(cube=False)),
        (
            {"house": "duels", "cube": False, "clock": "none", "absence": "wait"},
            Terms(first_move="roll_each_game", cube=False),
        ),
    ],
)
def test_what_the_creator_leaves_open_comes_from_the_house(wish: dict[str, Any], terms: Terms) -> None:
    assert _opened(**wish).terms == terms


@pytest.mark.rule("S4")
@pytest.mark.rule("S10")
@pytest.mark.parametrize("target", [None, 3, 5, 9])
def test_duels_have_the_beaver_in_every_mode_and_roll_for_every_game(target: int | None) -> None:
    terms = _opened(house="duels", target=target).terms
    assert (terms.target, terms.first_move, terms.beaver) == (target, "roll_each_game", True)


@pytest.mark.rule("N6")
@pytest.mark.rule("N7")
@pytest.mark.rule("N8")
@pytest.mark.parametrize("target", [2, 3, 5, 7, 9, 11, 13])
def test_nardy_matches_have_the_cube_no_beaver_and_alternate(target: int) -> None:
    preset = _opened(house="nardy", target=target).terms
    assert (preset.target, preset.cube, preset.beaver, preset.first_move) == (
        target,
        True,
        False,
        "alternate",
    )
    for changed in ({"cube": False}, {"beaver": True}, {"first_move": "roll_each_game"}):
        with pytest.raises(Refused, match="invalid_options"):
            _opened(house="nardy", target=target, **changed)
        single = _opened(house="nardy", **changed).terms
        assert single != _opened(house="nardy").terms, "a single game may differ"


@pytest.mark.rule("S3")
@pytest.mark.rule("S4")
@pytest.mark.rule("S13")
@pytest.mark.rule("N13")
@pytest.mark.parametrize("house", ["duels", "nardy"])
@pytest.mark.parametrize("target", [None, 3])
def test_duels_and_nardy_play_with_the_standard_clock_and_throw_out(house: str, target: int | None) -> None:
    terms = _opened(house=house, target=target).terms
    assert (terms.clock, terms.flag) == (STANDARD, "kick")
    assert ClockTerms(kind="credit", budget_ms=120_000, bonus_ms=20_000, cap_ms=120_000) == STANDARD


@pytest.mark.rule("S7")
@pytest.mark.rule("S18")
@pytest.mark.parametrize("house", ["duels", "nardy"])
def test_a_ghost_goes_on_in_matches_soon_and_in_single_games_after_two_minutes(house: str) -> None:
    match, single = _opened(house=house, target=3).terms, _opened(house=house).terms
    assert (match.absence, match.grace_ms) == ("ghost", 30_000)
    assert (single.absence, single.grace_ms) == ("ghost", 120_000)


@pytest.mark.rule("S2")
@pytest.mark.parametrize("house", ["duels", "nardy"])
def test_blitz_is_for_single_games_and_a_match_keeps_the_houses_clock(house: str) -> None:
    terms = _opened(house=house, clock="blitz").terms
    assert (terms.clock, terms.flag) == (BLITZ, "kick")
    assert ClockTerms(kind="credit", budget_ms=30_000, bonus_ms=10_000, cap_ms=30_000) == BLITZ
    for clock in ("blitz", "move", "none", ClockTerms(kind="chess", budget_ms=60_000)):
        with pytest.raises(Refused, match="invalid_options"):
            _opened(house=house, target=3, clock=clock)
    for changed in ({"flag": "loss"}, {"absence": "wait"}):
        with pytest.raises(Refused, match="invalid_options"):
            _opened(house=house, target=3, **changed)
    for same in ("standard", STANDARD):
        assert _opened(house=house, target=3, clock=same).terms.clock == STANDARD


@pytest.mark.rule("B3")
@pytest.mark.rule("B12")
def test_board_games_have_two_minutes_a_move_who_overruns_or_vanishes_loses() -> None:
    terms = _opened(house="boards").terms
    assert terms.clock == PER_MOVE == ClockTerms(kind="move", budget_ms=120_000)
    assert (terms.flag, terms.absence, terms.grace_ms) == ("loss", "forfeit", 30_000)


@pytest.mark.rule("B5")
def test_the_minutes_of_a_chess_clock_are_the_games_own(
    hidden_hand: HiddenHand, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hidden_hand, "traits", Traits(minutes=(7, 10, 15)))
    for speed, minutes in (("fast", 7), ("normal", 10), ("slow", 15)):
        terms = agree(OpenTable(game=hidden_hand.name, house="boards", clock=speed), JANA, ORDINARY).terms
        assert (terms.clock, terms.flag) == (chess_clock(minutes), "loss")


@pytest.mark.rule("B5")
@pytest.mark.parametrize("clock", ["fast", "blitz", "standard", chess_clock(5), BLITZ])
def test_a_game_without_a_chess_clock_has_two_minutes_a_move_and_nothing_else(
    clock: str | ClockTerms, hidden_hand: HiddenHand, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hidden_hand, "traits", Traits(clocks=("move",)))
    with pytest.raises(Refused, match="clock"):
        agree(OpenTable(game=hidden_hand.name, house="boards", clock=clock), JANA, ORDINARY)
    for house in ("boards", "duels", "nardy"):
        terms = agree(OpenTable(game=hidden_hand.name, house=house), JANA, ORDINARY).terms
        assert terms.clock == PER_MOVE, "also where the house's own clock does not suit the game"


def test_nobody_is_thrown_out_where_more_than_two_play(hidden_hand: HiddenHand) -> None:
    wish = OpenTable(game=hidden_hand.name, seats=3, clock="move", flag="kick")
    with pytest.raises(Refused, match="flag"):
        agree(wish, JANA, ORDINARY)
    three = OpenTable(game=hidden_hand.name, house="duels", seats=3)
    assert agree(three, JANA, ORDINARY).terms.flag == "loss", "whatever the house's default"


def test_the_plain_house_times_nobody_unless_asked_to() -> None:
    assert _opened().terms == Terms()
    own = ClockTerms(kind="chess", budget_ms=90_000)
    wish: dict[str, Any] = {"clock": own, "flag": "kick", "absence": "ghost", "grace_ms": 5_000}
    assert _opened(**wish).terms == Terms(**wish)
    for name, clock in (("move", PER_MOVE), ("blitz", BLITZ), ("standard", STANDARD), ("none", None)):
        assert _opened(clock=name).terms == Terms(clock=clock)


def test_recorded_matches_have_no_clock_and_nobody_is_away_from_them() -> None:
    for house in ("", "boards", "duels", "nardy"):
        wish = OpenTable(game="backgammon", chance="recorded", house=house)
        terms = agree(wish, JANA, BOT).terms
        assert (terms.clock, terms.flag, terms.absence, terms.grace_ms) == (None, "loss", "wait", 30_000)
    timed: tuple[dict[str, Any], ...] = ({"clock": "blitz"}, {"absence": "ghost"}, {"flag": "kick"})
    for changed in timed:
        with pytest.raises(Refused, match="invalid_options"):
            agree(OpenTable(game="backgammon", chance="recorded", **changed), JANA, BOT)


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
        {"clock": "hourglass"},
        {"clock": "fast"},
        {"clock": ClockTerms(kind="sand", budget_ms=60_000)},
        {"clock": ClockTerms(kind="chess", budget_ms=999)},
        {"clock": ClockTerms(kind="chess", budget_ms=60_000, bonus_ms=1_000)},
        {"clock": ClockTerms(kind="credit", budget_ms=30_000, bonus_ms=10_000, cap_ms=20_000)},
        {"clock": "move", "flag": "draw"},
        {"flag": "kick"},
        {"absence": "shrug"},
        {"grace_ms": 1_000},
        {"absence": "ghost", "grace_ms": -1},
        {"absence": "ghost", "grace_ms": 10**9},
        {"options": {"unheard_of": 1}},
        {"options": {"mode": "giveaway"}, "cube": True},
        {"options": {"mode": "giveaway"}, "target": 3},
        {"options": {"mode": "draw"}, "target": 3},
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
    assert game.clocks == {"none": None, "move": PER_MOVE, "blitz": BLITZ, "standard": STANDARD}
    assert game.terms["properties"]["clock"]["anyOf"][0] == {"enum": list(game.clocks)}
    for name, clock in game.clocks.items():
        assert _opened(clock=name).terms.clock == clock
    assert game.terms["properties"]["target"]["enum"] == [None, 2, 3, 5, 7, 9, 11, 13]
    assert {house.name for house in found.houses} == {"", "boards", "duels", "nardy"}
    for house in found.houses:
        for target in (None, *house.targets):
            terms = _opened(house=house.name, target=target).terms
            preset = house.single if target is None else house.match
            assert terms == msgspec.structs.replace(preset, target=target)


def test_the_schema_of_the_terms_allows_what_the_lobby_does() -> None:
    (game,) = [game for game in catalogue().games if game.name == "backgammon"]
    allowed: Any = jsonschema.Draft202012Validator(game.terms)
    for clock in (*game.clocks, {"kind": "chess", "budget_ms": 90_000}, msgspec.to_builtins(BLITZ)):
        assert allowed.is_valid({"clock": clock, "flag": "kick", "absence": "ghost", "grace_ms": 0})
    for wrong in (
        "fast",
        "hourglass",
        {"kind": "sand", "budget_ms": 60_000},
        {"kind": "chess", "budget_ms": 1},
    ):
        assert not allowed.is_valid({"clock": wrong})
    for name, term in game.terms["properties"].items():
        assert allowed.is_valid({name: term["default"]}), name
        assert term["description"]
