"""What 3D gomoku promises: four in a row along any of 76 lines of the cube, no gravity (rules §2)."""

from itertools import pairwise, product
from random import Random
from typing import Final

import msgspec
import pytest

from shared.rules.gomoku3d import RULES, State, board
from shared.rules.protocol import Over, Players, Result
from tests.support.gomoku3d import DRAWN, PLAYED, WON, after, in_turn, legal, refusal

Cell = tuple[int, int, int]
STEPS: Final = (-1, 0, 1)
TEXT_OF: Final = {(z, x, y): f"{z + 1}{'abcd'[x]}{y + 1}" for z, x, y in product(range(4), repeat=3)}


def lines() -> set[frozenset[str]]:
    """Every four cells in a straight row, found by walking from each cell in each direction."""
    found: set[frozenset[str]] = set()
    for start, step in product(TEXT_OF, product(STEPS, repeat=3)):
        row = [tuple(at + by * times for at, by in zip(start, step, strict=True)) for times in range(4)]
        if any(step) and all(0 <= at < 4 for cell in row for at in cell):
            found.add(frozenset(TEXT_OF[cell[0], cell[1], cell[2]] for cell in row))
    return found


LINES: Final = sorted(sorted(line) for line in lines())


def won_by_circles(line: list[str], last: int) -> State:
    """After a game in which the circles fill ``line``, its cell number ``last`` at the end."""
    crosses = iter(sorted(set(TEXT_OF.values()) - set(line), key=lambda name: (name[::-1], name)))
    state = RULES.setup(2, {}, 0)
    for cell in (*line[:last], *line[last + 1 :]):
        state = after(state, cell, next(crosses))
    assert state.result is None
    return after(state, line[last])


def test_an_empty_cube_and_who_begins_has_the_circles() -> None:
    for first in (0, 1):
        begun = RULES.setup(2, {}, first)
        assert RULES.view(begun, None) == {
            "circles": [],
            "crosses": [],
            "has_circles": first,
            "turn": first,
            "symbol": "circle",
            "line": [],
        }
        assert RULES.waiting(begun) == Players((first,))
        placed = after(begun, "2b3")
        assert RULES.waiting(placed) == Players((1 - first,))
        view = RULES.view(placed, None)
        assert (view["circles"], view["crosses"], view["symbol"]) == (["2b3"], [], "cross")


def test_any_of_the_64_cells_may_be_taken_for_nothing_falls() -> None:
    begun = RULES.setup(2, {}, 0)
    assert legal(begun) == set(TEXT_OF.values())
    assert len(legal(begun)) == 64
    assert legal(after(begun, "4d4")) == set(TEXT_OF.values()) - {"4d4"}


def test_a_position_is_written_level_by_level() -> None:
    state = after(RULES.setup(2, {}, 0), "2b3", "1a1", "4d4", "2c3")
    assert RULES.position(state) == "4/4/4/x3|4/1ox1/4/4|4/4/4/4|3o/4/4/4 o"
    assert RULES.position(after(state, "3d1")).endswith("|4/4/4/3o|3o/4/4/4 x")


def test_there_are_76_lines_and_four_in_a_row_along_any_of_them_win() -> None:
    assert len(LINES) == len(board.LINES) == 76
    for number, line in enumerate(LINES):
        over = won_by_circles(line, number % 4)
        assert RULES.waiting(over) == Over(Result.win(0, "four in a row"))
        assert RULES.view(over, None)["line"] == line
        assert RULES.view(over, None)["turn"] is None
        assert RULES.legal(over, 1) == ()


def test_crosses_win_likewise_whichever_seat_has_them() -> None:
    for first in (0, 1):
        start = RULES.setup(2, {}, first)
        over = after(start, "1a1", "1a2", "1a3", "2b2", "1a4", "3c2", "1b1", "4d2")
        assert over.result == Result.win(1 - first, "four in a row")
        assert RULES.view(over, None)["line"] == ["1a2", "2b2", "3c2", "4d2"]


def test_three_in_a_row_or_four_with_one_of_the_others_among_them_do_not_win() -> None:
    start = RULES.setup(2, {}, 0)
    assert after(start, "1a1", "4a1", "2a1", "1d4", "3a1").result is None
    assert after(start, "1a1", "4b1", "1b2", "1d4", "1c3", "2a1").result is None


def test_several_lines_at_once_are_one_win_and_all_are_shown() -> None:
    corner = ("1a1", "1a2", "1a3", "1b4", "1c4", "1d4")
    away = ("2a1", "2b1", "3c2", "3d1", "4a2", "4b3")
    state = RULES.setup(2, {}, 0)
    for circle, cross in zip(corner, away, strict=True):
        state = after(state, circle, cross)
    over = after(state, "1a4")
    assert over.result == Result.win(0, "four in a row")
    assert set(RULES.view(over, None)["line"]) == {*corner, "1a4"}


def test_a_full_cube_without_four_in_a_row_is_a_draw() -> None:
    order = in_turn(DRAWN, last="1a1")
    nearly = after(RULES.setup(2, {}, 1), *order[:-1])
    assert legal(nearly) == {order[-1]}
    full = after(nearly, order[-1])
    assert RULES.position(full) == f"{DRAWN} o"
    assert RULES.waiting(full) == Over(Result.drawn(kind="full board"))
    assert RULES.view(full, None)["line"] == []


def test_the_last_cell_wins_if_it_makes_four() -> None:
    order = in_turn(WON, last="4d2")
    nearly = after(RULES.setup(2, {}, 0), *order[:-1])
    assert RULES.waiting(nearly) == Players((1,))
    over = after(nearly, order[-1])
    assert over.result == Result.win(1, "four in a row")
    assert RULES.view(over, None)["line"] == ["4a2", "4b2", "4c2", "4d2"]


@pytest.mark.parametrize(
    "text", ["2b3", "2B3", " 2b3 ", "2-b3", "2 b3", "2/b3", "b3-2", "B3 2", "b32!", "2b3?!"]
)
def test_a_cell_may_be_written_with_its_level_before_or_after_the_square(text: str) -> None:
    assert RULES.read(RULES.setup(2, {}, 0), 0, text) == "2b3"


@pytest.mark.parametrize(
    "text", ["", "b3", "2b", "5a1", "0a1", "2e1", "2a5", "234", "2b3 1a1", "2--b3", "2b3" * 20]
)
def test_a_text_that_names_no_cell_cannot_be_read(text: str) -> None:
    assert refusal(RULES.setup(2, {}, 0), text) == (
        "unreadable_move",
        "Write the level from 1 to 4 and the square, a1 to d4: 2b3, for example.",
    )


def test_a_cell_is_taken_once_and_who_is_not_to_move_has_none() -> None:
    state = after(RULES.setup(2, {}, 0), "2b3")
    assert refusal(state, "2b3") == ("illegal_move", "2b3 is taken.")
    assert RULES.legal(state, 0) == ()
    over = won_by_circles(LINES[0], 0)
    assert refusal(over, "4d4") == ("illegal_move", "There is nothing to move for this seat now.")
    assert {RULES.write(state, 1, move, None) for move in legal(state)} == legal(state)


@pytest.mark.parametrize("cause", ["resigned", "left", "flag"])
def test_who_gives_up_loses_one_point(cause: str) -> None:
    start = RULES.setup(2, {}, 0)
    assert RULES.forfeit(start, 0, cause) == Result(places=(2, 1), kind="forfeit", points=1)
    assert RULES.forfeit(start, 1, cause) == Result(places=(1, 2), kind="forfeit", points=1)


@pytest.mark.rule("B13")
def test_every_symbol_counts_as_one() -> None:
    assert RULES.half_moves(RULES.setup(2, {}, 0), "2b3") == 1


def test_symbols_alternate_nothing_moves_and_a_game_ends_with_its_first_line() -> None:
    for game in PLAYED.random_games(60):
        for before, now in pairwise(game):
            added = [new & ~old for old, new in zip(before.symbols, now.symbols, strict=True)]
            assert [mask.bit_count() for mask in added] == ([1, 0] if before.side == 0 else [0, 1])
            view = RULES.view(now, None)
            held = [set(view["circles"]), set(view["crosses"])]
            won = [side for side in (0, 1) if any(set(line) <= held[side] for line in LINES)]
            assert (now.result is not None) == bool(won)
            assert not won or RULES.view(now, None)["line"]


def test_the_cube_looks_the_same_from_every_side() -> None:
    turns = {
        f"{z}{'abcd'[x]}{y}": f"{y}{'abcd'[z - 1]}{4 - x}"
        for z, x, y in product((1, 2, 3, 4), range(4), (1, 2, 3, 4))
    }
    assert set(turns.values()) == set(turns)
    for seed in range(30):
        random = Random(seed)
        state = turned = RULES.setup(2, {}, 0)
        while state.result is None:
            move = random.choice(RULES.legal(state, state.turn))
            state, turned = after(state, move), after(turned, turns[move])
            assert turned.result == state.result


def test_states_are_values_that_can_be_written_down() -> None:
    state = after(RULES.setup(2, {}, 0), "4d4", "1a1", "2b3")
    assert msgspec.json.decode(msgspec.json.encode(state), type=State) == state
