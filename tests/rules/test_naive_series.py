"""The second reading of the series by itself: the vectors of rules §5.4."""

import pytest

from tests.support.naive.series import MIXED, TAVLI, Outcome, Row, match_to, rows

W, B = 0, 1


def test_the_worked_table_of_a_match_to_five() -> None:
    table = rows(match_to(5, "backgammon"), W, [(W, 2), (B, 1), (W, 2), (B, 1), (B, 2)])
    assert [row.score for row in table] == [(0, 0), (2, 0), (2, 1), (4, 1), (4, 2), (4, 4)]
    assert [row.crawford for row in table] == [False, False, False, True, False, False]
    assert [row.cube for row in table] == [True, True, True, False, True, True]
    assert [row.starter for row in table] == [W, B, W, B, W, B]


def test_a_single_point_makes_crawford_in_a_match_to_two() -> None:
    assert rows(match_to(2, "backgammon"), W, [(B, 1)])[-1].crawford


def test_surplus_points_end_the_match_and_earn_nothing() -> None:
    assert rows(match_to(3, "backgammon"), B, [(W, 4)]) == [
        Row((0, 0), "backgammon", B, cube=True),
        Row((4, 0), winner=W),
    ]


@pytest.mark.parametrize(
    ("points", "over"), [(1, False), (2, False), (3, False), (8, False), (16, True), (24, True)]
)
def test_the_examples_of_a_match_to_nine(points: int, over: bool) -> None:  # noqa: FBT001 - a table
    assert (rows(match_to(9, "backgammon"), W, [(W, points)])[-1].winner == W) == over


@pytest.mark.parametrize(
    ("outcomes", "games", "winner"),
    [
        ([(W, 2), (B, 1), (B, 1), (B, 1)], ["hypergammon", "long_nardy", "backgammon", "hypergammon"], B),
        ([(W, 6), (W, 6), (B, 3)], ["hypergammon", "long_nardy", "backgammon"], W),
    ],
)
def test_a_mixed_match_has_three_games_and_one_more_if_level(
    outcomes: list[Outcome], games: list[str], winner: int
) -> None:
    *played, last = rows(MIXED, W, outcomes)
    assert [row.game for row in played] == games
    assert last.winner == winner
    assert not any(row.crawford for row in played)
    assert all(row.cube for row in played)
    assert [row.starter for row in played] == [W, B, W, B][: len(played)]


def test_a_drawn_plakoto_counts_as_a_game_of_a_tavli() -> None:
    table = rows(TAVLI, W, [(W, 1), (None, 0), (B, 1), (B, 2)])
    assert [row.game for row in table] == ["backgammon", "plakoto", "fevga", "backgammon", ""]
    assert [row.score for row in table] == [(0, 0), (1, 0), (1, 0), (1, 1), (1, 3)]
    assert not any(row.cube for row in table)
    assert table[-1].winner == B
