"""What gomoku promises: exactly five in a row, on boards of three sizes (rules §1)."""

from typing import Any, Final

import msgspec
import pytest

from shared.problems import Refused
from shared.rules.gomoku import RULES, State
from shared.rules.protocol import Over, Players, Result
from tests.support.gomoku import after, at, filling, legal, start

SIZES: Final = (15, 19, 20)
FIVES: Final = [
    pytest.param("d8 e8 f8 g8", "h8", id="row"),
    pytest.param("h4 h5 h7 h8", "h6", id="column, the middle last"),
    pytest.param("d4 e5 f6 g7", "h8", id="diagonal up"),
    pytest.param("d12 e11 g9 h8", "f10", id="diagonal down"),
    pytest.param("l2 m2 n2 o2", "k2", id="to the right edge"),
    pytest.param("b15 b14 b13 b12", "b11", id="from the top edge"),
    pytest.param("a11 b12 c13 d14", "e15", id="into the corner row"),
]
LONGER: Final = [
    pytest.param("d8 e8 f8 h8 i8", "g8", id="six in a row"),
    pytest.param("h4 h5 h6 h7 h8", "h9", id="six in a column"),
    pytest.param("d4 e5 f6 g7 h8 j10", "i9", id="seven on a diagonal"),
    pytest.param("d12 e11 f10 g9 i7 j6 k5 l4", "h8", id="nine on a diagonal"),
]
SPLIT: Final = [
    pytest.param("d8 e8 f8", "g8", id="four"),
    pytest.param("d8 e8 f8 h8", "i8", id="a gap"),
    pytest.param("m8 n8 o8 a7", "b7", id="round the edge of a row"),
    pytest.param("m3 n2 o1 a13", "b12", id="round the edge of a diagonal"),
]
both_symbols = pytest.mark.parametrize("symbol", ["o", "x"])
every_size = pytest.mark.parametrize("size", SIZES)


def before(cells: str, symbol: str, **more: Any) -> State:
    """The state in which whoever places ``symbol`` next has these cells."""
    return at(cells, symbol="o", **more) if symbol == "o" else at("", cells, symbol="x", **more)


def test_an_empty_board_of_fifteen_and_who_begins_has_the_circles() -> None:
    for first in (0, 1):
        begun = start(first)
        assert RULES.view(begun, None) == {
            "size": 15,
            "circles": [],
            "crosses": [],
            "has_circles": first,
            "turn": first,
            "phase": "play",
            "choices": [],
            "symbol": "circle",
            "closed": [],
            "line": [],
        }
        assert RULES.waiting(begun) == Players((first,))
        placed = after(begun, "h8", "i9")
        assert RULES.waiting(placed) == Players((first,))
        view = RULES.view(placed, None)
        assert (view["circles"], view["crosses"], view["symbol"]) == (["h8"], ["i9"], "circle")
        assert len(legal(placed)) == 223


@every_size
def test_the_board_has_the_size_that_the_table_chose(size: int) -> None:
    begun = start(size=size)
    assert len(legal(begun)) == size * size
    last = f"{'abcdefghijklmnopqrst'[size - 1]}{size}"
    assert {"a1", f"a{size}", f"{last[0]}1", last} <= legal(begun)
    assert RULES.view(begun, None)["size"] == size
    rows = RULES.position(after(begun, last)).split()[0].split("/")
    assert rows == [f"{size - 1}o", *[str(size)] * (size - 1)]


def test_a_position_is_written_row_by_row_from_the_top_with_what_is_placed_next() -> None:
    state = after(start(), "h8", "i9", "a15", "o1")
    assert RULES.position(state) == "o14/15/15/15/15/15/8x6/7o7/15/15/15/15/15/15/14x o"


@pytest.mark.parametrize(
    "options",
    [{"variant": "renju"}, {"variant": True}, {"size": 16}, {"size": "15"}, {"variant": "pro", "size": 20}],
)
def test_other_openings_and_boards_and_a_pro_without_a_middle_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(Refused) as refused:
        RULES.offers(options)
    assert refused.value.problem.code == "invalid_options"
    with pytest.raises(Refused) as refused:
        RULES.setup(2, options, 0)
    assert refused.value.problem.code == "invalid_options"


def test_only_a_seat_at_the_board_can_begin() -> None:
    for seats, first in ((2, None), (2, 2), (3, 0)):
        with pytest.raises(Refused) as refused:
            RULES.setup(seats, {}, first)
        assert refused.value.problem.code == "invalid_options"


@both_symbols
@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize(("cells", "move"), FIVES)
def test_five_in_a_row_in_any_direction_win_at_once(cells: str, move: str, first: int, symbol: str) -> None:
    state = before(cells, symbol, first=first)
    mover = first if symbol == "o" else 1 - first
    over = after(state, move)
    assert RULES.waiting(over) == Over(Result.win(mover, "five in a row"))
    assert RULES.legal(over, 0) == RULES.legal(over, 1) == ()
    view = RULES.view(over, None)
    assert set(view["line"]) == {*cells.split(), move}
    assert (view["turn"], view["symbol"]) == (None, None)


@both_symbols
@pytest.mark.parametrize(("cells", "move"), LONGER)
def test_six_or_more_in_a_row_do_not_win_and_play_goes_on(cells: str, move: str, symbol: str) -> None:
    state = before(cells, symbol)
    mover = state.turn
    on = after(state, move)
    assert RULES.waiting(on) == Players((1 - mover,))
    assert RULES.view(on, None)["line"] == []


@both_symbols
def test_five_in_one_direction_and_six_in_another_win(symbol: str) -> None:
    over = after(before("d8 e8 f8 h8 i8 g4 g5 g6 g7", symbol), "g8")
    assert over.result == Result.win(0 if symbol == "o" else 1, "five in a row")
    assert set(RULES.view(over, None)["line"]) == {"g4", "g5", "g6", "g7", "g8"}


def test_two_fives_at_once_are_one_win_and_both_are_shown() -> None:
    over = after(at("d8 e8 f8 g8 h4 h5 h6 h7"), "h8")
    assert over.result == Result.win(0, "five in a row")
    assert set(RULES.view(over, None)["line"]) == {"d8", "e8", "f8", "g8", "h8", "h4", "h5", "h6", "h7"}


@both_symbols
@pytest.mark.parametrize(("cells", "move"), SPLIT)
def test_fewer_than_five_and_what_is_not_in_one_line_do_not_win(cells: str, move: str, symbol: str) -> None:
    assert after(before(cells, symbol), move).result is None


def test_the_opponents_symbols_end_a_run_on_either_side() -> None:
    assert after(at("d8 e8 f8 h8", "c8 i8"), "g8").result == Result.win(0, "five in a row")
    assert after(at("d8 e8 g8 h8", "f8"), "i8").result is None


@every_size
def test_a_full_board_without_five_in_a_row_is_a_draw(size: int) -> None:
    order = filling(size)
    assert len(set(order)) == size * size
    nearly = after(start(1, size=size), *order[:-1])
    assert legal(nearly) == {order[-1]}
    full = after(nearly, order[-1])
    assert RULES.waiting(full) == Over(Result.drawn(kind="full board"))
    assert RULES.view(full, None)["line"] == []


def test_the_last_symbol_wins_if_it_makes_five() -> None:
    cells = dict.fromkeys(filling(15), "")
    for index, name in enumerate(filling(15)):
        cells[name] = "ox"[index % 2]
    rows = {"a1": ".", "b1": "o", "c1": "o", "d1": "o", "e1": "o", "f1": "x"}
    board = "".join((cells | rows)[name] for name in RULES.setup(2, {}, 0).grid.names)
    assert board.count(".") == 1
    nearly = State(first=0, board=board, circles=0)
    assert after(nearly, "a1").result == Result.win(0, "five in a row")


@pytest.mark.parametrize("cause", ["resigned", "left", "flag"])
@pytest.mark.parametrize("variant", ["standard", "swap"])
def test_who_gives_up_loses_one_point_whoever_has_which_symbol(cause: str, variant: str) -> None:
    state = after(start(variant=variant), "h8")
    assert RULES.forfeit(state, 0, cause) == Result(places=(2, 1), kind="forfeit", points=1)
    assert RULES.forfeit(state, 1, cause) == Result(places=(1, 2), kind="forfeit", points=1)


def test_nothing_is_claimed_and_every_symbol_counts_as_one() -> None:
    begun = start()
    assert RULES.claim(begun, 0, "") is None
    assert RULES.half_moves(begun, "h8") == RULES.half_moves(after(begun, "h8"), "i9") == 1


def test_states_are_values_that_can_be_written_down() -> None:
    for state in (after(start(size=20), "t20", "a1"), after(start(variant="swap2"), "h8", "a1", "b9")):
        assert msgspec.json.decode(msgspec.json.encode(state), type=State) == state
