"""The last commit in words: what counts is said as it counts, and what is played by its title."""

from typing import Final

import pytest

from shared.commands import Kick, Play, Resign
from shared.cube import Cube
from shared.events.match import ResignationOffered, Terms
from shared.match import MatchState, view
from shared.match.words import words
from tests.support.story import Story, match_to, race, terms_of
from tests.support.verdicts import CLAIMED_MS

VIEWERS: Final = (0, 1, None)


def said(state: MatchState) -> str:
    """The words, alike for every viewer."""
    (told,) = {view(state, viewer).last.words for viewer in VIEWERS}
    return told


@pytest.mark.rule("S15")
@pytest.mark.parametrize(
    ("terms", "cube", "what"),
    [
        (Terms(), 1, "a gammon"),
        (Terms(gammons=False), 1, "a single game"),
        (Terms(gammons=False), 2, "a single game"),
        (Terms(jacoby=True), 1, "a single game"),
        (Terms(jacoby=True), 2, "a gammon"),
    ],
)
def test_a_resignation_is_called_what_it_counts(terms: Terms, cube: int, what: str) -> None:
    told = Story(terms).started().to_roll(0, race({24: 15}), race({1: 15}))
    told.given(cube=Cube(cube, owner=None if cube == 1 else 1))
    told.when(0, Resign(confirm=True))
    assert said(told.state) == f"Seat 0 offers to resign {what}."


@pytest.mark.parametrize("worth", [0, 4, -1])
def test_words_are_found_for_whatever_a_log_holds(worth: int) -> None:
    event = ResignationOffered(1, worth)
    assert "Seat 1 offers to resign" in words((event,), {}, counted=lambda of: of)


@pytest.mark.rule("N4", "N5")
@pytest.mark.parametrize(
    ("series", "titles"),
    [
        ("mixed", ["Hypergammon", "Long nardy", "Backgammon", "Hypergammon"]),
        ("tavli", ["Backgammon", "Plakoto", "Fevga", "Backgammon"]),
    ],
)
def test_in_a_series_the_words_say_which_game_begins(series: str, titles: list[str]) -> None:
    told = Story(terms_of(series)).started()
    heard = [said(told.state)]
    for winner in (0, 1, 1):
        if told.state.rules.name == "plakoto":
            told.catches_both_mothers(1)
        else:
            told.wins(winner, worth=2 if series == "mixed" and winner == 0 else 1)
        told.next_game()
        heard.append(said(told.state))
    for number, (words_then, title) in enumerate(zip(heard, titles, strict=True), 1):
        assert f"Game {number} begins: {title}." in words_then


@pytest.mark.rule("S6")
def test_in_a_match_of_one_game_they_say_its_number_and_whether_it_is_the_crawford_game() -> None:
    told = Story(match_to(3)).started()
    assert "Game 1 begins." in said(told.state)
    told.wins(0, 2)
    assert "Game 2 begins (Crawford)." in said(told.next_game().state)


@pytest.mark.rule("S13")
def test_points_that_do_not_count_are_said_not_to() -> None:
    told = Story(match_to(5, "nardy")).started().to_roll(0)
    assert told.state.clocks is not None
    told.after(told.state.clocks.left_ms[0] + CLAIMED_MS).when(1, Kick())
    told.wins(0)
    assert "Seat 0 wins game 1: single, 1 point, not counted." in said(told.state)
    told = Story(match_to(5, "nardy")).started().to_play(0, (6, 5), race({2: 1}), race({6: 15}))
    told.when(0, Play("2/off"))
    assert "Seat 0 wins game 1: gammon, 2 points." in said(told.state)
