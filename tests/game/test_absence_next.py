"""Next: two minutes for both, wherever they are; with and without a ghost in the game before."""

from itertools import product
from typing import Final

import pytest

from shared.commands import Double, Next, Pass
from shared.events.match import MatchCancelled, MatchEnded, NextExpired, Terms
from shared.match import Phase
from shared.match.timing import deadline
from tests.support.story import Story, match_to
from tests.support.verdicts import CANCELLED, CLAIMED_MS, NEXT_MS, WHO, End, verdict

SOME: Final = ((), (0,), (1,))
"""Not both."""


def between(ghosts: tuple[int, ...], winner: int, terms: Terms) -> Story:
    """The first game is over; a ghost played for each of ``ghosts``."""
    told = Story(terms).started().to_roll(0)
    for seat in ghosts:
        told.vanishes(seat)
    told.wins(winner)
    assert told.state.phase is Phase.BETWEEN
    return told


@pytest.mark.rule("S5", "S8", "N13")
@pytest.mark.parametrize("house", ["duels", "nardy"])
@pytest.mark.parametrize("winner", [0, 1])
@pytest.mark.parametrize("ghosts", WHO)
@pytest.mark.parametrize("pressed", SOME)
def test_who_lets_the_two_minutes_pass_loses_and_both_lose_nothing(
    pressed: tuple[int, ...], ghosts: tuple[int, ...], winner: int, house: str
) -> None:
    terms = match_to(5, house)
    told = between(ghosts, winner, terms)
    must = verdict(
        End(target=5, score=(0, 0), winner=winner, points=1, computer=ghosts, taken_over=ghosts), pressed
    )
    due = deadline(told.state)
    assert due is not None
    assert (due.kind, due.at_ms) == ("next", told.now_ms + NEXT_MS)
    for seat in pressed:
        told.when(seat, Next())
    assert told.after(NEXT_MS + CLAIMED_MS - 1).claim_refusal() == "too_early"
    expired, follows, *_ = told.after(1).claim()
    assert expired == NextExpired(tuple(seat for seat in (0, 1) if seat not in pressed))
    if must.follows == CANCELLED:
        assert follows == MatchCancelled("next")
    else:
        assert follows == MatchEnded(winner=pressed[0], score=must.score, cause="next")


@pytest.mark.rule("S5")
@pytest.mark.parametrize("presses_ms", [0, 1, NEXT_MS - 1, NEXT_MS, NEXT_MS + 1])
@pytest.mark.parametrize("ghosts", WHO)
def test_next_is_good_until_exactly_two_minutes_after_the_game(
    ghosts: tuple[int, ...], presses_ms: int
) -> None:
    told = between(ghosts, 0, match_to(5)).after(presses_ms)
    for seat in (0, 1):
        if presses_ms > NEXT_MS:
            assert told.refusal(seat, Next()) == "flag_fallen"
        else:
            told.when(seat, Next())
    assert told.state.phase is (Phase.BETWEEN if presses_ms > NEXT_MS else Phase.PLAYING)


@pytest.mark.rule("S5")
@pytest.mark.parametrize("first", [0, 1])
def test_one_who_presses_gives_the_other_no_more_time_and_presses_once(first: int) -> None:
    told = between((), 0, match_to(5)).after(NEXT_MS)
    told.when(first, Next())
    assert told.refusal(first, Next()) == "unchanged"
    assert told.after(1).refusal(1 - first, Next()) == "flag_fallen"


@pytest.mark.rule("S5", "S4")
@pytest.mark.parametrize(("ghosts", "winner"), list(product(WHO, (0, 1))))
def test_there_is_no_next_once_the_target_is_reached(ghosts: tuple[int, ...], winner: int) -> None:
    told = Story(match_to(3)).started().to_roll(0)
    for seat in ghosts:
        told.vanishes(seat)
    told.wins(winner, worth=3)
    reached = winner not in ghosts
    assert told.state.phase is (Phase.OVER if reached else Phase.BETWEEN)
    assert (deadline(told.state) is None) is reached
    if reached:
        assert told.state.winner == winner
        assert [told.refusal(seat, Next()) for seat in (0, 1)] == ["match_over", "match_over"]


@pytest.mark.rule("S5")
def test_every_game_of_a_match_has_its_own_two_minutes() -> None:
    told = Story(match_to(9)).started()
    for _ in range(3):
        told.to_roll(0).when(0, Double())
        told.when(1, Pass())
        told.after(NEXT_MS).when(0, Next())
        told.when(1, Next())
        told.after(NEXT_MS)
    assert (told.state.game, told.state.score) == (4, (3, 0))
