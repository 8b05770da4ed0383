"""Resigning: offered, answered, worth what the position says (S15; rules §4)."""

import pytest

from shared.commands import AcceptResignation, DeclineResignation, Double, Play, Resign, Roll
from shared.events.match import (
    DoublePassed,
    GameEnded,
    ResignationAccepted,
    ResignationDeclined,
    ResignationOffered,
    Terms,
)
from shared.match import demands, view
from tests.support.story import Story, race

pytestmark = pytest.mark.rule("S15")


def story() -> Story:
    return Story(Terms(target=9)).started()


def test_it_takes_effect_only_when_the_opponent_accepts() -> None:
    told = story().to_roll(0)
    assert told.when(0, Resign()) == (ResignationOffered(0, 1),)
    assert [(d.seat, d.commands) for d in demands(told.state)] == [
        (1, ("accept_resignation", "decline_resignation"))
    ]
    ended = GameEnded(game=1, winner=1, kind="single", cause="resigned", points=1, score=(0, 1))
    assert told.when(1, AcceptResignation()) == (ResignationAccepted(1), ended)


def test_declined_play_goes_on_and_a_new_offer_waits_for_the_next_own_turn() -> None:
    told = story().to_play(0, (3, 1))
    told.when(0, Resign())
    assert told.refusal(0, Play("8/5 6/5")) == "wrong_phase"
    assert told.when(1, DeclineResignation()) == (ResignationDeclined(1),)
    assert told.refusal(0, Resign()) == "resignation_unavailable"
    told.when(0, Play("8/5 6/5"))
    assert told.refusal(0, Resign()) == "resignation_unavailable"
    told.to_roll(0)
    assert told.when(0, Resign())[0] == ResignationOffered(0, 1)


@pytest.mark.parametrize(
    ("mine", "theirs", "worth"),
    [
        ({10: 6}, {}, 2),  # 60 pips behind
        ({10: 5, 9: 1}, {}, 1),  # 59
        ({25: 1, 10: 4}, {}, 1),  # more than 60 behind, but a checker on the bar
    ],
)
def test_it_counts_as_a_gammon_from_sixty_pips_behind_without_a_checker_on_the_bar(
    mine: dict[int, int], theirs: dict[int, int], worth: int
) -> None:
    told = story().to_roll(0, race(mine), race(theirs))
    if worth > 1:
        assert told.refusal(0, Resign()) == "confirmation_required"
    events = told.when(0, Resign(confirm=worth > 1))
    assert events == (ResignationOffered(0, worth),)
    offer = view(told.state, 1).resignation
    assert offer is not None
    assert (offer.worth, offer.points) == (worth, worth)


def test_while_a_double_is_on_offer_resigning_means_pass() -> None:
    told = story().to_roll(0)
    told.when(0, Double())
    assert told.when(1, Resign())[0] == DoublePassed(1)


def test_not_on_the_opponents_turn_and_not_twice() -> None:
    told = story().to_roll(1)
    assert told.refusal(0, Resign()) == "resignation_unavailable"
    told.to_roll(0)
    told.when(0, Resign())
    assert told.refusal(0, Resign()) == "resignation_unavailable"
    assert told.refusal(0, AcceptResignation()) == "not_your_turn"
    assert told.refusal(1, Roll()) == "wrong_phase"


def test_nobody_accepts_what_was_not_offered() -> None:
    told = story().to_roll(0)
    assert told.refusal(1, AcceptResignation()) == "nothing_offered"
    assert told.refusal(1, DeclineResignation()) == "nothing_offered"


def test_a_burst_of_three_resignations_offers_once() -> None:
    """Same commit, three ids: the offer moved the seat's decision, so the others are stale."""
    told = story().to_roll(0)
    made_against = told.state.n
    told.when(0, Resign())
    assert told.refusal(0, Resign(), expected=made_against) == "stale"
    assert told.refusal(0, Resign(), expected=None) == "expected_required"
    told.when(1, AcceptResignation())
    assert told.refusal(0, Resign(), expected=made_against) == "stale"
    assert len(told.state.games) == 1
