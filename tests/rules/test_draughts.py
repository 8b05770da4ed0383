"""What Czech draughts promises: moves, captures, crowning, and how a game is won (rules §4)."""

from typing import Final

import msgspec
import pytest

from shared.problems import Refused
from shared.rules.draughts import RULES, State
from shared.rules.protocol import Over, Players, Result
from tests.support.draughts import after, at, legal, perft

PERFT: Final = (7, 49, 302, 1469, 7361, 36768, 179740, 845931, 3963671)
"""By depth, published by R. Halbersma; the last is 3963673 where a king may land anywhere."""
KING_POSITIONS: Final = [
    ("W:Wc3,Kh8:Bd4,g7", {"h8:f6", "h8:e5"}, (2, 2, 2, 0)),
    ("W:WKa1:Bc3,g3", {"a1:e5:h2"}, (1, 0, 0, 0)),
    ("W:WKa1:Bc3,f6,g3", {"a1:e5:g7", "a1:e5:h8", "a1:e5:h2"}, (3, 6, 42, 61)),
    ("W:Wc5:Bd6,f6,b6", {"c5:a7", "c5:e7"}, (2, 8, 12, 44)),
    ("W:We5:Bd4,f4,a7", {"e5-d6", "e5-f6"}, (2, 10, 20, 96)),
    ("W:WKf4:Bg5,b4,d2,d4", {"f4:h6", "f4:c1"}, ()),
    ("B:Wf2,g1,g3:Bh4", set[str](), (0,)),
]


def test_twelve_men_each_stand_on_dark_squares_and_who_moves_first_has_white() -> None:
    for first in (0, 1):
        start = RULES.setup(2, {}, first)
        view = RULES.view(start, None)
        assert view["white"] == view["turn"] == first
        assert view["men"][first] == ["a1", "a3", "b2", "c1", "c3", "d2", "e1", "e3", "f2", "g1", "g3", "h2"]
        assert view["men"][1 - first] == [
            *("a7", "b6", "b8", "c7", "d6", "d8", "e7", "f6", "f8", "g7", "h6", "h8"),
        ]
        assert view["kings"] == [[], []]
        assert RULES.waiting(start) == Players((first,))
        assert RULES.waiting(after(start, "c3-d4")) == Players((1 - first,))
        assert (
            RULES.position(start)
            == "W:Wa1,a3,b2,c1,c3,d2,e1,e3,f2,g1,g3,h2:Ba7,b6,b8,c7,d6,d8,e7,f6,f8,g7,h6,h8"
        )


def test_only_a_seat_at_the_board_can_begin() -> None:
    for first in (None, 2, -1):
        with pytest.raises(Refused) as refused:
            RULES.setup(2, {}, first)
        assert refused.value.problem.code == "invalid_options"


def test_perft_from_the_start_to_depth_seven() -> None:
    start = RULES.setup(2, {}, 0)
    assert tuple(perft(start, depth) for depth in range(1, 8)) == PERFT[:7]


@pytest.mark.nightly
def test_perft_from_the_start_to_depth_nine_where_the_kings_landing_rule_tells() -> None:
    start = RULES.setup(2, {}, 1)
    assert tuple(perft(start, depth) for depth in (8, 9)) == PERFT[7:]


@pytest.mark.parametrize(("position", "moves", "counts"), KING_POSITIONS)
def test_moves_and_perft_of_the_positions_with_kings(
    position: str, moves: set[str], counts: tuple[int, ...]
) -> None:
    state = at(position)
    assert legal(state) == moves
    assert tuple(perft(state, depth) for depth in range(1, len(counts) + 1)) == counts


def test_perft_of_two_kings_against_two() -> None:
    state = at("W:WKa1,Kc1:BKh8,Kf8")
    assert tuple(perft(state, depth) for depth in range(1, 5)) == (13, 110, 805, 6262)


def test_a_man_goes_one_square_forward_and_a_king_any_number_both_ways() -> None:
    assert legal(at("W:Wd4:Bh8")) == {"d4-c5", "d4-e5"}
    assert legal(at("B:Wa1:Bd4")) == {"d4-c3", "d4-e3"}
    assert legal(at("W:WKd4,b6:Bg7,h8")) == {
        *("d4-c3", "d4-b2", "d4-a1", "d4-e3", "d4-f2", "d4-g1", "d4-c5", "d4-e5", "d4-f6", "b6-a7", "b6-c7"),
    }


def test_a_king_does_not_jump_two_pieces_in_a_row_nor_its_own() -> None:
    assert not any(":" in move for move in legal(at("W:WKa1:Bc3,d4")))
    assert not any(":" in move for move in legal(at("W:WKa1,c3:Bd4,e5")))


def test_any_capture_may_be_chosen_whatever_it_takes() -> None:
    state = at("W:Wa3,e3:Bb4,f4,f6")
    assert legal(state) == {"a3:c5", "e3:g5:e7"}


def test_a_capture_is_finished() -> None:
    taken = after(at("W:We3,a1:Bf4,f6,h8"), "e3:g5:e7")
    assert RULES.view(taken, None)["men"] == [["a1", "e7"], ["h8"]]


def test_men_jump_kings_and_kings_jump_men_and_kings() -> None:
    assert legal(at("W:Wc3:BKd4,a7")) == {"c3:e5"}
    assert legal(at("W:WKa1:BKd4,a7")) == {"a1:e5", "a1:f6", "a1:g7", "a1:h8"}


def test_a_king_must_land_where_it_can_go_on_but_on_no_such_square_may_choose() -> None:
    assert legal(at("W:WKa1:Bb2,f2,h4")) == {"a1:d4:g1"}
    assert legal(at("W:WKa1:Bb2,h4")) == {"a1:c3", "a1:d4", "a1:e5", "a1:f6", "a1:g7", "a1:h8"}


def test_what_is_taken_leaves_the_board_only_after_the_move() -> None:
    """The king would reach b4 by way of e1 if d4, taken first, did not stand in its way."""
    state = at("W:WKf4:Bg5,b4,d2,d4")
    assert legal(after(state, "f4:c1")) != legal(state)
    assert RULES.view(after(state, "f4:c1"), None)["men"] == [[], ["b4", "d4", "g5"]]


def test_a_king_may_cross_a_square_again_and_come_back_to_where_it_stood() -> None:
    round_trip = at("W:WKa5:Bb4,b6,e3,e7")
    assert legal(round_trip) == {"a5:d8:g5:d2:a5"}
    assert RULES.position(after(round_trip, "a5:d8:g5:d2:a5")) == "B:WKa5:B"


def test_captures_with_the_same_end_and_the_same_pieces_taken_are_one_move() -> None:
    state = at("W:WKa5:Bb4,b6,e3,e7")
    both_ways = {RULES.read(state, 0, text) for text in ("a5:d2:g5:d8:a5", "a5:d8:g5:d2:a5")}
    assert both_ways == legal(state)


def test_a_man_that_ends_its_move_on_the_far_row_becomes_a_king() -> None:
    crowned = after(at("W:Wb6:Bh8"), "b6-a7", "h8-g7", "a7-b8")
    assert RULES.position(crowned) == "B:WKb8:Bg7"
    assert RULES.position(after(at("B:Wh8:Bb2"), "b2-c1")) == "W:Wh8:BKc1"


def test_the_move_ends_with_the_crowning_and_the_king_plays_from_the_next_one_on() -> None:
    """From e7 the new king could take b6 or h6 at once, and after the reply it does."""
    crowning = at("W:Wb6:Bc7,f6,a5")
    assert legal(crowning) == {"b6:d8"}
    crowned = after(crowning, "b6:d8", "a5-b4")
    assert legal(crowned) == {"d8:g5", "d8:h4"}


def test_a_king_has_priority_whatever_a_man_could_take() -> None:
    assert legal(at("W:Wb4,Kc1:Bb2,c5,e7")) == {"c1:a3"}
    assert legal(at("W:Wb4,Kc1:Ba7,c5,e7")) == {"b4:d6:f8"}


def test_who_takes_the_last_piece_wins() -> None:
    for first in (0, 1):
        over = after(at("W:Wc3:Bd4", first), "c3:e5")
        assert RULES.waiting(over) == Over(Result.win(first, "no pieces"))
        assert RULES.view(over, None)["turn"] is None
        assert RULES.legal(over, 1 - first) == ()


def test_who_has_pieces_but_no_move_loses() -> None:
    over = after(at("W:Wf2,g1,h2:Bh4"), "h2-g3")
    assert RULES.position(over) == "B:Wf2,g1,g3:Bh4"
    assert RULES.waiting(over) == Over(Result.win(0, "blocked"))
    over = after(at("B:Wa5:Bb8,a7,c7", 1), "c7-b6", "a5:c7", "b8:d6")
    assert RULES.waiting(over) == Over(Result.win(0, "no pieces"))


@pytest.mark.parametrize("cause", ["resigned", "left", "flag"])
def test_who_gives_up_loses_one_point(cause: str) -> None:
    start = RULES.setup(2, {}, 0)
    assert RULES.forfeit(start, 0, cause) == Result(places=(2, 1), kind="forfeit", points=1)
    assert RULES.forfeit(start, 1, cause) == Result(places=(1, 2), kind="forfeit", points=1)


def test_nothing_is_claimed_and_every_move_counts_as_one() -> None:
    start = RULES.setup(2, {}, 0)
    assert RULES.claim(start, 0, "") is None
    assert RULES.half_moves(start, "c3-d4") == 1


def test_states_are_values_that_can_be_written_down() -> None:
    state = after(RULES.setup(2, {}, 0), "c3-d4", "f6-e5", "d4:f6", "g7:e5")
    assert msgspec.json.decode(msgspec.json.encode(state), type=State) == state
