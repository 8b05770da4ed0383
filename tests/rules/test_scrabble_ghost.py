"""The computer at scrabble: it sees its rack and what lies open, and takes most points (boardgames §9)."""

from random import Random
from typing import Any, Final

import msgspec
import pytest

from services.ghost.players import ScrabblePlayer, Seen, own_player
from shared.match import view
from shared.rules.scrabble import RULES, State
from shared.rules.scrabble.moves import is_play, placement
from tests.support.scrabble import at, board_of, found, points, rehidden
from tests.support.scripts.scrabble import begun

PLAYER: Final = ScrabblePlayer()


def seen(position: State) -> Seen:
    """What the seat to move sees in a match that has come to ``position``."""
    state = begun("scrabble/seen").state
    state = msgspec.structs.replace(state, position=position)
    return Seen(view(state, position.turn), RULES.legal(position, position.turn))


def test_it_lays_what_scores_most() -> None:
    state = at("KOLOPES", "AAA", board=board_of("8G KOSA"))
    move = PLAYER.move(seen(state))
    plays = [other for other in found(state, 0) if is_play(other)]
    assert points(state, move) == max(points(state, other) for other in plays)


def test_it_keeps_a_blank_that_earns_little() -> None:
    move = PLAYER.move(seen(at("KOLO?", "AAA")))
    assert all(sign.isupper() for sign in placement(move).tiles.values())


def test_without_a_play_it_exchanges_or_passes() -> None:
    assert PLAYER.move(seen(at("ĎŤXÓŇŘ?", "AAA"))) == "-ĎŇÓŘŤX"
    assert PLAYER.move(seen(at("ĎŤXÓŇŘ", "AAA", bag="AAA"))) == "-"


@pytest.mark.parametrize(("text", "answer"), [("8G XOLO", True), ("8G KOLO", False)])
def test_it_challenges_wrong_words_only(text: str, answer: bool) -> None:  # noqa: FBT001 - a case
    state = at("KOLOXAE", "PESNAŽE"[:5], challenge=True)
    assert (PLAYER.move(seen(RULES.play(state, 0, text))) == "challenge upheld") is answer


def test_it_accepts_a_good_play_that_goes_out() -> None:
    state = RULES.play(at("KOLO", "PES", bag="", challenge=True), 0, "8G KOLO")
    assert PLAYER.move(seen(state)) == "accept"


@pytest.mark.parametrize("level", range(4))
def test_at_any_level_it_answers_a_play_that_goes_out(level: int) -> None:
    state = RULES.play(at("KOLO", "PES", bag="", challenge=True), 0, "8G KOLO")
    player: Any = own_player(RULES, {}, level)
    assert player.move(seen(state)) in RULES.legal(state, 1)


def test_by_rules_of_thumb_it_knows_short_words_only() -> None:
    short: Any = own_player(RULES, {}, 2)
    move = short.move(seen(at("PLANETA", "KOS")))
    assert len(move.partition(" ")[2]) <= 4
    assert len(PLAYER.move(seen(at("PLANETA", "KOS"))).partition(" ")[2]) == 7


@pytest.mark.parametrize("seed", range(5))
def test_what_it_may_not_know_changes_nothing(seed: int) -> None:
    state = at("KOLOPES", "NAŽEMI", board=board_of("8G KOSA"))
    other = rehidden(state, 0, Random(seed))
    assert other.racks[1] != state.racks[1]
    assert PLAYER.move(seen(other)) == PLAYER.move(seen(state))
