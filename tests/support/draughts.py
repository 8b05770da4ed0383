"""Draughts positions for tests, written as the rules page writes them: ``W:WKa1:Bc3,g3``."""

from random import Random

from shared.rules.draughts import RULES, State
from shared.rules.draughts.board import NAMES, mask
from tests.support.duels import Played

PLAYED = Played(RULES)
after, legal, refusal, perft = PLAYED.after, PLAYED.legal, PLAYED.refusal, PLAYED.perft


def at(position: str, first: int = 0) -> State:
    """The state in which the position stands, with no history; ``first`` is the seat that has White."""
    to_move, white, black = position.split(":")
    sides = [[name for name in side[1:].split(",") if name] for side in (white, black)]
    men = [mask(*(name for name in side if not name.startswith("K"))) for side in sides]
    kings = [mask(*(name[1:] for name in side if name.startswith("K"))) for side in sides]
    return State(
        first=first, ply=0 if to_move == "W" else 1, men=(men[0], men[1]), kings=(kings[0], kings[1])
    )


def random_position(random: Random) -> State:
    """Up to twelve pieces a side anywhere, kings among them; far more captures than in real games."""
    free = list(NAMES)
    random.shuffle(free)
    sides: list[str] = []
    for colour, far in (("W", "8"), ("B", "1")):
        chance = random.choice((0.0, 0.2, 0.5, 1.0))
        pieces = [free.pop() for _ in range(random.randint(1, random.choice((4, 8, 12))))]
        kings = [square for square in pieces if square.endswith(far) or random.random() < chance]
        sides.append(colour + ",".join(f"K{sq}" if sq in kings else sq for sq in pieces))
    return at(f"{random.choice('WB')}:{':'.join(sides)}", first=random.randrange(2))
