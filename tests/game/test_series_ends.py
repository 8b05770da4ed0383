"""How else the games of a series end, and the series with them: left, resigned, on time, by a computer."""

from typing import Final

import msgspec
import pytest

from shared.commands import AcceptResignation, DeclineResignation, Kick, Leave, Next, Resign
from shared.events.match import (
    FlagFell,
    GameEnded,
    GameStarted,
    MatchCancelled,
    MatchEnded,
    MatchEvent,
    NextExpired,
    ResignationOffered,
    SeatGhosted,
    SeatKicked,
    SeatLeft,
)
from shared.match import Phase, view
from tests.support.story import Story, race, terms_of
from tests.support.verdicts import CLAIMED_MS, NEXT_MS

GAMES: Final = {
    "mixed": ("hypergammon", "long_nardy", "backgammon"),
    "tavli": ("backgammon", "plakoto", "fevga"),
}
WORST: Final = {"hypergammon": 3, "long_nardy": 3, "backgammon": 3, "plakoto": 2, "fevga": 2}
KIND: Final = {1: "single", 2: "gammon", 3: "backgammon"}
every_game = pytest.mark.parametrize(
    ("name", "number"), [(name, number) for name in GAMES for number in (1, 2, 3)]
)
either_seat = pytest.mark.parametrize("seat", [0, 1])


def standing(name: str, number: int, **changed: str) -> Story:
    """Game ``number`` of a series has begun; each before it was won with a single by another."""
    told = Story(msgspec.structs.replace(terms_of(name), **changed)).started()
    for game in range(1, number):
        told.wins(game % 2)
        told.next_game()
    assert told.state.rules.name == GAMES[name][number - 1]
    return told


def gone_on(told: Story, number: int) -> None:
    """The series goes on with its next game, or with the tie-break; or it is over because one leads."""
    score = told.state.score
    if number < 3 or score[0] == score[1]:
        assert told.begins().game == number + 1
    else:
        assert (told.state.phase, told.state.winner) == (Phase.OVER, score.index(max(score)))


def ended(told: Story, number: int, seat: int, points: int, cause: str) -> GameEnded:
    """The end of game ``number`` that costs ``seat`` these points, as it must stand in the log."""
    before = told.state.games[-1].score if told.state.games else (0, 0)
    score = (before[0] + points * (seat == 1), before[1] + points * (seat == 0))
    kind = KIND[points]
    return GameEnded(game=number, winner=1 - seat, kind=kind, cause=cause, points=points, score=score)


@pytest.mark.rule("S15")
@every_game
@either_seat
@pytest.mark.parametrize(
    ("mine", "none_off"),
    [({24: 1}, True), ({6: 1}, True), ({24: 1}, False)],
    ids=["worst", "home", "some off"],
)
def test_leaving_ends_the_game_in_hand_at_its_worst_and_the_series_goes_on(
    name: str,
    number: int,
    seat: int,
    *,
    mine: dict[int, int],
    none_off: bool,
) -> None:
    told = standing(name, number)
    checkers = sum(told.state.position.boards[seat])
    rest = {6: checkers - 1} if none_off else {}
    board = race({point: mine.get(point, 0) + rest.get(point, 0) for point in {*mine, *rest}}, checkers)
    told.to_roll(1 - seat, None, board)
    worst = WORST[GAMES[name][number - 1]]
    points = 1 if not none_off else worst if 24 in mine else 2
    expected = ended(told, number, seat, points, "left")
    assert told.when(seat, Leave())[:2] == (SeatLeft(seat), expected)
    gone_on(told, number)


@pytest.mark.rule("S5")
@either_seat
@pytest.mark.parametrize("name", GAMES)
def test_who_leaves_between_the_games_has_lost_the_series_whatever_the_score(name: str, seat: int) -> None:
    told = standing(name, 1)
    told.wins(seat, worth=3)
    score = told.state.score
    assert told.when(seat, Leave())[:2] == (
        SeatLeft(seat),
        MatchEnded(winner=1 - seat, score=score, cause="left"),
    )


@pytest.mark.rule("N4", "N5")
@either_seat
@pytest.mark.parametrize("name", GAMES)
def test_who_leaves_the_tie_break_has_lost_the_series(name: str, seat: int) -> None:
    told = standing(name, 1).level().next_game()
    told.when(seat, Leave())
    assert (told.state.phase, told.state.winner, told.state.cause) == (Phase.OVER, 1 - seat, "left")
    assert len(told.state.games) == 4


@pytest.mark.rule("S15")
@pytest.mark.parametrize(
    ("name", "number", "mine", "theirs", "worth"),
    [
        ("mixed", 1, {24: 2, 15: 1}, {1: 3}, 2),  # 60 pips behind
        ("mixed", 1, {24: 2, 14: 1}, {1: 3}, 1),
        ("mixed", 1, {25: 1, 24: 2}, {1: 3}, 1),  # on the bar
        ("mixed", 1, {24: 3}, {1: 3}, 2),
        ("mixed", 2, {24: 15}, {20: 15}, 2),
        ("mixed", 2, {24: 14, 21: 1}, {20: 15}, 1),  # 57 behind
        ("mixed", 2, {24: 14}, {1: 15}, 1),  # far behind, but one is off: not in Long nardy
        ("mixed", 3, {10: 6}, {}, 2),  # the same in Short: literally a gammon
        ("tavli", 1, {10: 6}, {}, 2),
        ("tavli", 2, {24: 15}, {20: 15}, 2),
        ("tavli", 2, {24: 14}, {1: 15}, 1),
        ("tavli", 3, {24: 15}, {20: 15}, 2),
        ("tavli", 3, {24: 14}, {1: 15}, 1),
    ],
)
@either_seat
def test_a_resignation_in_a_series_costs_what_it_costs_in_the_game_in_hand(
    name: str, number: int, seat: int, *, mine: dict[int, int], theirs: dict[int, int], worth: int
) -> None:
    told = standing(name, number)
    checkers = sum(told.state.position.boards[seat])
    told.to_roll(seat, race(mine, checkers), race(theirs, checkers))
    if worth > 1:
        assert told.refusal(seat, Resign()) == "confirmation_required"
    assert told.when(seat, Resign(confirm=worth > 1))[0] == ResignationOffered(seat, worth)
    offer = view(told.state, None).resignation
    assert offer is not None
    assert (offer.seat, offer.worth, offer.points) == (seat, worth, worth)
    told.when(1 - seat, DeclineResignation())
    assert told.state.phase is Phase.PLAYING
    told.given(resign_spent=(False, False))
    told.when(seat, Resign(confirm=worth > 1))
    expected = ended(told, number, seat, worth, "resigned")
    assert told.when(1 - seat, AcceptResignation())[1] == expected
    gone_on(told, number)


@every_game
@either_seat
def test_a_clock_at_zero_costs_the_game_in_hand_its_worst_where_it_means_loss(
    name: str, number: int, seat: int
) -> None:
    told = standing(name, number, flag="loss")
    checkers = sum(told.state.position.boards[seat])
    told.to_roll(seat, race({24: checkers}, checkers))
    assert told.state.clocks is not None
    told.after(told.state.clocks.left_ms[seat] + CLAIMED_MS)
    expected = ended(told, number, seat, WORST[GAMES[name][number - 1]], "flag")
    flag, over, *_ = told.claim()
    assert isinstance(flag, FlagFell)
    assert over == expected
    gone_on(told, number)


@pytest.mark.rule("S13", "N13")
@every_game
@either_seat
@pytest.mark.parametrize("computer_wins", [True, False])
def test_one_thrown_out_of_a_series_wins_nothing_by_the_computer_and_loses_in_full(
    name: str, number: int, seat: int, *, computer_wins: bool
) -> None:
    told = standing(name, number)
    told.to_roll(seat)
    assert told.state.clocks is not None
    told.after(told.state.clocks.left_ms[seat] + CLAIMED_MS)
    assert told.when(1 - seat, Kick())[0] == SeatKicked(seat)
    before = told.state.score
    over = told.wins(seat if computer_wins else 1 - seat)
    assert over.counted is not computer_wins
    gained = tuple(had + (not computer_wins and other != seat) for other, had in enumerate(before))
    assert told.state.score == gained
    gone_on(told, number)


@pytest.mark.rule("S8")
@every_game
@either_seat
@pytest.mark.parametrize("ghost_wins", [True, False])
def test_a_game_that_a_ghost_has_won_counts_as_played_and_for_nothing(
    name: str, number: int, seat: int, *, ghost_wins: bool
) -> None:
    told = standing(name, number).to_roll(1 - seat)
    before = told.state.score
    assert told.vanishes(seat)[1] == SeatGhosted(seat)
    over = told.wins(seat if ghost_wins else 1 - seat, worth=2)
    assert over.counted is not ghost_wins
    assert told.state.score == tuple(
        had + 2 * (not ghost_wins and other != seat) for other, had in enumerate(before)
    )
    gone_on(told, number)


@pytest.mark.rule("S8", "N4", "N5")
@either_seat
@pytest.mark.parametrize("name", GAMES)
def test_a_tie_break_that_a_ghost_has_won_leaves_it_level_so_there_is_another(name: str, seat: int) -> None:
    told = standing(name, 1).level()
    level, first = told.state.score, told.state.first
    for number in (4, 5):
        started = told.begins()
        first = 1 - (first or 0)
        assert (started.game, started.rules, started.first) == (number, GAMES[name][0], first)
        told.to_roll(1 - seat).vanishes(seat)
        assert not told.wins(seat).counted
        assert (told.state.phase, told.state.score) == (Phase.BETWEEN, level)
    assert told.begins() == GameStarted(game=6, first=1 - (first or 0), rules=GAMES[name][0])
    told.wins(seat)
    assert (told.state.phase, told.state.winner) == (Phase.OVER, seat)


@pytest.mark.rule("S8", "N4", "N5")
@pytest.mark.parametrize("name", GAMES)
def test_three_games_won_by_ghosts_leave_it_at_nil_and_the_tie_break_decides(name: str) -> None:
    told = standing(name, 1)
    for number in (1, 2, 3):
        told.to_roll(0).vanishes(1)
        told.wins(1)
        assert (told.begins().game, told.state.score) == (number + 1, (0, 0))
    told.wins(0)
    assert (told.state.phase, told.state.winner, told.state.score) == (Phase.OVER, 0, (1, 0))


@pytest.mark.rule("S5", "S8")
@pytest.mark.parametrize("number", [1, 2, 3])
@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("late", [(0,), (1,), (0, 1)], ids=["one", "the other", "both"])
def test_who_lets_the_two_minutes_for_next_pass_has_lost_the_series_and_both_have_none(
    name: str, number: int, late: tuple[int, ...]
) -> None:
    told = standing(name, 1 if number == 3 else number)
    if number == 3:
        told.level()
    else:
        told.wins(0)
    for seat in {0, 1} - {*late}:
        told.when(seat, Next())
    told.after(NEXT_MS + CLAIMED_MS)
    if len(late) == 2:
        last: MatchEvent = MatchCancelled("next")
    else:
        last = MatchEnded(winner=1 - late[0], score=told.state.score, cause="next")
    assert told.claim()[:2] == (NextExpired(late), last)
