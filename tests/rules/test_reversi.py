"""What reversi promises: enclosing, passes, every end, and recorded games (rules §6)."""

from collections import Counter
from itertools import pairwise
from typing import Final

import msgspec
import pytest

from shared.rules.protocol import PASS, Over, Players, Result
from shared.rules.reversi import RULES, State
from tests.support.reversi import BLOCKED, WIPED_OUT, after, at, legal, perft, recorded, replayed

PERFT: Final = (4, 12, 56, 244, 1396, 8200, 55092, 390216)
"""By depth, a pass counting as a ply: the well-known published table."""

STAR: Final = ("---O---O", "-O-O-O--", "--OOO---", "OOO-OOXO", "--OOO---", "-O-X-O--", "X--O---", "---X----")
TURNED: Final = (
    "---O---O",
    "-O-O-O--",
    "--OOO---",
    "OOOXXXXO",
    "--XXO---",
    "-X-X-O--",
    "X--O----",
    "---X----",
)


def counts(state: State) -> list[int]:
    found: list[int] = RULES.view(state, None)["count"]
    return found


def test_two_discs_each_lie_crosswise_and_who_moves_first_has_black() -> None:
    for first in (0, 1):
        start = RULES.setup(2, {}, first)
        view = RULES.view(start, None)
        assert view["black"] == view["turn"] == first
        assert view["discs"][first] == ["d5", "e4"]
        assert view["discs"][1 - first] == ["d4", "e5"]
        assert (view["count"], view["score"], view["margin"]) == ([2, 2], None, None)
        assert RULES.waiting(start) == Players((first,))
        assert legal(start) == {"c4", "d3", "e6", "f5"}
        assert RULES.waiting(after(start, "f5")) == Players((1 - first,))


def test_a_position_is_written_as_64_signs_and_who_is_to_move() -> None:
    start = RULES.setup(2, {}, 0)
    assert RULES.position(start) == "---------------------------OX------XO--------------------------- X"
    second = RULES.position(after(start, "f5", "d6"))
    assert second == "---------------------------OX------OXX-----O-------------------- X"


def test_perft_from_the_start_to_depth_eight() -> None:
    for first in (0, 1):
        start = RULES.setup(2, {}, first)
        assert tuple(perft(start, depth) for depth in range(1, 9 - first)) == PERFT[: 8 - first]


def test_all_enclosed_lines_turn_in_all_directions_and_no_others() -> None:
    """Black encloses to the right, down and down to the left; elsewhere White's discs end at none of his."""
    state = at(*STAR)
    assert "d4" in legal(state)
    placed = after(state, "d4")
    assert placed.discs == at(*TURNED).discs


def test_what_is_turned_turns_nothing_itself() -> None:
    """c1 and d1 turn; d1 would then enclose d2 against d3, but no chain follows."""
    placed = after(at("-XOO----", "---O----", "---X----"), "e1")
    assert RULES.view(placed, None)["discs"] == [["b1", "c1", "d1", "d3", "e1"], ["d2"]]


@pytest.mark.parametrize(
    ("rows", "square"),
    [
        (("XOOOOOO-",), "h1"),
        (("-OOOOOOX",), "a1"),
        (("X", "O", "O", "O", "O", "O", "O", "-"), "a8"),
        (
            ("--------", "-O------", "--O-----", "---O----", "----O---", "-----O--", "------O-", "-------X"),
            "a1",
        ),
        (("-------X", "------O-", "-----O--", "----O---", "---O----", "--O-----", "-O------"), "a8"),
    ],
)
def test_a_line_may_reach_from_edge_to_edge(rows: tuple[str, ...], square: str) -> None:
    state = at(*rows, "", to_move="X") if len(rows) < 8 else at(*rows)
    assert square in legal(state)
    assert counts(after(state, square)) == [8, 0]


@pytest.mark.parametrize(
    "rows",
    [
        ("------XO", "O-------"),
        ("-------O", "O------X"),
        ("-----XOO", "--------", "O------X"),
        ("OOOOOOOO",),
    ],
)
def test_a_line_does_not_go_on_round_an_edge(rows: tuple[str, ...]) -> None:
    assert legal(at(*rows)) == {PASS}


@pytest.mark.rule("B13")
def test_who_can_place_no_disc_passes_which_is_no_half_move_and_the_other_plays_on() -> None:
    blocked = at("OX------", "", "", "OXXXXXX-")
    assert legal(blocked) == {PASS}
    assert RULES.waiting(blocked) == Players((0,))
    passed = after(blocked, PASS)
    assert RULES.waiting(passed) == Players((1,))
    assert passed.discs == blocked.discs
    assert RULES.position(passed).endswith(" O")
    assert legal(passed) == {"c1", "h4"}
    assert RULES.half_moves(blocked, PASS) == 0
    assert RULES.half_moves(passed, "c1") == 1


def test_one_may_have_to_pass_several_times_in_a_row() -> None:
    first = after(at("OX------", "", "", "OXXXXXX-"), PASS, "c1")
    assert legal(first) == {PASS}
    over = after(first, PASS, "h4")
    assert over.result == Result.win(1, "wiped out")


def test_passing_is_all_there_is_or_nothing() -> None:
    states = [state for game in recorded() for state in replayed(game.squares)]
    passes = 0
    for state in states:
        moves = legal(state)
        assert PASS not in moves or moves == {PASS}
        passes += moves == {PASS}
    assert passes > 10


def test_recorded_games_replay_to_their_recorded_discs_with_empties_for_the_winner() -> None:
    """One of them was broken off after 44 moves; what is recorded for it did not lie on the board."""
    broken_off: list[State] = []
    kinds: Counter[str] = Counter()
    for number, game in enumerate(recorded()):
        black = number % 2
        last = replayed(game.squares, black)[-1]
        if last.result is None:
            broken_off.append(last)
            continue
        view = RULES.view(last, None)
        assert view["score"][black] == game.black
        assert sum(view["score"]) == 64
        assert view["margin"] == abs(2 * game.black - 64)
        winner = None if game.black == 32 else black if game.black > 32 else 1 - black
        assert last.result.winner == winner
        kinds[last.result.kind] += 1
    assert kinds == {"full board": 57, "mutual block": 3}
    assert [legal(state) for state in broken_off] == [{PASS}]


@pytest.mark.parametrize("first", [0, 1])
def test_a_colour_without_discs_has_lost_at_once(first: int) -> None:
    over = after(RULES.setup(2, {}, first), *WIPED_OUT.split())
    assert RULES.waiting(over) == Over(Result.win(first, "wiped out"))
    view = RULES.view(over, None)
    assert view["count"][first] == 13
    assert view["count"][1 - first] == 0
    assert (view["score"][first], view["margin"], view["turn"]) == (64, 64, None)
    assert RULES.legal(over, 0) == RULES.legal(over, 1) == ()


@pytest.mark.parametrize("first", [0, 1])
def test_the_game_ends_when_neither_can_move_though_squares_are_empty(first: int) -> None:
    over = after(RULES.setup(2, {}, first), *BLOCKED.split())
    assert RULES.waiting(over) == Over(Result.win(1 - first, "mutual block"))
    view = RULES.view(over, None)
    assert (view["count"][first], view["count"][1 - first]) == (1, 19)
    assert (view["score"][first], view["score"][1 - first], view["margin"]) == (1, 63, 62)


def test_a_full_board_ends_the_game_and_more_discs_win() -> None:
    rows = ("XXXXXXXX", "XXXXXXXX", "XXXXXXXX", "XXXXXXXX", "OOOOOOOO", "OOOOOOOO", "OOOOOOOO", "OOOOOOO-")
    over = after(at(*rows, to_move="X"), "h8")
    assert over.result == Result.win(0, "full board")
    view = RULES.view(over, None)
    assert view["count"] == view["score"] == [39, 25]
    assert view["margin"] == 14


def test_equal_discs_on_a_full_board_are_a_draw() -> None:
    rows = ("XXXXXXXX", "XXXXXXXX", "XXXXXXXX", "XXXXXXXX", "OOOOOOOO", "OOOOOOOO", "OOOOOOOO", "OOOOOOX-")
    over = after(at(*rows, to_move="O", first=1), "h8")
    view = RULES.view(over, None)
    assert (over.result, view["count"]) == (Result.drawn(kind="full board"), [32, 32])
    assert (view["score"], view["margin"]) == ([32, 32], 0)


def test_equal_discs_in_a_mutual_block_are_a_draw_and_each_gets_half_of_the_empty_squares() -> None:
    over = after(at("-OX-----", "", "", "", "", "", "", "-----OOO"), "a1")
    assert RULES.waiting(over) == Over(Result.drawn(kind="mutual block"))
    view = RULES.view(over, None)
    assert (view["count"], view["score"], view["margin"]) == ([3, 3], [32, 32], 0)


def test_a_full_board_of_one_colour_is_a_wipe_out() -> None:
    over = after(at("-OXXXXXX", *("XXXXXXXX",) * 7), "a1")
    assert over.result == Result.win(0, "wiped out")
    assert RULES.view(over, None)["score"] == [64, 0]


@pytest.mark.parametrize("cause", ["resigned", "left", "flag"])
def test_who_gives_up_loses_one_point(cause: str) -> None:
    start = RULES.setup(2, {}, 0)
    assert RULES.forfeit(start, 0, cause) == Result(places=(2, 1), kind="forfeit", points=1)
    assert RULES.forfeit(start, 1, cause) == Result(places=(1, 2), kind="forfeit", points=1)


def test_every_move_of_a_recorded_game_is_one_disc_more_and_turns_at_least_one() -> None:
    for game in recorded():
        for before, now in pairwise(replayed(game.squares)):
            side, passed = before.side, before.discs == now.discs
            assert (before.discs[0] | before.discs[1]) & ~(now.discs[0] | now.discs[1]) == 0
            gained = now.discs[side].bit_count() - before.discs[side].bit_count()
            lost = before.discs[1 - side].bit_count() - now.discs[1 - side].bit_count()
            assert (gained, lost) == (0, 0) if passed else gained == lost + 1 > 1


def test_states_are_values_that_can_be_written_down() -> None:
    for state in (after(RULES.setup(2, {}, 0), "f5", "d6"), at(*("XXXXXXXX",) * 7, "OOOOOOO-")):
        assert msgspec.json.decode(msgspec.json.encode(state), type=State) == state
