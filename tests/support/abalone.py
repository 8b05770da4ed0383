"""Abalone positions for tests, written as the rules page writes them, rows from i down."""

from shared.rules.abalone import RULES, State
from shared.rules.abalone.board import from_text
from tests.support.duels import Played

PLAYED = Played(RULES)
after, legal, refusal, perft = PLAYED.after, PLAYED.legal, PLAYED.refusal, PLAYED.perft


def at(board: str, to_move: str = "b", *, first: int = 0, ejected: tuple[int, int] = (0, 0)) -> State:
    """The state in which the position stands, with no history; ``first`` is the seat that has Black."""
    return State(first=first, ply=0 if to_move == "b" else 1, marbles=from_text(board), ejected=ejected)


def on_row_e(row: str, to_move: str = "b") -> State:
    """A state with these marbles on e1 … e9 (S black, s white, . none), and with two far away to move."""
    assert len(row) == 9
    return at(f"4S/6/7/8/{row.replace('.', '1')}/8/7/6/4s", to_move)
