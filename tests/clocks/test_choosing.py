"""Where several choose at once (fleets): two minutes for each, whose end decides (rules §7)."""

from collections import Counter
from contextlib import suppress
from typing import Final

import pytest

from services.audit.domain import verify
from shared.clocks import PER_MOVE, chess_clock
from shared.commands import AskTime, Leave, Play, PlayerCommand, Ready, ReportAbsent, Resign
from shared.events.match import (
    ChoiceExpired,
    ClockTerms,
    FlagFell,
    GameEnded,
    MatchCancelled,
    MatchEnded,
    Seat,
    SeatKicked,
    Terms,
)
from shared.match import Phase, view
from shared.match.timing import CLAIM_AFTER_MS, deadline
from shared.match.views import UntilView
from shared.problems import Refused
from tests.support.hidden_hand import HiddenHand, hidden_hand
from tests.support.matches import SEATS, MemoryGame, Picker
from tests.support.timed import TimedHouse

__all__ = ["hidden_hand"]

LIMIT_MS: Final = 120_000
SHORT: Final = ClockTerms(kind="move", budget_ms=20_000)
HOUSE: Final = Terms(cube=False, clock=PER_MOVE, absence="forfeit")


def begun(terms: Terms = HOUSE, seats: tuple[Seat, ...] = SEATS) -> MemoryGame:
    """Both are to place their fleets."""
    game = MemoryGame("choosing", terms, seats=seats, rules="battleship")
    game.start()
    assert [demand.seat for demand in view(game.state, None).decide] == [0, 1]
    return game


def places(game: MemoryGame, seat: int) -> None:
    """``seat`` places the first fleet that is suggested, at once."""
    fleet = game.state.rules.legal(game.state.position, seat)[0]
    game.send(seat, Play(fleet), late_ms=0)


def refused(game: MemoryGame, seat: int, command: PlayerCommand) -> str:
    """The code with which ``command`` is refused."""
    with pytest.raises(Refused) as error:
        game.send(seat, command, late_ms=0)
    return error.value.problem.code


def too_early(game: MemoryGame) -> None:
    """The clock service claims in vain."""
    with pytest.raises(Refused) as error:
        game.hears()
    assert error.value.problem.code == "too_early"


def verified(game: MemoryGame) -> None:
    """The verifier agrees with all that happened."""
    report = verify(game.lines)
    assert report.ok, report.difference


@pytest.mark.rule("B3")
@pytest.mark.parametrize("late", [0, 1])
def test_who_has_not_placed_in_two_minutes_loses(late: int) -> None:
    game = begun()
    began_ms = game.commits[-1].at_ms
    game.after(LIMIT_MS - 1)
    places(game, 1 - late)
    assert deadline(game.state) is not None
    assert view(game.state, late).until == UntilView("choose", began_ms + LIMIT_MS)
    game.at(began_ms + LIMIT_MS + CLAIM_AFTER_MS - 1)
    too_early(game)
    game.at(began_ms + LIMIT_MS + CLAIM_AFTER_MS)
    events = game.hears().events
    ended = events[1]
    assert events[0] == ChoiceExpired((late,))
    assert isinstance(ended, GameEnded)
    assert (ended.winner, ended.cause) == (1 - late, "flag")
    assert isinstance(events[2], MatchEnded)
    verified(game)


def test_a_fleet_is_good_a_millisecond_before_the_end_and_not_at_it() -> None:
    game = begun()
    game.after(LIMIT_MS - 1)
    places(game, 0)
    fleet = game.state.rules.legal(game.state.position, 1)[0]
    game.after(1)
    assert refused(game, 1, Play(fleet)) == "flag_fallen"
    for seat, command in ((1, AskTime()), (0, Resign()), (0, Leave()), (1, Leave())):
        game.after(1)
        assert refused(game, seat, command) == "flag_fallen"


def test_where_nobody_has_placed_the_match_is_cancelled() -> None:
    game = begun()
    game.at_deadline(CLAIM_AFTER_MS)
    assert game.hears().events[:2] == (ChoiceExpired((0, 1)), MatchCancelled("not chosen"))
    assert view(game.state, None).result is not None
    verified(game)


@pytest.mark.rule("B4")
def test_who_asks_for_time_has_two_minutes_more_and_the_other_has_not() -> None:
    game = begun()
    began_ms = game.commits[-1].at_ms
    game.after(60_000)
    game.send(0, AskTime(), late_ms=0)
    assert refused(game, 0, AskTime()) == "extension_unavailable"
    assert view(game.state, 0).until == UntilView("choose", began_ms + 2 * LIMIT_MS)  # his own
    for other in (1, None):
        assert view(game.state, other).until == UntilView("choose", began_ms + LIMIT_MS)  # what is over first
    places(game, 1)
    for viewer in (0, 1, None):
        assert view(game.state, viewer).until == UntilView("choose", began_ms + 2 * LIMIT_MS)
    game.at(began_ms + 2 * LIMIT_MS - 1)
    places(game, 0)
    assert game.state.phase is Phase.PLAYING
    due = deadline(game.state)
    assert due is not None
    assert (due.kind, due.at_ms) == ("flag", game.commits[-1].at_ms + LIMIT_MS)  # the first shot's own
    assert refused(game, 0, AskTime()) == "extension_unavailable"  # once a game
    verified(game)


def test_who_is_late_loses_though_the_other_has_asked_for_time_and_is_still_choosing() -> None:
    game = begun()
    game.send(0, AskTime(), late_ms=0)
    game.at_deadline(CLAIM_AFTER_MS)
    events = game.hears().events
    assert events[0] == ChoiceExpired((1,))
    assert isinstance(events[1], GameEnded)
    assert events[1].winner == 0
    verified(game)


def test_the_computer_has_all_time_and_a_person_against_it_has_his_two_minutes() -> None:
    game = begun(seats=(SEATS[0], Seat(SEATS[1].player, bot=True)))
    game.after(1_000)
    places(game, 0)
    assert deadline(game.state) is None
    other = begun(seats=(SEATS[0], Seat(SEATS[1].player, bot=True)))
    other.at_deadline(CLAIM_AFTER_MS)
    events = other.hears().events
    assert events[0] == ChoiceExpired((0,))
    assert isinstance(events[1], GameEnded)
    assert events[1].winner == 1
    verified(other)


def test_where_a_flag_does_not_lose_who_is_late_is_thrown_out_at_once() -> None:
    game = begun(Terms(cube=False, clock=PER_MOVE, flag="kick", absence="ghost"))
    places(game, 0)
    game.at_deadline(CLAIM_AFTER_MS)
    assert game.hears().events == (ChoiceExpired((1,)), SeatKicked(1))
    assert deadline(game.state) is None
    places(game, 1)  # the computer does
    assert view(game.state, 0).board is not None
    verified(game)


def test_an_outage_of_ours_gives_all_the_time_that_it_took() -> None:
    game = begun()
    began_ms = game.commits[-1].at_ms
    game.outage(30_000, 45_000, 1_000)
    places(game, 0)
    assert view(game.state, 1).until == UntilView("choose", began_ms + LIMIT_MS + 45_000)
    game.at_deadline(-1)
    places(game, 1)
    assert game.state.phase is Phase.PLAYING
    verified(game)


def test_what_ran_out_before_the_grace_was_over_is_claimed_and_no_absence_is_judged() -> None:
    game = begun(Terms(cube=False, clock=PER_MOVE, absence="forfeit", grace_ms=30_000))
    places(game, 0)
    away_ms = game.commits[-1].at_ms + 100_000
    game.at(away_ms + 30_000)
    with pytest.raises(Refused) as error:
        game.hears(ReportAbsent(1, away_ms))
    assert error.value.problem.code == "too_early"


@pytest.mark.rule("B13")
@pytest.mark.parametrize("placed", [False, True])
def test_who_disconnects_before_the_fourth_shot_annuls_the_match(*, placed: bool) -> None:
    game = begun()
    if placed:
        places(game, 0)
    game.send(1, Leave())
    assert game.state.cause == "cancelled: annulled"
    verified(game)


def test_where_nobody_is_timed_nobody_is_late() -> None:
    game = begun(Terms(cube=False, absence="forfeit"))
    assert deadline(game.state) is None
    assert view(game.state, 0).until is None


@pytest.mark.parametrize(("clock", "limit_ms"), [(chess_clock(3), LIMIT_MS), (SHORT, 20_000)])
def test_the_limit_of_a_move_is_that_of_a_choice_and_else_it_is_two_minutes(
    clock: ClockTerms, limit_ms: int, hidden_hand: HiddenHand
) -> None:
    game = MemoryGame("choosing", Terms(cube=False, clock=clock), rules=hidden_hand.name)
    game.start()
    assert view(game.state, None).until == UntilView("choose", game.commits[-1].at_ms + limit_ms)


@pytest.mark.parametrize("late", [(0, 2), (2,)])
def test_of_three_who_cannot_go_alone_whoever_is_late_ends_it(
    late: tuple[int, ...], hidden_hand: HiddenHand
) -> None:
    seats = (*SEATS, Seat("pcyrilsvoboda"))
    game = MemoryGame("choosing", Terms(cube=False, clock=PER_MOVE), seats=seats, rules=hidden_hand.name)
    game.start()
    for seat in range(3):
        if seat not in late:
            places(game, seat)
    game.at_deadline(CLAIM_AFTER_MS)
    events = game.hears().events
    assert events[0] == ChoiceExpired(late)
    assert isinstance(events[1], GameEnded)
    assert not any(isinstance(event, FlagFell) for event in events)
    verified(game)


async def test_the_clock_service_claims_it() -> None:
    """Given a timer for the choice, when it comes, then who has not placed has lost."""
    house = await TimedHouse().open()
    await house.clock().start()
    table = await house.begun(HOUSE, rules="battleship")
    state = await table.state()
    await house.accepted(table, 0, Play(state.rules.legal(state.position, 0)[0]))
    assert [kind for _, kind in house.timers.armed] == ["choose"]
    await house.after(LIMIT_MS + CLAIM_AFTER_MS)
    assert await house.events(table, ChoiceExpired) == [ChoiceExpired((1,))]
    assert (await table.state()).winner == 0
    assert not house.timers.armed
    await house.close()


@pytest.mark.parametrize("seat", [0, 1])
def test_getting_ready_opens_the_choice_for_all_at_the_same_moment(seat: int) -> None:
    game = MemoryGame("choosing", HOUSE, rules="battleship")
    game.send(seat, Ready())
    game.send(1 - seat, Ready())
    choice = game.state.choice
    assert choice is not None
    assert choice.from_ms == game.commits[-1].at_ms
    assert choice.until_ms == (choice.from_ms + LIMIT_MS,) * 2


def _anything(game: MemoryGame, pick: Picker) -> None:
    """Somebody does something, at some time, perhaps too late and perhaps after an outage."""
    seat, what = pick.below(2), pick.below(24)
    if pick.below(5) == 0:
        game.outage(pick.below(40_000), 4_000 + pick.below(60_000), pick.below(9_000))
    else:
        game.after(pick.below(75_000))
    if what < 12:
        game.hears()
    elif what == 12:
        game.hears(ReportAbsent(seat, game.commits[-1].at_ms))
    elif what < 16:
        game.send(seat, AskTime(), late_ms=pick.below(500))
    elif what == 16:
        game.send(seat, Leave())
    else:
        seats = [demand.seat for demand in view(game.state, None).decide]
        game.send(seats[pick.below(len(seats))], Play(_any_move(game, pick, seats)), late_ms=pick.below(500))


def _any_move(game: MemoryGame, pick: Picker, seats: list[int]) -> str:
    legal = game.state.rules.legal(game.state.position, seats[-1])
    return legal[pick.below(len(legal))]


@pytest.mark.parametrize("flag", ["loss", "kick"])
def test_whatever_happens_while_several_choose_the_verifier_agrees(flag: str) -> None:
    absence = "forfeit" if flag == "loss" else "ghost"
    late: Counter[int] = Counter()
    for seed in range(50):
        game = begun(Terms(cube=False, clock=PER_MOVE, flag=flag, absence=absence, grace_ms=20_000))
        pick = Picker(f"{seed} {flag}")
        for _ in range(30):
            if game.over:
                break
            with suppress(Refused):
                _anything(game, pick)
        verified(game)
        happened = (event for commit in game.commits for event in commit.events)
        late.update(len(event.seats) for event in happened if isinstance(event, ChoiceExpired))
    assert late.total() > 5, "among them are matches in which somebody was late"
