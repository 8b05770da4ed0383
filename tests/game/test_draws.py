"""Draws in a match: offered, answered, lapsed, claimed; what ends so, and what is refused."""

from typing import Any

import pytest

from shared.clocks import PER_MOVE
from shared.commands import AcceptDraw, ClaimDraw, DeclineDraw, OfferDraw, Play
from shared.events.match import (
    ClockCharged,
    DrawAgreed,
    DrawClaimed,
    DrawDeclined,
    DrawOffered,
    GameEnded,
    MatchEnded,
    Terms,
)
from shared.match import view
from tests.support.story import Story

UNTIMED = Terms(cube=False)


def chess(*moves: str, terms: Terms = UNTIMED) -> Story:
    """A game of chess after these moves, both sides in turn."""
    told = Story(terms, rules="chess").started()
    for place, move in enumerate(moves):
        told.when(place % 2, Play(move))
    return told


def test_a_draw_is_agreed_on() -> None:
    told = chess("e4", "e5")
    assert told.when(0, OfferDraw()) == (DrawOffered(0),)
    assert view(told.state, None).draw_offer == 0
    assert {"accept_draw", "decline_draw"} <= set(view(told.state, 1).may)
    agreed, game, ended, _ = told.when(1, AcceptDraw())
    assert agreed == DrawAgreed(1)
    assert isinstance(game, GameEnded)
    assert (game.winner, game.cause, game.points, game.score) == (None, "agreed", 0, (0, 0))
    assert ended == MatchEnded(winner=None, score=(0, 0), cause="agreed")


def test_a_declined_draw_is_offered_again_after_ones_next_move() -> None:
    told = chess("e4", "e5")
    told.when(1, OfferDraw())
    assert told.when(0, DeclineDraw()) == (DrawDeclined(0),)
    assert told.refusal(1, OfferDraw()) == "draw_unavailable"
    told.when(0, Play("d4"))
    assert told.refusal(1, OfferDraw()) == "draw_unavailable"
    told.when(1, Play("d5"))
    assert told.when(1, OfferDraw()) == (DrawOffered(1),)


def test_an_offer_lapses_when_the_opponent_moves_and_stands_when_the_offerer_does() -> None:
    told = chess("e4", "e5")
    told.when(0, OfferDraw())
    told.when(0, Play("d4"))
    assert told.state.draw_offer == 0
    told.when(1, Play("d5"))
    assert told.state.draw_offer is None
    assert told.refusal(1, AcceptDraw()) == "nothing_offered"


@pytest.mark.parametrize("moves", [(), ("e4",)])
def test_nobody_offers_before_each_side_has_moved(moves: tuple[str, ...]) -> None:
    told = chess(*moves)
    for seat in (0, 1):
        assert told.refusal(seat, OfferDraw()) == "draw_unavailable"
        assert "offer_draw" not in view(told.state, seat).may


@pytest.mark.parametrize(
    ("options", "waiting", "moved"),
    [
        ({"variant": "swap"}, ("h8", "a1", "i9", "crosses"), "b2"),
        ({"variant": "swap"}, ("h8", "a1", "i9", "circles", "b2"), "c3"),
        ({"variant": "swap2"}, ("h8", "a1", "i9"), "b2"),
        ({"variant": "pro"}, ("a1",), "b2"),
    ],
)
def test_in_an_opening_nobody_offers_before_each_player_has_placed_a_symbol(
    options: dict[str, Any], waiting: tuple[str, ...], moved: str
) -> None:
    """Who places several symbols has not moved for both; PRO's automatic one is nobody's move."""
    told = Story(UNTIMED, rules="gomoku", options=options).started()
    for move in waiting:
        told.when(told.state.position.turn, Play(move))
        for seat in (0, 1):
            assert told.refusal(seat, OfferDraw()) == "draw_unavailable"
            assert "offer_draw" not in view(told.state, seat).may
    told.when(told.state.position.turn, Play(moved))
    assert told.when(0, OfferDraw()) == (DrawOffered(0),)
    assert told.when(1, AcceptDraw())[0] == DrawAgreed(1)


def test_a_draw_is_offered_and_agreed_on_while_the_sides_are_still_to_be_chosen() -> None:
    told = Story(UNTIMED, rules="gomoku", options={"variant": "swap2"}).started()
    for move in ("h8", "a1", "i9", "b2", "o15"):
        told.when(told.state.position.turn, Play(move))
    assert told.when(1, OfferDraw()) == (DrawOffered(1),)
    assert (view(told.state, 0).board or {})["phase"] == "choice"
    assert {"play", "accept_draw", "decline_draw"} <= set(view(told.state, 0).may)
    told.when(0, Play("crosses"))
    assert told.state.draw_offer is None, "a choice is an answer, too"


def test_an_offer_of_who_goes_on_placing_in_an_opening_stands_until_the_other_moves() -> None:
    told = Story(UNTIMED, rules="gomoku", options={"variant": "swap2"}).started()
    for move in ("h8", "a1", "i9", "b2"):
        told.when(told.state.position.turn, Play(move))
    told.when(1, OfferDraw())
    told.when(1, Play("o15"))
    assert told.state.draw_offer == 1
    assert told.when(0, DeclineDraw()) == (DrawDeclined(0),)
    assert told.when(1, OfferDraw()) == (DrawOffered(1),), "it has moved since"


def test_an_offer_is_the_opponents_to_answer_and_one_at_a_time() -> None:
    told = chess("e4", "e5")
    told.when(0, OfferDraw())
    assert told.refusal(0, AcceptDraw()) == "not_your_turn"
    assert told.refusal(1, OfferDraw()) == "draw_unavailable"


def test_in_a_game_without_draws_none_is_offered_or_claimed() -> None:
    told = Story().started().to_play(0, (3, 1))
    assert told.refusal(0, OfferDraw()) == "draw_unavailable"
    assert told.refusal(0, ClaimDraw()) == "draw_unavailable"


SHUFFLE = ("Nf3", "Nf6", "Ng1", "Ng8")


def test_the_third_occurrence_is_claimed_by_who_is_to_move() -> None:
    told = chess(*SHUFFLE, *SHUFFLE)
    assert told.refusal(1, ClaimDraw()) == "not_your_turn"
    assert "claim_draw" in view(told.state, 0).may
    claimed, game, *_ = told.when(0, ClaimDraw())
    assert claimed == DrawClaimed(0)
    assert isinstance(game, GameEnded)
    assert (game.winner, game.kind, game.cause) == (None, "threefold repetition", "claimed")


def test_a_claim_may_announce_the_move_that_brings_the_draw_about() -> None:
    told = chess(*SHUFFLE, *SHUFFLE[:3])
    assert told.refusal(1, ClaimDraw()) == "draw_unavailable"
    assert told.refusal(1, ClaimDraw("e5")) == "draw_unavailable"
    assert told.refusal(1, ClaimDraw("Ke7")) == "illegal_move"
    assert told.when(1, ClaimDraw("Ng8"))[0] == DrawClaimed(1, "f6g8")


def test_an_agreed_draw_stops_the_clock_of_who_was_to_move() -> None:
    told = chess("e4", "e5", terms=Terms(cube=False, clock=PER_MOVE))
    told.when(0, OfferDraw())
    events = told.after(7_000).when(1, AcceptDraw())
    assert events[-1] == ClockCharged(seat=0, used_ms=7_000, left_ms=113_000, turn_ms=7_000)


def test_offers_open_no_new_decision() -> None:
    told = chess("e4", "e5")
    n = told.state.n
    told.when(1, OfferDraw())
    assert told.state.decisions[0] <= n, "a move made against the commit before is current"
