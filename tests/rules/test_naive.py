"""The second reading by itself: the rules page's own figures and examples, before it bears witness."""

from collections.abc import Mapping
from typing import Final

import pytest

from tests.support.naive.common import Dice, Ending, Game, Naive, Position, Turn, parallel, pips, side
from tests.support.naive.fevga import Fevga
from tests.support.naive.long_nardy import Long
from tests.support.naive.plakoto import Plakoto
from tests.support.naive.short import Hyper, Nack, Short

Points = Mapping[int, int]
SHORT, HYPER, NACK, LONG, FEVGA, PLAKOTO = Short(), Hyper(), Nack(), Long(), Fevga(), Plakoto()
ROLLS: Final = [(high, low) for high in range(1, 7) for low in range(1, high + 1)]
SHORT_FIRST: Final = [
    *(42, 15, 75, 16, 17, 73, 14, 18, 17, 52, 8, 8, 9, 9, 4, 10, 14, 14, 14, 7, 11),
]  # fmt: skip
HYPER_FIRST: Final = [7, 6, 11, 7, 8, 15, 7, 8, 9, 15, 7, 8, 9, 9, 15, 7, 8, 9, 9, 9, 12]

EDGES: Final[list[tuple[Points, Points, Dice, list[Points]]]] = [
    ({20: 1}, {16: 2}, (6, 5), [{14: 1}]),
    ({20: 1}, {16: 2, 11: 2}, (6, 5), [{15: 1}]),
    ({20: 1, 13: 1}, {18: 2, 17: 2, 11: 2}, (6, 5), [{9: 1, 13: 1}]),
    ({25: 1, 6: 3}, {6: 2}, (6, 5), [{14: 1, 6: 3}]),
    ({25: 2, 6: 3}, {6: 2}, (6, 5), [{25: 1, 20: 1, 6: 3}]),
    ({25: 1, 6: 3}, {6: 2, 5: 2}, (6, 5), [{25: 1, 6: 3}]),
    ({4: 2, 2: 3}, {1: 2}, (6, 5), [{2: 3}]),
    ({6: 1, 5: 1, 2: 1}, {24: 2}, (5, 5), [{6: 1, 2: 1}]),
    ({3: 1}, {23: 1, 10: 1}, (4, 1), [{}]),
]


def at(mine: Points, theirs: Points, checkers: int = 15) -> Position:
    return Position(side(mine, checkers), side(theirs, checkers))


def mine_after(rules: Naive, position: Position, dice: Dice) -> set[tuple[tuple[int, int], ...]]:
    """The own points after each result."""
    return {
        tuple((p, count) for p, count in enumerate(after.mine) if count and p)
        for after in rules.results(position, dice)
    }


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        (SHORT, SHORT_FIRST),
        (HYPER, HYPER_FIRST),
        (LONG, [2 if roll == (3, 3) else 1 for roll in ROLLS]),
        (FEVGA, [2 if roll == (5, 5) else 1 for roll in ROLLS]),
        (PLAKOTO, [4 if roll == (6, 6) else 5 if roll[0] == roll[1] else 2 for roll in ROLLS]),
    ],
    ids=["short", "hyper", "long", "fevga", "plakoto"],
)
def test_first_rolls_have_as_many_results_as_the_page_says(rules: Naive, expected: list[int]) -> None:
    start = Position(rules.start, rules.start)
    assert [len(rules.results(start, roll)) for roll in ROLLS] == expected
    assert [len(rules.results(start, (low, high))) for high, low in ROLLS] == expected


@pytest.mark.parametrize(
    ("rules", "expected"), [(SHORT, 167), (HYPER, 69), (NACK, 194), (LONG, 360), (FEVGA, 360), (PLAKOTO, 360)]
)
def test_starts_have_the_pips_of_the_page(rules: Naive, expected: int) -> None:
    assert pips(rules.start) == expected


def test_parallel_numbering_is_the_pages_own() -> None:
    assert [parallel(point) for point in (24, 12, 1, 13)] == [12, 24, 13, 1]
    assert all(parallel(point) == (point + 11) % 24 + 1 for point in range(1, 25))


@pytest.mark.parametrize(("mine", "theirs", "dice", "expected"), EDGES)
def test_the_edge_vectors_of_short(mine: Points, theirs: Points, dice: Dice, expected: list[Points]) -> None:
    assert mine_after(SHORT, at(mine, theirs), dice) == {tuple(sorted(one.items())) for one in expected}


def test_the_last_checker_plays_both_dice_but_may_go_off_with_one() -> None:
    position = at({3: 1}, {23: 1, 10: 1})
    (after,) = SHORT.results(position, (4, 1))
    assert after.theirs[25] == 1
    assert SHORT.short_finishes(position, (4, 1)) == {(3, 4)}


@pytest.mark.parametrize(
    ("dice", "expected"),
    [
        ((6, 6), [{18: 2, 24: 13}]),
        ((4, 4), [{16: 2, 24: 13}]),
        ((3, 3), [{15: 1, 21: 1, 24: 13}, {18: 2, 24: 13}]),
        ((5, 5), [{4: 1, 24: 14}]),
        ((2, 1), [{21: 1, 24: 14}]),
    ],
)
def test_first_turns_of_long_nardy(dice: Dice, expected: list[Points]) -> None:
    start = Position(LONG.start, LONG.start)
    assert mine_after(LONG, start, dice) == {tuple(sorted(one.items())) for one in expected}


def test_four_fours_after_five_fives_take_one_checker_from_the_head() -> None:
    position = at({24: 15}, {24: 14, 4: 1})
    assert mine_after(LONG, position, (4, 4)) == {((20, 1), (24, 14))}


def test_one_checker_leaves_the_head_in_later_turns() -> None:
    position = at({24: 14, 21: 1}, {24: 14, 20: 1})
    assert mine_after(LONG, position, (6, 6)) == {((3, 1), (18, 1), (24, 13))}


@pytest.mark.parametrize(
    ("theirs", "allowed"),
    [
        ({24: 15}, False),
        ({24: 14, 11: 1}, False),  # behind the block
        ({24: 14, 5: 1}, True),  # past it
        ({3: 14}, True),  # and one is off
    ],
)
def test_a_six_block_needs_one_of_theirs_past_it(theirs: Points, allowed: bool) -> None:  # noqa: FBT001 - a table
    """My 22 to 17 are the other's 10 to 5 and one more makes it the other's 11 … 6."""
    five = {22: 1, 21: 1, 20: 1, 19: 1, 18: 1}
    position = at({24: 10, **five}, theirs)
    closes = tuple(sorted({24: 9, 23: 1, **five}.items()))
    made = LONG.step(position, 24, 1, Turn(position, (1, 2)))
    assert (made == at(dict(closes), theirs)) == allowed
    assert (made is None) != allowed


def test_no_block_reaches_round_the_others_start() -> None:
    """My 15 to 10 are the other's 3, 2, 1, 24, 23, 22: three and three, not six."""
    position = at({16: 1, 14: 1, 13: 1, 11: 1, 10: 1, 9: 10}, {20: 15})
    assert LONG.step(position, 16, 1, Turn(position, (1, 2))) is not None


@pytest.mark.parametrize(("dice", "steps"), [((1, 1), 4), ((2, 2), 4), ((3, 3), 3), ((4, 4), 2), ((6, 6), 1)])
def test_first_doubles_of_fevga_are_cut_short_by_the_others_head(dice: Dice, steps: int) -> None:
    (after,) = FEVGA.results(Position(FEVGA.start, FEVGA.start), dice)
    assert pips(after.mine) == 360 - steps * dice[0]


def test_the_second_checker_of_fevga_moves_as_soon_as_the_first_is_past_their_start() -> None:
    position = at({24: 14, 14: 1}, {24: 14, 20: 1})
    assert mine_after(FEVGA, position, (3, 1)) == {
        ((10, 1), (24, 14)),
        ((11, 1), (23, 1), (24, 13)),
    }


def test_the_start_quarter_of_fevga_is_never_full() -> None:
    position = at({24: 9, 23: 1, 22: 1, 21: 1, 19: 1, 10: 2}, {24: 14, 5: 1})
    assert FEVGA.step(position, 24, 4, Turn(position, (4, 1))) is None
    assert FEVGA.step(position, 24, 1, Turn(position, (4, 1))) is not None


def test_a_prime_before_all_fifteen_is_opened_if_it_can_be() -> None:
    prime = {11: 1, 10: 1, 9: 1, 8: 1, 7: 1, 6: 1}
    can = at({**prime, 16: 9}, {24: 15})
    assert all(
        after.mine[16] < 9 or not all(after.mine[p] for p in prime) for after in FEVGA.results(can, (6, 4))
    )
    must = FEVGA.results(at({**prime, 20: 1, 6: 1, 1: 8}, {24: 15}), (3, 2))
    assert all(not all(after.mine[p] for p in prime) for after in must)


def test_plakoto_pins_frees_and_ends_by_the_mothers() -> None:
    near = Position(side({3: 1, 10: 14}), side({24: 1, 20: 14}))
    caught = [after for after in PLAKOTO.results(near, (2, 1)) if PLAKOTO.won_at_once(after)]
    assert caught
    assert {PLAKOTO.won_at_once(after) for after in caught} == {Ending(0, 2)}
    own_mother_at_home = Position(side({24: 1, 3: 1, 10: 13}), side({24: 1, 7: 14}))  # 24/18 is closed
    assert not any(PLAKOTO.won_at_once(after) for after in PLAKOTO.results(own_mother_at_home, (2, 6)))
    both = Position(side({24: 1, 3: 1, 10: 13}), side({24: 1, 1: 1, 20: 13}), my_pinned=frozenset({24}))
    assert Ending(None, 0) in {PLAKOTO.won_at_once(after) for after in PLAKOTO.results(both, (2, 6))}


def test_plakoto_a_pinned_checker_stays_and_forbids_bearing_off() -> None:
    pinned = Position(side({6: 1, 2: 1}, 15), side({19: 1, 12: 14}), my_pinned=frozenset({6}))
    assert {after.mine for after in PLAKOTO.results(pinned, (6, 1))} == {side({6: 1, 1: 1}, 15)}
    leaving = Position(side({10: 1, 5: 14}), side({15: 1, 9: 14}), their_pinned=frozenset({15}))
    assert {after.their_pinned for after in PLAKOTO.results(leaving, (1, 1))} == {
        frozenset(),
        frozenset({15}),
    }


@pytest.mark.parametrize(
    ("rules", "loser", "points"),
    [
        (SHORT, {25: 1, 1: 13}, 1),
        (SHORT, {1: 15}, 2),
        (SHORT, {7: 1, 1: 14}, 2),
        (SHORT, {25: 1, 1: 14}, 3),
        (SHORT, {19: 1, 1: 14}, 3),
        (SHORT, {18: 1, 1: 14}, 2),
        (HYPER, {24: 3}, 3),
        (HYPER, {24: 2}, 1),
        (LONG, {19: 1, 1: 14}, 3),
        (LONG, {18: 1, 1: 14}, 2),
        (LONG, {6: 14}, 1),
        (FEVGA, {24: 15}, 2),
        (FEVGA, {1: 14}, 1),
        (PLAKOTO, {24: 1, 1: 14}, 2),
        (PLAKOTO, {1: 14}, 1),
    ],
)
def test_a_win_is_worth_what_the_loser_has_left(rules: Naive, loser: Points, points: int) -> None:
    assert rules.points(side(loser, rules.checkers)) == points


def test_giveaway_is_lost_by_who_is_off_first_for_one_point() -> None:
    after = at({}, {25: 1, 20: 14})
    game = Game(after, seat=1, starter=0, mode="giveaway")
    assert SHORT.played(game, after).ending == Ending(0, 1)


@pytest.mark.parametrize(
    ("black", "ending"),
    [
        ({}, Ending(None, 0)),
        ({1: 14}, Ending(0, 1)),
        ({7: 1, 1: 14}, Ending(0, 2)),
        ({24: 1, 1: 14}, Ending(0, 3)),
    ],
)
def test_black_has_one_more_turn_after_white_and_it_counts(black: Points, ending: Ending) -> None:
    white_off = at({}, {24: 1, 1: 14})
    last = SHORT.played(Game(white_off, seat=0, starter=0, mode="draw"), white_off)
    assert last.ending is None
    assert last.last_roll
    assert last.seat == 1
    assert SHORT.played(last, at(black, {})).ending == ending


def test_white_has_no_turn_after_black_is_off() -> None:
    black_off = at({}, {24: 1, 1: 14})
    game = SHORT.played(Game(black_off, seat=1, starter=0, mode="draw"), black_off)
    assert game.ending == Ending(1, 3)


@pytest.mark.parametrize(
    ("rules", "mine", "theirs", "resigning", "quitting"),
    [
        (SHORT, {7: 10, 1: 5}, {1: 15}, 2, 2),  # 75 - 15 = 60
        (SHORT, {7: 9, 6: 1, 1: 5}, {1: 15}, 1, 2),  # 59
        (SHORT, {25: 2, 2: 13}, {1: 15}, 1, 3),  # 61, but on the bar
        (SHORT, {24: 3, 1: 11}, {1: 15}, 2, 1),  # 68, one off: literal
        (LONG, {24: 3, 1: 12}, {1: 15}, 2, 3),  # 69
        (LONG, {24: 3, 1: 11}, {1: 15}, 1, 1),
        (FEVGA, {24: 3, 1: 12}, {1: 15}, 2, 2),
        (PLAKOTO, {7: 9, 6: 1, 1: 5}, {1: 15}, 1, 2),
    ],
)
def test_the_price_of_giving_up(
    rules: Naive, mine: Points, theirs: Points, resigning: int, quitting: int
) -> None:
    one, other = side(mine, rules.checkers), side(theirs, rules.checkers)
    assert rules.resignation(one, other) == resigning
    assert rules.quitting(one) == quitting
