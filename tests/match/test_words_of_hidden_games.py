"""What was done in games with secrets is told in sentences, alike for all but who may know more."""

import hashlib
from itertools import pairwise
from typing import Final

import pytest

from shared.events.match import Seat, Terms
from shared.fold import step
from shared.match import MatchState, Phase, view
from tests.support import golden
from tests.support.matches import SEATS, MemoryGame

HIDDEN: Final = [name for folder in golden.HIDDEN for name in golden.names() if name.startswith(f"{folder}/")]


def told(name: str) -> list[MatchState]:
    states: list[MatchState] = []
    state: MatchState | None = None
    for line in golden.stored(name):
        state = step(state, line)
        states.append(state)
    return states


def said(name: str) -> str:
    return " ".join(view(state, None).last.words for state in told(name))


@pytest.mark.parametrize("name", HIDDEN)
def test_only_who_exchanged_or_misplayed_is_told_what_the_others_are_not(
    name: str,
) -> None:
    for state in told(name):
        words = {viewer: view(state, viewer).last.words for viewer in (None, *range(state.seats))}
        mover = None if state.last_move is None else state.last_move.seat
        others = {text for viewer, text in words.items() if viewer is None or viewer != mover}
        assert len(others) == 1
        assert "Chance has decided" not in words[None]
        if mover is not None and words[mover] not in others:
            if state.rules.name == "prsi":
                assert others == {words[mover].replace(" for a wrong card", "")}
                continue
            assert state.rules.name == "scrabble"
            assert "exchanged" in words[mover]
            assert others == {words[mover].partition(" (")[0] + words[mover].partition(")")[2]}


def test_a_shot_is_told_with_its_answer_and_a_placement_without_its_place() -> None:
    text = said("battleship/fleet-sunk")
    assert "Seat 0 placed a fleet." in text
    for answer in ("a hit", "a miss", "a ship is sunk"):
        assert f": {answer}." in text


def test_words_are_told_with_their_points_and_challenges_with_their_outcome() -> None:
    text = said("scrabble/challenged")
    assert "Seat 1 laid AIMŇ for 20 points (8H AIMŇ)." in text
    assert "Seat 0 challenged AIMŇ rightly: seat 1 takes the tiles back and loses 20 points." in text
    assert "Seat 1 challenged POLI in vain: the play stands." in text
    assert "exchanged 7 tiles." in text
    assert "let the last play stand." in said("scrabble/out-withdrawn")
    assert "The tiles are mixed, and everybody takes seven." in text


def test_cards_are_told_by_their_names_and_with_what_they_do() -> None:
    text = said("prsi/first-of-three")
    assert "The lot says that seat 1 begins. The cards are dealt." in text
    assert "Seat 1 played the svršek of hearts and named hearts." in text
    assert "Seat 2 played the ace of hearts: the next seat plays an ace or stands." in text
    assert "Seat 2 stood: the ace is served." in text
    assert "Seat 2 played the seven of bells: 2 cards are pending." in text
    assert "Seat 0 played the seven of acorns, the last card in hand." in text
    assert "The discard pile is shuffled and turned over." in said("prsi/reshuffled")


def test_no_more_cards_are_told_to_be_drawn_than_there_were() -> None:
    for name in ("prsi/turned-over", "prsi/stalemate", "prsi/reshuffled"):
        states = told(name)
        for before, after in pairwise(states):
            made = after.last_move
            if made is None or after.last_move == before.last_move or made.move != "draw":
                continue
            if after.phase is not Phase.PLAYING:
                continue
            drew = len(after.position.hands[made.seat]) - len(made.before.hands[made.seat])
            words = {0: "had no card to draw", 1: "drew a card"}.get(drew, f"drew {drew} cards")
            assert f"Seat {made.seat} {words}." in view(after, None).last.words


def test_the_seal_of_a_fleet_is_computed_as_the_page_for_clients_says() -> None:
    placed: dict[int, str] = {}
    states = told("battleship/fleet-sunk")
    for state in states:
        for seat in (0, 1):
            last = view(state, seat).last
            if last.seat == seat and last.move and seat not in placed:
                placed[seat] = last.move
    board = view(states[-1], None).board
    assert board is not None
    for seat in (0, 1):
        text = f"kronika/fleet/1 {board['nonces'][seat]} {placed[seat]}"
        assert hashlib.sha256(text.encode()).hexdigest() == board["commitments"][seat]


def test_the_computers_level_stands_in_its_seat_and_in_no_persons() -> None:
    for stored, level in ((0, 3), (1, 1), (2, 2), (3, 3)):
        seats = (SEATS[0], Seat("pcomputer", bot=True, level=stored))
        game = MemoryGame("level", Terms(cube=False), seats=seats, rules="battleship")
        shown = view(game.state, 0).seats
        assert (shown[0].level, shown[1].level) == (None, level)
