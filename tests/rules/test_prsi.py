"""What prší promises: what fits, sevens, aces, svršek, drawing, the end, places (rules §8)."""

from typing import Any

import msgspec
import pytest

from shared.chance import Lot, Shuffle
from shared.problems import Refused
from shared.rules.protocol import Chance, Over, Players, Result
from shared.rules.prsi import RULES, State
from shared.rules.prsi.cards import CARDS, NAMES, penalty
from tests.support.prsi import active, at, cards

EASY = ("8h Kb", "9l 9a")
"""Two hands without anything special."""


def refused(state: State, text: str, seat: int = 0) -> str:
    """The sentence with which ``text`` is refused as illegal."""
    with pytest.raises(Refused) as caught:
        RULES.read(state, seat, text)
    assert caught.value.problem.code == "illegal_move"
    return caught.value.problem.detail


def after(state: State, *moves: str) -> State:
    """``state`` after these moves, each of the seat to move, each legal."""
    for move in moves:
        assert state.turn is not None
        assert move in RULES.legal(state, state.turn), (move, RULES.legal(state, state.turn))
        state = RULES.play(state, state.turn, move)
    return state


def result(state: State) -> Result:
    """How a game that is over ended."""
    waiting = RULES.waiting(state)
    assert isinstance(waiting, Over)
    return waiting.result


def held(state: State, seat: int) -> list[str]:
    """The hand of ``seat``, as it sees it."""
    hand: list[str] = RULES.view(state, seat)["hand"]
    return hand


def dealt(seats: int, order: str = "", **house: Any) -> State:
    """A game of which seat 0 begins; the pack begins with ``order``, the rest follows in its own."""
    first = cards(order)
    pack = first + tuple(card for card in range(32) if card not in first)
    return RULES.settle(RULES.setup(seats, house, 0), pack)


# The deal


def test_who_begins_is_drawn_by_lot_and_then_the_pack_is_shuffled() -> None:
    start = RULES.setup(3, {}, None)
    assert RULES.waiting(start) == Chance(Lot(3))
    begun = RULES.settle(start, (2,))
    assert RULES.waiting(begun) == Chance(Shuffle(32))
    assert RULES.waiting(RULES.settle(begun, tuple(range(31, -1, -1)))) == Players((2,))


@pytest.mark.parametrize("deal", [4, 5])
@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_each_seat_is_dealt_four_cards_or_five_and_one_is_turned_up(seats: int, deal: int) -> None:
    view = RULES.view(dealt(seats, deal=deal), None)
    assert view["cards"] == [deal] * seats
    assert view["stock"] == 32 - seats * deal - 1
    assert view["pile"] == [view["top"]]


@pytest.mark.parametrize("seats", [1, 6])
def test_two_to_five_play(seats: int) -> None:
    with pytest.raises(Refused, match="2 to 5"):
        RULES.setup(seats, {}, 0)


@pytest.mark.parametrize(
    ("up", "legal"),
    [
        ("7a", {"7h", "draw"}),
        ("Aa", {"Ah", "stand"}),
        ("Oa", {"8a", "Ol=h", "Ol=l", "Ol=b", "Ol=a", "draw"}),
    ],
)
def test_a_turned_up_seven_ace_or_svrsek_counts_for_the_first_player(up: str, legal: set[str]) -> None:
    start = dealt(2, f"7h Ah 8a Ol 9h 9l 9b 9a {up}")
    assert set(RULES.legal(start, 0)) == legal


# What fits


def test_a_card_fits_by_suit_or_rank_and_a_svrsek_always() -> None:
    state = at(("8h 9b Kl Oa 10a", "9l"), "8b")
    assert RULES.legal(state, 0) == ("8h", "9b", "Oa=h", "Oa=l", "Oa=b", "Oa=a", "draw")
    assert RULES.legal(state, 1) == ()


def test_a_played_card_lies_on_top_and_the_next_seat_moves() -> None:
    state = after(at(EASY, "8b"), "8h")
    view = RULES.view(state, 0)
    assert (view["top"], view["hand"], view["cards"], view["turn"]) == ("8h", ["Kb"], [1, 2], 1)
    assert view["pile"] == ["8b", "8h"]


def test_a_turn_is_one_card_or_one_drawn_and_what_is_drawn_waits_for_the_next_turn() -> None:
    state = at(EASY, "8b", "8l 10h")  # the drawn 8l would fit
    drawn = after(state, "draw")
    assert held(drawn, 0) == ["8h", "8l", "Kb"]
    assert RULES.waiting(drawn) == Players((1,))


def test_who_could_play_may_draw() -> None:
    assert {"8h", "draw"} <= set(RULES.legal(at(EASY, "8b"), 0))


# Sevens


def test_an_active_seven_is_answered_by_a_seven_of_any_suit_or_by_drawing() -> None:
    state = active(at(("7l 8h Oh Ah", "9l"), "7h"))
    assert RULES.legal(state, 0) == ("7l", "draw")


def test_sevens_add_up_to_eight_cards_and_who_draws_draws_them_all() -> None:
    hands = ("7h 8l", "7l 8a 9a", "7b Kl Kh", "7a Kb Ka")
    state = at(hands, "8h")
    for seat, (move, pending) in enumerate((("7h", 2), ("7l", 4), ("7b", 6), ("7a", 8))):
        assert state.turn == seat
        state = after(state, move)
        assert RULES.view(state, None)["pending"] == pending
    state = after(state, "draw")
    view = RULES.view(state, None)
    assert (view["cards"], view["pending"], view["turn"]) == ([9, 2, 2, 2], 0, 1)


def test_a_served_seven_is_an_ordinary_card() -> None:
    state = after(active(at(("9b Kh", "8h 7l 9a"), "7h")), "draw")
    assert RULES.legal(state, 1) == ("8h", "7l", "draw")


# Aces


def test_an_active_ace_is_answered_by_an_ace_or_by_standing() -> None:
    state = active(at(("Al 8h Oh 7h", "9l"), "Ah"))
    assert RULES.legal(state, 0) == ("Al", "stand")


def test_standing_ends_the_turn_without_a_card_and_serves_the_ace() -> None:
    state = after(active(at(EASY, "Al")), "stand")
    view = RULES.view(state, None)
    assert (view["cards"], view["ace"], view["turn"]) == ([2, 2], False, 1)
    assert RULES.legal(state, 1) == ("9l", "draw")


def test_an_ace_on_an_ace_moves_the_duty_on_and_does_not_add_up() -> None:
    state = after(at(("Ah 8l", "Al 9a", "Kh Kl"), "8h"), "Ah", "Al", "stand")
    assert RULES.view(state, None)["turn"] == 0
    assert not RULES.view(state, None)["ace"]


def test_nobody_draws_under_an_ace_or_stands_without_one() -> None:
    assert "ace or stand" in refused(active(at(EASY, "Ah")), "draw")
    assert "only when an ace" in refused(at(EASY, "8b"), "stand")
    assert "only when an ace" in refused(active(at(EASY, "7b")), "stand")


# Svršek


def test_a_svrsek_names_a_suit_that_stays_until_a_card_is_played_on_it() -> None:
    state = after(at(("Oh 8l 8b", "9l 9b 10h"), "8h"), "Oh=b")
    assert RULES.view(state, 1)["suit"] == "b"
    assert RULES.legal(state, 1) == ("9b", "draw")
    drew = after(state, "draw")
    assert RULES.view(drew, 0)["suit"] == "b"
    assert RULES.legal(drew, 0) == ("8b", "draw")
    assert RULES.view(after(drew, "8b"), 1)["suit"] is None


def test_a_svrsek_may_name_its_own_suit_and_lies_on_another_svrsek() -> None:
    state = after(at(("Oh 8l", "Ol 9b 9h"), "8h"), "Oh=h")
    assert set(RULES.legal(state, 1)) == {"9h", "Ol=h", "Ol=l", "Ol=b", "Ol=a", "draw"}


def test_a_svrsek_that_may_be_played_needs_a_suit_and_no_other_card_has_one() -> None:
    state = at(("Oh 8l", "9b"), "8h")
    assert "Oh=h, Oh=l, Oh=b, Oh=a" in refused(state, "Oh")
    assert "svršek" in refused(state, "8l=h")


# A card against the rules


@pytest.mark.parametrize("text", ["Kl", "Ka"])
def test_a_card_that_does_not_fit_makes_its_player_draw_one(text: str) -> None:
    state = at(("Kl Ka", "9l"), "8h", "10a 10b")
    move = RULES.read(state, 0, text)
    assert move == RULES.punishment
    assert move not in RULES.legal(state, 0)
    assert held(RULES.play(state, 0, move), 0) == ["Kl", "10a", "Ka"]


def test_under_an_active_seven_it_makes_him_draw_all_that_is_pending() -> None:
    state = active(at(("Oh Kl", "9l"), "7h"))
    move = RULES.read(state, 0, "Oh=h")
    assert RULES.write(state, 0, move, 0) == "penalty (a wrong card: drew 2)"
    assert RULES.view(RULES.play(state, 0, move), None)["cards"] == [4, 1]


def test_under_an_active_ace_it_makes_him_draw_one_and_stand() -> None:
    state = active(at(("8h Kl", "9h"), "Ah"))
    move = RULES.read(state, 0, "8h")
    for viewer in (None, 0, 1):  # the card drawn shows it to all
        assert RULES.write(state, 0, move, viewer) == "penalty (a wrong card: drew 1)"
    view = RULES.view(RULES.play(state, 0, move), None)
    assert (view["cards"], view["ace"], view["turn"]) == ([3, 1], False, 1)


def test_with_the_option_off_it_is_refused_with_a_reason() -> None:
    off = {"illegal_play_draws": False}
    hands = ("Kl 8a", "9b")
    assert "neither the suit nor the rank of 9h" in refused(at(hands, "9h", house=off), "Kl")
    assert "draw 2 cards" in refused(active(at(hands, "7h", house=off)), "Kl")
    assert "ace or stand" in refused(active(at(hands, "Ah", house=off)), "Kl")
    assert "named: b" in refused(at(hands, "Oh", named="b", house=off), "Kl")


def test_a_card_of_another_hand_is_refused_in_words_that_tell_nothing_of_it() -> None:
    state = at(("Kl 8a", "9b"), "8b")
    for name in set(NAMES) - {"Kl", "8a"}:
        assert refused(state, name) == f"{name} is not in your hand."


def test_a_misplay_is_told_to_its_player_and_the_others_see_a_draw() -> None:
    state = at(("Kl Ka", "9l"), "8h")
    move = RULES.read(state, 0, "Kl")
    assert RULES.write(state, 0, move, 0) == "penalty (a wrong card: drew 1)"
    for viewer in (None, 1):
        assert RULES.write(state, 0, move, viewer) == RULES.write(state, 0, "draw", viewer) == "draw"


def test_the_player_is_told_how_many_cards_there_were_to_draw() -> None:
    state = msgspec.structs.replace(at(("Kl", "9l"), "7h", "8b 8a"), pending=8)
    state = msgspec.structs.replace(state, pile=state.pile[-1:])  # the others are out of this position
    move = RULES.read(state, 0, "Kl")
    assert RULES.write(state, 0, move, 0) == "penalty (a wrong card: drew 2)"
    assert len(RULES.play(state, 0, move).hands[0]) == 3


def test_a_hand_without_a_wrong_card_is_not_punished() -> None:
    fitting = active(at(("Al", "9l"), "Ah"))
    assert "punished" in refused(fitting, "penalty")
    assert "punished" in refused(active(at(EASY, "Ah", house={"illegal_play_draws": False})), "penalty")
    assert RULES.read(active(at(EASY, "Ah")), 0, "penalty") == "penalty"


# The stock


def test_an_empty_stock_is_the_pile_turned_over_unshuffled_without_its_top_card() -> None:
    state = at(("Kl", "9l"), "8h 10a 7b Kh", "")
    assert state.pile[-4:] == cards("8h 10a 7b Kh")
    below = state.pile[:-1]
    state = after(state, "draw")
    assert set(state.hands[0]) == {*cards("Kl"), below[0]}
    assert (state.stock, state.pile) == (below[1:], cards("Kh"))


def test_a_draw_goes_on_into_the_pile_that_was_turned_over() -> None:
    state = msgspec.structs.replace(at(("Kl", "9l"), "8a 9a 7h", "8b"), pending=4)
    below = state.pile[:-1]
    state = after(state, "draw")
    assert set(state.hands[0]) == {*cards("Kl 8b"), *below[:3]}


def test_the_named_suit_outlives_the_turning_of_the_pile() -> None:
    state = after(at(("Kl", "9l"), "8h Oh", "", named="b"), "draw")
    assert RULES.view(state, 1)["suit"] == "b"


def test_with_the_option_the_pile_is_shuffled_by_a_recorded_draw() -> None:
    state = msgspec.structs.replace(at(("Kl", "9l"), "8a 9a 7h", "8b", house={"reshuffle": True}), pending=4)
    size = len(state.pile) - 1
    waits = RULES.play(state, 0, "draw")
    assert RULES.waiting(waits) == Chance(Shuffle(size))
    assert RULES.legal(waits, 0) == RULES.legal(waits, 1) == ()
    backwards = tuple(range(size - 1, -1, -1))
    state = RULES.settle(waits, backwards)
    below = waits.pile[:-1]
    assert set(state.hands[0]) == {*cards("Kl 8b"), *below[-3:]}
    assert state.stock == below[-4::-1]
    assert RULES.waiting(state) == Players((1,))


def test_if_there_are_too_few_cards_all_there_are_are_drawn() -> None:
    everything = " ".join(name for name in NAMES if name not in {"7h", "8h", "9h", "10h"})
    state = active(at(("8h", everything), "9h 7h", "10h"))
    state = after(msgspec.structs.replace(state, pending=8), "draw")
    view = RULES.view(state, 0)
    assert (view["hand"], view["stock"], view["pile"], view["turn"]) == (
        ["8h", "9h", "10h"],
        0,
        ["7h"],
        1,
    )


def test_with_nothing_to_draw_the_turn_just_ends_and_two_rounds_of_that_are_a_draw() -> None:
    everything = " ".join(name for name in NAMES if name not in {"7h", "8h"})
    state = at(("8h", everything), "7h")
    for _ in range(3):
        state = after(state, "draw")
        assert isinstance(RULES.waiting(state), Players)
    state = after(state, "draw")
    assert result(state) == Result(places=(1, 1), kind="stalemate", points=0)


def test_a_played_card_begins_the_count_of_quiet_turns_anew() -> None:
    everything = " ".join(name for name in NAMES if name not in {"7h", "8h", "8l"})
    state = after(at(("8h 8l", everything), "7h"), "draw", "draw", "draw", "9h", "draw")
    assert held(state, 0) == ["7h", "8h", "8l"], "the seven lay under the nine"
    state = after(state, "draw", "draw", "draw")
    assert isinstance(RULES.waiting(state), Players)
    assert result(after(state, "draw")).kind == "stalemate"


# The end


@pytest.mark.parametrize("last", ["8h", "7b", "Ab", "Ob=l"])
def test_who_has_no_cards_first_wins_whatever_his_last_card_was(last: str) -> None:
    top = {"8h": "8b", "7b": "8b", "Ab": "8b", "Ob=l": "8l"}[last]
    state = after(at((last[:2], "7h Ah Kl"), top), last)
    assert result(state) == Result(places=(1, 2), kind="out of cards", points=1)


def test_after_the_end_all_hands_and_the_stock_are_open_and_counted() -> None:
    state = after(at(("8h", "7a 10b Ul Ol Ka Ah"), "8b", "9b 9l"), "8h")
    for viewer in (None, 0, 1):
        view = RULES.view(state, viewer)
        assert view["hands"] == [[], ["Ah", "Ul", "Ol", "10b", "7a", "Ka"]]
        assert view["rest"] == ["9b", "9l"]
        assert view["penalty"] == [0, 7 + 10 + 2 + 3 + 4 + 11]
        assert view["turn"] is None
    assert RULES.legal(state, 0) == RULES.legal(state, 1) == ()


def test_after_a_game_that_was_not_played_out_everything_is_open_too() -> None:
    state = RULES.revealed(at(EASY, "8b"))
    view = RULES.view(state, None)
    assert view["hands"] == [["8h", "Kb"], ["9l", "9a"]]
    assert (len(view["rest"]), view["turn"]) == (27, None)


def test_penalty_points_by_rank() -> None:
    points = {"7h": 7, "8h": 8, "9h": 9, "10h": 10, "Uh": 2, "Oh": 3, "Kh": 4, "Ah": 11}
    assert {name: penalty([CARDS[name]]) for name in points} == points


def test_three_play_on_for_the_places_and_the_winner_is_skipped() -> None:
    state = after(at(("8h", "9h 9a", "Kh Ka 9l"), "8b", "10b"), "8h", "9h", "Kh", "draw")
    view = RULES.view(state, None)
    assert (view["out"], view["cards"], view["turn"]) == ([0], [0, 2, 2], 2)
    state = after(state, "Ka", "9a", "9l")
    assert result(state) == Result(places=(1, 3, 2), kind="out of cards", points=1)


def test_a_seven_played_as_last_card_awaits_the_next_seat_that_plays() -> None:
    state = after(at(("7h", "9h 9a", "Kh Ka"), "8h"), "7h")
    assert RULES.legal(state, 1) == ("draw",)
    assert RULES.view(state, None)["pending"] == 2


def test_with_the_option_three_stop_at_the_first_winner() -> None:
    state = after(at(("8h", "9h", "Kh Ka"), "8b", house={"play_on": False}), "8h")
    assert result(state) == Result(places=(1, 2, 2), kind="out of cards", points=1)


def test_a_stalemate_after_the_first_winner_shares_the_places_that_are_left() -> None:
    everything = " ".join(name for name in NAMES if name not in {"7h", "8h", "9l"})
    state = msgspec.structs.replace(at(("", "8h 9l", everything), "7h", turn=1), out=(0,))
    state = after(state, "draw", "draw", "draw", "draw")
    assert result(state) == Result(places=(1, 2, 2), kind="stalemate", points=1)


# Giving up


@pytest.mark.parametrize("cause", ["resigned", "left", "flag"])
def test_giving_up_between_two_loses(cause: str) -> None:
    assert RULES.forfeit(at(EASY, "8b"), 0, cause) == Result(places=(2, 1), kind="forfeit", points=1)
    gone = RULES.depart(at(EASY, "8b"), 0)
    assert result(gone) == Result(places=(2, 1), kind="forfeit", points=1)
    assert RULES.view(gone, None)["hands"] is not None


def test_of_three_the_one_who_gives_up_is_last_and_the_others_play_on() -> None:
    start = at(("8h 9h", "9l Kl", "10h Kb"), "7h", turn=1, pending=2)
    gone = RULES.depart(start, 1)
    view = RULES.view(gone, None)
    assert (view["cards"], view["gone"], view["turn"], view["pending"]) == ([2, 0, 2], [1], 2, 2)
    assert view["stock"] == len(start.stock) + 2
    assert gone.stock[-2:] == start.hands[1], "its cards lie under the stock"
    state = after(gone, "draw", "8h", "10h", "9h")
    assert result(state) == Result(places=(1, 3, 2), kind="out of cards", points=1)


def test_who_gives_up_first_is_last_of_all() -> None:
    start = at(("8h", "9l", "Kb", "Ka"), "7h")
    state = RULES.depart(RULES.depart(RULES.depart(start, 2), 0), 3)
    assert result(state) == Result(places=(3, 1, 4, 2), kind="forfeit", points=1)


def test_who_has_a_place_keeps_it_and_has_nothing_to_give_up() -> None:
    state = after(at(("8h", "9h 9a", "Kh Ka"), "8b"), "8h")
    assert RULES.depart(state, 0) == state
    assert RULES.forfeit(state, 0, "left") == Result(places=(1, 2, 2), kind="forfeit", points=0)
    assert RULES.forfeit(state, 1, "left") == Result(places=(1, 3, 2), kind="out of cards", points=1)


def test_a_game_of_three_that_ended_now_would_be_shared_by_those_who_stay() -> None:
    state = at(("8h", "9l", "Kb"), "7h")
    assert RULES.forfeit(state, 1, "left") == Result(places=(1, 3, 1), kind="forfeit", points=1)


def test_who_left_before_the_lot_is_neither_drawn_nor_dealt_cards() -> None:
    left = RULES.depart(RULES.setup(3, {}, None), 1)
    state = RULES.settle(left, (1,))
    assert RULES.waiting(state) == Chance(Shuffle(32))
    state = RULES.settle(state, tuple(range(32)))
    assert RULES.waiting(state) == Players((2,))
    assert RULES.view(state, None)["cards"] == [4, 0, 4]
    assert RULES.whole(state)


def test_who_leaves_while_the_pile_is_shuffled_puts_his_cards_under_it() -> None:
    state = at(("Kl", "9l 9a", "Kh"), "8h 10a 7b Kb", "", house={"reshuffle": True})
    owing = RULES.play(state, 0, "draw")
    waiting = RULES.waiting(owing)
    assert isinstance(waiting, Chance)
    after_ = RULES.settle(RULES.depart(owing, 1), tuple(range(len(owing.pile) - 1)))
    assert RULES.whole(after_)
    assert after_.hands[0] == tuple(sorted((*cards("Kl"), owing.pile[0])))
    assert after_.stock[-2:] == cards("9l 9a")


def test_a_card_that_is_missing_or_twice_there_is_noticed() -> None:
    state = dealt(3)
    assert RULES.whole(state)
    assert not RULES.whole(msgspec.structs.replace(state, stock=state.stock[1:]))
    assert not RULES.whole(msgspec.structs.replace(state, stock=(*state.stock, state.pile[0])))


def test_nobody_is_to_move_once_everything_is_shown() -> None:
    assert RULES.view(RULES.revealed(at(EASY, "8b")), 0)["turn"] is None


# Who sees what


def test_a_seat_sees_its_hand_and_a_spectator_none() -> None:
    state = at(("8h Kb", "9l 9a 10b"), "8b")
    assert [RULES.view(state, seat)["hand"] for seat in (0, 1, None)] == [
        ["8h", "Kb"],
        ["9l", "10b", "9a"],
        None,
    ]
    for viewer in (0, 1, None):
        view = RULES.view(state, viewer)
        assert view["cards"] == [2, 3]
        assert view["stock"] == 26
        assert (view["hands"], view["rest"], view["penalty"]) == (None, None, None)


def test_all_see_the_same_but_their_hands() -> None:
    state = dealt(5)
    views = [RULES.view(state, seat) | {"hand": None} for seat in (None, 0, 1, 2, 3, 4)]
    assert all(view == views[0] for view in views)


def test_the_position_is_what_all_see_in_one_line() -> None:
    assert RULES.position(RULES.setup(2, {}, 0)) == ""
    assert RULES.position(active(at(EASY, "7h"))) == "7h+2 2,2 27 0"
    assert RULES.position(at(("8h", "9l", "Kb"), "Oh", named="l", turn=2)) == "Oh=l 1,1,1 28 2"
    assert RULES.position(active(at(EASY, "Ah"))) == "Ah! 2,2 27 0"
    assert RULES.position(after(at(("8h", "9l"), "8b"), "8h")) == "8h 0,1 29 -"


# Reading


@pytest.mark.parametrize(
    ("text", "move"),
    [
        ("8h", "8h"),
        ("8H", "8h"),
        (" 8-h ", "8h"),
        ("8 h", "8h"),
        ("osma cervena", "8h"),
        ("červená osma", "8h"),
        ("8 of hearts", "8h"),
        ("10h", "10h"),
        ("uh", "Uh"),
        ("spodek srdce", "Uh"),
        ("Ob=l", "Ob=l"),
        ("ob = l", "Ob=l"),
        ("kulový svršek=žaludy", "Ob=a"),
        ("draw", "draw"),
        ("Lížu", "draw"),
    ],
)
def test_moves_are_read_as_people_write_them(text: str, move: str) -> None:
    assert RULES.read(at(("8h 10h Uh Ob", "9l"), "Kh"), 0, text) == move


def test_standing_is_read_in_czech() -> None:
    assert RULES.read(active(at(EASY, "Ah")), 0, "Stojím!") == "stand"


@pytest.mark.parametrize("text", ["ⓚⓑ", "Kᵇ", "K̶b", "K̸b̸", "7̌h", "Ｋｂ", "８h", "ᴷb", "Kḃ"])
def test_what_only_looks_like_a_card_is_unreadable_and_costs_nothing(text: str) -> None:
    with pytest.raises(Refused) as caught:
        RULES.read(at(("7h Kb", "9l"), "8l"), 0, text)
    assert caught.value.problem.code == "unreadable_move"


@pytest.mark.parametrize("text", ["kulový král", "kulovy\u0301 kra\u0301l", "KULOVÝ KRÁL"])
def test_accents_are_read_in_either_form(text: str) -> None:
    assert RULES.read(at(("7h Kb", "9l"), "8b"), 0, text) == "Kb"


@pytest.mark.parametrize("text", ["", "11h", "8x", "h8", "Ob=x", "Ob=", "8h 9h", "svršek", "pass", "x" * 50])
def test_what_is_no_move_is_unreadable_and_costs_nothing(text: str) -> None:
    with pytest.raises(Refused) as caught:
        RULES.read(at(("8h Ob", "9l"), "Kh"), 0, text)
    assert caught.value.problem.code == "unreadable_move"


def test_only_the_seat_to_move_moves() -> None:
    assert "nothing to move" in refused(at(EASY, "8b"), "9l", 1)
    assert "nothing to move" in refused(after(at(("8h", "9l"), "8b"), "8h"), "9l", 1)


def test_no_penalty_is_asked_for_where_nothing_was_done() -> None:
    assert "punished" in refused(at(("8h Kb", "9l"), "8b"), "penalty")
