"""Prší in whole matches of two to five: getting ready, giving up, clocks, absence, and what the log says.

Every match that is played here is judged by the verifier as well.
"""

from typing import Any, Final

import msgspec
import pytest

from services.audit.domain import verify
from shared.clocks import PER_MOVE
from shared.commands import AskTime, Leave, Play, ReportAbsent, Resign, Roll, SetAutoRoll
from shared.events.match import (
    DiceRolled,
    FlagFell,
    GameEnded,
    MatchCancelled,
    MatchEnded,
    MovePlayed,
    Seat,
    SeatAbsent,
    SeatLeft,
    SeatOut,
    Terms,
)
from shared.match import Phase, demands
from shared.match.ending import ending
from shared.match.timing import CLAIM_AFTER_MS
from shared.match.views import view
from shared.problems import Refused
from shared.rules.prsi import RULES, State, turns
from shared.rules.scrabble.words import OWN
from tests.support.matches import MemoryGame, Picker
from tests.support.scripts.common import away

HOUSE: Final = Terms(cube=False, clock=PER_MOVE, absence="forfeit")
PLAYERS: Final = ("pannanovakova", "pborisdvorak", "pcyrilmaly", "pdanavelka", "pemilstary")
ALL_SEATS: Final = pytest.mark.parametrize("seats", [2, 3, 4, 5])


def match(
    seats: int, seed: str = "a", *, terms: Terms = HOUSE, turns: int = 0, **options: Any
) -> tuple[MemoryGame, Picker]:
    """A match that has begun, after so many ``turns``, and choices for it."""
    table = tuple(Seat(player) for player in PLAYERS[:seats])
    name = f"prsi in a match/{seats}/{seed}"
    game, pick = MemoryGame(name, terms, seats=table, rules="prsi", options=options), Picker(name)
    game.start()
    game.play_on(pick.move, until=lambda state: state.half_moves >= turns)
    return game, pick


def judged(game: MemoryGame) -> GameEnded:
    """How the game ended, once the verifier has found nothing wrong with the log."""
    report = verify(game.lines)
    assert report.difference is None, report.difference
    return next(event for event in game.commits[-1].events if isinstance(event, GameEnded))


@ALL_SEATS
def test_a_match_is_played_to_its_end_with_luck_of_every_seats_own(seats: int) -> None:
    table = tuple(Seat(player) for player in PLAYERS[:seats])
    game = MemoryGame(f"prsi/luck/{seats}", HOUSE, seats=table, rules="prsi")
    game.start([bytes([seat]) * 32 for seat in range(seats)])
    lot, deal = (event for event in game.state.last_events if isinstance(event, DiceRolled))
    assert game.state.first == lot.dice[0]
    assert sorted(deal.dice) == list(range(32))
    game.play_on(Picker("luck").move)
    ended = judged(game)
    assert ended.cause == "played"
    assert ended.winner == game.state.winner
    assert ended.places == (tuple(game.state.position.result.places) if seats > 2 else ())
    assert game.state.games[-1].places == ended.places


@ALL_SEATS
def test_nobody_sees_a_strange_card_before_the_end_and_all_do_after_it(seats: int) -> None:
    game, pick = match(seats, turns=3)
    dealt = match(seats)[0].state
    for viewer in (None, *range(seats)):
        said = f"Game 1 begins. The lot says that seat {dealt.first} begins. The cards are dealt."
        assert view(dealt, viewer).last.words.endswith(said)
    while game.state.phase is Phase.PLAYING:
        for viewer in (None, *range(seats)):
            board = view(game.state, viewer).board
            assert board is not None
            assert board["hands"] is None
            assert (board["hand"] is None) == (viewer is None or viewer in board["out"])
        game.turn(pick.move)
    board = view(game.state, None).board
    assert board is not None
    assert len(board["hands"]) == seats


@pytest.mark.parametrize("seats", [3, 4, 5])
@pytest.mark.parametrize("to_move", [True, False])
@pytest.mark.parametrize("command", [Leave(), Resign()])
def test_of_several_who_gives_up_is_last_and_the_others_play_on(
    seats: int, command: Leave | Resign, *, to_move: bool
) -> None:
    game, pick = match(seats, turns=2 * seats)
    due = game.demanded()[0]
    seat = due if to_move else (due + 1) % seats
    commit = game.send(seat, command)
    cause = "left" if isinstance(command, Leave) else "resigned"
    assert SeatOut(seat, cause) in commit.events
    assert game.state.phase is Phase.PLAYING
    assert game.demanded()[0] == ((due + 1) % seats if to_move else due)
    assert view(game.state, seat).may == ()
    game.play_on(pick.move)
    ended = judged(game)
    assert ended.places[seat] == seats
    assert sorted(ended.places) == list(range(1, seats + 1))


def test_between_two_who_gives_up_has_lost_and_everything_is_open() -> None:
    game, _ = match(2, turns=5)
    game.send(0, Resign())
    ended = judged(game)
    assert (ended.winner, ended.kind, ended.cause) == (1, "forfeit", "resigned")
    board = view(game.state, None).board
    assert board is not None
    assert all(board["hands"])


def test_the_last_one_left_wins() -> None:
    game, _ = match(4, turns=8)
    for seat in (2, 0, 3):
        game.send(seat, Leave())
    ended = judged(game)
    assert (ended.winner, ended.places, ended.cause) == (1, (3, 1, 4, 2), "left")
    assert ending(game.state, PLAYERS) == "pborisdvorak has won", "there was more than one opponent"
    assert game.state.phase is Phase.OVER


def test_who_is_out_gives_nothing_up_twice_nor_plays() -> None:
    game, _ = match(3, turns=6)
    seat = game.demanded()[0]
    game.send(seat, Leave())
    n = len(game.lines)
    for command, code in (
        (Leave(), "seat_out"),
        (Resign(), "seat_out"),
        (Play("draw"), "seat_out"),
        (AskTime(), "seat_out"),
    ):
        with pytest.raises(Refused) as refused:
            game.send(seat, command)
        assert refused.value.problem.code == code
    game.after(60_000)
    with pytest.raises(Refused) as refused:
        game.hears(ReportAbsent(seat, game.state.began_ms))
    assert refused.value.problem.code == "unchanged"
    assert len(game.lines) == n


def test_who_has_his_place_keeps_it_when_he_goes() -> None:
    game, pick = match(3, "first out")
    game.play_on(pick.move, until=lambda state: bool(state.position.out))
    assert game.state.phase is Phase.PLAYING
    winner = game.state.position.out[0]
    assert "leave" not in view(game.state, winner).may
    with pytest.raises(Refused):
        game.send(winner, Leave())
    game.send(next(seat for seat in range(3) if seat != winner), Leave())
    ended = judged(game)
    assert (ended.winner, ended.kind) == (winner, "out of cards")


@ALL_SEATS
def test_before_two_turns_of_every_seat_going_annuls_the_match(seats: int) -> None:
    game, _ = match(seats, turns=2 * seats - 1)
    commit = game.send(1, Leave())
    assert commit.events[:2] == (SeatLeft(1), MatchCancelled("annulled"))
    assert verify(game.lines).difference is None


@pytest.mark.parametrize("seats", [3, 5])
def test_whose_two_minutes_are_over_is_out_and_the_next_ones_run(seats: int) -> None:
    game, pick = match(seats, turns=4)
    seat = game.demanded()[0]
    game.at_deadline(CLAIM_AFTER_MS)
    commit = game.hears()
    assert [type(event) for event in commit.events[:2]] == [FlagFell, SeatOut]
    clocks = game.state.clocks
    assert clocks is not None
    after = (seat + 1) % seats
    assert clocks.running == game.demanded()[0] == after
    assert clocks.left_ms[after] == PER_MOVE.budget_ms
    assert game.state.flagged is None
    game.play_on(pick.move)
    assert judged(game).places[seat] == seats


def test_a_flag_between_two_ends_the_game() -> None:
    game, _ = match(2, turns=4)
    seat = game.demanded()[0]
    game.at_deadline(CLAIM_AFTER_MS)
    game.hears()
    assert (judged(game).winner, game.state.cause) == (1 - seat, "flag")


@pytest.mark.parametrize("seats", [3, 4])
def test_who_stays_away_is_out(seats: int) -> None:
    game, pick = match(seats, turns=2 * seats)
    seat = (game.demanded()[0] + 2) % seats
    away(game, seat)
    assert [type(event) for event in game.state.last_events[:2]] == [SeatAbsent, SeatOut]
    game.play_on(pick.move)
    assert judged(game).places[seat] == seats


def test_a_ghost_may_play_on_for_one_of_several() -> None:
    game, pick = match(4, terms=Terms(cube=False, clock=PER_MOVE, absence="ghost"), turns=8)
    away(game, 1)
    assert game.state.ghosted[1]
    game.play_on(pick.move)
    assert verify(game.lines).difference is None
    assert game.state.phase is Phase.OVER


def test_with_the_option_several_stop_at_the_first_winner() -> None:
    game, pick = match(3, play_on=False)
    game.play_on(pick.move)
    ended = judged(game)
    assert sorted(ended.places) == [1, 2, 2]
    assert any(isinstance(event, MatchEnded) for event in game.commits[-1].events)


def test_a_reshuffle_is_drawn_in_the_commit_that_needs_it() -> None:
    game, pick = match(3, reshuffle=True)
    game.play_on(pick.move, until=lambda state: state.draws > 2)
    assert [type(event) for event in game.state.last_events[:2]] == [MovePlayed, DiceRolled]
    assert game.state.phase is Phase.PLAYING
    report = verify(game.lines)
    assert report.difference is None, report.difference


def recorded(options: dict[str, Any], rules: str = "prsi") -> MemoryGame:
    """A recorded match of three: its draws are given by hand."""
    table = tuple(Seat(player) for player in PLAYERS[:3])
    terms = Terms(cube=False, absence="wait")
    game = MemoryGame("recorded", terms, seats=table, chance="recorded", rules=rules, options=options)
    game.start()
    return game


@pytest.mark.parametrize(
    ("rules", "options", "pieces"), [("prsi", {}, 32), ("scrabble", {"dictionary": OWN.id}, 100)]
)
def test_who_left_a_recorded_match_before_the_lot_is_waited_for_by_nobody(
    rules: str, options: dict[str, Any], pieces: int
) -> None:
    game = recorded(options, rules)
    game.send(1, Leave())
    assert [demand.seat for demand in demands(game.state)] == [0, 2]
    game.send(0, Roll((1,)))
    game.send(0, Roll(tuple(range(pieces))))
    assert [demand.seat for demand in demands(game.state)] == [2]
    assert verify(game.lines).difference is None


def test_who_leaves_a_recorded_match_while_cards_are_owed_takes_none_away() -> None:
    game = recorded({"reshuffle": True})
    game.send(0, Roll((0,)))
    game.send(0, Roll(tuple(range(32))))
    pick = Picker("owed")
    game.play_on(
        lambda _, legal: legal[0] if pick.below(3) == 0 else legal[-1],
        until=lambda state: state.position.owed > 0,
    )
    owing = game.state.position
    game.send((owing.turn + 1) % 3, Leave())
    game.send(owing.turn, Roll(tuple(range(len(owing.pile) - 1))))
    assert RULES.whole(game.state.position)
    assert verify(game.lines).difference is None


def test_the_verifier_notices_a_card_that_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever rules made of it: the same code that plays a match also replays it."""
    dealt = turns.dealt

    def careless(state: State, pack: tuple[int, ...]) -> State:
        right = dealt(state, pack)
        return msgspec.structs.replace(right, stock=right.stock[1:])

    monkeypatch.setattr(turns, "dealt", careless)
    game, _ = match(3)
    difference = verify(game.lines).difference
    assert difference is not None
    assert difference.sentence == "Pieces are missing, or twice there."


def test_a_card_against_the_rules_is_a_penalty_in_the_log_and_its_player_is_told() -> None:
    game, pick = match(2, turns=4)
    game.play_on(pick.move, until=lambda state: not (state.position.ace or state.position.pending))
    before = game.state.half_moves
    seat = game.demanded()[0]
    board = view(game.state, seat).board
    assert board is not None
    legal = game.state.rules.legal(game.state.position, seat)
    wrong = next(card for card in board["hand"] if not any(move.startswith(card) for move in legal))
    commit = game.send(seat, Play(wrong))
    told = [view(game.state, viewer).last for viewer in (seat, 1 - seat)]
    assert [last.move for last in told] == ["penalty (a wrong card: drew 1)", "draw"]
    drew = f"Seat {seat} drew a card"
    assert [last.words for last in told] == [f"{drew} for a wrong card.", f"{drew}."]
    assert wrong not in game.lines[-1].decode()
    assert game.state.half_moves == before + 1
    assert commit.n == len(game.lines)


def test_nobody_rolls_so_there_is_no_auto_roll() -> None:
    game, _ = match(3)
    assert all("set_auto_roll" not in view(game.state, seat).may for seat in range(3))
    with pytest.raises(Refused, match="Nothing is rolled"):
        game.send(0, SetAutoRoll(on=True))
