"""Both vanish: in either order, one or both come back or neither, either side wins, Next by whom ever."""

from itertools import product
from typing import Final

import msgspec
import pytest

from services.ghost.domain import seats_played
from shared.catalogue import HOUSES
from shared.clocks import BLITZ
from shared.commands import Next, Play, ReportPresent, Roll
from shared.events.match import (
    MatchCancelled,
    MatchEnded,
    NextExpired,
    SeatAbsent,
    SeatGhosted,
    Terms,
)
from shared.match import Phase
from shared.match.timing import payer
from tests.support.story import Story, match_to
from tests.support.verdicts import CANCELLED, CLAIMED_MS, GOES_ON, NEXT_MS, WHO, End, verdict

TERMS: Final[dict[str, Terms]] = {
    "duel": match_to(5),
    "duel, points that reach the target": match_to(3),
    "nardy match": match_to(7, "nardy"),
    "standard single": HOUSES["duels"].single,
    "blitz single": msgspec.structs.replace(HOUSES["duels"].single, clock=BLITZ),
}


def both_gone(terms: Terms, order: tuple[int, ...], back: tuple[int, ...]) -> Story:
    """They vanish one after the other, and those of ``back`` come back before the end."""
    told = Story(terms).started().to_roll(order[0])
    for seat in order:
        since_ms = told.now_ms
        assert told.vanishes(seat)[:2] == (SeatAbsent(seat, since_ms), SeatGhosted(seat))
    assert seats_played(told.state) == (0, 1)
    for seat in back:
        told.hears(ReportPresent(seat))
    assert seats_played(told.state) == tuple(seat for seat in (0, 1) if seat not in back)
    return told


@pytest.mark.rule("S5", "S7", "S8", "S18", "N13")
@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
@pytest.mark.parametrize("back", WHO)
@pytest.mark.parametrize("winner", [0, 1])
@pytest.mark.parametrize("name", TERMS)
def test_both_vanish(name: str, winner: int, back: tuple[int, ...], order: tuple[int, ...]) -> None:
    """In a match a ghost wins nothing, and Next decides who is still there; in a single stakes go back."""
    terms = TERMS[name]
    for pressed in WHO if terms.target is not None else ((),):
        told = both_gone(terms, order, back)
        ended = told.wins(winner, worth=2, cube=2)
        must = verdict(
            End(
                target=terms.target,
                score=(0, 0),
                winner=winner,
                points=4,
                computer=[seat for seat in (0, 1) if seat not in back],
                taken_over=(0, 1),
            ),
            pressed,
        )
        assert (ended.counted, told.state.score) == (must.counts, must.score)
        if must.asks:
            assert seats_played(told.state) == ()  # no ghost presses Next
            next_or_not(told, pressed)
        assert told.state.phase is (Phase.PLAYING if must.follows == GOES_ON else Phase.OVER)
        if must.follows != GOES_ON:
            assert told.state.winner == (None if must.follows == CANCELLED else must.follows)
            assert told.state.cause.startswith("cancelled") is (must.follows == CANCELLED)


def next_or_not(told: Story, pressed: tuple[int, ...]) -> None:
    """Those of ``pressed`` press Next at the last moment, for the others the two minutes pass."""
    told.after(NEXT_MS)
    for seat in pressed:
        told.when(seat, Next())
    if len(pressed) == 2:
        return
    late = tuple(seat for seat in (0, 1) if seat not in pressed)
    expired, follows, *_ = told.after(CLAIMED_MS).claim()
    assert expired == NextExpired(late)
    assert isinstance(follows, MatchEnded if pressed else MatchCancelled)


@pytest.mark.rule("S7", "S18")
@pytest.mark.parametrize("name", TERMS)
def test_two_ghosts_play_on_and_nobodys_clock_runs(name: str) -> None:
    told = both_gone(TERMS[name], (0, 1), ())
    for seat, _ in product((0, 1), range(2)):
        told.to_roll(seat)
        assert payer(told.state) is None
        told.after(10 * NEXT_MS).when(seat, Roll())
        if told.state.position.turn == seat:
            told.when(seat, Play(told.state.rules.legal(told.state.position, seat)[0]))
    assert told.state.phase is Phase.PLAYING
    assert told.claim_refusal() == "nothing_to_claim"


@pytest.mark.rule("S7")
def test_the_second_may_come_back_first_and_the_first_not_at_all() -> None:
    told = both_gone(match_to(5), (0, 1), (1,))
    told.to_roll(1)
    assert payer(told.state) == (1, False)
    told.when(1, Roll())
    told.to_roll(0)
    assert payer(told.state) is None
    assert told.wins(1).counted
    told.when(1, Next())
    told.after(NEXT_MS + CLAIMED_MS)
    assert MatchEnded(winner=1, score=(0, 1), cause="next") in told.claim()
