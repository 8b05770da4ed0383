"""The computer at prší: sensible, always the same, and blind to what its seat may not see."""

from random import Random
from typing import Any

import msgspec
import pytest

from services.ghost.players import Seeded, Seen, own_player
from services.ghost.players.prsi import PrsiPlayer
from shared.events.match import MatchCreated, Seat, Terms
from shared.match import Phase, view
from shared.match.applying import created
from shared.rules.protocol import Players
from shared.rules.prsi import RULES, State
from tests.support.playing import some_states, walk
from tests.support.prsi import active, at, rehidden

PLAYER = PrsiPlayer()


def seen(position: State, seat: int) -> Seen:
    """What ``seat`` sees of a match at ``position``."""
    seats = tuple(Seat(f"p{number}") for number in range(position.seats))
    event = MatchCreated(
        rules=RULES.name, rules_version=RULES.version, seats=seats, secret_hash="", terms=Terms()
    )
    state = msgspec.structs.replace(
        created("mprsi", event), phase=Phase.PLAYING, game=1, position=position, first=0
    )
    return Seen(view(state, seat), RULES.legal(position, seat))


def choice(position: State, seat: int = 0) -> str:
    """What it plays."""
    return PLAYER.move(seen(position, seat))


def test_it_is_our_own_player_of_prsi_at_every_level_that_thinks() -> None:
    assert all(isinstance(own_player(RULES, {}, level), PrsiPlayer) for level in (0, 2, 3))
    assert isinstance(own_player(RULES, {}, 1), Seeded)


def test_it_plays_a_card_where_it_can_and_draws_or_stands_where_it_cannot() -> None:
    assert choice(at(("8h Kl 9a", "9l 9b 10b"), "8b")) == "8h"
    assert choice(at(("8h Kl", "9l"), "9b")) == "draw"
    assert choice(active(at(("8h Kl", "9l"), "Ah"))) == "stand"


def test_it_keeps_a_svrsek_and_names_the_suit_that_it_has_most_of() -> None:
    assert choice(at(("Oh 8b 9a 10a", "9l 9b 10b"), "Kb")) == "8b"
    assert choice(at(("Oh 8l 9l 10a", "9h 9b 10b"), "Kb")) == "Oh=l"


def test_it_keeps_a_seven_until_the_next_seat_is_nearly_out() -> None:
    assert choice(at(("7h 8h 9a 10a", "9l 9b 10b"), "Kh")) == "8h"
    assert choice(at(("7h 8h 9a 10a", "9l 9b"), "Kh")) == "7h"
    assert choice(at(("7h 8h 9a 10a", "", "9l 9b"), "Kh")) == "7h"


@pytest.mark.parametrize("seats", [2, 3, 5])
def test_what_a_seat_may_not_know_changes_no_choice(seats: int) -> None:
    random = Random(seats)
    asked = 0
    for state in some_states(RULES, seats, seats)[:120]:
        if isinstance(RULES.waiting(state), Players):
            assert state.turn is not None
            chosen = choice(state, state.turn)
            assert chosen in RULES.legal(state, state.turn)
            assert chosen == choice(rehidden(state, state.turn, random), state.turn)
            asked += 1
    assert asked


def test_it_wins_most_games_against_any_legal_moves() -> None:
    random = Random(7)

    def choose(state: Any, seat: int, legal: tuple[str, ...]) -> str:
        return choice(state, seat) if seat == 0 else random.choice(legal)

    games = 30
    won = 0
    for number in range(games):
        *_, last = walk(RULES, RULES.setup(2, {}, number % 2), random, choose)
        won += last.result.places[0] == 1
    assert won > games * 4 / 5
