"""What battleship promises: fleets, placing in secret, sealed placements, shots, the end (rules §7)."""

import hashlib
from itertools import count
from random import Random
from typing import Any, Final

import pytest

from shared.problems import Refused
from shared.rules.battleship import RULES, State
from shared.rules.battleship.board import CELLS, NAMES
from shared.rules.battleship.fleets import FLEETS
from shared.rules.protocol import Chance, Over, Players, Result
from tests.support.playing import drawn

ONE: Final = "a1-a4 c1-c3 e1-e3 a6-a7 c5-c6 e5-e6 a9 c8 e8 g1"
TWO: Final = "j1-j4 a10-c10 e10-g10 f6-f7 h6-h7 j6-j7 a1 c1 e1 g1"
"""Two placements of the house's fleet, in their canonical texts."""


def begun(options: dict[str, Any] | None = None, first: int = 0) -> State:
    """The nonces are drawn and both may place."""
    state = RULES.setup(2, options or {}, first)
    waiting = RULES.waiting(state)
    assert isinstance(waiting, Chance)
    return RULES.settle(state, drawn(waiting.draw, Random(5)))


def told(moves: str, state: State) -> State:
    """``state`` after shots, each by whoever is to shoot."""
    for move in moves.split():
        assert RULES.waiting(state) == Players((state.turn,))
        state = RULES.play(state, state.turn, RULES.read(state, state.turn, move))
    return state


def placed(options: dict[str, Any] | None = None, first: int = 0) -> State:
    """Seat 0 has placed ONE, seat 1 TWO."""
    state = begun(options, first)
    for seat, fleet in ((1, TWO), (0, ONE)):
        state = RULES.play(state, seat, RULES.read(state, seat, fleet))
    return state


def why(state: State, seat: int, text: str) -> str:
    """How the rules refuse ``text``: its code, and why."""
    with pytest.raises(Refused) as refused:
        RULES.read(state, seat, text)
    return f"{refused.value.problem.code}: {refused.value.problem.detail}"


# ---- placing


def test_both_place_at_the_same_time_in_any_order() -> None:
    state = begun()
    assert RULES.waiting(state) == Players((0, 1), suggested=True)
    after = RULES.play(state, 1, TWO)
    assert RULES.waiting(after) == Players((0,), suggested=True)
    assert "Your fleet is placed" in why(after, 1, TWO)
    other = RULES.play(RULES.play(state, 0, ONE), 1, TWO)
    assert RULES.play(after, 0, ONE) == other
    assert RULES.waiting(other) == Players((0,))


@pytest.mark.parametrize(
    "text",
    [
        ONE,
        "g1 e8 c8 a9 e5-e6 c5-c6 a6-a7 e3-e1 c3-c1 a4-a1",
        "A1-A4, C1-C3, E1-E3; a6 - a7, c5-c6, e5-e6, a9, c8, e8, g1.".rstrip("."),
        "a1a2a3a4c1c2c3e1e2e3a6a7c5c6e5e6a9c8e8g1",
        "a1-a2 a3-a4 c1-c3 e1-e3 a6-a7 c5-c6 e5-e6 a9 c8 e8 g1",  # drawn in two strokes: it is one ship
    ],
)
def test_a_fleet_is_read_however_its_ships_are_drawn(text: str) -> None:
    assert RULES.read(begun(), 0, text) == ONE


@pytest.mark.parametrize(
    ("text", "because"),
    [
        (
            "a1-a4 b5-b7 e1-e3 a9-a10 c9-c10 e5-e6 h1 h3 h5 h7",
            "touch and are no straight ship",
        ),  # at a corner
        ("a1-a4 b1-b3 e1-e3 a9-a10 c9-c10 e5-e6 h1 h3 h5 h7", "touch and are no straight ship"),
        ("a1-a3 b3 c1-c3 e1-e3 a6-a7 c5-c6 e5-e6 a9 c8 e8 g1", "touch and are no straight ship"),
        (
            "a1-a4 a5 c1-c3 e1-e3 a7-a8 c5-c6 e5-e6 a10 c8 e8",
            "a1-a5 is one ship of 5, and this fleet has none",
        ),
        (ONE.removesuffix(" g1"), "must be 4 of length 1, not 3"),
        (ONE + " i9", "must be 4 of length 1, not 5"),
        (ONE.replace("a1-a4", "a1-a3"), "must be 1 of length 4, not 0"),
        (ONE + " g1", "g1 is named twice"),
        (ONE.replace("a1-a4", "a1-d4"), "neither in one row nor in one column"),
    ],
)
def test_a_fleet_that_is_not_the_tables_is_refused_with_a_reason(text: str, because: str) -> None:
    said = why(begun(), 0, text)
    assert said.startswith("illegal_move")
    assert because in said


@pytest.mark.parametrize("text", ["", "a1-", "fleet", "a1-k", "a1-a4 b1000", "a1-a4 c1-c3 x", "a1 " * 400])
def test_what_names_no_cells_is_unreadable(text: str) -> None:
    assert why(begun(), 0, text).startswith("unreadable_move")


@pytest.mark.parametrize("fleet", FLEETS)
def test_a_table_may_choose_another_fleet(fleet: str) -> None:
    state = begun({"fleet": fleet})
    lengths = sorted((int(length) for length in fleet.split(",")), reverse=True)
    for seat in (0, 1):
        for move in RULES.legal(state, seat):
            ships = RULES.play(state, seat, move).fleets[seat]
            assert [len(ship) for ship in ships] == lengths
    assert RULES.view(state, None)["fleet"] == lengths


def test_what_is_suggested_is_a_seats_own_and_differs_from_match_to_match() -> None:
    state = begun()
    other = RULES.settle(RULES.setup(2, {}, 0), drawn(_nonces(), Random(6)))
    moves = [move for game in (state, other) for seat in (0, 1) for move in RULES.legal(game, seat)]
    assert len(set(moves)) == len(moves)
    assert all(RULES.read(state, 0, move) == move for move in moves)  # any is good for anybody


def _nonces() -> Any:
    waiting = RULES.waiting(RULES.setup(2, {}, 0))
    assert isinstance(waiting, Chance)
    return waiting.draw


# ---- what is sealed, what is seen


def test_a_placement_is_sealed_by_a_hash_that_all_see_at_once() -> None:
    state = begun()
    after = RULES.play(state, 1, TWO)
    own = RULES.view(after, 1)
    sealed = hashlib.sha256(f"kronika/fleet/1 {own['nonces'][1]} {TWO}".encode()).hexdigest()
    for viewer in (0, 1, None):
        assert RULES.view(after, viewer)["commitments"] == [None, sealed]
        assert RULES.view(after, viewer)["placed"] == [False, True]
    assert sealed in RULES.position(after)
    assert len(bytes.fromhex(own["nonces"][1])) == 32


def test_the_same_fleet_of_both_is_sealed_differently() -> None:
    state = begun()
    for seat in (0, 1):
        state = RULES.play(state, seat, ONE)
    assert len(set(state.commitments)) == 2


def test_a_moved_ship_has_another_seal() -> None:
    state = begun()
    moved = RULES.play(state, 0, ONE.replace("g1", "g2"))
    assert moved.commitments != RULES.play(state, 0, ONE).commitments


def test_who_places_and_shoots_sees_his_ships_and_of_the_other_board_what_his_shots_have_shown() -> None:
    state = told("a1 a1 b2 j10 c10 c2 b10", placed())  # both hit; miss, miss; hit, hit; sunk is still to come
    own, other, watching = (RULES.view(state, viewer) for viewer in (0, 1, None))
    assert own["ships"][1] is None
    assert own["ships"][0][0] == ["a1", "a2", "a3", "a4"]
    assert other["ships"][0] is None
    assert watching["ships"] == watching["nonces"] == [None, None]
    assert own["nonces"][1] is other["nonces"][0] is None
    for view in (own, other, watching):
        assert view["hits"] == [["a1", "c2"], ["c10", "b10"]]
        assert view["misses"] == [["j10"], ["b2"]]
        assert view["sunk"] == [[], [["a1"]]]
        assert (view["phase"], view["turn"]) == ("shooting", 1)


def test_a_sunk_ship_is_told_with_all_its_cells() -> None:
    state = told("a10 i9 b10 i8 c10", placed())
    assert RULES.view(state, 0)["sunk"][1] == [["a10", "b10", "c10"]]
    assert RULES.view(state, 0)["hits"][1] == []
    assert "9s/9s/9s" in RULES.position(state)


def test_of_a_placement_the_others_read_only_that_it_was_made() -> None:
    state = begun()
    assert RULES.write(state, 0, ONE, 0) == ONE
    assert RULES.write(state, 0, ONE, 1) == RULES.write(state, 0, ONE, None) == "a fleet"


@pytest.mark.parametrize(("cell", "answer"), [("a1", "sunk"), ("a10", "hit"), ("a9", "miss")])
def test_a_shot_is_written_with_its_answer_for_all(cell: str, answer: str) -> None:
    state = placed()
    for viewer in (0, 1, None):
        assert RULES.write(state, 0, cell, viewer) == f"{cell} {answer}"
    assert RULES.read(state, 0, f"{cell} {answer}") == cell


def test_at_the_end_both_fleets_and_what_sealed_them_are_shown_to_all() -> None:
    state = _sunk(placed())
    for viewer in (0, 1, None):
        view = RULES.view(state, viewer)
        assert view["phase"] == "over"
        for seat, fleet in ((0, ONE), (1, TWO)):
            sealed = hashlib.sha256(f"kronika/fleet/1 {view['nonces'][seat]} {fleet}".encode()).hexdigest()
            assert view["commitments"][seat] == sealed
            assert len(view["ships"][seat]) == 10


def test_they_are_shown_too_where_a_seat_gave_up() -> None:
    state = told("a1 a1", placed())
    shown = RULES.revealed(state)
    assert RULES.view(shown, None)["ships"] == [RULES.view(state, seat)["ships"][seat] for seat in (0, 1)]
    assert RULES.view(shown, None)["turn"] is None


# ---- shooting


@pytest.mark.parametrize("first", [0, 1])
def test_shots_alternate_whatever_they_hit(first: int) -> None:
    state = placed(first=first)
    turns: list[int] = []
    for move in ("a1", "a1", "b1", "b1", "c1", "c1"):
        turns.append(state.turn)
        state = RULES.play(state, state.turn, move)
    assert turns == [first, 1 - first] * 3


def test_with_the_option_who_hits_or_sinks_shoots_again() -> None:
    state = placed({"extra_shot_on_hit": True})
    for move, turn in (("a10", 0), ("b10", 0), ("c10", 0), ("d10", 1), ("b1", 0), ("a1", 0), ("a2", 1)):
        state = RULES.play(state, state.turn, move)
        assert state.turn == turn, move


def test_a_cell_is_shot_at_once() -> None:
    state = told("a1 a1 b2 c2", placed())
    assert "shot at a1 before" in why(state, 0, "a1")
    assert "shot at b2 before" in why(state, 0, "b2")
    assert set(RULES.legal(state, 0)) == set(NAMES) - {"a1", "b2"}
    assert RULES.read(state, 0, "c2") == "c2"  # what the other has shot at is free
    assert why(state, 1, "d4").startswith("illegal_move")


@pytest.mark.parametrize(
    ("text", "off"), [("b0", "b0"), ("b11", "b11"), ("K7", "k7"), ("k1-k4", "k1"), ("a1-a4 c9-c12", "c12")]
)
def test_what_lies_off_the_board_is_called_so(text: str, off: str) -> None:
    for state in (begun(), placed()):
        assert why(state, 0, text).startswith(f"illegal_move: {off} is not on the board")


def test_who_shoots_before_the_fleets_are_placed_is_told_to_place_his() -> None:
    assert why(begun(), 0, "b7") == "illegal_move: Nobody shoots yet: place your whole fleet first."


def test_ships_end_to_end_are_named() -> None:
    said = why(begun(), 0, "a1-a4 a5-a7 c1-c3 e1-e2 e4-e5 e7-e8 g1 g3 g5 g7")
    assert "a1-a7 is one ship of 7, and this fleet has none of that length" in said
    assert "may not touch" in said


@pytest.mark.parametrize("text", ["b7", "B7", " b-7 ", "b 7", "b7 miss", "b7!"])
def test_a_shot_is_read_as_people_write_it(text: str) -> None:
    assert RULES.read(placed(), 0, text) == "b7"


@pytest.mark.parametrize("text", ["", "7b", "b7-b8", "b7 b8", "b7 boom", ONE])
def test_what_names_no_cell_is_no_shot(text: str) -> None:
    assert why(placed(), 0, text).startswith("unreadable_move")


def _sunk(state: State, seat: int = 0) -> State:
    """``seat`` hits with every shot, the other misses with each."""
    wet = (name for name in NAMES if CELLS[name] not in {c for ship in state.fleets[seat] for c in ship})
    targets = iter([NAMES[c] for ship in state.fleets[1 - seat] for c in ship])
    for _ in count():
        if isinstance(RULES.waiting(state), Over):
            return state
        state = RULES.play(state, state.turn, next(targets if state.turn == seat else wet))
    raise AssertionError


@pytest.mark.parametrize("seat", [0, 1])
def test_who_hits_the_last_cell_wins_at_once(seat: int) -> None:
    state = _sunk(placed(), seat)
    assert RULES.waiting(state) == Over(
        Result(places=(1, 2) if seat == 0 else (2, 1), kind="fleet sunk", points=1)
    )
    assert len(state.shots[seat]) == 20
    assert len(state.shots[1 - seat]) == 19 + seat  # seat 0 began: no equalising shot
    assert RULES.legal(state, 0) == RULES.legal(state, 1) == ()


def test_a_shot_is_a_half_move_and_a_placement_is_none() -> None:
    assert RULES.half_moves(begun(), ONE) == 0
    assert RULES.half_moves(RULES.play(begun(), 0, ONE), TWO) == 0
    assert RULES.half_moves(placed(), "a1") == 1


@pytest.mark.parametrize(
    "options", [{"fleet": "9"}, {"fleet": [4]}, {"extra_shot_on_hit": 1}, {"touch": True}]
)
def test_options_are_these_and_no_others(options: dict[str, Any]) -> None:
    with pytest.raises(Refused) as refused:
        RULES.setup(2, options, 0)
    assert refused.value.problem.code == "invalid_options"


@pytest.mark.parametrize(("seats", "first"), [(1, 0), (3, 0), (2, None), (2, 2)])
def test_two_play_and_one_of_them_shoots_first(seats: int, first: int | None) -> None:
    with pytest.raises(Refused) as refused:
        RULES.setup(seats, {}, first)
    assert refused.value.problem.code == "invalid_options"


def test_no_clock_is_offered_but_the_limit_of_each_move_and_no_draw() -> None:
    assert RULES.traits.clocks == ("move",)
    assert RULES.traits.minutes == ()
    assert not RULES.traits.draws
    assert not RULES.traits.open
