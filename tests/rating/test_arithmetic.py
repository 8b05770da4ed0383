"""What a result is worth: the house's table, newcomers, the formula of FIBS, and what a match begins with."""

from typing import Final

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.clocks import PER_MOVE
from shared.elo import BOTH, Before, by_formula, by_table, won
from shared.events.match import MatchCreated, Seat, Terms
from shared.ratings import KINDS, kind_name, snapshot, why_unrated, wrong_rating

# boardgames §0.5: winner, loser (n = newcomer), difference, points, winner after, loser after.
VECTORS: Final = """
1100 1300 200 21 1121 1279
1300 1100 200 11 1311 1089
1200 1200 0 16 1216 1184
1200n 1200n 0 16 1208 1192
1100n 1300 200 21 1110.5 1279
1100 1300n 200 21 1121 1289.5
1300 1100n 200 11 1311 1094.5
1000 1039 39 16 1016 1023
1000 1040 40 17 1017 1023
1000 1335 335 24 1024 1311
1340 1000 340 8 1348 992
1000 1980 980 35 1035 1945
1930 1000 930 1 1931 999
2500 1000 1500 1 2501 999
"""
WEAKER: Final = (
    "0:16 40:17 80:18 120:19 160:20 200:21 240:22 290:23 330:24 380:25 "
    "430:26 470:27 520:28 570:29 630:30 700:31 760:32 830:33 900:34 980:35"
)
STRONGER: Final = (
    "0:16 40:15 80:14 120:13 160:12 200:11 240:10 290:9 340:8 400:7 470:6 550:5 640:4 730:3 830:2 930:1"
)

TIMED = Terms(clock=PER_MOVE)


def _before(text: str) -> Before:
    return Before(2 * int(text.rstrip("n")), newcomer=text.endswith("n"))


def _half_points(text: str) -> int:
    return int(2 * float(text))


@pytest.mark.rule("B9")
@pytest.mark.rule("B14")
@pytest.mark.parametrize("line", VECTORS.strip().splitlines())
def test_every_vector_of_the_rules(line: str) -> None:
    winner, loser, difference, points, winner_after, loser_after = line.split()
    first, second = _before(winner), _before(loser)
    assert abs(first.rating - second.rating) // 2 == int(difference)
    assert won(int(difference), weaker=first.rating < second.rating) == int(points)
    gain, loss = by_table(first, second)
    assert first.rating + gain == _half_points(winner_after)
    assert second.rating + loss == _half_points(loser_after)


@pytest.mark.rule("B9")
@pytest.mark.parametrize(("column", "weaker"), [(WEAKER, True), (STRONGER, False)])
def test_every_row_begins_at_its_threshold_and_holds_to_the_next(column: str, weaker: bool) -> None:  # noqa: FBT001 - a parameter of the test
    rows = [tuple(map(int, row.split(":"))) for row in column.split()]
    for (least, points), (following, _) in zip(rows, [*rows[1:], (5_000, 0)], strict=True):
        assert {won(least, weaker=weaker), won(following - 1, weaker=weaker)} == {points}


@pytest.mark.rule("B14")
def test_a_house_may_halve_both_when_a_newcomer_plays() -> None:
    newcomer, veteran = Before(2200, newcomer=True), Before(2600)
    assert by_table(newcomer, veteran) == (21, -42)
    assert by_table(newcomer, veteran, BOTH) == (21, -21)
    assert by_table(veteran, newcomer, BOTH) == (11, -11)
    assert by_table(veteran, veteran, BOTH) == (32, -32)


@given(first=st.integers(-10_000, 10_000), second=st.integers(-10_000, 10_000), newcomers=st.booleans())
def test_two_veterans_or_two_newcomers_are_zero_sum(first: int, second: int, newcomers: bool) -> None:  # noqa: FBT001 - drawn by the test
    gain, loss = by_table(Before(first, newcomer=newcomers), Before(second, newcomer=newcomers))
    assert gain + loss == 0
    assert gain > 0


@pytest.mark.parametrize(
    ("winner", "loser", "length", "expected"),
    [  # in hundredths; computed by hand from the published formula
        (Before(150_000, 400), Before(150_000, 400), 1, (200, -200)),
        (Before(150_000), Before(150_000), 1, (1_000, -1_000)),
        (Before(150_000, 400), Before(150_000), 9, (600, -3_000)),
        (Before(150_000, 1_000), Before(160_000, 400), 5, (504, -504)),
        (Before(160_000, 400), Before(150_000, 399), 5, (390, -394)),
    ],
)
def test_a_match_is_rated_by_the_formula_of_fibs(
    winner: Before, loser: Before, length: int, expected: tuple[int, int]
) -> None:
    assert by_formula(winner, loser, length) == expected


@pytest.mark.rule("B8")
def test_every_kind_has_its_own_ratings_but_gomoku_shares_with_its_3d_form() -> None:
    assert kind_name("gomoku3d") == kind_name("gomoku") == "gomoku"
    assert KINDS["gomoku"].games == ("gomoku", "gomoku3d")
    assert {name: kind.games for name, kind in KINDS.items() if name != "gomoku"} == {
        name: (name,) for name in KINDS if name != "gomoku"
    }
    rated = [kind for kind in KINDS.values() if kind.system == "table"]
    assert {kind.start for kind in rated} == {2 * 1200}


@pytest.mark.rule("B14")
def test_the_numbers_of_games_as_a_newcomer_are_the_houses() -> None:
    assert {kind.name: kind.newcomer for kind in KINDS.values() if kind.newcomer} == {
        "gomoku": 20, "chess": 10, "draughts": 20, "reversi": 20,
        "abalone": 5, "prsi": 30, "battleship": 30, "scrabble": 10,
    }  # fmt: skip
    last, first = snapshot("abalone", Terms(), [(2400, 4), (2400, 5)]).seats
    assert (last.newcomer, first.newcomer) == (True, False)


@pytest.mark.parametrize(
    ("rules", "terms", "seats", "chance"),
    [
        ("chess", TIMED, 2, "recorded"),
        ("prsi", TIMED, 3, "committed"),
        ("chess", Terms(), 2, "committed"),
        ("chess", Terms(clock=PER_MOVE, flag="kick", absence="forfeit"), 2, "committed"),
        ("chess", Terms(clock=PER_MOVE, absence="ghost"), 2, "committed"),
        ("backgammon", Terms(target=5, clock=PER_MOVE, flag="kick"), 2, "committed"),
        ("backgammon", TIMED, 2, "committed"),
        ("plakoto", TIMED, 2, "committed"),
        ("backgammon", Terms(series="tavli", clock=PER_MOVE), 2, "committed"),
    ],
)
def test_what_is_never_rated_says_why(rules: str, terms: Terms, seats: int, chance: str) -> None:
    assert why_unrated(rules, terms, seats, chance=chance)


def _created(rules: str = "chess", terms: Terms | None = None, **more: object) -> MatchCreated:
    terms = terms or TIMED
    made = MatchCreated(
        rules=rules,
        rules_version=1,
        seats=(Seat("pannanovakova"), Seat("pborisdvorak")),
        secret_hash="0" * 64,
        terms=terms,
        rated=snapshot(rules, terms, [(2200, 3), (2600, 40)]),
    )
    return msgspec.structs.replace(made, **more)


def test_a_snapshot_whose_numbers_follow_from_each_other_is_right() -> None:
    assert wrong_rating(_created()) == ""
    assert wrong_rating(_created("backgammon", Terms(target=5, clock=PER_MOVE))) == ""


def test_every_forged_number_of_a_snapshot_is_found() -> None:
    created = _created()
    rated = created.rated
    assert rated is not None
    replace = msgspec.structs.replace
    first, second = rated.seats
    forged = [
        replace(rated, pool="reversi"),
        replace(rated, unit=1),
        replace(rated, system="fibs"),
        replace(rated, halving="nobody"),
        replace(rated, halving=BOTH),
        replace(rated, seats=(first,)),
        replace(rated, seats=(replace(first, newcomer=False), second)),
        replace(rated, seats=(replace(first, rating=2_000), second)),
        replace(rated, seats=(first, replace(second, changes=(0, 0)))),
        replace(rated, seats=(first, replace(second, games=-1))),
        replace(rated, seats=(first, replace(second, rating=10**12))),
    ]
    for wrong in forged:
        assert wrong_rating(replace(created, rated=wrong)), wrong
    computer = (created.seats[0], Seat("pcomputer", bot=True))
    assert wrong_rating(replace(created, seats=computer))
    assert wrong_rating(replace(created, chance="recorded"))
