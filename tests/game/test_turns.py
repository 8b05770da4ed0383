"""Turns: rolling, playing, passing by itself, auto-roll, auto-finish; and what makes a command stale."""

import pytest

from shared.chance import Dice
from shared.commands import AutoFinish, Next, Play, Ready, Reveal, Roll, SetAutoRoll
from shared.draws import NO_STRING, draw, string_hash
from shared.events.match import (
    AutoFinishSet,
    AutoRollSet,
    DiceRolled,
    GameStarted,
    MatchStarted,
    MovePlayed,
    SeatReady,
    StringRevealed,
    Terms,
    TurnPassed,
)
from shared.match import Phase, demands, view
from tests.support.story import SECRET, Story, race


def story(terms: Terms | None = None) -> Story:
    return Story(terms or Terms(target=5)).started()


def test_the_opening_roll_decides_who_begins_and_equal_dice_are_rolled_again() -> None:
    told = Story()
    told.when(0, Ready())
    events = told.when(1, Ready())
    assert events[1:3] == (MatchStarted(), GameStarted(game=1))
    rolls = [event for event in events if isinstance(event, DiceRolled)]
    *again, last = rolls
    assert all(roll.dice[0] == roll.dice[1] for roll in again)
    assert last.dice[0] != last.dice[1]
    assert [roll.draw for roll in rolls] == list(range(len(rolls)))
    begins = 0 if last.dice[0] > last.dice[1] else 1
    assert [(d.seat, d.commands) for d in demands(told.state)] == [(begins, ("play",))]


def test_seats_may_bring_luck_hash_first() -> None:
    told = Story()
    luck = bytes(range(32, 64))
    told.when(0, Ready(string_hash(luck)))
    assert told.refusal(0, Ready()) == "unchanged"
    assert told.refusal(1, Ready(string_hash(luck))) == "invalid"  # a copy of another seat's
    assert told.when(1, Ready()) == (SeatReady(1),)
    assert told.state.phase is Phase.REVEALING
    assert told.refusal(1, Reveal(luck.hex())) == "not_your_turn"
    assert told.refusal(0, Reveal("00" * 32)) == "reveal_mismatch"
    assert told.refusal(0, Reveal("xy")) == "invalid"
    events = told.when(0, Reveal(luck.hex()))
    assert events[:2] == (StringRevealed(0, luck.hex()), MatchStarted())
    rolled = next(event for event in events if isinstance(event, DiceRolled))
    strings = (luck, NO_STRING)
    assert rolled.dice == draw(SECRET, told.state.match, strings, 0, Dice(2))
    assert rolled.dice != draw(SECRET, told.state.match, (NO_STRING, NO_STRING), 0, Dice(2))


def test_a_retry_rolls_the_same_dice() -> None:
    told = story().to_roll(0)
    before = told.state
    first = told.when(0, Roll())
    told.given(**{name: getattr(before, name) for name in ("position", "draws", "n", "head", "decisions")})
    assert told.when(0, Roll()) == first


def test_dice_are_not_taken_from_a_client_unless_the_match_is_recorded() -> None:
    told = story().to_roll(0)
    assert told.refusal(0, Roll(dice=(6, 6))) == "dice_not_accepted"
    recorded = Story(Terms(target=5), chance="recorded").started()
    assert recorded.refusal(0, Roll()) == "dice_not_accepted"
    assert recorded.refusal(0, Roll(dice=(7, 1))) == "dice_not_accepted"
    assert recorded.when(1, Roll(dice=(3, 1))) == (DiceRolled(dice=(3, 1)),)


def test_who_cannot_move_passes_by_itself() -> None:
    """On the bar against six closed points: nothing can be entered."""
    closed = race({6: 2, 5: 2, 4: 2, 3: 2, 2: 2, 1: 2})
    told = story().to_roll(0, race({25: 1, 6: 3}), closed)
    rolled, passed = told.when(0, Roll())
    assert isinstance(rolled, DiceRolled)
    assert passed == TurnPassed(0)
    assert [d.seat for d in demands(told.state)] == [1]


def test_illegal_moves_change_nothing() -> None:
    told = story().to_play(0, (3, 1))
    before = told.state
    assert told.refusal(0, Play("24/20 13/11")) == "illegal_move"
    assert told.refusal(0, Play("24/18")) == "illegal_move"
    assert told.refusal(0, Play("nonsense")) == "unreadable_move"
    assert told.refusal(1, Play("8/5 6/5")) == "not_your_turn"
    assert told.state is before


@pytest.mark.rule("S11")
def test_auto_roll_rolls_as_soon_as_the_opponents_turn_ends() -> None:
    told = story().to_play(0, (3, 1))
    assert told.when(1, SetAutoRoll(on=True)) == (AutoRollSet(1, on=True),)
    played, rolled = told.when(0, Play("8/5 6/5"))[:2]
    assert isinstance(played, MovePlayed)
    assert isinstance(rolled, DiceRolled)
    assert rolled.seat == 1
    assert [(d.seat, d.commands) for d in demands(told.state)] == [(1, ("play",))]


@pytest.mark.rule("S11")
def test_switching_auto_roll_on_when_about_to_roll_rolls() -> None:
    told = story().to_roll(0)
    events = told.when(0, SetAutoRoll(on=True))
    assert [type(event) for event in events[:2]] == [AutoRollSet, DiceRolled]


@pytest.mark.rule("S12")
def test_auto_finish_bears_off_to_the_end_once_nobody_can_interfere() -> None:
    told = story().to_roll(0, race({6: 2}), race({1: 4}))
    assert view(told.state, 0).may.count("auto_finish") == 1
    events = told.when(0, AutoFinish())
    assert events[0] == AutoFinishSet(0)
    assert all(event.auto for event in events if isinstance(event, MovePlayed))
    if told.state.phase is Phase.PLAYING:  # no double fell: two rolls are needed
        told.when(1, AutoFinish())
    record = told.state.games[0]
    assert (record.winner, record.cause) == (0, "played")


@pytest.mark.rule("S12")
def test_auto_finish_is_refused_while_the_checkers_can_still_meet() -> None:
    assert story().to_roll(0).refusal(0, AutoFinish()) == "auto_finish_unavailable"


def test_the_opponents_side_commands_do_not_make_my_move_stale() -> None:
    told = story().to_play(0, (3, 1))
    made_against = told.state.n
    for on in (True, False) * 10:
        told.when(1, SetAutoRoll(on=on))
    assert told.state.n == made_against + 20
    assert told.refusal(1, SetAutoRoll(on=True)) == "too_often"
    assert told.refusal(1, SetAutoRoll(on=False)) == "unchanged"
    assert told.state.decisions[0] <= made_against
    assert told.when(0, Play("8/5 6/5"))


def test_one_seats_next_or_ready_leaves_the_others_decision_alone() -> None:
    told = Story()
    told.when(0, Ready())
    assert told.state.decisions == (2, 1)
    told.when(1, Ready())
    assert told.state.decisions == (3, 3)
    assert told.refusal(0, Ready()) == "wrong_phase"
    assert told.refusal(0, Next()) == "wrong_phase"


def test_a_command_made_against_an_older_decision_is_stale_and_one_from_the_future_is_refused() -> None:
    told = story().to_roll(0)
    made_against = told.state.n
    told.when(0, Roll())
    assert told.refusal(0, Play("8/5 6/5"), expected=made_against) == "stale"
    assert told.refusal(0, Play("8/5 6/5"), expected=told.state.n + 1) == "expected_ahead"


def test_every_state_names_who_must_decide_until_the_match_is_over() -> None:
    told = Story(Terms(target=3))
    seen: set[Phase] = set()
    while told.state.phase is not Phase.OVER:
        seen.add(told.state.phase)
        deciding = demands(told.state)
        assert deciding
        demand = deciding[0]
        match demand.commands[0]:
            case "ready":
                told.when(demand.seat, Ready())
            case "roll":
                told.when(demand.seat, Roll())
            case "next":
                told.when(demand.seat, Next())
            case _:
                told.when(demand.seat, Play(told.state.rules.legal(told.state.position, demand.seat)[0]))
    assert seen == {Phase.GATHERING, Phase.PLAYING, Phase.BETWEEN}
    assert demands(told.state) == ()
