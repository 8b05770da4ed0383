"""The computer at gomoku: it makes and stops fives, fours and open threes, and opens fairly."""

from itertools import pairwise
from random import Random

import pytest

from services.ghost.players import Drawing, Seen, own_player
from services.ghost.players.search import openings
from services.ghost.players.search.alphabeta import Board, Budget, Search
from services.ghost.players.search.gomoku import GomokuBoard
from services.ghost.players.search.openings import worth
from services.ghost.players.search.shapes import FIVE, FOUR, OPEN_FOUR, OPEN_THREE, THREE, worths
from shared.events.match import Level
from shared.rules.gomoku import RULES, State
from shared.rules.gomoku.board import EMPTY, GRIDS, SIGNS, fives
from tests.support.ghosts import seen
from tests.support.playing import some_states

OURS = own_player(RULES, {})


def position(circles: str, crosses: str, size: int = 15) -> State:
    """These symbols; who has fewer is next, or the circles."""
    signs = [EMPTY] * size * size
    for sign, cells in zip(SIGNS, (circles, crosses), strict=True):
        for name in cells.split():
            signs[GRIDS[size].cells[name]] = sign
    return State(first=0, board="".join(signs), circles=0)


def shown(state: State) -> Seen:
    return seen(state, state.turn, rules=RULES)


def best(circles: str, crosses: str) -> str:
    return OURS.move(shown(position(circles, crosses)))


@pytest.mark.parametrize(
    ("window", "circle"),
    [
        ("...oo.oo...", FIVE),
        ("..ooo.oo...", 0),  # six in a row win nothing, and leave no room for five
        ("...oo.o....", OPEN_FOUR),
        ("..xoo.o....", FOUR),
        ("#..oo.o.x..", OPEN_FOUR),
        (".xooo......", FOUR),
        (".....ooo.o.", FOUR),  # only between the two; on the other side it would be six
        ("....o.o....", OPEN_THREE),
        ("..x.o.o.x..", THREE),  # one more makes a four that is stopped
        ("#...o.o....", OPEN_THREE),
        ("###..o.x...", 0),
    ],
)
def test_a_symbol_is_worth_what_it_makes_of_its_line(window: str, circle: int) -> None:
    found = worths(window.encode())
    assert found[0] == circle
    assert worths(window.translate(str.maketrans("ox", "xo")).encode()) == found[::-1]
    assert worths(window[::-1].encode()) == found


@pytest.mark.rule("B1")
def test_the_board_that_is_searched_knows_a_five_when_the_rules_do() -> None:
    random = Random(4)
    wins = 0
    for _ in range(150):
        signs = [random.choice(".oox") for _ in range(225)]
        state = State(first=0, board="".join(signs), circles=0)
        board = GomokuBoard(state)
        for cell in [cell for cell, sign in enumerate(signs) if sign == EMPTY][::5]:
            after = state.board[:cell] + SIGNS[state.symbol] + state.board[cell + 1 :]
            five = any(fives(after, cell))
            board.make(state.grid.names[cell])
            assert (board.ended() is not None) == five
            board.unmake()
            wins += five
    assert wins > 100


def test_every_move_is_taken_back_and_what_is_kept_up_to_date_is_as_if_counted_anew() -> None:
    for seed in range(3):
        states = some_states(RULES, seed, options={"size": (15, 19, 20)[seed]})[:60]
        board = GomokuBoard(states[0])
        for before, after in pairwise(states):
            (cell,) = (c for c, sign in enumerate(after.board) if sign != before.board[c])
            was = board.key(), board.judge(), board.moves(), board.loud()
            board.make(before.grid.names[cell])
            board.unmake()
            assert (board.key(), board.judge(), board.moves(), board.loud()) == was
            board.make(before.grid.names[cell])
            if after.result is None:
                anew = GomokuBoard(after)
                assert board.key() == anew.key()
                assert board.judge() == anew.judge()
                assert board.moves() == anew.moves()


@pytest.mark.parametrize(
    ("circles", "crosses", "moves"),
    [
        ("d8 e8 f8 g8", "d9 e9 f9 g9", "c8 h8"),  # its own five goes before the other's
        ("d8 e8 g8 h8", "c8 a1 b3 o15", "f8"),  # in a gap
        ("f8 g8 h8", "a1 c3 o15", "e8 i8"),  # an open four
    ],
)
def test_it_makes_fives_and_fours(circles: str, crosses: str, moves: str) -> None:
    assert best(circles, crosses) in moves.split()


@pytest.mark.parametrize(
    ("circles", "crosses", "moves"),
    [
        ("d8 e8 f8 g8", "c8 d3 k9", "h8"),  # a four, closed on one side
        ("d8 e8 g8 h8", "k3 d3 k9", "f8"),  # a four with a gap
        ("f8 g8 h8", "d3 k9", "d8 e8 i8 j8"),  # an open three
        ("f8 g8 i8", "d3 k10", "e8 h8 j8"),  # an open three with a gap
        ("f6 g7 h8", "d3 k10", "d4 e5 i9 j10"),  # on a diagonal
    ],
)
def test_it_stops_fours_and_open_threes(circles: str, crosses: str, moves: str) -> None:
    assert best(circles, crosses) in moves.split()


def test_an_open_three_that_nobody_stops_wins() -> None:
    assert worth(position("g8 h8 i8", "a1 o15 b2"), Budget(50)) > 900_000


def test_two_threes_at_once_win() -> None:
    state = position("h9 h10 i8 j8", "a1 o15 a15 c2")
    assert worth(state, Budget(600)) > 900_000


@pytest.mark.parametrize("size", [15, 19, 20])
def test_the_first_symbol_goes_to_the_middle(size: int) -> None:
    chosen = OURS.move(shown(RULES.setup(2, {"size": size}, 0)))
    row, column = divmod(GRIDS[size].cells[chosen], size)
    assert all(abs(2 * at - size + 1) <= 1 for at in (row, column))


def test_in_pro_the_second_circle_lies_outside_the_central_square_but_not_far() -> None:
    state = RULES.play(RULES.setup(2, {"variant": "pro"}, 0), 1, "h9")
    chosen = OURS.move(shown(state))
    row, column = divmod(GRIDS[15].cells[chosen], 15)
    assert chosen in RULES.legal(state, 0)
    assert max(abs(row - 7), abs(column - 7)) <= 4


def placed(state: State) -> State:
    """The state when the player to move has placed an opening's three symbols."""
    for _ in range(3):
        state = RULES.play(state, state.turn, OURS.move(shown(state)))
    return state


@pytest.mark.parametrize("variant", ["swap", "swap2"])
def test_an_opening_is_placed_so_that_neither_side_is_much_better(variant: str) -> None:
    state = placed(RULES.setup(2, {"variant": variant}, 1))
    assert state.chooses
    assert abs(worth(state, Budget(100))) < 200


@pytest.mark.parametrize("variant", ["swap", "swap2"])
@pytest.mark.parametrize(
    ("circles", "crosses", "chosen"), [("g8 h8", "a15", "circles"), ("a1 o15", "h8", "crosses")]
)
def test_the_better_side_is_chosen(variant: str, circles: str, crosses: str, chosen: str) -> None:
    bare = position(circles, crosses)
    state = State(first=0, ply=3, board=bare.board, variant=variant)
    assert OURS.move(shown(state)) == chosen


def test_who_is_given_the_choice_after_five_symbols_chooses_too() -> None:
    bare = position("g8 h8 i8", "a15 o1")
    state = State(first=0, ply=5, board=bare.board, variant="swap2")
    assert OURS.move(shown(state)) == "circles"


def test_an_extension_that_somebody_has_begun_is_finished() -> None:
    state = State(first=0, ply=3, board=position("g8 i9", "h8").board, variant="swap2")
    state = RULES.play(state, 1, "j10")
    chosen = OURS.move(shown(state))
    assert chosen in RULES.legal(state, 1)
    assert RULES.play(state, 1, chosen).chooses


@pytest.mark.parametrize("variant", ["swap", "swap2"])
@pytest.mark.parametrize(
    ("circles", "crosses"), [("h8 i9", "a1"), ("h8 i8", "a1"), ("a1 o15", "h8"), ("g8 h8 i8", "a15 o1")]
)
def test_while_sides_are_open_nobody_stands_worse_and_a_draw_is_declined(
    variant: str, circles: str, crosses: str
) -> None:
    bare = position(circles, crosses)
    state = State(first=0, ply=bare.placed, board=bare.board, variant=variant)
    assert isinstance(OURS, Drawing)
    assert not any(OURS.accepts_draw(seen(state, seat, rules=RULES)) for seat in (0, 1))


def test_whose_turn_it_is_alone_is_no_reason_to_accept_a_draw_but_a_lost_game_is() -> None:
    assert isinstance(OURS, Drawing)
    for circles, crosses in (("h8", ""), ("h8", "i8"), ("h8 h9", "g8")):
        state = position(circles, crosses)
        assert not any(OURS.accepts_draw(seen(state, seat, rules=RULES)) for seat in (0, 1))
    lost = position("g8 h8 i8 j8", "a1 o15 a15")  # for the crosses
    assert [OURS.accepts_draw(seen(lost, seat, rules=RULES)) for seat in (0, 1)] == [False, True]


def test_who_looks_one_move_ahead_opens_within_that(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[Budget] = []

    class Noting(Search[str]):
        def __init__(self, board: Board[str], budget: Budget) -> None:
            given.append(budget)
            super().__init__(board, budget)

    monkeypatch.setattr(openings, "Search", Noting)
    state = RULES.setup(2, {"variant": "swap"}, 0)
    for _ in range(4):
        state = RULES.play(state, state.turn, own_player(RULES, {}, Level.BY_THUMB).move(shown(state)))
    assert state.circles is not None
    assert given
    assert all(budget.depth == 1 and budget.nodes <= 200 for budget in given)
