"""Giveaway, the single game with a draw, and the rules that a table may choose (§2.7, §2.8, §4, §5.3)."""

from collections.abc import Mapping
from functools import partial
from typing import Any, Final

import msgspec
import pytest

from services.audit.creation import check_creation
from services.audit.report import Differs
from services.game.domain import create
from shared.chance import Dice
from shared.commands import CreateMatch, Double, Roll
from shared.events.match import DoubleOffered, MatchCreated, Seat, Terms
from shared.match import demands
from shared.problems import Refused
from shared.rules.backgammon import RULES
from shared.rules.nard.game import State
from shared.rules.protocol import PASS, Chance, Over, Result, Waiting
from tests.support.boards import side
from tests.support.story import PLAYERS, SECRET, Story

GIVEAWAY: Final = {"mode": "giveaway"}
DRAW: Final = {"mode": "draw"}
WHITE, BLACK = 0, 1


def position(
    options: Mapping[str, Any],
    mine: Mapping[int, int],
    theirs: Mapping[int, int],
    dice: tuple[int, ...] = (),
    *,
    seat: int = 0,
    first: int = 0,
) -> State:
    """A game under ``options`` that ``first`` began; ``seat`` with ``mine`` plays ``dice``, or is to roll."""
    own, other = side(mine), side(theirs)
    start = RULES.setup(2, options, first)
    boards = (other, own) if seat else (own, other)
    return msgspec.structs.replace(start, boards=boards, turn=seat, dice=dice)


def after(state: State, *moves: str) -> State:
    for move in moves:
        state = RULES.play(state, state.turn or 0, move)
    return state


def won(seat: int, points: int) -> Waiting:
    return Over(Result.won_by(seat, points))


@pytest.mark.rule("N3")
@pytest.mark.parametrize("loser", [{6: 14}, {6: 15}, {24: 1, 6: 14}, {25: 1, 6: 14}])
@pytest.mark.parametrize("seat", [0, 1])
def test_in_giveaway_who_bears_off_everything_loses_one_point_whatever_is_left(
    seat: int, loser: Mapping[int, int]
) -> None:
    last = position(GIVEAWAY, {1: 1}, loser, (6, 5), seat=seat)
    assert RULES.waiting(after(last, "1/off")) == won(1 - seat, 1)


@pytest.mark.rule("N3")
def test_in_giveaway_the_legal_plays_are_those_of_the_game() -> None:
    for dice in ((3, 1), (6, 6), (5, 2)):
        given = RULES.legal(RULES.settle(RULES.setup(2, GIVEAWAY, 0), dice), 0)
        assert given == RULES.legal(RULES.settle(RULES.setup(2, {}, 0), dice), 0)


@pytest.mark.rule("N3")
@pytest.mark.parametrize("cause", ["resigned", "left", "flag"])
def test_in_giveaway_giving_up_loses_one_point(cause: str) -> None:
    state = position(GIVEAWAY, {24: 15}, {1: 1})
    assert RULES.forfeit(state, 0, cause) == Result.won_by(1, 1)


@pytest.mark.rule("N3")
def test_in_giveaway_auto_finish_keeps_its_checkers() -> None:
    state = position(GIVEAWAY, {3: 2, 2: 2}, {1: 1}, (2, 1))
    assert any("off" in play for play in RULES.legal(state, 0))
    assert "off" not in str(RULES.finishing_move(state, 0))


@pytest.mark.rule("N3")
def test_giveaway_has_no_cube_and_is_played_singly() -> None:
    offered = RULES.offers(GIVEAWAY)
    assert not offered.cube
    assert not offered.matches
    assert offered.consent
    assert RULES.offers({}) == RULES.traits
    assert set(RULES.traits.exports) == {"mat", "sgf"}
    assert RULES.offers(DRAW).exports == offered.exports == {}  # no file of other programs holds these


def creating(options: dict[str, Any], terms: Terms) -> CreateMatch:
    return CreateMatch(
        rules=RULES.name,
        rules_version=RULES.version,
        seats=tuple(Seat(player) for player in PLAYERS),
        terms=terms,
        options=options,
    )


@pytest.mark.rule("N3")
@pytest.mark.parametrize(
    ("options", "terms"),
    [
        pytest.param(GIVEAWAY, Terms(), id="giveaway with the cube"),
        pytest.param(GIVEAWAY, Terms(cube=False, target=3), id="giveaway to points"),
        pytest.param(DRAW, Terms(target=3), id="draw in a match to points"),
    ],
)
def test_a_match_with_more_than_its_options_offer_is_neither_created_nor_verified(
    options: dict[str, Any], terms: Terms
) -> None:
    with pytest.raises(Refused, match="invalid_options"):
        create(creating(options, terms), SECRET)
    (created,) = create(creating({}, terms), SECRET)
    with pytest.raises(Differs):
        check_creation((msgspec.structs.replace(created, options=options),))


def test_a_match_of_giveaway_and_one_with_a_draw_can_be_created_and_verified() -> None:
    for options, terms in ((GIVEAWAY, Terms(cube=False)), (DRAW, Terms())):
        created = create(creating(options, terms), SECRET)
        assert isinstance(check_creation(created), MatchCreated)


def white_off(black: Mapping[int, int], *, white: int = WHITE) -> State:
    """White has just borne off his last checker; Black has these checkers and is to roll."""
    return after(position(DRAW, {1: 1}, black, (6, 5), seat=white, first=white), "1/off")


@pytest.mark.rule("N2")
@pytest.mark.parametrize("white", [0, 1])
def test_when_white_is_off_first_black_has_one_roll_more_without_a_double_before_it(white: int) -> None:
    state = white_off({1: 2}, white=white)
    assert RULES.waiting(state) == Chance(Dice(2), seat=1 - white, cube_rests=True)
    assert RULES.view(state, None)["last_turn"] is True
    assert RULES.view(state, None)["turn"] == 1 - white


@pytest.mark.rule("N2")
def test_black_finishes_too_and_it_is_a_draw() -> None:
    state = RULES.settle(white_off({1: 2}), (2, 1))
    drawn = after(state, "1/off 1/off")
    assert RULES.waiting(drawn) == Over(Result(places=(1, 1), kind="draw", points=0))
    double = RULES.settle(white_off({1: 4}), (3, 3))
    assert RULES.waiting(after(double, "1/off 1/off 1/off 1/off")) == Over(Result.drawn())


@pytest.mark.rule("N2")
@pytest.mark.parametrize(
    ("black", "dice", "move", "points"),
    [
        pytest.param({1: 5}, (2, 1), "1/off 1/off", 1, id="some were off before"),
        pytest.param({6: 15}, (2, 1), "6/4 6/5", 2, id="still none off: gammon"),
        pytest.param({6: 15}, (6, 1), "6/off 6/5", 1, id="one off: the gammon is escaped"),
        pytest.param({19: 1, 6: 14}, (2, 1), "19/17 17/16", 2, id="out of White's home: a gammon only"),
        pytest.param({24: 1, 6: 14}, (2, 1), "24/22 22/21", 3, id="not out of it"),
        pytest.param({25: 1, 6: 14}, (6, 6), "bar/19 19/13 13/7 7/1", 2, id="in from the bar and home"),
    ],
)
def test_otherwise_white_has_won_what_black_is_worth_after_that_turn(
    black: Mapping[int, int], dice: tuple[int, int], move: str, points: int
) -> None:
    state = RULES.settle(white_off(black), dice)
    assert RULES.read(state, BLACK, move) == move
    assert RULES.waiting(after(state, move)) == won(WHITE, points)


@pytest.mark.rule("N2")
def test_the_last_turn_is_over_even_if_nothing_can_be_played() -> None:
    """With White off nothing blocks, so it does not happen; if it did, the turn would be used up."""
    state = msgspec.structs.replace(white_off({6: 15}), dice=(2, 1))
    assert RULES.waiting(after(state, PASS)) == won(WHITE, 2)


@pytest.mark.rule("N2")
@pytest.mark.parametrize("white", [0, 1])
def test_when_black_is_off_first_the_game_is_over_at_once(white: int) -> None:
    last = position(DRAW, {1: 1}, {6: 15}, (6, 5), seat=1 - white, first=white)
    assert RULES.waiting(after(last, "1/off")) == won(1 - white, 2)


@pytest.mark.rule("N2")
def test_white_is_who_won_the_opening_roll() -> None:
    opening = RULES.setup(2, DRAW, None)
    assert RULES.settle(opening, (2, 6)).first == 1
    assert RULES.settle(opening, (6, 2)).first == 0


@pytest.mark.rule("N2")
def test_in_the_last_turn_black_may_resign_and_white_can_lose_no_more() -> None:
    state = white_off({24: 2, 6: 13})
    assert RULES.forfeit(state, BLACK, "resigned") == Result.won_by(WHITE, 2)  # 126 pips behind
    assert RULES.forfeit(state, BLACK, "left") == Result.won_by(WHITE, 3)
    assert RULES.forfeit(state, WHITE, "left") == Result.drawn()


@pytest.mark.rule("N2")
def test_the_match_offers_no_double_before_the_last_roll_and_one_before_every_other() -> None:
    told = Story().started().given(position=white_off({6: 10}))
    assert [d.commands for d in demands(told.state)] == [("roll",)]
    assert told.refusal(BLACK, Double()) == "cube_unavailable"
    assert told.when(BLACK, Roll())
    told.given(position=position(DRAW, {1: 1}, {6: 10}))
    assert told.when(WHITE, Double()) == (DoubleOffered(WHITE, 2),)


@pytest.mark.parametrize("option", ["mode", "triple", "resign_gammon_requires_none_off"])
@pytest.mark.parametrize("value", ["loaded", 1, None, [True], "true"])
def test_no_option_takes_another_value(option: str, value: object) -> None:
    for judge in (partial(RULES.setup, 2, first=0), RULES.offers):
        with pytest.raises(Refused) as refused:
            judge(options={option: value})
        assert refused.value.problem.code == "invalid_options"
        assert option in str(refused.value.problem.detail)


@pytest.mark.rule("N5")
def test_without_the_triple_game_a_backgammon_counts_two_as_in_traditional_portes() -> None:
    double = {"triple": False}
    last = position(double, {1: 1}, {24: 1, 6: 14}, (6, 5))
    assert RULES.waiting(after(last, "1/off")) == won(0, 2)
    assert RULES.forfeit(last, 1, "left") == Result.won_by(0, 2)
    single = position(double, {1: 1}, {24: 1, 6: 13}, (6, 5))
    assert RULES.waiting(after(single, "1/off")) == won(0, 1)


@pytest.mark.rule("S15")
@pytest.mark.parametrize(
    ("mine", "literal", "guarded"),
    [
        pytest.param({24: 3, 1: 1}, 2, 1, id="some borne off"),
        pytest.param({24: 3, 1: 12}, 2, 2, id="none borne off"),
        pytest.param({25: 3, 1: 12}, 1, 1, id="none borne off, on the bar"),
    ],
)
def test_a_table_may_say_that_a_resigned_gammon_requires_none_off(
    mine: Mapping[int, int], literal: int, guarded: int
) -> None:
    for options, points in (({}, literal), ({"resign_gammon_requires_none_off": True}, guarded)):
        assert RULES.forfeit(position(options, mine, {1: 1}), 0, "resigned").points == points


def test_defaults_are_those_of_the_logs_before_there_were_options() -> None:
    assert RULES.setup(2, {"mode": "normal", "triple": True}, 0) == RULES.setup(2, {}, 0)
    assert RULES.version == 1
