"""The openings of gomoku: PRO, SWAP and SWAP2, in every way that they can go (rules §1)."""

from typing import Final

import pytest

from shared.rules.gomoku import RULES, State
from shared.rules.protocol import Players, Result
from tests.support.gomoku import after, legal, refusal, start

OPENING: Final = ("h8", "i9", "a1")
EXTENSION: Final = ("o15", "c3")
first_seat = pytest.mark.parametrize("first", [0, 1])
swaps = pytest.mark.parametrize("variant", ["swap", "swap2"])
sizes = pytest.mark.parametrize(
    ("size", "centre", "corners"), [(15, "h8", ("f6", "j10")), (19, "j10", ("h8", "l12"))]
)
SIDES: Final = {"circles", "crosses"}


def told(state: State) -> tuple[str, list[str], str | None]:
    """Phase, choices and symbol as the view has them."""
    view = RULES.view(state, None)
    return view["phase"], view["choices"], view["symbol"]


def movers(state: State, *moves: str) -> list[int]:
    """Who is to move before each of these moves and after the last."""
    found = [state.turn]
    for move in moves:
        assert RULES.legal(state, 1 - state.turn) == ()
        assert RULES.waiting(state) == Players((state.turn,))
        state = after(state, move)
        found.append(state.turn)
    return found


def half_moves(state: State, *moves: str) -> list[int]:
    """What each of these moves counts."""
    found: list[int] = []
    for move in moves:
        found.append(RULES.half_moves(state, move))
        state = after(state, move)
    return found


@first_seat
@sizes
def test_pro_begins_with_a_circle_in_the_middle_and_the_other_player_to_move(
    size: int, centre: str, corners: tuple[str, str], first: int
) -> None:
    begun = start(first, variant="pro", size=size)
    view = RULES.view(begun, None)
    assert (view["circles"], view["crosses"], view["has_circles"]) == ([centre], [], first)
    assert (view["phase"], view["symbol"], view["closed"]) == ("play", "cross", [])
    assert RULES.waiting(begun) == Players((1 - first,))
    assert len(legal(begun)) == size * size - 1
    assert set(corners) <= legal(begun)


def central(corners: tuple[str, str]) -> set[str]:
    (left, low), (right, high) = ((name[0], int(name[1:])) for name in corners)
    return {
        f"{chr(column)}{row}" for column in range(ord(left), ord(right) + 1) for row in range(low, high + 1)
    }


@sizes
def test_pros_third_symbol_lies_outside_the_central_five_by_five(
    size: int, centre: str, corners: tuple[str, str]
) -> None:
    square = central(corners)
    assert len(square) == 25
    inside = after(start(variant="pro", size=size), corners[0])
    assert set(RULES.view(inside, None)["closed"]) == square - {centre, corners[0]}
    every = set(start(size=size).grid.names)
    assert legal(inside) == every - square
    for name in square - {centre, corners[0]}:
        assert refusal(inside, name) == (
            "illegal_move",
            "The second circle lies outside the central five by five.",
        )


def test_after_pros_third_symbol_all_is_free() -> None:
    third = after(start(variant="pro"), "i9", "k8")
    assert RULES.view(third, None)["closed"] == []
    assert len(legal(third)) == 15 * 15 - 3
    assert {"g8", "h9", "i8"} <= legal(third)
    assert movers(start(variant="pro"), "i9", "k8", "g8", "i8") == [1, 0, 1, 0, 1]


@pytest.mark.rule("B13")
def test_pros_automatic_symbol_counts_as_a_half_move_too() -> None:
    assert half_moves(start(variant="pro"), "i9", "k8", "g8") == [2, 1, 1]


@swaps
@first_seat
def test_in_a_swap_the_first_player_places_two_circles_and_a_cross(variant: str, first: int) -> None:
    begun = start(first, variant=variant)
    assert movers(begun, *OPENING) == [first, first, first, 1 - first]
    shown: list[tuple[str, list[str], str | None]] = []
    for count in range(3):
        state = after(begun, *OPENING[:count])
        assert len(legal(state)) == 225 - count
        assert refusal(state, "circles") == (
            "illegal_move",
            "Sides are not chosen now; place a symbol.",
        )
        shown.append(told(state))
    assert shown == [("opening", [], "circle"), ("opening", [], "cross"), ("opening", [], "circle")]
    opened = RULES.view(after(begun, *OPENING), None)
    assert (opened["circles"], opened["crosses"], opened["has_circles"]) == (["h8", "a1"], ["i9"], None)


@first_seat
def test_swap_the_second_player_must_choose_and_may_do_nothing_else(first: int) -> None:
    opened = after(start(first, variant="swap"), *OPENING)
    assert legal(opened) == SIDES
    assert told(opened) == ("choice", ["circles", "crosses"], None)
    assert RULES.position(opened).endswith("/o14 ?")
    for text in ("b2", "h8"):
        assert refusal(opened, text) == (
            "illegal_move",
            "Choose your symbols first: circles or crosses.",
        )


@swaps
@first_seat
@pytest.mark.parametrize("side", ["circles", "crosses"])
def test_who_has_the_crosses_plays_on_after_three_symbols(variant: str, first: int, side: str) -> None:
    second = 1 - first
    chosen = after(start(first, variant=variant), *OPENING, side)
    crosses = second if side == "crosses" else first
    view = RULES.view(chosen, None)
    assert view["has_circles"] == 1 - crosses
    assert view["turn"] == crosses
    assert chosen.ply == 4  # moves made, the choice among them
    assert told(chosen) == ("play", [], "cross")
    assert legal(chosen).isdisjoint(SIDES)
    assert len(legal(chosen)) == 222
    assert RULES.position(chosen).endswith("/o14 x")
    assert movers(chosen, "b2", "c3", "d4") == [crosses, 1 - crosses, crosses, 1 - crosses]


@swaps
@pytest.mark.parametrize("side", ["circles", "crosses"])
def test_a_win_is_the_players_who_owns_the_symbol_not_the_one_who_began(variant: str, side: str) -> None:
    chosen = after(start(0, variant=variant), *OPENING, side)
    owner = 1 if side == "circles" else 0
    over = after(chosen, "o1", "i8", "o3", "j8", "o5", "k8", "o7", "l8")
    assert over.result == Result.win(owner, "five in a row")
    assert RULES.view(over, None)["line"] == ["h8", "i8", "j8", "k8", "l8"]
    crossed = after(chosen, "i8", "o3", "i7", "o5", "i6", "o7", "i5")
    assert crossed.result == Result.win(1 - owner, "five in a row")


@first_seat
def test_swap2_the_second_player_may_also_place_a_cross_and_a_circle(first: int) -> None:
    second = 1 - first
    opened = after(start(first, variant="swap2"), *OPENING)
    assert told(opened) == ("choice", ["circles", "crosses"], "cross")
    assert len(legal(opened)) == 2 + 222
    assert legal(opened) > SIDES
    extending = after(opened, EXTENSION[0])
    assert told(extending) == ("extension", [], "circle")
    assert RULES.waiting(extending) == Players((second,))
    assert legal(extending).isdisjoint(SIDES)
    assert refusal(extending, "crosses")[0] == "illegal_move"
    extended = after(extending, EXTENSION[1])
    view = RULES.view(extended, None)
    assert (view["circles"], view["crosses"]) == (["h8", "c3", "a1"], ["o15", "i9"])
    assert RULES.waiting(extended) == Players((first,))
    assert told(extended) == ("choice", ["circles", "crosses"], None)
    assert legal(extended) == SIDES
    assert refusal(extended, "b2")[0] == "illegal_move"


@first_seat
@pytest.mark.parametrize("side", ["circles", "crosses"])
def test_swap2_after_five_symbols_the_first_player_chooses_and_crosses_move(first: int, side: str) -> None:
    extended = after(start(first, variant="swap2"), *OPENING, *EXTENSION)
    chosen = after(extended, side)
    crosses = first if side == "crosses" else 1 - first
    assert RULES.view(chosen, None)["has_circles"] == 1 - crosses
    assert movers(chosen, "b2", "d4", "e5") == [crosses, 1 - crosses, crosses, 1 - crosses]
    assert told(chosen) == ("play", [], "cross")


@pytest.mark.rule("B13")
def test_opening_symbols_count_as_half_moves_and_the_choice_does_not() -> None:
    assert half_moves(start(variant="swap"), *OPENING, "circles", "b2") == [1, 1, 1, 0, 1]
    assert half_moves(start(variant="swap2"), *OPENING, "crosses", "b2") == [1, 1, 1, 0, 1]
    assert half_moves(start(variant="swap2"), *OPENING, *EXTENSION, "crosses", "b2") == [
        *(1, 1, 1, 1, 1, 0, 1),
    ]


def test_in_the_standard_game_and_in_pro_nothing_is_chosen() -> None:
    for variant in ("standard", "pro"):
        state = start(variant=variant)
        for move in ("i9", "k8", "g8", "i8", "b2"):
            assert legal(state).isdisjoint(SIDES)
            assert refusal(state, "circles")[0] == "illegal_move"
            state = after(state, move)
