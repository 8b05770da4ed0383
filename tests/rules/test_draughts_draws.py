"""The draws of Czech draughts: each comes by itself, at its ply and not before (rules §4, article 6)."""

from collections.abc import Callable
from typing import Final

import msgspec
import pytest

from shared.rules.draughts import RULES, State
from shared.rules.protocol import Over, Players, Result
from tests.support.draughts import after, at

Keeps = Callable[[State], bool]
MOST_TRIED: Final = 5_000
"""So many states are looked at for one of the kind that is wanted; there it takes a few hundred at most."""


def over(kind: str) -> Over:
    return Over(Result.drawn(kind=kind))


def balance(state: State) -> str | None:
    found: str | None = RULES.view(state, None)["material"]
    return found


def next_states(state: State, keeps: Keeps) -> list[State]:
    """After every next move that keeps the promise and repeats nothing for the third time."""
    found = [RULES.play(state, state.turn, move) for move in RULES.legal(state, state.turn)]
    return [after for after in found if keeps(after) and after.result != Result.drawn(kind="repetition")]


def played_on(state: State, plies: int, keeps: Keeps, then: Keeps | None = None) -> State:
    """Some state so many plies on, in which all ``keeps`` what it says, and ``then`` can hold next."""
    open_ends = [(state, plies)]
    for _ in range(MOST_TRIED):
        reached, left = open_ends.pop()
        if left == 0 and next_states(reached, then or keeps):
            return reached
        if left:
            following = [after for after in next_states(reached, keeps) if after.result is None]
            open_ends += [(after, left - 1) for after in following]
    raise AssertionError(f"nobody goes on for {plies} plies")


FOUR_KINGS: Final = "W:WKc1,Ke1:BKd8,Kf8"
TO_AND_FRO: Final = ("c1-b2", "d8-c7", "b2-c1", "c7-d8")


def test_the_third_time_that_a_position_stands_with_the_same_side_to_move_is_a_draw() -> None:
    twice = after(at(FOUR_KINGS), *TO_AND_FRO)
    assert RULES.view(twice, None)["occurrences"] == 2
    nearly = after(twice, *TO_AND_FRO[:3])
    assert RULES.waiting(nearly) == Players((1,))
    thrice = after(nearly, TO_AND_FRO[3])
    assert RULES.waiting(thrice) == over("repetition")
    assert RULES.legal(thrice, 0) == ()


def test_with_the_other_side_to_move_it_is_another_position() -> None:
    """White takes three moves to come back where two would do."""
    twice = after(at(FOUR_KINGS), *TO_AND_FRO)
    back = after(twice, "c1-b2", "d8-c7", "b2-a3", "c7-d8", "a3-c1")
    assert back.kings == twice.kings
    assert RULES.view(back, None)["occurrences"] == 1
    assert back.result is None


@pytest.mark.parametrize(("reply", "move"), [("d8-e7", "e1-f2"), ("d8-f6", "b2:g7")])
def test_after_a_mans_move_or_a_capture_no_position_comes_back(reply: str, move: str) -> None:
    before = after(at("W:WKc1,e1:BKd8,h6"), "c1-b2", reply)
    assert RULES.view(before, None)["quiet_plies"] == len(before.earlier) == 2
    moved = after(before, move)
    assert RULES.view(moved, None)["quiet_plies"] == len(moved.earlier) == 0


def no_balance(state: State) -> bool:
    return balance(state) is None and bool(state.earlier)


def test_fifteen_moves_of_each_side_without_a_mans_move_or_a_capture_are_a_draw() -> None:
    state = played_on(at("W:WKa1,Kc1,a3:BKh8,Kf8,h6"), 29, no_balance)
    assert RULES.view(state, None)["quiet_plies"] == 29
    assert RULES.view(state, None)["draw_in"] == 1
    assert {RULES.waiting(after) for after in next_states(state, no_balance)} == {over("fifteen moves")}


def test_a_mans_move_begins_the_fifteen_anew() -> None:
    state = played_on(at("W:WKa1,Kc1,a3:BKh8,Kf8,h6"), 29, no_balance)
    mover = "a3-b4" if state.side == 0 else "h6-g5"
    moved = after(state, mover)
    assert moved.result is None
    assert RULES.view(moved, None)["draw_in"] == 30


FEW: Final = [
    ("three kings against one off the long diagonal", "W:WKa1,Kc1,Ke1:BKb8", 30, "three kings"),
    ("three kings against one on the long diagonal", "W:WKc1,Ke1,Kg1:BKh8", 10, "material"),
    ("two kings against one", "W:WKa1,Kc1:BKf8", 10, "material"),
    ("king and man against king", "W:WKa1,a3:BKf8", 10, "material"),
    ("king against king", "W:WKa3:BKf8", 10, "material"),
]
few = pytest.mark.parametrize(("name", "position", "plies", "kind"), FEW, ids=[few[0] for few in FEW])


def turned(position: str) -> str:
    """The same with colours changed, seen from the other side of the board."""
    to_move, white, black = position.split(":")

    def side(pieces: str) -> str:
        return ",".join(
            f"{piece[:-2]}{chr(ord('a') + ord('h') - ord(piece[-2]))}{9 - int(piece[-1])}"
            for piece in pieces[1:].split(",")
        )

    return f"{'B' if to_move == 'W' else 'W'}:W{side(black)}:B{side(white)}"


@few
@pytest.mark.parametrize("weaker", ["black", "white"])
def test_few_pieces_are_a_draw_when_they_have_stood_their_time(
    name: str, position: str, plies: int, kind: str, weaker: str
) -> None:
    state = at(position if weaker == "black" else turned(position))
    assert balance(state) == name
    before = played_on(state, plies - 1, lambda after: balance(after) == name)
    assert RULES.waiting(before) == Players((before.turn,))
    assert RULES.view(before, None)["draw_in"] == 1
    drawn = next_states(before, lambda after: balance(after) == name)
    assert {RULES.waiting(after) for after in drawn} == {over(kind)}


def test_three_kings_are_one_case_on_the_long_diagonal_and_another_off_it() -> None:
    """The lone king that leaves the long diagonal and comes back begins its ten plies anew each time."""
    (off, *_), (on, *_) = FEW[:2]
    on_it = played_on(
        at("W:WKa3,Ka5,Kc1:BKe5"), 7, lambda after: balance(after) == on, lambda after: balance(after) == off
    )
    assert on_it.material_plies == 7
    left = next_states(on_it, lambda after: balance(after) == off)
    assert {after.material_plies for after in left} == {0}
    assert {RULES.view(after, None)["draw_in"] for after in left} == {22}  # the fifteen moves count on


def test_a_balance_that_a_capture_or_a_crowning_brings_is_counted_from_there() -> None:
    captured = after(at("W:WKa1,Kc1:BKh8,b2"), "c1:a3")
    assert (balance(captured), captured.material_plies) == ("two kings against one", 0)
    crowned = after(at("W:WKa1,g7:BKb8"), "g7-h8")
    assert (balance(crowned), crowned.material_plies) == ("two kings against one", 0)


def test_the_man_beside_the_king_may_move_and_the_count_goes_on() -> None:
    moved = after(at("W:WKa1,a3:BKf8"), "a1-b2", "f8-e7", "a3-b4")
    assert (balance(moved), moved.material_plies) == ("king and man against king", 3)
    assert RULES.view(moved, None)["quiet_plies"] == 0


@pytest.mark.parametrize(
    "position",
    ["W:Wa1:BKh8", "W:WKa1,a3,c3:BKh8", "W:WKa1,Kc1,a3:BKh8", "W:WKa1,Kc1:BKh8,Kf8", "W:Wa1,c1:Bh8"],
)
def test_other_balances_have_no_count_of_their_own(position: str) -> None:
    assert balance(at(position)) is None


@pytest.mark.parametrize(("earlier", "result"), [(28, None), (29, "fifteen moves")])
def test_the_fifteen_moves_are_counted_on_through_a_change_of_balance(
    earlier: int, result: str | None
) -> None:
    """Three kings against one: the lone king steps onto the long diagonal and the ten plies begin."""
    past = tuple((index, index) for index in range(earlier))
    state = msgspec.structs.replace(at("B:WKa3,Ka5,Kc1:BKd8"), earlier=past, material_plies=20)
    stepped = after(state, "d8-f6")
    assert stepped.material_plies == 0
    assert stepped.result == (Result.drawn(kind=result) if result else None)


def test_a_loss_goes_before_a_draw() -> None:
    """The thirtieth quiet ply blocks the last black man."""
    past = tuple((index, index) for index in range(29))
    state = msgspec.structs.replace(at("W:WKe1,f2,g1,a1:Bh4,h2"), earlier=past)
    assert after(state, "e1-d2").result == Result.drawn(kind="fifteen moves")
    blocking = msgspec.structs.replace(at("W:Wf2,g1,Ke5:Bh2,h4"), earlier=past)
    assert after(blocking, "e5-g3").result == Result.win(0, "blocked")
