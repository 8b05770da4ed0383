"""The computer at battleship: shoots well, always alike, never guessable, and sees what its seat sees."""

from random import Random
from statistics import mean
from typing import Any

import pytest

from services.audit.domain import verify
from services.ghost.players import Seeded, Seen, own_player
from services.ghost.players.battleship import AnyCell, BattleshipPlayer
from services.ghost.players.protocol import Player
from shared.match import Phase
from shared.rules.battleship import RULES, State
from shared.rules.battleship.board import NAMES
from shared.rules.protocol import Chance, Over, Players
from tests.support.battleship import rehidden
from tests.support.ghosts import COMPUTER, House, game, seen
from tests.support.playing import drawn, some_states

PLAYER = BattleshipPlayer()
ONE = "a1-a4 c1-c3 e1-e3 a6-a7 c5-c6 e5-e6 a9 c8 e8 g1"
TWO = "j1-j4 a10-c10 e10-g10 f6-f7 h6-h7 j6-j7 a1 c1 e1 g1"


def looks(state: Any, seat: int) -> Seen:
    """What ``seat`` sees of a match that stands so."""
    return seen(state, seat, rules=RULES)


def begun(seed: int = 1) -> State:
    """Both are to place."""
    state = RULES.setup(2, {}, 0)
    waiting = RULES.waiting(state)
    assert isinstance(waiting, Chance)
    return RULES.settle(state, drawn(waiting.draw, Random(seed)))


def shooting(shots: str, seed: int = 1) -> State:
    """Seat 0 has shot so; seat 1 at what is nothing to us."""
    state = RULES.play(RULES.play(begun(seed), 0, ONE), 1, TWO)
    others = iter(NAMES)
    for shot in shots.split():
        state = RULES.play(RULES.play(state, 0, shot), 1, next(others))
    return state


def test_it_is_our_own_player_of_battleship_where_it_thinks_and_by_the_house_a_bot_shoots_at_random() -> None:
    assert all(isinstance(own_player(RULES, {}, level), BattleshipPlayer) for level in (0, 2, 3))
    assert isinstance(own_player(RULES, {}, 1), AnyCell)


@pytest.mark.parametrize(
    ("shots", "good"),
    [
        ("b10", {"a10", "c10", "b9"}),  # a hit in the midst of water
        ("b10 c10", {"a10", "d10"}),  # a line goes on at its ends
        ("a10 b10 a9", {"c10"}),
        ("j2 j3", {"j1", "j4"}),
        ("j2 j3 j4", {"j1", "j5"}),
    ],
)
def test_it_follows_a_hit_to_where_the_ship_can_go_on(shots: str, good: set[str]) -> None:
    assert {PLAYER.move(looks(shooting(shots, seed), 0)) for seed in range(20)} <= good


def test_it_shoots_at_no_cell_beside_a_sunk_ship_while_a_ship_may_lie_elsewhere() -> None:
    state = shooting("a10 b10 c10 a1")
    beside = {"d10", "d9", "a9", "b9", "c9", "b1", "b2", "a2"}
    assert not beside & {PLAYER.move(looks(shooting("a10 b10 c10 a1", seed), 0)) for seed in range(20)}
    assert state.told(1).sunk


def test_it_needs_far_fewer_shots_than_chance() -> None:
    def needed(player: Player, seed: int) -> int:
        state = begun(seed)
        for seat in (0, 1):
            state = RULES.play(state, seat, RULES.legal(state, seat)[seed % 8])
        while not isinstance(RULES.waiting(state), Over):
            state = RULES.play(state, 0, player.move(looks(state, 0)))
            free = (cell for cell, name in enumerate(NAMES) if name in RULES.legal(state, 1))
            wet = {cell for ship in state.fleets[0] for cell in ship}
            if isinstance(RULES.waiting(state), Players):
                state = RULES.play(state, 1, NAMES[next(cell for cell in free if cell not in wet)])
        return len(state.shots[0])

    shots = [needed(PLAYER, seed) for seed in range(12)]
    assert mean(shots) < 62  # any order of all cells needs about 95
    assert max(shots) < 80


def test_it_beats_whoever_shoots_at_random() -> None:
    wins = sum(game((PLAYER, Seeded()), seed, RULES).winner == 0 for seed in range(8))
    assert wins == 8


def test_it_places_otherwise_in_each_match_and_alike_when_asked_again() -> None:
    fleets = [PLAYER.move(looks(begun(seed), 0)) for seed in range(10)]
    assert len(set(fleets)) == 10
    assert fleets == [PLAYER.move(looks(begun(seed), 0)) for seed in range(10)]


def test_its_first_shot_cannot_be_known_beforehand() -> None:
    assert len({PLAYER.move(looks(shooting("", seed), 0)) for seed in range(20)}) > 5


def test_it_does_the_same_whatever_it_cannot_see() -> None:
    random = Random(4)
    for state in some_states(RULES, 4)[::7]:
        waiting = RULES.waiting(state)
        for seat in waiting.seats if isinstance(waiting, Players) else ():
            other = rehidden(state, seat, random)
            assert PLAYER.move(looks(other, seat)) == PLAYER.move(looks(state, seat))


async def test_two_computers_play_a_whole_match_and_the_verifier_agrees() -> None:
    house = await House().open()
    await house.ghost().start()
    table = await house.table(COMPUTER, COMPUTER, rules=RULES.name, match="mfleets23456")
    state = await table.wait(lambda state: state.phase is Phase.OVER)
    assert state.games[-1].kind == "fleet sunk"
    assert len(house.ghost_bus.asked) == state.n - 1, "every command was sent once and none was refused"
    assert verify(await house.log.read(table.match)).difference is None
    await house.close()


@pytest.mark.parametrize("level", [1, 2, 3])
def test_at_no_level_can_anybody_but_its_seat_tell_where_it_will_shoot(level: int) -> None:
    """Same match, decision and public board, another nonce: other shots; with the same nonce the same."""
    player = own_player(RULES, {}, level)
    shots = [player.move(looks(shooting("", seed), 0)) for seed in range(20)]
    assert len(set(shots)) > 3
    assert shots == [player.move(looks(shooting("", seed), 0)) for seed in range(20)]
