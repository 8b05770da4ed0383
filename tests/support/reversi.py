"""Reversi positions for tests, written as the rules page says: 64 signs and who is to move."""

import re
from pathlib import Path
from typing import Final, NamedTuple

from shared.rules.protocol import PASS
from shared.rules.reversi import RULES, State
from shared.rules.reversi.board import from_text
from tests.support.duels import Played

PLAYED = Played(RULES)
after, legal, refusal, perft = PLAYED.after, PLAYED.legal, PLAYED.refusal, PLAYED.perft

WIPED_OUT: Final = "f5 d6 c5 f4 e3 f6 g5 e6 e7"
"""The shortest game: White has no disc left."""

BLOCKED: Final = "d3 e3 f4 c3 d2 f3 f2 d6 c2 g3 e2 e1 g2 c1 h4 h2"
"""A game after which nobody can move though most squares are empty; White wins."""

_RECORDED: Final = Path(__file__).parents[1] / "data" / "reversi-games.txt"


class Recorded(NamedTuple):
    """A game of a tournament: its squares in order, without passes, and Black's discs as recorded."""

    squares: tuple[str, ...]
    black: int


def recorded() -> list[Recorded]:
    """The games of the file."""
    lines = _RECORDED.read_text(encoding="utf-8").splitlines()
    games = (line.split() for line in lines if not line.startswith("#"))
    return [Recorded(tuple(re.findall(r"[a-h][1-8]", moves)), int(black)) for moves, black in games]


def at(*rows: str, to_move: str = "X", first: int = 0) -> State:
    """The state with these rows from the top, those that lack empty; ``first`` is the seat that has Black."""
    text = "".join(f"{row:-<8}" for row in rows)
    black, white, side = from_text(f"{text:-<64} {to_move}")
    return State(first=first, ply=side, discs=(black, white))


def replayed(squares: tuple[str, ...], first: int = 0) -> list[State]:
    """Every state of a game from the start; a pass is played where the mover has nothing else."""
    states = [RULES.setup(2, {}, first)]
    for square in squares:
        if legal(states[-1]) == {PASS}:
            states.append(after(states[-1], PASS))
        states.append(after(states[-1], square))
    return states
