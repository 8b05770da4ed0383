"""Series and matches to points go as a second, independently written reading of the rules page says."""

from itertools import product
from random import Random
from typing import Final

import pytest

from shared import series
from shared.events.match import MatchCreated, Seat, Terms
from tests.support.naive.series import MIXED, TAVLI, Outcome, Plan, Row, match_to, rows

LENGTHS: Final = (2, 3, 5, 7, 9, 11, 13)
RANDOM_SERIES: Final = 300
MOST_GAMES: Final = 60
PLANS: Final[list[tuple[Plan, Terms]]] = [
    *((match_to(length, "backgammon"), Terms(target=length)) for length in LENGTHS),
    (MIXED, Terms(series="mixed")),
    (TAVLI, Terms(series="tavli", cube=False)),
]
every_plan = pytest.mark.parametrize(
    ("plan", "terms"), PLANS, ids=[terms.series or f"to {terms.target}" for _, terms in PLANS]
)


def product_rows(plan: Plan, terms: Terms, first: int, outcomes: list[Outcome]) -> list[Row]:
    """The same table out of the product's own functions."""
    created = MatchCreated(
        rules=plan.games[0],
        rules_version=1,
        seats=(Seat("a"), Seat("b")),
        secret_hash="",
        terms=terms,
        games=series.pinned(terms.series),
    )
    score = (0, 0)
    table: list[Row] = []
    starter = first
    for number, outcome in enumerate([*outcomes, None], start=1):
        winner = series.decided(created, score, number - 1)
        if winner is not None:
            return [*table, Row(score, winner=winner)]
        crawford = series.crawford_due(terms, score, used=any(row.crawford for row in table))
        if number > 1:
            alternating = series.first_seat(terms, number, starter, 2, rolled=True)
            assert alternating is not None
            starter = alternating
        game = series.rules_at(created, number).name
        table.append(Row(score, game, starter, cube=terms.cube and not crawford, crawford=crawford))
        if outcome is not None:
            by, points = outcome
            score = (score[0] + points * (by == 0), score[1] + points * (by == 1))
    return table


@every_plan
def test_both_readings_agree_on_every_short_series(plan: Plan, terms: Terms) -> None:
    """All ways in which four games can end, a draw only where there is one."""
    for first, *winners in product((0, 1), (0, 1), (0, 1), (0, 1), (0, 1)):
        for points in product((1, 2, 3), repeat=4):
            outcomes: list[Outcome] = [*zip(winners, points, strict=True)]
            assert product_rows(plan, terms, first, outcomes) == rows(plan, first, outcomes)
            if plan is TAVLI:
                outcomes[1] = (None, 0)
                assert product_rows(plan, terms, first, outcomes) == rows(plan, first, outcomes)


@every_plan
def test_both_readings_agree_on_long_matches_with_cubes(plan: Plan, terms: Terms) -> None:
    for seed in range(RANDOM_SERIES):
        random = Random(seed)
        chosen = [
            (random.randrange(2), random.choice((1, 1, 1, 2, 3)) * random.choice((1, 1, 1, 2, 4)))
            for _ in range(random.randint(0, MOST_GAMES))
        ]
        outcomes: list[Outcome] = [*chosen]
        if plan.target is None:
            outcomes = outcomes[:4]
        first = random.randrange(2)
        assert product_rows(plan, terms, first, outcomes) == rows(plan, first, outcomes)


def test_the_first_move_is_rolled_for_in_the_first_game() -> None:
    for _, terms in PLANS:
        assert series.first_seat(terms, 1, None, 2, rolled=True) is None
