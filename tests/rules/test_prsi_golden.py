"""The golden logs of prší show what they are called: every way in which a game can end (rules §8)."""

from typing import Final

import pytest

from services.audit.domain import verify
from shared.events.match import DiceRolled, SeatOut
from shared.fold import step
from shared.match import MatchState, Phase
from tests.support import golden
from tests.support.golden_reading import events, folded

Ending = tuple[str, str, int | None, tuple[int, ...]]
ENDINGS: Final[dict[str, Ending]] = {
    "out-of-cards": ("played", "out of cards", 0, ()),
    "five-places": ("played", "out of cards", 1, (5, 1, 4, 2, 3)),
    "first-of-three": ("played", "out of cards", 0, (1, 2, 2)),
    "turned-over": ("played", "out of cards", 0, ()),
    "reshuffled": ("played", "out of cards", 2, (2, 3, 1, 4)),
    "stalemate": ("played", "stalemate", None, ()),
    "stalemate-of-three": ("played", "stalemate", None, (1, 1, 1)),
    "wrong-card": ("played", "out of cards", 1, ()),
    "resigned": ("resigned", "forfeit", 0, ()),
    "left": ("left", "forfeit", 0, ()),
    "left-under-a-seven": ("played", "out of cards", 0, (1, 4, 2, 3)),
    "left-after-the-first": ("left", "out of cards", 1, (2, 1, 3)),
    "two-of-four-left": ("played", "out of cards", 2, (2, 4, 1, 3)),
    "one-of-three-left": ("played", "out of cards", 1, (2, 1, 3)),
    "three-of-four-gave-up": ("left", "forfeit", 1, (3, 1, 4, 2)),
    "flag": ("flag", "forfeit", 0, ()),
    "flag-of-four": ("played", "out of cards", 3, (2, 3, 4, 1)),
    "absent": ("absent", "forfeit", 0, ()),
    "absent-of-three": ("played", "out of cards", 0, (1, 2, 3)),
}
"""By log: the cause of the end, its kind, the winner, and the places where more than two play."""


def test_every_log_is_described_here() -> None:
    assert set(golden.HIDDEN["prsi"]) == {*ENDINGS, "annulled"}


@pytest.mark.rule("B1")
@pytest.mark.parametrize("name", ENDINGS)
def test_a_game_ends_as_it_is_called(name: str) -> None:
    cause, kind, winner, places = ENDINGS[name]
    state = folded(f"prsi/{name}")
    (record,) = state.games
    assert (record.cause, record.kind, record.winner, record.places) == (cause, kind, winner, places)
    assert (state.phase, state.winner) == (Phase.OVER, winner)
    assert state.score == tuple(int(seat == winner) for seat in range(state.seats))


@pytest.mark.rule("B13")
def test_before_two_turns_of_every_seat_who_goes_annuls_the_match() -> None:
    state = folded("prsi/annulled")
    assert (state.half_moves, state.games, state.cause) == (5, (), "cancelled: annulled")


@pytest.mark.parametrize(
    ("name", "out"),
    [
        ("one-of-three-left", ["left"]),
        ("left-after-the-first", ["left"]),
        ("two-of-four-left", ["left", "left"]),
        ("three-of-four-gave-up", ["left", "resigned", "left"]),
        ("flag-of-four", ["flag"]),
        ("absent-of-three", ["absent"]),
        ("resigned", ["resigned"]),
        ("five-places", []),
    ],
)
def test_the_log_says_who_was_out_and_why(name: str, out: list[str]) -> None:
    assert [event.cause for event in events(f"prsi/{name}") if isinstance(event, SeatOut)] == out


def test_what_a_leaver_owed_awaits_the_next_seat() -> None:
    """Given two pending cards, when who faces them leaves, the next seat plays a seven or draws two."""
    states = folds("prsi/left-under-a-seven")
    at = next(place for place, state in enumerate(states) if any_out(state))
    before, after, later = (state.position for state in states[at - 1 : at + 2])
    assert (before.pending, after.pending) == (2, 2)
    assert after.turn == (before.turn + 1) % 4
    assert after.gone == (before.turn,)
    assert later.pending in (0, 4)
    assert len(later.hands[after.turn]) - len(after.hands[after.turn]) == (2 if later.pending == 0 else -1)


def any_out(state: MatchState) -> bool:
    return any(isinstance(event, SeatOut) for event in state.last_events)


def folds(name: str) -> list[MatchState]:
    """The match after each commit."""
    lines = golden.stored(name)
    states = [step(None, lines[0])]
    for line in lines[1:]:
        states.append(step(states[-1], line))
    return states


def test_all_luck_is_a_lot_and_a_deal_unless_the_pile_is_shuffled() -> None:
    for name in ENDINGS:
        drawn = [len(event.dice) for event in events(f"prsi/{name}") if isinstance(event, DiceRolled)]
        assert drawn[:2] == [1, 32]
        assert (len(drawn) > 2) == (name == "reshuffled")


@pytest.mark.parametrize("name", golden.HIDDEN["prsi"])
def test_the_verifier_finds_nothing_wrong(name: str) -> None:
    assert verify(golden.stored(f"prsi/{name}")).difference is None
