"""Running matches of the games with secrets, with people who ask for time, challenge, give up and leave."""

from random import Random
from typing import Any, Final

from services.game.domain import decide
from shared.clocks import PER_MOVE
from shared.commands import AskTime, Leave, Play, PlayerCommand, Resign
from shared.events.match import Seat, Terms
from shared.match import Phase, demands
from shared.problems import Refused
from shared.rules.registry import CURRENT
from shared.rules.scrabble.words import OWN
from tests.support.matches import MemoryGame
from tests.support.scrabble import greedy

HOUSE: Final = Terms(cube=False, clock=PER_MOVE, absence="forfeit")
OPTIONS: Final[dict[str, tuple[dict[str, Any], ...]]] = {
    "battleship": ({}, {"extra_shot_on_hit": True}, {"fleet": "5,4,3,3,2"}),
    "prsi": ({}, {"reshuffle": True}, {"illegal_play_draws": True}, {"deal": 4, "play_on": False}),
    "scrabble": ({"dictionary": OWN.id}, {"dictionary": OWN.id, "challenge": True}),
}
TURNS: Final = {"battleship": 120, "prsi": 60, "scrabble": 30}
TRIED: Final = {
    "battleship": ("a1", "j10", "e5", "a1-a4 c1-c3 g7", "k1", "?"),
    "prsi": ("7h", "Ah", "Oh=l", "Kb", "10a", "draw", "stand", "penalty", "?"),
    "scrabble": ("8H KOLO", "H8 DA", "A1 AB", "-A", "-", "challenge", "accept", "-?", "?"),
}
"""Texts of moves, good or bad, that a viewer tries."""


def running(game: str, seed: int) -> MemoryGame:
    """A match that goes on, after some turns of any kind, with any number of seats and any options."""
    random = Random(f"{game} {seed}")
    low, high = CURRENT[game].seats
    seats = tuple(Seat(f"pplayer{seat}234") for seat in range(random.randint(low, high)))
    options = dict(random.choice(OPTIONS[game]))
    made = MemoryGame(f"twins {game} {seed}", HOUSE, seats=seats, rules=game, options=options)
    made.start()
    play_some(made, random, random.randrange(TURNS[game]), giving_up=0.03)
    return made


def play_some(made: MemoryGame, random: Random, turns: int, giving_up: float = 0.0) -> None:
    """So many turns, fewer if the match would end; of several, one gives up now and then."""
    for _ in range(turns):
        state = made.state
        seat = random.choice(demands(state)).seat
        moves = state.rules.legal(state.position, seat)
        command: PlayerCommand = Play(random.choice(moves))
        if state.rules.name == "scrabble":
            command = Play(_of_scrabble(state.position, seat, moves, random))
        if random.random() < 0.05:
            command = AskTime()
        if state.seats > 2 and random.random() < giving_up:
            seat = random.randrange(state.seats)
            command = random.choice((Resign(), Leave()))
        try:
            draft = decide(state, seat, command, made.secret)
        except Refused:
            continue
        if draft.state.phase is Phase.OVER:
            break
        made.send(seat, command)


def _of_scrabble(position: Any, seat: int, moves: tuple[str, ...], random: Random) -> str:
    """Mostly the best play; or a challenge, a play of any letters that may be challenged, any move."""
    chance = random.random()
    if chance < 0.25:
        return random.choice(moves)
    if position.open is not None and chance < 0.5:
        return "challenge"
    best = greedy(position, seat, moves)
    start, _, word = best.partition(" ")
    rack = [tile for tile in position.racks[seat] if tile != "?"]
    if not position.challenge or chance < 0.6 or len(word) > len(rack):
        return best
    random.shuffle(rack)
    return f"{start} {''.join('.' if sign == '.' else rack.pop() for sign in word)}"
