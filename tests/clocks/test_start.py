"""Before the first game: getting ready and revealing have two minutes; nobody can block a match for ever."""

import pytest

from shared.clocks import STANDARD, chess_clock
from shared.commands import Leave, OfferExtension, Ready, Reveal, SetAutoRoll
from shared.draws import string_hash
from shared.events.match import (
    AutoRollSet,
    ExtensionOffered,
    MatchCancelled,
    SecretRevealed,
    StartExpired,
    Terms,
)
from shared.match import Phase, view
from shared.match.timing import CLAIM_AFTER_MS, NEXT_MS, deadline
from shared.match.views import UntilView
from tests.support.story import SECRET, Story

STRINGS = (bytes(32 * [1]), bytes(32 * [2]))
TIMED = Terms(target=5, clock=STANDARD)


def revealing(terms: Terms = TIMED) -> Story:
    """Both have committed themselves to strings; neither has revealed."""
    told = Story(terms)
    for seat, string in enumerate(STRINGS):
        told.after(1_000).when(seat, Ready(string_hash(string)))
    assert told.state.phase is Phase.REVEALING
    return told


@pytest.mark.parametrize("terms", [TIMED, Terms(absence="ghost"), Terms(absence="forfeit")])
def test_getting_ready_is_good_at_exactly_two_minutes_and_not_later(terms: Terms) -> None:
    told = Story(terms)
    until = told.now_ms + NEXT_MS
    assert view(told.state, None).until == UntilView("ready", until)
    told.after(NEXT_MS).when(0, Ready())
    assert told.after(1).refusal(1, Ready()) == "flag_fallen"
    assert told.claim_refusal() == "too_early"
    events = told.after(CLAIM_AFTER_MS).claim()
    assert events == (StartExpired((1,)), MatchCancelled("not ready"), SecretRevealed(SECRET.hex()))
    assert view(told.state, 0).last.words.startswith("Not everybody was ready in time.")
    assert view(told.state, 0).until is None


def test_revealing_has_two_minutes_of_its_own() -> None:
    told = revealing()
    assert told.state.at_ms == told.now_ms, "the second seat has just got ready"
    assert view(told.state, 1).until == UntilView("reveal", told.now_ms + NEXT_MS)
    told.after(NEXT_MS).when(1, Reveal(STRINGS[1].hex()))
    assert told.after(1).refusal(0, Reveal(STRINGS[0].hex())) == "flag_fallen"
    events = told.after(CLAIM_AFTER_MS).claim()
    assert events[:2] == (StartExpired((0,)), MatchCancelled("not revealed"))


def test_a_seat_that_brings_no_string_is_not_late_with_one() -> None:
    told = Story(TIMED)
    told.when(0, Ready())
    told.when(1, Ready(string_hash(STRINGS[1])))
    told.after(NEXT_MS + CLAIM_AFTER_MS)
    assert told.claim()[0] == StartExpired((1,))


def test_a_table_where_all_wait_and_nobody_is_timed_waits_here_as_well() -> None:
    told = Story(Terms(target=5))
    assert deadline(told.state) is None
    assert view(told.state, 0).until is None
    told.after(7 * 24 * 3_600_000).started()
    assert told.state.phase is Phase.PLAYING


def test_what_decides_nothing_is_free_after_the_two_minutes_and_leaving_is_not() -> None:
    told = Story(Terms(clock=chess_clock(3))).after(NEXT_MS + 1)
    assert told.when(0, OfferExtension()) == (ExtensionOffered(0),)
    assert told.when(1, SetAutoRoll(on=True)) == (AutoRollSet(1, on=True),)
    assert told.refusal(0, Leave()) == "flag_fallen"


def test_next_is_shown_to_run_out_without_a_clock_too() -> None:
    told = Story(Terms(target=5, absence="ghost")).started()
    told.wins(0)
    shown = view(told.state, 1)
    assert shown.clock is None
    assert shown.until == UntilView("next", told.now_ms + NEXT_MS)
