"""Independent programs in our terms (rules §11): boards in own points, and all results of a roll."""

import re
from collections.abc import Callable, Iterator
from itertools import repeat
from random import Random
from typing import Any, Final

import pytest

from shared.rules.nard.board import Board
from shared.rules.nard.game import Nard, State
from shared.rules.protocol import PASS

Sides = tuple[Board, Board]


def our_results(rules: Nard, state: State) -> set[Sides]:
    """Mover's and opponent's boards after each legal play; empty where there is none."""
    seat = state.turn or 0
    plays = rules.legal(state, seat)
    after = [rules.play(state, seat, play).boards for play in plays if play != PASS]
    return {(boards[seat], boards[1 - seat]) for boards in after}


def gnubg_board(mine: Board, theirs: Board) -> list[list[int]]:
    """As gnubg and gnubg_nn take it: the opponent first, points 1 to 24 and the bar."""
    return [list(theirs[1:]), list(mine[1:])]


def whole(points: tuple[int, ...], checkers: int) -> Board:
    """Our board from 25 counts for the points 1 to 24 and the bar."""
    return (checkers - sum(points), *points)


def gnubg_nn_results(state: State) -> set[Sides]:
    """What ``our_results`` must be, by gnubg_nn."""
    gnubg_nn: Any = pytest.importorskip("gnubg_nn")
    moves: Callable[[list[list[int]], int, int], tuple[str, ...]] = gnubg_nn.moves
    decode: Callable[[str], tuple[tuple[int, ...], tuple[int, ...]]] = gnubg_nn.board_from_position_key
    seat = state.turn or 0
    mine, theirs = state.boards[seat], state.boards[1 - seat]
    keys = moves(gnubg_board(mine, theirs), *state.dice)
    return {(whole(own, sum(mine)), whole(other, sum(theirs))) for other, own in map(decode, keys)}


_INDICES: Final = range(24)
_BAR: Final = 100  # where OpenSpiel keeps the bar


class OpenSpiel:
    """Typed access to one OpenSpiel state; player 0 (X) and 1 (O) are its names for the sides."""

    def __init__(self, state: Any, checkers: int = 15) -> None:
        """Look at ``state``, a ``pyspiel`` state of backgammon with so many ``checkers`` on each side."""
        self.state = state
        self.checkers = checkers

    def sides(self, player: int) -> Sides:
        """Boards of ``player`` and of the other, each in own points.

        X's own point of index i is 24 - i, O's is i + 1: X starts on the low indices and moves up.
        """
        count: Callable[[int, int], int] = self.state.board
        x = (*reversed([*map(count, repeat(0), _INDICES)]), count(0, _BAR))
        o = (*map(count, repeat(1), _INDICES), count(1, _BAR))
        boards = whole(x, self.checkers), whole(o, self.checkers)
        return (boards[player], boards[1 - player])

    def dice(self) -> tuple[int, int]:
        """The roll to be played, from the printed state."""
        found = re.search(r"Dice: (\d)(\d)", str(self.state))
        assert found
        return int(found[1]), int(found[2])

    def to_play(self) -> State:
        """The position and its roll as ours; OpenSpiel's player is our seat."""
        player = int(self.state.current_player())
        mine, theirs = self.sides(player)
        return State(boards=(theirs, mine) if player else (mine, theirs), turn=player, dice=self.dice())

    def results(self) -> set[Sides]:
        """All results of the turn, the position itself if nothing can be played.

        A double is played in two halves ("extra turn").
        """
        player = int(self.state.current_player())
        halves = 2 if len(set(self.dice())) == 1 else 1
        fronts: dict[Sides, Any] = {self.sides(player): self.state}
        for _ in range(halves):
            reached: dict[Sides, Any] = {}
            for state in fronts.values():
                if state.is_terminal() or int(state.current_player()) != player:
                    reached[OpenSpiel(state, self.checkers).sides(player)] = state
                    continue
                for action in state.legal_actions():
                    child = state.child(action)
                    reached.setdefault(OpenSpiel(child, self.checkers).sides(player), child)
            fronts = reached
        return set(fronts)


def open_spiel_turns(state: Any, random: Random, checkers: int = 15) -> Iterator[OpenSpiel]:
    """Play ``state`` at random to its end; every turn is given after its roll and before it is played."""
    while not state.is_terminal():
        if state.is_chance_node():
            state.apply_action(random.choice(state.chance_outcomes())[0])
            continue
        yield OpenSpiel(state, checkers)
        player = int(state.current_player())
        while not state.is_terminal() and int(state.current_player()) == player:
            state.apply_action(random.choice(state.legal_actions()))
