"""What abalone promises: starts, moves, pushes, and the ways a game ends (rules §5)."""

import json
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest

from shared.problems import Refused
from shared.rules.abalone import RULES, State
from shared.rules.protocol import Over, Players, Result
from tests.support.abalone import after, at, legal, on_row_e, perft

FINAL: Final = Path(__file__).parents[1] / "data" / "abalone-game.json"
STANDARD: Final = "sssss/ssssss/2sss2/8/9/8/2SSS2/SSSSSS/SSSSS"
DAISY: Final = "ss1SS/sssSSS/1ss1SS1/8/9/8/1SS1ss1/SSSsss/SS1ss"
COUNTED: Final = [
    pytest.param(DAISY, "b", {1: 20, 2: 28, 3: 4}, id="belgian daisy"),
    pytest.param("5/6/7/8/4SSSs1/4s3/7/6/5", "b", {1: 11, 2: 7, 3: 4}, id="one push"),
    pytest.param("sssss/s5/s6/s1SSSSS1/1s5S1/1sssss1S/6S/5S/SSSSS", "b", {1: 40, 2: 35, 3: 23}, id="snakes"),
    pytest.param("s1s1s/1sSSs1/1sSsSs1/3ss3/9/3SS3/1SsSsS1/1SssS1/S1S1S", "b", {1: 28, 2: 20}, id="aliens"),
    pytest.param(
        "5/S4s/SS3ss/SSSS1sss/3s1s3/sss1SSSS/ss3SS/s4S/5", "w", {1: 28, 2: 34, 3: 18}, id="domination"
    ),
    pytest.param("2S1S/3sS1/7/8/4sss2/SSss2s1/3S2s/2SsSS/1S3", "w", {1: 32, 2: 20, 3: 6}, id="29 marbles"),
    pytest.param("2S1S/3sS1/7/8/4sss2/SSss2s1/3S2s/2SsSS/1S3", "b", {1: 31, 2: 11, 3: 2}, id="the others"),
]
"""How many moves move one marble, two, three; those of one and two as PlayStrategy's tests state them."""


def marbles(state: State, seat: int) -> set[str]:
    found: list[list[str]] = RULES.view(state, None)["marbles"]
    return set(found[seat])


def moved(state: State, move: str) -> int:
    """How many own marbles a move moves: in line it shows as one that went so many cells."""
    before, now = marbles(state, state.turn), marbles(after(state, move), state.turn)
    left, reached = sorted(before - now), sorted(now - before)
    if len(left) > 1:
        return len(left)
    return max(abs(ord(one) - ord(other)) for one, other in zip(left[0], reached[0], strict=True))


@pytest.mark.parametrize(
    ("options", "board"),
    [({}, STANDARD), ({"start": "standard"}, STANDARD), ({"start": "belgian_daisy"}, DAISY)],
)
def test_fourteen_marbles_each_stand_as_the_table_chose_and_who_moves_first_has_black(
    options: dict[str, Any], board: str
) -> None:
    for first in (0, 1):
        start = RULES.setup(2, options, first)
        assert RULES.position(start) == f"{board} 0 0 b 0 1"
        assert [len(side) for side in RULES.view(start, None)["marbles"]] == [14, 14]
        assert RULES.view(start, None)["black"] == first
        assert RULES.waiting(start) == Players((first,))
        assert RULES.waiting(RULES.play(start, first, "a1d4")) == Players((1 - first,))
    assert "a1" in marbles(RULES.setup(2, options, 1), 1)


def test_another_start_is_refused() -> None:
    for options in ({"start": "snakes"}, {"start": True}, {"size": 5}):
        with pytest.raises(Refused) as refused:
            RULES.setup(2, options, 0)
        assert refused.value.problem.code == "invalid_options"


@pytest.mark.parametrize(
    ("start", "counts"), [("standard", (44, 1936, 98912)), ("belgian_daisy", (52, 2692, 149322))]
)
def test_perft_from_both_starts_to_depth_three(start: str, counts: tuple[int, ...]) -> None:
    state = RULES.setup(2, {"start": start}, 0)
    assert tuple(perft(state, depth) for depth in (1, 2, 3)) == counts


@pytest.mark.parametrize(("board", "to_move", "counts"), COUNTED)
def test_so_many_moves_are_there_of_one_marble_two_and_three(
    board: str, to_move: str, counts: dict[int, int]
) -> None:
    state = at(board, to_move)
    assert Counter(moved(state, move) for move in legal(state)) == counts


def test_in_the_belgian_daisy_ten_marbles_move_alone() -> None:
    start = RULES.setup(2, {"start": "belgian_daisy"}, 0)
    assert len({move[:2] for move in legal(start) if moved(start, move) == 1}) == 10


@pytest.mark.parametrize(
    ("row", "move", "then"),
    [
        ("S........", "e1e2", ".S......."),
        ("SS.......", "e1e3", ".SS......"),
        ("SSS......", "e1e4", ".SSS....."),
        ("SSs......", "e1e4", ".SSs....."),
        ("SSSs.....", "e1e5", ".SSSs...."),
        ("SSSss....", "e1e6", ".SSSss..."),
        ("SSSss.S..", "e1e6", ".SSSssS.."),
        ("......SSs", "e7e9", ".......SS"),
        ("....SSSss", "e5e9", ".....SSSs"),
        ("SSSS.....", "e2e5", "S.SSS...."),
    ],
)
def test_a_line_moves_one_step_and_pushes_fewer_than_it_has(row: str, move: str, then: str) -> None:
    state = on_row_e(row)
    assert move in legal(state)
    assert after(state, move).marbles == on_row_e(then).marbles


@pytest.mark.parametrize(
    ("row", "start", "why"),
    [
        ("Ss.......", "e1", "one against one"),
        ("SSss.....", "e1", "two against two"),
        ("SSSsss...", "e1", "three against three"),
        ("SsS......", "e1", "an own one behind"),
        ("SSsS.....", "e1", "an own one behind"),
        ("SSSssS...", "e1", "an own one behind"),
        ("SSSS.....", "e1", "four in a row"),
        ("SSSSs....", "e1", "four against one"),
        ("........S", "e9", "the own edge"),
        ("......SSS", "e7", "the own edge"),
        (".......Ss", "e8", "one against one at the edge"),
        ("SS.s.....", "e2", "pushing needs touch: one step to the gap is all"),
    ],
)
def test_a_line_does_not_move_against_as_many_or_its_own_nor_more_than_three(
    row: str, start: str, why: str
) -> None:
    allowed = {"e2e3"} if "gap" in why else set[str]()
    ahead = {f"{start}e{number}" for number in range(int(start[1]) + 1, 10)}
    assert legal(on_row_e(row)) & ahead == allowed


def test_marbles_beside_each_other_move_sideways_onto_free_cells_only() -> None:
    state = at("5/6/7/8/3SSS3/8/7/6/4s")
    sideways = {"e4f7", "e6f4", "e4d6", "e6d3"}
    assert {move for move in legal(state) if moved(state, move) == 3} == {"e4e7", "e6e3"} | sideways
    assert marbles(after(state, "e4f7"), 0) == {"f5", "f6", "f7"}
    assert marbles(after(state, "e6d3"), 0) == {"d3", "d4", "d5"}
    blocked = at("5/6/7/3s4/3SSS3/8/7/6/4s")
    assert not legal(blocked) & {"e4f7", "e6f4"}
    assert {"e4d6", "e6d3"} <= legal(blocked)


def test_one_text_means_one_move_though_two_lines_could_be_meant() -> None:
    """Both from e4 and to f6 over there: e4 e5 go up, or e4 f5 go right."""
    right, up = at("5/6/7/3S4/3S5/8/7/6/4s"), at("5/6/7/8/3SS4/8/7/6/4s")
    assert marbles(after(right, "e4f6"), 0) == {"e5", "f6"}
    assert marbles(after(up, "e4f6"), 0) == {"f5", "f6"}


def test_a_marble_that_is_pushed_off_is_counted_and_the_plies_begin_anew() -> None:
    quiet = after(on_row_e("......SSs"), "i9i8", "a5a4")
    assert RULES.view(quiet, None)["quiet_plies"] == 2
    pushed = after(quiet, "e7e9")
    view = RULES.view(pushed, None)
    assert view["ejected"] == [1, 0]
    assert (view["quiet_plies"], view["draw_in"], pushed.earlier) == (0, 200, ())
    assert marbles(pushed, 1) == {"a4"}
    assert RULES.position(pushed).endswith(" 1 0 w 0 2")


def test_seats_and_sides_are_told_apart() -> None:
    """Seat 1 has Black here, so what Black pushes off stands under seat 1."""
    state = at("4S/6/7/8/6SSs/8/7/6/4s", first=1, ejected=(2, 4))
    assert state.turn == 1
    assert RULES.view(after(state, "e7e9"), None)["ejected"] == [4, 3]
    assert RULES.position(after(state, "e7e9")) == "4S/6/7/8/7SS/8/7/6/4s 3 4 w 0 1"


@pytest.mark.parametrize("first", [0, 1])
def test_who_pushes_off_the_sixth_marble_wins(first: int) -> None:
    for ejected, to_move, row in (((5, 5), "b", "......SSs"), ((5, 5), "w", "......ssS")):
        state = at(f"4S/6/7/8/{row.replace('.', '1')}/8/7/6/4s", to_move, first=first, ejected=ejected)
        over = after(state, "e7e9")
        assert RULES.waiting(over) == Over(Result.win(state.turn, "six marbles"))
        assert RULES.legal(over, 1 - state.turn) == ()
        assert RULES.view(over, None)["turn"] is None
    fifth = after(at("4S/6/7/8/6SSs/8/7/6/4s", ejected=(4, 5)), "e7e9")
    assert RULES.waiting(fifth) == Players((1,))


def test_who_cannot_move_loses() -> None:
    """Black shuts the last white marble into the corner."""
    over = after(at("sS3/S5/1S5/8/9/8/7/6/5"), "g4h5")
    assert RULES.waiting(over) == Over(Result.win(0, "blocked"))


TO_AND_FRO: Final = ("a1b1", "i9h9", "b1a1", "h9i9")


def test_the_third_time_that_a_position_stands_with_the_same_side_to_move_is_a_draw() -> None:
    twice = after(at("4s/6/7/8/9/8/7/6/S4"), *TO_AND_FRO)
    assert RULES.view(twice, None)["occurrences"] == 2
    nearly = after(twice, *TO_AND_FRO[:3])
    assert RULES.waiting(nearly) == Players((1,))
    thrice = after(nearly, TO_AND_FRO[3])
    assert RULES.waiting(thrice) == Over(Result.drawn(kind="repetition"))
    assert RULES.legal(thrice, 0) == ()


def test_with_the_other_side_to_move_it_is_another_position() -> None:
    """Black takes three moves to come back where two would do."""
    twice = after(at("4s/6/7/8/9/8/7/6/S4"), *TO_AND_FRO)
    back = after(twice, "a1b1", "i9h9", "b1b2", "h9i9", "b2a1")
    assert back.marbles == twice.marbles
    assert RULES.view(back, None)["occurrences"] == 1
    assert back.result is None


@pytest.mark.parametrize(("plies", "result"), [(198, None), (199, Result.drawn(kind="no ejection"))])
def test_two_hundred_plies_without_a_marble_pushed_off_are_a_draw(plies: int, result: Result | None) -> None:
    past = tuple((index, index) for index in range(plies))
    state = msgspec.structs.replace(at("4s/6/7/8/9/8/7/6/S4"), earlier=past)
    assert RULES.view(state, None)["draw_in"] == 200 - plies
    assert after(state, "a1b1").result == result


def test_a_win_goes_before_a_draw() -> None:
    past = tuple((index, index) for index in range(199))
    shut = msgspec.structs.replace(at("sS3/S5/1S5/8/9/8/7/6/5"), earlier=past)
    assert after(shut, "g4h5").result == Result.win(0, "blocked")
    sixth = msgspec.structs.replace(at("4S/6/7/8/6SSs/8/7/6/4s", ejected=(5, 0)), earlier=past)
    assert after(sixth, "e7e9").result == Result.win(0, "six marbles")


@pytest.mark.parametrize("cause", ["resigned", "left", "flag"])
def test_who_gives_up_loses_one_point(cause: str) -> None:
    start = RULES.setup(2, {}, 0)
    assert RULES.forfeit(start, 0, cause) == Result(places=(2, 1), kind="forfeit", points=1)
    assert RULES.forfeit(start, 1, cause) == Result(places=(1, 2), kind="forfeit", points=1)


def test_a_tournament_final_replays_to_its_recorded_position() -> None:
    recorded = json.loads(FINAL.read_text(encoding="utf-8"))
    states = [RULES.setup(2, {"start": recorded["start"]}, 0)]
    for move in recorded["moves"]:
        assert move in legal(states[-1])
        states.append(after(states[-1], move))
    assert RULES.position(states[-1]) == recorded["final"]
    assert RULES.waiting(states[-1]) == Players((1,))  # White resigned
    assert all(len(legal(before)) > 30 and before.ply + 1 == now.ply for before, now in pairwise(states))


def test_states_are_values_that_can_be_written_down() -> None:
    state = after(RULES.setup(2, {}, 0), "a1d4", "i5f5")
    assert msgspec.json.decode(msgspec.json.encode(state), type=State) == state
