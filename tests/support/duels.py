"""Games between two who move in turn, played by texts: for tests of their rules."""

from random import Random
from typing import Generic, TypeVar

import pytest

from shared.problems import Refused
from shared.rules.alternating import Turns
from shared.rules.protocol import Rules
from tests.support.playing import walk

S = TypeVar("S", bound=Turns)


class Played(Generic[S]):
    """What tests ask of one game, each time for the side to move."""

    def __init__(self, rules: Rules[S]) -> None:
        self.rules = rules

    def after(self, state: S, *moves: str) -> S:
        """The state after these moves, each in any notation."""
        for text in moves:
            state = self.rules.play(state, state.turn, self.rules.read(state, state.turn, text))
        return state

    def legal(self, state: S) -> set[str]:
        """The moves."""
        return set(self.rules.legal(state, state.turn))

    def refusal(self, state: S, text: str) -> tuple[str, str]:
        """Code and sentence with which ``text`` is refused."""
        with pytest.raises(Refused) as refused:
            self.rules.read(state, state.turn, text)
        return refused.value.problem.code, refused.value.problem.detail

    def perft(self, state: S, depth: int) -> int:
        """How many ways there are to go on for so many plies."""
        moves = self.rules.legal(state, state.turn)
        if depth == 1:
            return len(moves)
        return sum(self.perft(self.rules.play(state, state.turn, move), depth - 1) for move in moves)

    def random_games(self, count: int) -> list[list[S]]:
        """All states of so many whole games from the start."""
        starts = [self.rules.setup(2, {}, seed % 2) for seed in range(count)]
        return [list(walk(self.rules, start, Random(seed))) for seed, start in enumerate(starts)]
