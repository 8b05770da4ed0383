"""What our own player makes of a position: ends by the rules, chances by its network, doubles by both."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import pytest

from services.ghost.players import Doubling, Greedy, Seen, own_player
from services.ghost.players.nard import NardEvaluation
from shared.cube import Cube
from shared.events.match import Terms
from shared.rules.backgammon import RULES
from shared.rules.nard.game import State
from shared.rules.protocol import Players
from shared.rules.registry import CURRENT
from tests.support.boards import side
from tests.support.ghosts import VARIANTS, seen
from tests.support.playing import some_states

every_variant = pytest.mark.parametrize("variant", VARIANTS)
GIVEAWAY = {"mode": "giveaway"}
DRAW = {"mode": "draw"}


class Believes:
    """An evaluation that says what it was told. ``Evaluation``."""

    def __init__(self, now: float, after: Sequence[float] = ()) -> None:
        self._now, self._after = now, after

    def after(self, seen: Seen) -> Sequence[float]:
        return self._after[: len(seen.legal)]

    def now(self, seen: Seen) -> float:
        del seen
        return self._now


START = RULES.setup(2, {}, 0)
OPENING = seen(RULES.settle(START, (6, 5)), 0)
DOUBLED = Cube(value=1, offered=2, by=0)


def test_the_greedy_player_takes_what_is_best_afterwards_and_of_equals_the_first() -> None:
    values = [0.1] * len(OPENING.legal)
    values[2] = values[4] = 0.3
    assert Greedy(Believes(0, values)).move(OPENING) == OPENING.legal[2]


@pytest.mark.rule("S9")
@pytest.mark.parametrize(("expects", "takes"), [(-0.49, True), (-0.5, True), (-0.51, False)])
def test_the_greedy_player_takes_from_one_chance_in_four_on(expects: float, *, takes: bool) -> None:
    asked = seen(START, 1, cube=DOUBLED)
    assert Greedy(Believes(expects)).takes(asked) is takes
    assert Greedy(Believes(expects)).accepts_beaver(asked) is takes


@every_variant
def test_our_own_player_plays_a_legal_move_wherever_a_game_leads_and_always_the_same(variant: str) -> None:
    rules, options = VARIANTS[variant]
    ours, again = own_player(rules, options), Greedy(NardEvaluation(rules))
    asked = 0
    for state in some_states(rules, 3, options=options):
        waiting = rules.waiting(state)
        if isinstance(waiting, Players):
            shown = seen(state, waiting.seats[0], rules=rules, options=options)
            if len(shown.legal) > 1:
                assert ours.move(shown) in shown.legal
                assert again.move(shown) == ours.move(shown)
                asked += 1
    assert asked


def test_the_seat_makes_no_difference() -> None:
    mine, theirs = side({24: 2, 13: 5, 8: 3, 6: 5}), side({24: 1, 20: 1, 13: 5, 8: 3, 6: 5})
    choices = {
        own_player(RULES, {}).move(seen(State(boards=boards, turn=seat, dice=(4, 2)), seat))
        for seat, boards in enumerate(((mine, theirs), (theirs, mine)))
    }
    assert len(choices) == 1


def to_play(
    game: str,
    mine: Mapping[int, int],
    theirs: Mapping[int, int],
    dice: tuple[int, ...] = (),
    options: dict[str, Any] | None = None,
    **changes: Any,
) -> Seen:
    """What seat 1 sees with ``mine`` and ``dice`` in a game that seat 0 began; without dice it has moved."""
    rules = CURRENT[game]
    start = rules.setup(2, options or {}, 0)
    checkers = sum(start.boards[0])
    state = msgspec.structs.replace(
        start,
        boards=(side(theirs, checkers), side(mine, checkers)),
        turn=1 if dice else 0,
        dice=dice,
    )
    return seen(state, 1, rules=rules, options=options, first=0, **changes)


def chosen(game: str, *position: Any, options: dict[str, Any] | None = None) -> str:
    """What our own player plays there."""
    return own_player(CURRENT[game], options or {}).move(to_play(game, *position, options=options))


@pytest.mark.parametrize(
    ("dice", "move"),
    [((3, 1), "8/5 6/5"), ((4, 2), "8/4 6/4"), ((6, 1), "13/7 8/7"), ((5, 3), "8/3 6/3")],
)
def test_it_makes_the_points_of_the_openings(dice: tuple[int, int], move: str) -> None:
    start = {24: 2, 13: 5, 8: 3, 6: 5}
    assert sorted(chosen("backgammon", start, start, dice).split(" ")) == sorted(move.split(" "))


def test_in_long_nardy_it_sets_its_head_in_motion() -> None:
    assert "24/" in chosen("long_nardy", {24: 13, 20: 1, 18: 1}, {24: 13, 19: 1, 15: 1}, (5, 2))
    spread = {24: 10, 20: 1, 18: 1, 15: 1, 13: 1, 11: 1}
    assert "24/" in chosen("long_nardy", spread, {24: 10, 19: 1, 17: 1, 16: 1, 15: 1, 14: 1}, (3, 1))


def test_in_long_nardy_it_closes_six_points_before_the_other_head() -> None:
    # 12 is the other head; a point on 7 makes six in a row before the twelve checkers that stand there.
    wall = {24: 6, 20: 1, 14: 2, 13: 2, 11: 1, 10: 1, 9: 1, 8: 1}
    assert "/7" in chosen("long_nardy", wall, {24: 12, 4: 1, 3: 1, 2: 1}, (6, 1))


def test_in_plakoto_it_pins_far_from_the_others_home_and_the_mother_above_all() -> None:
    assert "5*" in chosen("plakoto", {24: 12, 15: 2, 14: 1}, {24: 12, 20: 1, 16: 2}, (6, 4))
    assert "1*" in chosen("plakoto", {24: 10, 10: 2, 7: 3}, {24: 1, 16: 2, 12: 12}, (6, 3))


def test_in_plakoto_it_does_not_leave_its_mother_alone_while_she_can_be_caught() -> None:
    play = chosen("plakoto", {24: 2, 20: 4, 18: 5, 10: 4}, {24: 4, 8: 6, 7: 5}, (4, 1))
    assert "24/" not in play


def test_in_fevga_it_brings_out_its_stack_once_the_first_checker_has_passed() -> None:
    assert "24/" in chosen("fevga", {24: 13, 20: 1, 10: 1}, {24: 13, 19: 1, 11: 1}, (5, 2))


@pytest.mark.rule("N3")
def test_in_giveaway_it_does_not_bear_off_what_it_may_keep() -> None:
    position = ({6: 1, 5: 1, 2: 1}, {6: 8}, (2, 1), GIVEAWAY)
    assert any("off" in move for move in to_play("backgammon", *position).legal)
    assert "off" not in chosen("backgammon", *position[:3], options=GIVEAWAY)


@pytest.mark.rule("N2")
@pytest.mark.parametrize(
    ("mine", "dice", "off"),
    [
        ({2: 1, 1: 1}, (6, 5), 15),  # a draw
        ({7: 1, 6: 14}, (6, 1), 1),  # from the gammon, where the six could also be played 7/1
        ({24: 1, 6: 14}, (6, 1), 0),  # from three points to two
    ],
)
def test_with_the_last_roll_it_loses_as_little_as_it_can(
    mine: Mapping[int, int], dice: tuple[int, int], off: int
) -> None:
    shown = to_play("backgammon", mine, {}, dice, DRAW)
    assert shown.view.board is not None
    assert shown.view.board["last_turn"]
    state = msgspec.structs.replace(RULES.setup(2, DRAW, 0), boards=(side({}), side(mine)), turn=1, dice=dice)
    ended = RULES.play(state, 1, own_player(RULES, DRAW).move(shown))
    results = [RULES.play(state, 1, move).result for move in shown.legal]
    assert ended.boards[1][0] == off
    assert ended.result is not None
    assert ended.result.points == min(result.points for result in results if result is not None)


@pytest.mark.rule("N2")
def test_who_can_bear_off_the_last_checker_does_so_though_the_other_still_has_a_roll() -> None:
    state = msgspec.structs.replace(
        RULES.setup(2, DRAW, 0), boards=(side({2: 1}), side({6: 2})), turn=0, dice=(2, 1)
    )
    shown = seen(state, 0, options=DRAW, first=0)
    assert own_player(RULES, DRAW).move(shown) == "2/1 1/off"


WITH_CUBE = [name for name, rules in CURRENT.items() if rules.traits.cube]


@pytest.mark.rule("S9")
@pytest.mark.parametrize("game", WITH_CUBE)
def test_it_takes_what_is_even_and_passes_what_is_lost(game: str) -> None:
    rules = CURRENT[game]
    start: tuple[int, ...] = rules.setup(2, {}, 0).boards[0]
    whole = {point: count for point, count in enumerate(start) if count}
    ours = own_player(rules, {})
    assert isinstance(ours, Doubling)
    assert ours.takes(to_play(game, whole, whole, cube=DOUBLED))
    assert not ours.takes(to_play(game, whole, {1: 2}, cube=DOUBLED))


@pytest.mark.rule("S10")
def test_it_plays_a_beaver_on_only_where_it_is_not_lost() -> None:
    beavered = Cube(value=2, owner=0, offered=4, by=0, beavered=True)
    ours, even, won = own_player(RULES, {}), {6: 5, 5: 5, 4: 5}, {2: 2}
    assert isinstance(ours, Doubling)
    for theirs, plays_on in ((even, True), (won, False)):
        state = State(boards=(side(theirs), side(even)), turn=1)
        assert ours.accepts_beaver(seen(state, 1, cube=beavered)) is plays_on


def test_gammons_count_only_where_the_match_is_not_over_without_them() -> None:
    losing_gammons = ({24: 3, 23: 2, 6: 10}, {7: 3, 6: 4, 5: 3, 4: 3, 3: 2})
    worth = NardEvaluation(RULES).now
    money = worth(to_play("backgammon", *losing_gammons))
    decider = to_play("backgammon", *losing_gammons, terms=Terms(target=5), score=(4, 4), crawford_used=True)
    assert worth(decider) > money + 0.1
