"""The match diagram as a picture: what it must tell of a match, and what it must never become."""

from xml.etree import ElementTree as ET

import pytest

from shared.commands import Leave
from shared.events.match import Terms
from shared.export.diagram import svg
from shared.match import MatchState
from tests.support import golden
from tests.support.golden_reading import folded
from tests.support.house import open_house
from tests.support.story import Story, match_to, terms_of

NAMES = ("Alice", "Bob")


def state(name: str, commits: int | None = None) -> MatchState:
    return folded(f"backgammon/{name}", commits)


def elements(picture: str) -> list[ET.Element]:
    """Everything in it."""
    return list(ET.fromstring(picture).iter())  # noqa: S314 - our own picture


def texts(picture: str) -> list[str]:
    """All that can be read in it."""
    return [element.text or "" for element in elements(picture) if element.tag.endswith("text")]


@pytest.mark.rule("N12")
def test_the_games_stand_in_order_with_cube_result_score_and_crawford() -> None:
    told = texts(svg(state("match-to-3"), NAMES))
    assert told[:3] == ["Backgammon, match to 3", "Alice", "Bob"]
    assert told.count("Crawford") == 1
    assert told[told.index("Crawford") - 2 :][:2] == ["2", "Backgammon"]
    assert "single (passed), 1 point" in told
    assert told[-1] == "Bob has won"


@pytest.mark.rule("N12")
def test_what_follows_is_told_between_games_and_while_one_is_played() -> None:
    log = golden.stored("backgammon/match-to-3")
    between = next(n for n, line in enumerate(log, 1) if b'"game_ended"' in line)
    told = texts(svg(state("match-to-3", between), NAMES))
    assert told[-2:] == ["Backgammon follows", "Crawford"]
    assert texts(svg(state("match-to-3", between - 1), NAMES))[-1] == "Backgammon is being played"


@pytest.mark.rule("N12", "N4", "N5")
@pytest.mark.parametrize(
    ("name", "titles"),
    [("mixed", ("Hypergammon", "Long nardy", "Backgammon")), ("tavli", ("Backgammon", "Plakoto", "Fevga"))],
)
def test_of_a_series_all_that_is_still_to_come_is_listed_and_the_tie_break_if_level(
    name: str, titles: tuple[str, str, str]
) -> None:
    told = Story(terms_of(name)).started()
    tie = ["4", f"Tie-break if level: {titles[0]}"]
    rest = ["2", f"{titles[1]} follows", "3", f"{titles[2]} follows", *tie]
    assert texts(svg(told.state, NAMES))[3:] == ["1", f"{titles[0]} is being played", *rest]
    told.when(1, Leave())
    assert texts(svg(told.state, NAMES))[-6:] == rest
    told.next_game()
    assert texts(svg(told.state, NAMES))[-6:] == ["2", f"{titles[1]} is being played", *rest[2:]]
    level = Story(terms_of(name)).started().level()
    assert texts(svg(level.state, NAMES))[-2:] == ["4", f"{titles[0]} follows"]


@pytest.mark.rule("N12")
def test_the_picture_is_as_high_as_its_rows() -> None:
    """Every text and every checker lies in it, and below the last row there is no empty one."""
    stories = [Story(), Story(match_to(5)).started(), Story(terms_of("mixed")).started()]
    stories += [Story(terms_of("tavli")).started().level(), Story(terms_of("mixed")).started().level()]
    stories[-1].next_game().wins(0)
    for told in stories:
        found = elements(svg(told.state, NAMES))
        lowest = max(float(element.get("y", element.get("cy", "0"))) for element in found)
        assert 0 < int(found[0].get("height", "")) - lowest < 34


def test_a_game_is_called_by_its_title() -> None:
    told = Story(Terms(cube=False), rules="gomoku3d").started()
    said = texts(svg(told.state, NAMES))
    assert (said[0], said[-1]) == ("3D gomoku, a single game", "3D gomoku is being played")


def test_points_that_do_not_count_are_told_so() -> None:
    assert any("not counted" in text for text in texts(svg(state("ghost"), NAMES)))


def test_a_name_is_text_and_nothing_else() -> None:
    evil = '</text><script>alert("1")</script>\x00\x1b'
    picture = svg(state("single"), (evil, "Bob"))
    assert not [element for element in elements(picture) if "script" in element.tag]
    assert texts(picture)[1].startswith("</text><script>")


async def test_the_gateway_serves_it_to_anyone() -> None:
    async with open_house() as house:
        match = await house.store(golden.stored("backgammon/match-to-3"))
        answer = await house.api.get(f"/v1/matches/{match}/diagram.svg")
        assert (answer.status, answer.headers["Content-Type"].split(";")[0]) == (200, "image/svg+xml")
        assert "Backgammon, match to 3" in texts(answer.text)
        assert (await house.api.get("/v1/matches/mnosuchmatch/diagram.svg")).code == "unknown_match"
