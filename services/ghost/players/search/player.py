"""``Player`` for an open game of two in turn: looks ahead within a budget of positions."""

from typing import Any, Final, Protocol

from services.ghost.players.protocol import Seen
from services.ghost.players.search.alphabeta import Board, Budget, Choice, Search
from shared.commands import ClaimDraw, Play
from shared.rules.registry import AnyRules

LONG: Final = 100
"""After so many plies an even game may as well be drawn."""

CLEARLY: Final = 150
"""So much worse, a man and a half, a draw is welcome at any time."""

EVEN: Final = 25
_A_GLANCE: Final = 4  # the part of a move's budget that an answer to an offer is worth


class Approach(Protocol):
    """How a game is searched."""

    def board(self, state: Any) -> Board[str]:
        """A board that stands as ``state`` does; its moves are texts of the rules."""
        ...

    def known(self, seen: Seen) -> str | None:
        """The legal move for which no search is needed (an opening, a mate in two); None: search."""
        ...


class Searcher:
    """``Drawing`` by a search."""

    def __init__(self, rules: AnyRules, approach: Approach, budget: Budget) -> None:
        """Search as ``approach`` says, within ``budget`` for every move."""
        self._rules = rules
        self._approach = approach
        self._budget = budget

    def move(self, seen: Seen) -> str:
        """The best move that was found."""
        return self._chosen(seen).move

    def plays(self, seen: Seen) -> Play | ClaimDraw:
        """A draw that can be had is claimed where nothing better was found; who is ahead waits for a slip."""
        found = self._chosen(seen)
        if found.value < 0 or (found.value == 0 and self._approach.board(seen.state).judge() <= 0):
            for announced in ("", found.move):
                if self._rules.claim(seen.state, seen.seat, announced) is not None:
                    return ClaimDraw(announced)
        return Play(found.move)

    def accepts_draw(self, seen: Seen) -> bool:
        """Where the seat stands clearly worse, or even in a long game."""
        state = _open(seen)
        board = self._approach.board(state)
        glance = Budget(max(self._budget.nodes // _A_GLANCE, 1), self._budget.depth)
        value = Search(board, glance).choose(board.moves()).value
        value = value if state.turn == seen.seat else -value
        return value <= -CLEARLY or (abs(value) <= EVEN and state.ply >= LONG)

    def takes(self, seen: Seen) -> bool:
        """Nobody doubles in these games."""
        del seen
        return True

    def accepts_beaver(self, seen: Seen) -> bool:
        """As ``takes``."""
        del seen
        return True

    def _chosen(self, seen: Seen) -> Choice[str]:
        state = _open(seen)
        known = self._approach.known(seen)
        if known is not None:
            return Choice(known, 1, 0, 0)
        board = self._approach.board(state)
        legal = set(seen.legal)
        roots = [move for move in board.moves() if move in legal] or seen.legal
        return Search(board, self._budget).choose(roots)


def _open(seen: Seen) -> Any:
    """The state of the game; raises ``LookupError`` where nobody has shown it."""
    if seen.state is None:
        raise LookupError("A search needs the state of an open game.")
    return seen.state
