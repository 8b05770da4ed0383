"""Every computer player, at every level, plays whole matches, and the match takes all that it answers."""

from random import Random
from typing import Any, Final

import msgspec
import pytest

from services.ghost.players import Seen, answer, own_player
from services.ghost.players.scrabble import AnyWord
from shared.commands import Play
from shared.events.match import Level, Seat, Terms
from shared.match import demands, view
from shared.problems import Refused
from shared.rules.alternating import Turns
from shared.rules.registry import CURRENT
from shared.rules.scrabble import RULES
from shared.rules.scrabble.moves import ACCEPT, FAILED
from shared.rules.scrabble.turns import stood
from shared.rules.scrabble.words import OWN
from tests.support.matches import MemoryGame
from tests.support.scrabble import at

LEVELS: Final = (Level.UNTHINKING, Level.BY_THUMB, Level.BEST)
TABLE: Final = Terms(cube=False, absence="wait")
WORDS: Final[list[dict[str, Any]]] = [
    {"dictionary": OWN.id, "challenge": challenge} for challenge in (False, True)
]
GAMES: Final[list[tuple[str, dict[str, Any]]]] = [
    *((game, {}) for game in CURRENT if game != "scrabble"),
    *(("scrabble", options) for options in WORDS),
]
SEARCHES: Final = frozenset(game for game, rules in CURRENT.items() if rules.traits.open)


def begun(game: str, options: dict[str, Any], seats: int, seed: str) -> MemoryGame:
    sitting = tuple(Seat(f"pplayer{seat}234") for seat in range(seats))
    made = MemoryGame(seed, TABLE, seats=sitting, rules=game, options=options)
    made.start()
    return made


def to_the_end(made: MemoryGame, level: int) -> None:
    """All seats are played by our player at ``level``; every refusal is raised."""
    rules = made.state.rules
    player = own_player(rules, made.state.created.options, level)
    while not made.over:
        state = made.state
        seat, commands = made.demanded()
        if "play" not in commands:
            made.turn(lambda _, legal: legal[0])
            continue
        known = state.position if rules.traits.open and isinstance(state.position, Turns) else None
        seen = Seen(view(state, seat), rules.legal(state.position, seat), known)
        made.send(seat, answer(player, seen, commands))


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(("game", "options"), [(g, o) for g, o in GAMES if g not in SEARCHES])
def test_the_match_takes_all_that_a_player_of_hidden_games_answers(
    game: str, options: dict[str, Any], level: int
) -> None:
    for seats in range(CURRENT[game].seats[0], CURRENT[game].seats[1] + 1):
        to_the_end(begun(game, options, seats, f"{game} {seats} {level}"), level)


@pytest.mark.parametrize("game", sorted(SEARCHES))
def test_the_match_takes_all_that_a_player_without_understanding_answers(game: str) -> None:
    to_the_end(begun(game, {}, 2, f"{game} any"), Level.UNTHINKING)


@pytest.mark.nightly
@pytest.mark.parametrize("level", LEVELS[1:])
@pytest.mark.parametrize("game", sorted(SEARCHES))
def test_the_match_takes_all_that_a_player_of_open_games_answers(game: str, level: int) -> None:
    to_the_end(begun(game, {}, 2, f"{game} {level}"), level)


@pytest.mark.parametrize("level", LEVELS)
def test_a_play_that_goes_out_is_accepted_or_challenged_by_every_player(level: int) -> None:
    state = RULES.play(at("KOLO", "PES", bag="", challenge=True), 0, "8G KOLO")
    legal = RULES.legal(state, 1)
    assert set(legal) == {ACCEPT, FAILED}
    match = msgspec.structs.replace(begun("scrabble", WORDS[1], 2, "goes out").state, position=state)
    assert own_player(RULES, WORDS[1], level).move(Seen(view(match, 1), legal)) in legal


@pytest.mark.parametrize("seed", range(3))
def test_who_bluffs_to_go_out_does_not_stop_a_computer_without_understanding(seed: int) -> None:
    made = begun("scrabble", WORDS[1], 2, f"bluff {seed}")
    random, computer = Random(seed), AnyWord()
    while not made.over:
        state = made.state
        seat = demands(state)[0].seat
        legal = RULES.legal(state.position, seat)
        move = computer.move(Seen(view(state, 1), legal)) if seat else _bluff(state.position, legal, random)
        made.send(seat, Play(move))


def _bluff(position: Any, legal: tuple[str, ...], random: Random) -> str:
    """All the letters it can get rid of, in any place that takes them, whatever they spell."""
    if ACCEPT in legal:
        return ACCEPT
    rack = stood(position).racks[0]
    for _ in range(200 if rack else 0):
        letters = random.sample(rack, random.choice((len(rack), random.randint(1, len(rack)))))
        word = "".join(letters).replace("?", "a")
        start = f"{random.randint(1, 15)}{random.choice('ABCDEFGHIJKLMNO')}"
        try:
            return RULES.read(position, 0, f"{start} {word}")
        except Refused:
            continue
    return "-"
