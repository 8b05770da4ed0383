"""``Player`` for an open game of two in turn: looks ahead within a budget of positions."""

from typing import Any, Final, NamedTuple, Protocol

from services.ghost.players.protocol import Seen
from services.ghost.players.search.alphabeta import Board, Budget, Choice, Search
from shared.commands import ClaimDraw, Play
from shared.rules.alternating import Turns
from shared.rules.registry import AnyRules

LONG: Final = 100
"""After so many plies an even game may as well be drawn."""

_A_GLANCE: Final = 4  # the part of a move's budget that an answer to an offer is worth


class Scale(NamedTuple):
    """What a game's values mean: ``clearly`` worse a draw is welcome, up to ``even`` nobody is better off."""

    clearly: int
    even: int


class Approach(Protocol):
    """How a game is searched."""

    def board(self, state: Any) -> Board[str]:
        """A board that stands as ``state`` does; its moves are texts of the rules."""
        ...

    def known(self, seen: Seen, state: Any, budget: Budget) -> str | None:
        """The legal move for which no search is needed (an opening, a mate in two); None: search.

        It is found by a player who has ``budget`` for every move, and looks no further than that.
        """
        ...

    def undecided(self, state: Any) -> bool:
        """Whether it is still open who plays which side."""
        ...


class Searcher:
    """``Drawing`` by a search."""

    def __init__(self, rules: AnyRules, approach: Approach, budget: Budget, scale: Scale) -> None:
        """Search as ``approach`` says, within ``budget`` for every move; ``scale`` is that of its boards."""
        self._rules = rules
        self._approach = approach
        self._budget = budget
        self._scale = scale

    def move(self, seen: Seen) -> str:
        """The best move that was found."""
        return self._chosen(seen).move

    def plays(self, seen: Seen) -> Play | ClaimDraw:
        """A draw that can be had is claimed where nothing better was found; who is ahead waits for a slip."""
        state = _open(seen)
        found = self._chosen(seen)
        if found.value < 0 or (found.value == 0 and self._approach.board(state).judge() <= 0):
            for announced in ("", found.move):
                if self._rules.claim(state, seen.seat, announced) is not None:
                    return ClaimDraw(announced)
        return Play(found.move)

    def accepts_draw(self, seen: Seen) -> bool:
        """Where the seat stands clearly worse, or even in a long game.

        Never while sides are open: what stands on the board is then nobody's yet.
        """
        state = _open(seen)
        if self._approach.undecided(state):
            return False
        board = self._approach.board(state)
        glance = Budget(max(self._budget.nodes // _A_GLANCE, 1), self._budget.depth)
        value = Search(board, glance).choose(board.moves()).value
        value = value if state.turn == seen.seat else -value
        clearly, even = self._scale
        return value <= -clearly or (abs(value) <= even and state.ply >= LONG)

    def _chosen(self, seen: Seen) -> Choice[str]:
        state = _open(seen)
        known = self._approach.known(seen, state, self._budget)
        if known is not None:
            return Choice(known, 1, 0, 0)
        board = self._approach.board(state)
        legal = set(seen.legal)
        roots = [move for move in board.moves() if move in legal] or seen.legal
        return Search(board, self._budget).choose(roots)


def _open(seen: Seen) -> Turns:
    """The state of the game; raises ``LookupError`` where nobody has shown it."""
    if seen.position is None:
        raise LookupError("A search needs the position of an open game.")
    return seen.position
