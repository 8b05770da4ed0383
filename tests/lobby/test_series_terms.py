"""Tables of the whole family: the houses' defaults for every game and series, and what is refused."""

from typing import Any, Final

import jsonschema
import msgspec
import pytest

from services.audit.creation import check_creation
from services.game.domain import create
from services.lobby.domain import Join, Open, create_match, decide, evolve
from services.lobby.terms import agree
from shared.catalogue import HOUSES, PLAIN, catalogue
from shared.clocks import PER_MOVE, STANDARD
from shared.commands import CreateMatch
from shared.events.base import Entry
from shared.events.match import Pinned, Terms
from shared.events.table import TableEvent, TableOpened
from shared.problems import Refused
from shared.rules.registry import CURRENT
from shared.wire.lobby import ListTables, OpenTable, TableList
from tests.support.lobby import MemoryHouse, table
from tests.support.story import SECRET
from tests.support.wrong_terms import WRONG

JANA, IVAN = "pjanajana", "pivanivan"
ORDINARY = ("play", "watch")
SERIES: Final = {
    "mixed": ("hypergammon", "long_nardy", "backgammon", "hypergammon"),
    "tavli": ("backgammon", "plakoto", "fevga", "backgammon"),
}
TO_POINTS: Final = ("backgammon", "hypergammon", "nackgammon", "long_nardy")
FAMILY: Final = (*TO_POINTS, "plakoto", "fevga")
TARGETS: Final = {
    "": (2, 3, 5, 7, 9, 11, 13),
    "boards": (2, 3, 5, 7, 9, 11, 13),
    "duels": (3, 5, 9),
    "nardy": (2, 3, 5, 7, 9, 11, 13),
}
FOUND: Final = catalogue()
every_house = pytest.mark.parametrize("house", TARGETS)
every_game = pytest.mark.parametrize("game", FAMILY)
every_series = pytest.mark.parametrize("series", SERIES)


def opened(**wish: Any) -> TableOpened:
    """The table that comes of this wish."""
    return agree(OpenTable(**wish), JANA, ORDINARY)


def refusal(**wish: Any) -> str:
    """What is said to this wish; fails if it is granted."""
    with pytest.raises(Refused) as refused:
        opened(**wish)
    assert refused.value.problem.code == "invalid_options"
    return refused.value.problem.detail


def becomes(event: TableOpened) -> CreateMatch:
    """The command that the table sends when it is full."""
    later: list[tuple[TableEvent, ...]] = [decide(None, Open(event))]
    state = None
    while True:
        for events in later:
            entry: Entry[TableEvent] = Entry(
                key="ttableta",
                n=1 if state is None else state.n + 1,
                at_ms=5,
                command="c",
                command_hash="h",
                by=JANA,
                prev="0" * 64,
                events=events,
            )
            state = evolve(state, entry, "head")
        assert state is not None
        if state.state == "starting":
            return create_match(state)
        later = [decide(state, Join(IVAN))]


@pytest.mark.parametrize("name", [name for name, wrong in WRONG.items() if not wrong.inside])
def test_a_wrong_combination_is_refused_by_the_name_of_its_option(name: str) -> None:
    wrong = WRONG[name]
    game = {} if "series" in wrong.terms else {"game": wrong.rules}
    assert wrong.named in refusal(**game, **wrong.terms, options=wrong.options)


@pytest.mark.rule("N8")
@pytest.mark.parametrize("match", [{"game": "backgammon", "target": 5}, {"series": "mixed"}], ids=str)
@pytest.mark.parametrize("house", ["", "nardy"])
def test_what_a_single_game_is_worth_is_ignored_in_a_match(match: dict[str, Any], house: str) -> None:
    plain = opened(**match, house=house)
    assert opened(**match, house=house, jacoby=True, gammons=False) == plain
    assert (plain.terms.jacoby, plain.terms.gammons) == (False, True)


@pytest.mark.rule("N11")
@every_house
@every_game
def test_a_single_game_of_every_variant_has_its_houses_defaults(house: str, game: str) -> None:
    preset = HOUSES[house].single if house else PLAIN.single
    cube = preset.cube and game in TO_POINTS
    assert opened(game=game, house=house).terms == msgspec.structs.replace(
        preset, cube=cube, beaver=preset.beaver and cube
    )


@pytest.mark.rule("N6", "N8", "S4", "S10")
@every_house
@pytest.mark.parametrize("game", TO_POINTS)
def test_a_match_to_points_in_every_variant_has_its_houses_defaults(house: str, game: str) -> None:
    preset = HOUSES[house].match if house else PLAIN.match
    if house == "nardy" and game == "nackgammon":
        return  # not one of its three (N6)
    for target in TARGETS[house]:
        terms = opened(game=game, house=house, target=target).terms
        assert terms == msgspec.structs.replace(preset, target=target)
    for target in {*range(-1, 16)} - {*TARGETS[house]}:
        assert "target" in refusal(game=game, house=house, target=target)


def test_the_presets_are_what_the_houses_say() -> None:
    """Cube, beaver, first move, clock, throw-out and absence: read here once more from HOUSE_RULES."""
    boards, duels, nardy = HOUSES["boards"], HOUSES["duels"], HOUSES["nardy"]
    assert boards.single == boards.match == Terms(cube=False, clock=PER_MOVE, absence="forfeit")
    rolled = Terms(first_move="roll_each_game", beaver=True, clock=STANDARD, flag="kick", absence="ghost")
    assert duels.match == rolled
    assert duels.single == msgspec.structs.replace(rolled, grace_ms=120_000)
    plain = Terms(clock=STANDARD, flag="kick", absence="ghost")
    assert nardy.match == plain
    assert nardy.single == msgspec.structs.replace(plain, grace_ms=120_000)
    assert (nardy.match.cube, nardy.match.beaver, nardy.match.first_move) == (True, False, "alternate")


@pytest.mark.rule("N4", "N5", "N7", "N8")
@pytest.mark.parametrize("house", ["", "nardy"])
@every_series
def test_a_series_has_the_terms_of_a_match_its_own_cube_and_its_games_pinned(series: str, house: str) -> None:
    preset = HOUSES[house].match if house else PLAIN.match
    event = opened(series=series, house=house)
    assert event.terms == msgspec.structs.replace(preset, series=series, cube=series == "mixed")
    assert (event.terms.beaver, event.terms.first_move, event.terms.target) == (False, "alternate", None)
    assert event.games == tuple(Pinned(game, CURRENT[game].version) for game in SERIES[series])
    assert (event.rules, event.rules_version) == (event.games[0].rules, event.games[0].rules_version)
    assert opened(series=series, house=house, game=SERIES[series][0]) == event
    assert "game" in refusal(series=series, house=house, game="fevga")


@every_series
@pytest.mark.parametrize("house", ["boards", "duels"])
def test_a_house_without_series_offers_none(series: str, house: str) -> None:
    assert "series" in refusal(series=series, house=house)


@pytest.mark.rule("N7", "N8", "N13")
@pytest.mark.parametrize(
    "match",
    [
        *({"game": game, "target": 3} for game in HOUSES["nardy"].match_games),
        *({"series": name} for name in SERIES),
    ],
    ids=str,
)
def test_a_match_of_the_nardy_house_has_fixed_terms(match: dict[str, Any]) -> None:
    terms = opened(**match, house="nardy").terms
    for changed in (
        {"first_move": "roll_each_game"},
        {"cube": not terms.cube},
        {"beaver": True},
        {"clock": "blitz"},
        {"flag": "loss"},
        {"absence": "wait"},
    ):
        (option,) = changed
        assert option in refusal(**match, house="nardy", **changed)
    same = {"cube": terms.cube, "beaver": False, "first_move": "alternate", "clock": "standard"}
    assert opened(**match, house="nardy", **same, flag="kick", absence="ghost").terms == terms


@pytest.mark.rule("N6")
def test_the_nardy_house_plays_to_points_in_its_three_games() -> None:
    assert "backgammon, hypergammon, long_nardy" in refusal(game="nackgammon", target=3, house="nardy")
    assert opened(game="nackgammon", house="nardy").terms.target is None
    assert opened(game="nackgammon", target=3, house="duels").terms.target == 3


@pytest.mark.rule("S4")
@pytest.mark.parametrize("game", TO_POINTS)
def test_in_a_match_of_the_duels_house_the_cube_is_in_play(game: str) -> None:
    assert opened(game=game, target=3, house="duels").terms.cube
    assert "cube" in refusal(game=game, target=3, house="duels", cube=False)


@pytest.mark.rule("N3")
@every_house
@every_game
def test_giveaway_of_every_game_is_a_single_game_without_a_cube(house: str, game: str) -> None:
    terms = opened(game=game, house=house, options={"mode": "giveaway"}).terms
    assert (terms.target, terms.cube, terms.beaver, terms.jacoby, terms.gammons) == (
        None,
        False,
        False,
        False,
        True,
    )


@pytest.mark.rule("N2")
@every_house
@pytest.mark.parametrize("game", ["backgammon", "hypergammon", "long_nardy"])
def test_a_game_with_a_draw_is_a_single_game_with_the_cube_as_the_house_has_it(house: str, game: str) -> None:
    terms = opened(game=game, house=house, options={"mode": "draw"}).terms
    assert terms == opened(game=game, house=house).terms


def agreed() -> list[TableOpened]:
    """A table of everything that the catalogue offers."""
    tables: list[TableOpened] = []
    for preset in FOUND.houses:
        for game in FOUND.games:
            if game.name not in FAMILY:
                continue
            to_points = game.matches and game.name in (preset.match_games or TO_POINTS)
            targets = (None, *preset.targets) if to_points else (None,)
            tables += [opened(game=game.name, house=preset.name, target=target) for target in targets]
            for option, schema in game.options["properties"].items():
                for value in schema.get("enum", (True, False)):
                    tables.append(opened(game=game.name, house=preset.name, options={option: value}))
        for series in FOUND.series:
            if series.name not in preset.series:
                continue
            tables.append(opened(series=series.name, house=preset.name))
            for option, schema in series.options["properties"].items():
                for value in schema.get("enum", (True, False)):
                    tables.append(opened(series=series.name, house=preset.name, options={option: value}))
    return tables


def test_whatever_the_lobby_agrees_to_is_created_and_verifies() -> None:
    """Every game, series, house, length and value of an option: one table each."""
    events = agreed()
    assert len(events) > 200
    for event in events:
        created = create(becomes(event), SECRET)
        assert check_creation(created) == created[0]
        assert created[0].games == event.games


def test_the_catalogue_describes_every_option_with_its_default() -> None:
    """Each has a sentence and a default, which is what a table has that does not name it."""
    for game in FOUND.games:
        for option, schema in game.options["properties"].items():
            assert schema["description"], (game.name, option)
            jsonschema.validate({option: schema["default"]}, game.options)
            assert CURRENT[game.name].offers({option: schema["default"]}) == CURRENT[game.name].offers({})
            rules = CURRENT[game.name]
            assert rules.setup(2, {option: schema["default"]}, 0) == rules.setup(2, {}, 0)
        for term, schema in game.terms["properties"].items():
            assert schema["description"], (game.name, term)
            jsonschema.validate({term: schema["default"]}, game.terms)
        for name, default in plain_terms(game.name).items():
            assert game.terms["properties"][name]["default"] == default, (game.name, name)


def plain_terms(game: str) -> dict[str, Any]:
    """The terms of a table on which nothing was wished, as a wish names them."""
    terms = opened(game=game).terms
    named = {"target": terms.target, "flag": terms.flag, "absence": terms.absence, "grace_ms": terms.grace_ms}
    named |= {"clock": "none"}
    if CURRENT[game].traits.gammons:
        named |= {"gammons": terms.gammons}
    if game in TO_POINTS:
        named |= {"cube": terms.cube, "beaver": terms.beaver, "jacoby": terms.jacoby}
        named |= {"first_move": terms.first_move}
    return named


@pytest.mark.rule("N4", "N5")
def test_the_catalogue_describes_the_series_and_each_house_says_which_it_offers() -> None:
    described = {of.name: (*of.games, of.tie) for of in FOUND.series}
    assert described == SERIES
    assert {of.name: of.cube for of in FOUND.series} == {"mixed": True, "tavli": False}
    assert {house.name: house.series for house in FOUND.houses} == {
        "": ("mixed", "tavli"),
        "boards": (),
        "duels": (),
        "nardy": ("mixed", "tavli"),
    }
    for series in FOUND.series:
        known = set(series.options["properties"])
        assert (
            known
            == {
                "mixed": {"triple", "koks", "opening_dice_played", "resign_gammon_requires_none_off"},
                "tavli": {"triple", "opening_dice_played", "resign_gammon_requires_none_off"},
            }[series.name]
        )
        assert set(series.terms["properties"]) == {"first_move", "clock", "flag", "absence", "grace_ms"}
        for schema in (*series.options["properties"].values(), *series.terms["properties"].values()):
            assert schema["description"]
            assert "default" in schema


@pytest.mark.rule("B2", "N5")
async def test_a_series_is_listed_under_its_name_and_its_first_game_and_is_no_single_game() -> None:
    lobby = MemoryHouse().lobby()
    jana = await lobby.player()
    tavli = table(await lobby.ask(OpenTable(series="tavli", house="nardy"), jana))
    short = table(await lobby.ask(OpenTable(game="backgammon"), jana))
    mixed = table(await lobby.ask(OpenTable(series="mixed"), jana))
    assert (tavli.terms.series, tavli.terms.cube, mixed.terms.series) == ("tavli", False, "mixed")
    for asked, found in (
        (ListTables(game="tavli"), {tavli.id}),
        (ListTables(game="backgammon"), {tavli.id, short.id}),
        (ListTables(game="hypergammon"), {mixed.id}),
        (ListTables(target=0), {short.id}),
        (ListTables(game="plakoto"), set[str]()),
        (ListTables(), {tavli.id, short.id, mixed.id}),
    ):
        answer = await lobby.ask(asked)
        assert isinstance(answer, TableList)
        assert {shown.id for shown in answer.tables} == found
