"""Matches of more than two: who is late together, who goes between two games, who is out and free (§0.6)."""

from typing import Final

import pytest

from services.audit.cause import caused
from services.audit.domain import verify
from services.audit.report import Differs
from services.clock.absence import game_of
from shared import series
from shared.clocks import PER_MOVE
from shared.commands import Leave, Next, Play, PlayerCommand, Ready, Resign
from shared.events.match import (
    ChoiceExpired,
    GameEnded,
    MatchCancelled,
    MatchEnded,
    MatchEvent,
    NextExpired,
    Resigned,
    Seat,
    SeatLeft,
    SeatOut,
    Terms,
)
from shared.match import MatchState, Phase
from shared.match.timing import CLAIM_AFTER_MS
from shared.match.views import presences, view
from shared.problems import Refused
from shared.rules.protocol import BETWEEN_TWO, Result, Traits
from shared.rules.registry import CURRENT
from shared.wire.presence import IS_HERE, IS_UNKNOWN
from tests.support.hidden_hand import HiddenHand, hidden_hand
from tests.support.matches import MemoryGame
from tests.support.scripts import prsi, scrabble
from tests.support.sealed_bids import sealed_bids

__all__ = ["hidden_hand", "sealed_bids"]

PLAYERS: Final = ("pannanovakova", "pborisdvorak", "pcyrilmaly", "pdanavelka")
BIDS: Final = pytest.mark.usefixtures("sealed_bids")
CLOCK: Final = Terms(cube=False, clock=PER_MOVE)


def bidding(seats: int, bids: dict[int, str], terms: Terms = CLOCK) -> MemoryGame:
    """A game of sealed bids in which these seats have named their numbers."""
    table = tuple(Seat(player) for player in PLAYERS[:seats])
    game = MemoryGame("several", terms, seats=table, rules="sealed_bids")
    game.start()
    bid(game, bids)
    return game


def bid(game: MemoryGame, bids: dict[int, str]) -> None:
    for seat, number in bids.items():
        game.send(seat, Play(number), late_ms=0)


def claimed(game: MemoryGame) -> tuple[MatchEvent, ...]:
    """What follows when the time is over, once the verifier has found nothing wrong with it."""
    game.at_deadline(CLAIM_AFTER_MS)
    events = game.hears().events
    assert verify(game.lines).difference is None
    return events


def ended(events: tuple[MatchEvent, ...]) -> GameEnded:
    return next(event for event in events if isinstance(event, GameEnded))


# ---- late to choose


@BIDS
def test_all_who_choose_too_late_are_out_in_one_commit_and_the_others_play_on() -> None:
    events = claimed(bidding(4, {0: "3", 2: "7"}))
    assert events[:3] == (ChoiceExpired((1, 3)), SeatOut(1, "flag"), SeatOut(3, "flag"))
    assert (ended(events).winner, ended(events).places) == (2, (2, 4, 1, 3))


@BIDS
def test_where_one_alone_was_in_time_he_has_won_whatever_he_chose() -> None:
    events = claimed(bidding(4, {2: "0"}))
    assert [event.seat for event in events if isinstance(event, SeatOut)] == [0, 1, 3]
    assert (ended(events).winner, ended(events).cause) == (2, "flag")


@BIDS
def test_where_all_who_are_left_are_late_nobody_is_placed_by_his_seat() -> None:
    game = bidding(3, {})
    game.send(1, Leave())
    assert game.state.phase is Phase.PLAYING
    assert claimed(game)[:2] == (ChoiceExpired((0, 2)), MatchCancelled("not chosen"))


@pytest.mark.parametrize(
    ("late", "places", "winner"), [((0, 2), (2, 1, 2), 1), ((2,), (1, 1, 3), None), ((0, 1), (2, 2, 1), 2)]
)
def test_where_nobody_can_go_alone_those_who_are_late_lose_together(
    hidden_hand: HiddenHand, late: tuple[int, ...], places: tuple[int, ...], winner: int | None
) -> None:
    table = tuple(Seat(player) for player in PLAYERS[:3])
    game = MemoryGame("several", CLOCK, seats=table, rules=hidden_hand.name)
    game.start()
    for seat in {0, 1, 2} - set(late):
        game.send(seat, Play(hidden_hand.legal(game.state.position, seat)[0]), late_ms=0)
    events = claimed(game)
    assert events[0] == ChoiceExpired(late)
    assert (ended(events).places, ended(events).winner, ended(events).cause) == (places, winner, "flag")


def test_losers_share_the_last_place() -> None:
    assert Result.lost_by((0, 3), 4) == Result((3, 1, 1, 3), "forfeit", 0)
    assert Result.lost_by((0,), 2) == Result((2, 1), "forfeit", 1)


# ---- between two games


def scored(bids: list[dict[int, str]]) -> MemoryGame:
    """A match to 5 of three after so many games; all have seen the interim score, none has pressed Next."""
    game = bidding(3, bids[0], Terms(cube=False, clock=PER_MOVE, target=5))
    for more in bids[1:]:
        for seat in range(3):
            game.send(seat, Next())
        bid(game, more)
    assert game.state.phase is Phase.BETWEEN
    return game


TWO_WINS_ZERO: Final = [{0: "9", 1: "1", 2: "2"}] * 2
EACH_ONE: Final = [{0: "9", 1: "1", 2: "2"}, {0: "0", 1: "1", 2: "2"}]


@BIDS
@pytest.mark.parametrize(
    ("games", "leaver", "winner"),
    [(TWO_WINS_ZERO, 2, 0), (TWO_WINS_ZERO, 0, None), (EACH_ONE, 0, 2), (EACH_ONE, 1, None)],
)
def test_who_leaves_between_games_has_lost_and_of_the_others_the_one_ahead_has_won(
    games: list[dict[int, str]], leaver: int, winner: int | None
) -> None:
    game = scored(games)
    events = game.send(leaver, Leave()).events
    assert events[:2] == (SeatLeft(leaver), MatchEnded(winner=winner, score=game.state.score, cause="left"))
    assert verify(game.lines).difference is None


@BIDS
@pytest.mark.rule("S5")
@pytest.mark.parametrize(("late", "winner"), [((2,), 0), ((0,), None), ((0, 1), 2), ((1, 2), 0)])
def test_who_misses_next_has_lost_and_of_the_others_the_one_ahead_has_won(
    late: tuple[int, ...], winner: int | None
) -> None:
    game = scored(TWO_WINS_ZERO)
    for seat in {0, 1, 2} - set(late):
        game.send(seat, Next())
    events = claimed(game)
    assert events[:2] == (NextExpired(late), MatchEnded(winner=winner, score=(2, 0, 0), cause="next"))


# ---- what is between two


@pytest.mark.parametrize("traits", [Traits(cube=True), Traits(consent=True), Traits(draws=True)])
def test_what_is_between_two_is_not_played_by_more(traits: Traits) -> None:
    wrong = series.impossible(Terms(cube=False), traits, 3, recorded=False)
    assert wrong.startswith("seats: ")
    assert not series.impossible(Terms(cube=False), traits, BETWEEN_TWO, recorded=False)


def test_no_game_of_several_offers_it() -> None:
    for rules in CURRENT.values():
        several = rules.seats != (BETWEEN_TWO, BETWEEN_TWO)
        assert not (several and (rules.traits.cube or rules.traits.consent or rules.traits.draws)), rules.name


# ---- who is out


def left(rules: str) -> tuple[MatchState, int]:
    """A match of three, which one has left, and the two others play on; and his seat."""
    script = prsi if rules == "prsi" else scrabble
    game = script.begun(f"{rules}/free", 3, 7)
    seat = game.demanded()[0]
    game.send(seat, Leave())
    game.turn(prsi.patient if rules == "prsi" else scrabble.best)
    return game.state, seat


def commands() -> tuple[PlayerCommand, ...]:
    return Ready(), Play("draw"), Play("-"), Resign(), Leave(), Next()


BOTH: Final = pytest.mark.parametrize("rules", ["prsi", "scrabble"])


@BOTH
def test_who_is_out_sees_what_a_spectator_sees_and_whose_hand_it_was_does_not_matter(rules: str) -> None:
    state, seat = left(rules)
    mine, theirs = view(state, seat), view(state, None)
    assert mine.seat == seat
    assert (mine.board, mine.last, mine.legal, mine.may) == (theirs.board, theirs.last, None, ())
    assert [each.out for each in mine.seats] == [other == seat for other in range(3)]


@BOTH
def test_who_is_out_can_do_nothing_and_the_verifier_would_see_it(rules: str) -> None:
    state, seat = left(rules)
    game = prsi.begun("prsi/free", 3, 7) if rules == "prsi" else scrabble.begun("scrabble/free", 3, 7)
    game.send(seat, Leave())
    for command in commands():
        with pytest.raises(Refused) as refused:
            game.send(seat, command)
        assert refused.value.problem.code == "seat_out"
    for event in (SeatLeft(seat), Resigned(seat)):
        with pytest.raises(Differs):
            caused(state, seat, event)


@BOTH
def test_who_is_out_is_nobodys_concern_any_more(rules: str) -> None:
    state, seat = left(rules)
    watched = game_of(state, None).players
    assert watched == tuple("" if other == seat else PLAYERS[other] for other in range(3))
    told = presences(state, lambda _player: IS_HERE)
    assert told == tuple(IS_UNKNOWN if other == seat else IS_HERE for other in range(3))


@BOTH
def test_when_the_game_is_over_he_sees_what_all_see_and_is_no_longer_out(rules: str) -> None:
    game = prsi.begun("prsi/free", 3, 7) if rules == "prsi" else scrabble.begun("scrabble/free", 3, 7)
    seat = game.demanded()[0]
    game.send(seat, Leave())
    game.play_on(prsi.first_move if rules == "prsi" else scrabble.best)
    seen = view(game.state, seat)
    assert seen.board is not None
    assert seen.result is not None
    assert not any(each.out for each in seen.seats)
    assert None not in seen.board["hands" if rules == "prsi" else "racks"]
