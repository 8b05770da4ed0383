"""Thrown out at 0:00: the computer plays on to the end, wins nothing, and Next is the player's own again."""

from collections.abc import Callable
from typing import Final

import msgspec
import pytest

from services.game.judge import seat_of
from services.ghost.domain import seats_played
from shared.catalogue import HOUSES
from shared.clocks import BLITZ
from shared.commands import Kick, Next, Play, ReportAbsent, ReportPresent, Roll
from shared.events.match import (
    FlagFell,
    GameStarted,
    MatchEnded,
    NextExpired,
    Seat,
    SeatGhosted,
    SeatKicked,
    SeatReturned,
    Terms,
)
from shared.match import Phase
from shared.match.timing import payer
from shared.problems import Refused
from tests.support.story import PLAYERS, Story, match_to
from tests.support.verdicts import CANCELLED, CLAIMED_MS, GOES_ON, NEXT_MS, End, verdict

SINGLE: Final = HOUSES["duels"].single
TERMS: Final[dict[str, Terms]] = {
    "duel": match_to(5),
    "duel, points that reach the target": match_to(3),
    "nardy match": match_to(7, "nardy"),
    "standard single": SINGLE,
    "blitz single": msgspec.structs.replace(SINGLE, clock=BLITZ),
    "nardy single": HOUSES["nardy"].single,
}


def runs_out(told: Story, seat: int) -> Story:
    """``seat`` is to play and does not until its clock stands at 0:00 and that may be judged."""
    told.to_play(seat, (3, 1))
    clocks = told.state.clocks
    assert clocks is not None
    return told.after(clocks.left_ms[seat] + CLAIMED_MS)


def thrown_out(told: Story, seat: int) -> Story:
    """The opponent of ``seat`` throws it out."""
    assert runs_out(told, seat).when(1 - seat, Kick())[0] == SeatKicked(seat)
    assert seats_played(told.state) == (seat,)
    return told


def refused_to(told: Story, seat: int) -> str:
    """With which code the player of ``seat`` himself is turned away."""
    try:
        seat_of(told.state, "gateway", PLAYERS[seat])
    except Refused as refused:
        return refused.problem.code
    return ""


@pytest.mark.rule("S5", "S8", "S13", "N13")
@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("presses", [True, False])
@pytest.mark.parametrize("computer_wins", [True, False])
@pytest.mark.parametrize("name", TERMS)
def test_who_is_thrown_out(name: str, seat: int, *, computer_wins: bool, presses: bool) -> None:
    """A win by the computer is not counted, one against it in full; his Next is his own."""
    terms, winner = TERMS[name], seat if computer_wins else 1 - seat
    told = thrown_out(Story(terms).started(), seat)
    assert refused_to(told, seat) == "seat_kicked"
    ended = told.wins(winner, worth=2, cube=2)
    must = verdict(
        End(target=terms.target, score=(0, 0), winner=winner, points=4, computer=(seat,), taken_over=(seat,)),
        pressed=(0, 1) if presses else (1 - seat,),
    )
    assert (ended.counted, told.state.score) == (must.counts, must.score)
    if must.asks:
        assert refused_to(told, seat) == ""
        told.when(1 - seat, Next())
        told.after(NEXT_MS)
        if presses:
            assert any(isinstance(event, GameStarted) for event in told.when(seat, Next()))
            assert seats_played(told.state) == ()  # thrown out of one game, not of the match
        else:
            follows = told.after(CLAIMED_MS).claim()
            assert follows[:2] == (
                NextExpired((seat,)),
                MatchEnded(winner=1 - seat, score=must.score, cause="next"),
            )
    assert told.state.phase is (Phase.PLAYING if must.follows == GOES_ON else Phase.OVER)
    if must.follows != GOES_ON:
        assert told.state.winner == (None if must.follows == CANCELLED else must.follows)
        assert told.state.cause.startswith("cancelled") is (must.follows == CANCELLED)


@pytest.mark.rule("S6", "S13")
@pytest.mark.parametrize("computer_wins", [True, False])
def test_a_crawford_game_won_by_the_computer_is_used_up(*, computer_wins: bool) -> None:
    told = Story(match_to(3)).started()
    told.wins(0, cube=2)
    told.next_game()
    assert told.state.crawford
    thrown_out(told, 0)
    told.wins(0 if computer_wins else 1)
    told.next_game()
    assert (told.state.score, told.state.crawford) == ((2, 0) if computer_wins else (2, 1), False)


@pytest.mark.rule("S13")
@pytest.mark.parametrize("here", [True, False])
def test_nobody_comes_back_from_a_throw_out_and_nobody_is_absent_after_it(*, here: bool) -> None:
    """Thrown out within his grace, or while he sat there: what is said of him later changes nothing."""
    told = Story(msgspec.structs.replace(match_to(5), clock=BLITZ, grace_ms=60_000)).started()
    since_ms = told.now_ms
    thrown_out(told, 0)
    told.after(60_000)
    report = ReportPresent(0) if here else ReportAbsent(0, since_ms)
    assert told.claim_refusal(report) == "unchanged"
    told.to_roll(0)
    assert payer(told.state) is None
    told.when(0, Roll())
    assert seats_played(told.state) == (0,)
    assert not told.wins(0).counted


@pytest.mark.rule("S7", "S13")
def test_a_ghost_cannot_be_thrown_out_and_its_player_only_when_he_is_back_and_runs_out_again() -> None:
    told = Story(match_to(5)).started().to_play(0, (3, 1))
    told.vanishes(0)
    told.after(NEXT_MS + CLAIMED_MS)
    assert told.claim_refusal() == "nothing_to_claim"
    assert told.refusal(1, Kick()) == "kick_unavailable"
    told.hears(ReportPresent(0))
    told.after(NEXT_MS + CLAIMED_MS)
    assert told.refusal(1, Kick()) == "kick_unavailable"  # the ghost's turn is not over
    told.when(0, Play("8/5 6/5"))
    thrown_out(told, 0)
    assert told.claim_refusal(ReportPresent(0)) == "unchanged"
    assert not told.wins(0).counted


@pytest.mark.rule("S13", "S18")
def test_in_blitz_who_is_away_may_be_thrown_out_before_his_grace_is_over() -> None:
    """His clock runs while he is away; 30 s of credit are less than two minutes of grace."""
    told = Story(TERMS["blitz single"]).started()
    since_ms = told.now_ms
    thrown_out(told, 0)
    told.after(since_ms + 120_000 - told.now_ms)
    assert told.claim_refusal(ReportAbsent(0, since_ms)) == "unchanged"
    told.wins(0)
    assert told.state.cause == "cancelled: won by the computer"


@pytest.mark.rule("S13", "S18")
@pytest.mark.parametrize("winner", [0, 1])
def test_in_a_single_game_one_is_thrown_out_and_the_other_vanishes(winner: int) -> None:
    told = thrown_out(Story(SINGLE).started(), 0).to_roll(1)
    told.vanishes(1)
    assert seats_played(told.state) == (0, 1)
    told.wins(winner)
    assert (told.state.winner, told.state.cause) == (None, "cancelled: won by the computer")


@pytest.mark.rule("S7", "S13")
@pytest.mark.parametrize("winner", [0, 1])
def test_in_a_match_one_is_thrown_out_and_the_other_vanishes(winner: int) -> None:
    told = thrown_out(Story(match_to(5)).started(), 0).to_roll(1)
    told.vanishes(1)
    assert (told.wins(winner).counted, told.state.score) == (False, (0, 0))


def with_computer(seat: int, terms: Terms) -> Story:
    """A match in which the computer sits at ``seat``."""
    told = Story(terms).started()
    seats = tuple(Seat(player, bot=place == seat) for place, player in enumerate(PLAYERS))
    return told.given(created=msgspec.structs.replace(told.state.created, seats=seats))


def with_ghost(seat: int, terms: Terms) -> Story:
    """A match whose player of ``seat`` has vanished."""
    told = Story(terms).started().to_roll(1 - seat)
    told.vanishes(seat)
    return told


def with_thrown_out(seat: int, terms: Terms) -> Story:
    """A match whose player of ``seat`` was thrown out."""
    return thrown_out(Story(terms).started(), seat)


@pytest.mark.rule("S13")
@pytest.mark.parametrize("against", [with_computer, with_ghost, with_thrown_out])
def test_the_computer_waits_for_nobody_at_nothing(against: Callable[[int, Terms], Story]) -> None:
    """No person sits there to throw him out; the fallen flag does it in the same commit."""
    told = against(0, match_to(5))
    fell, kicked, *_ = runs_out(told, 1).claim()
    assert isinstance(fell, FlagFell)
    assert (fell.seat, kicked) == (1, SeatKicked(1))
    assert seats_played(told.state) == (0, 1)
    assert not told.wins(1).counted


@pytest.mark.rule("S7", "S13")
def test_whose_flag_had_fallen_is_thrown_out_when_a_ghost_takes_the_opponents_seat() -> None:
    told = runs_out(Story(match_to(5)).started(), 1)
    told.claim()
    assert seats_played(told.state) == ()  # a person may wait for a late move
    assert told.vanishes(0)[1:3] == (SeatGhosted(0), SeatKicked(1))
    assert told.hears(ReportPresent(0)) == (SeatReturned(0),)
    assert told.wins(0, worth=2).score == (2, 0)


@pytest.mark.rule("S13")
def test_a_person_may_wait_and_the_late_move_is_good() -> None:
    told = runs_out(Story(match_to(5)).started(), 1)
    told.claim()
    assert told.after(10 * NEXT_MS).when(1, Play("8/5 6/5"))
    assert told.refusal(0, Kick()) == "kick_unavailable"
