"""Boards for games whose rules are quick enough to search on: every position is a state of the rules."""

from collections.abc import Hashable, Sequence
from typing import Generic, Protocol, TypeVar

from services.ghost.players.search.alphabeta import WIN, Loud
from shared.rules.alternating import Turns
from shared.rules.protocol import Rules

S = TypeVar("S", bound=Turns)
S_contra = TypeVar("S_contra", bound=Turns, contravariant=True)


class Judgement(Protocol[S_contra]):
    """What a player knows of a game. Values are the side's to move, on the game's own ``Scale``."""

    def value(self, state: S_contra) -> int:
        """The worth of a position in which the game goes on."""
        ...

    def ordered(self, state: S_contra, legal: Sequence[str]) -> Sequence[str]:
        """The legal moves that are worth a look, best first; at least one."""
        ...

    def loud(self, state: S_contra, legal: Sequence[str]) -> Loud[str]:
        """The moves without which ``value`` would be blind."""
        ...

    def key(self, state: S_contra) -> Hashable:
        """What makes two positions with the same side to move the same."""
        ...


class StateBoard(Generic[S]):
    """``Board`` on the rules themselves: what is legal, and how a game ends, they say."""

    def __init__(self, rules: Rules[S], judgement: Judgement[S], state: S) -> None:
        """Begin at ``state``."""
        self._rules = rules
        self._judgement = judgement
        self._states = [state]

    def make(self, move: str) -> None:
        """See ``Board``."""
        state = self._states[-1]
        self._states.append(self._rules.play(state, state.turn, move))

    def unmake(self) -> None:
        """See ``Board``."""
        self._states.pop()

    def ended(self) -> int | None:
        """See ``Board``; a draw by rule that history brings about is one."""
        state = self._states[-1]
        if state.result is None:
            return None
        winner = state.result.winner
        return 0 if winner is None else WIN if winner == state.turn else -WIN

    def moves(self) -> Sequence[str]:
        """See ``Board``."""
        state = self._states[-1]
        return self._judgement.ordered(state, self._rules.legal(state, state.turn))

    def stuck(self) -> int:
        """Never: the rules have ended such a game."""
        raise AssertionError("a game goes on without a move")

    def loud(self) -> Loud[str]:
        """See ``Board``."""
        state = self._states[-1]
        return self._judgement.loud(state, self._rules.legal(state, state.turn))

    def judge(self) -> int:
        """See ``Board``."""
        return self._judgement.value(self._states[-1])

    def key(self) -> Hashable:
        """See ``Board``."""
        state = self._states[-1]
        return state.side, self._judgement.key(state)
