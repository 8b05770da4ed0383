"""The board games in a match: offers and time, what resigning, flags and absence cost early and late (§0)."""

from typing import Final

import pytest

from shared.clocks import PER_MOVE, chess_clock
from shared.commands import (
    AcceptDraw,
    AcceptExtension,
    AskTime,
    ClaimDraw,
    Leave,
    OfferDraw,
    OfferExtension,
    Play,
    ReportAbsent,
    Resign,
)
from shared.events.match import (
    ClockCharged,
    FlagFell,
    GameEnded,
    MatchCancelled,
    MatchEvent,
    Terms,
    TurnPassed,
)
from shared.match import Phase, view
from shared.match.timing import CLAIM_AFTER_MS
from tests.support.reversi import at
from tests.support.story import Story

MINUTES: Final = {"chess": 10, "draughts": 6, "abalone": 10, "reversi": 5, "gomoku": 4, "gomoku3d": 4}
every_game = pytest.mark.parametrize("game", MINUTES)


def begun(game: str, half_moves: int, terms: Terms | None = None) -> Story:
    """A match under way on the house's chess clock, so many half-moves after its start."""
    clock = chess_clock(MINUTES[game])
    told = Story(terms or Terms(cube=False, clock=clock, absence="forfeit"), rules=game).started()
    for _ in range(half_moves):
        seat: int = told.state.position.turn
        told.after(1_000).when(seat, Play(told.state.rules.legal(told.state.position, seat)[0]))
    return told


def ended(events: tuple[MatchEvent, ...]) -> GameEnded:
    """How the game has ended in these events."""
    (end,) = (event for event in events if isinstance(event, GameEnded))
    return end


@every_game
@pytest.mark.parametrize("half_moves", [0, 3])
def test_who_resigns_early_has_lost_all_the_same(game: str, half_moves: int) -> None:
    told = begun(game, half_moves)
    end = ended(told.when(1, Resign()))
    assert (end.winner, end.kind, end.cause, end.score) == (0, "forfeit", "resigned", (1, 0))


@every_game
@pytest.mark.rule("B3", "B5")
@pytest.mark.parametrize("half_moves", [0, 3])
@pytest.mark.parametrize("clock", ["move", "chess"])
def test_whose_time_is_over_early_has_lost_all_the_same(game: str, half_moves: int, clock: str) -> None:
    terms = Terms(cube=False, clock=PER_MOVE, absence="forfeit") if clock == "move" else None
    told = begun(game, half_moves, terms)
    late: int = told.state.position.turn
    assert told.state.clocks is not None
    left_ms = told.state.clocks.left_ms[late]
    assert left_ms == (120_000 if clock == "move" else MINUTES[game] * 60_000 - half_moves // 2 * 1_000)
    assert told.after(left_ms + CLAIM_AFTER_MS - 1).claim_refusal() == "too_early"
    events = told.after(1).claim()
    assert isinstance(events[0], FlagFell)
    end = ended(events)
    assert (end.winner, end.kind, end.cause) == (1 - late, "forfeit", "flag")


@every_game
def test_after_the_flag_no_draw_is_offered_accepted_or_claimed_and_the_offer_is_void(game: str) -> None:
    told = begun(game, 4)
    late: int = told.state.position.turn
    told.when(1 - late, OfferDraw())
    told.after(MINUTES[game] * 60_000)
    for seat, command in ((late, AcceptDraw()), (late, ClaimDraw()), (1 - late, OfferDraw())):
        assert told.refusal(seat, command) == "flag_fallen"
    end = ended(told.after(CLAIM_AFTER_MS).claim())
    assert (end.winner, end.cause) == (1 - late, "flag")
    assert view(told.state, late).draw_offer is None
    assert view(told.state, late).may == ()


@every_game
@pytest.mark.rule("B7")
def test_five_minutes_more_for_both_are_agreed_on_in_the_middle_of_a_game(game: str) -> None:
    told = begun(game, 4)
    assert told.state.clocks is not None
    before = told.state.clocks.left_ms
    told.when(0, OfferExtension())
    told.when(1, AcceptExtension())
    assert told.state.clocks.left_ms == tuple(left + 300_000 for left in before)


@every_game
@pytest.mark.rule("B4")
def test_without_a_clock_two_more_minutes_are_asked_for_once_and_only_on_ones_own_move(game: str) -> None:
    told = begun(game, 4, Terms(cube=False, clock=PER_MOVE))
    seat: int = told.state.position.turn
    assert told.refusal(1 - seat, AskTime()) == "extension_unavailable"
    told.after(119_999).when(seat, AskTime())
    assert told.refusal(seat, AskTime()) == "extension_unavailable"
    told.after(120_000).when(seat, Play(told.state.rules.legal(told.state.position, seat)[0]))
    assert told.state.phase is Phase.PLAYING


@every_game
@pytest.mark.rule("B12", "B13")
@pytest.mark.parametrize("half_moves", [0, 3, 4])
def test_who_leaves_before_the_fourth_half_move_annuls_the_game_and_later_loses_it(
    game: str, half_moves: int
) -> None:
    told = begun(game, half_moves)
    events = told.when(0, Leave())
    if half_moves < 4:
        assert MatchCancelled("annulled") in events
        assert (told.state.games, told.state.score) == ((), (0, 0))
    else:
        end = ended(events)
        assert (end.winner, end.kind, end.cause) == (1, "forfeit", "left")


@every_game
@pytest.mark.rule("B13")
@pytest.mark.parametrize("silent_after", [3, 4])
def test_half_moves_are_counted_where_the_silence_began(game: str, silent_after: int) -> None:
    """Seat 0 moves last before the fourth half-move is made by seat 1."""
    told = begun(game, 3)
    since_ms = told.now_ms + 1
    assert told.state.position.turn == 1
    told.after(5_000).when(1, Play(told.state.rules.legal(told.state.position, 1)[0]))
    if silent_after == 4:
        since_ms = told.now_ms
    told.after(told.state.created.terms.grace_ms + 1)
    events = told.hears(ReportAbsent(0, since_ms))
    if silent_after < 4:
        assert MatchCancelled("annulled") in events
    else:
        assert (ended(events).winner, ended(events).cause) == (1, "absent")


def test_a_forced_pass_is_no_move_an_offer_stands_and_nothing_is_charged_for_it() -> None:
    """After c1 Black can place nothing: White is to move again."""
    told = begun("reversi", 4)
    told.given(position=at("OX------", "", "", "OXXXXXX-", to_move="O"))
    told.when(1, OfferDraw())
    half_moves = told.state.half_moves
    events = told.after(2_000).when(1, Play("c1"))
    assert TurnPassed(0) in events
    assert (told.state.position.turn, told.state.draw_offer) == (1, 1)
    assert told.state.half_moves == half_moves + 1
    assert [event.seat for event in events if isinstance(event, ClockCharged)] == [1]
    assert ended(told.when(0, AcceptDraw())).cause == "agreed"
