"""Alpha-beta for any game of two in turn: iterative deepening, a table of positions, quiescence.

The budget is counted in positions, so the same question has the same answer on every machine. The wall clock
is no more than a guard against a machine that stands still: in normal conditions it never decides.
"""

from collections.abc import Hashable, Sequence
from time import perf_counter
from typing import Final, Generic, NamedTuple, Protocol, TypeVar

WIN: Final = 1_000_000
"""A won game; one that is won in so many plies is worth so much less, so that the shortest way is taken."""

WON: Final = WIN - 1_000
"""From here on a value tells a forced win."""

GUARD_S: Final = 10.0
"""A search that takes so long is cut: dozens of times what any budget of ours needs."""

_LOOKS_AT_THE_CLOCK: Final = 128  # positions: some ten milliseconds
_DEEPEST_LOUD: Final = 12  # plies of quiescence; captures and forced replies are over long before
_NO_CHOICE: Final = 2  # plies, to know what a single move is worth
_EXACT, _AT_LEAST, _AT_MOST = 0, 1, 2

M = TypeVar("M", bound=Hashable)
Move = TypeVar("Move", bound=Hashable)


class Loud(NamedTuple, Generic[Move]):
    """What quiescence looks at; where it is ``forced`` there is no standing still."""

    moves: Sequence[Move]
    forced: bool


class Board(Protocol[M]):
    """A game that can be played forth and back. Values are the side's to move, on the game's own scale."""

    def make(self, move: M) -> None:
        """Play."""
        ...

    def unmake(self) -> None:
        """Take the newest move back."""
        ...

    def ended(self) -> int | None:
        """-``WIN``, 0 or ``WIN`` if the game is over, or as good as drawn, else None; never at the root."""
        ...

    def moves(self) -> Sequence[M]:
        """What is worth a look, best first; nothing only where ``stuck``."""
        ...

    def stuck(self) -> int:
        """As ``ended``, where there is no move."""
        ...

    def loud(self) -> Loud[M]:
        """The moves without which ``judge`` would be blind."""
        ...

    def judge(self) -> int:
        """The worth of the position as it stands."""
        ...

    def key(self) -> Hashable:
        """What makes two positions the same, the side to move included."""
        ...


class Budget(NamedTuple):
    """So many positions, and plies, that a search may look at."""

    nodes: int
    depth: int = 60


class Choice(NamedTuple, Generic[Move]):
    """The best move, what it is worth to its side, and how many plies and positions were looked at."""

    move: Move
    value: int
    depth: int
    nodes: int


class _Spent(Exception):  # noqa: N818 - no error: the budget is used up
    """No position more."""


class Search(Generic[M]):
    """One search on one board; neither is used again."""

    def __init__(self, board: Board[M], budget: Budget) -> None:
        """Nothing looked at yet."""
        self._board = board
        self._budget = budget
        self._nodes = 0
        self._until = perf_counter() + GUARD_S
        self._table: dict[Hashable, tuple[int, int, int, M]] = {}
        self._killers: list[list[M]] = [[] for _ in range(budget.depth + 2)]

    def choose(self, roots: Sequence[M]) -> Choice[M]:
        """The best of ``roots``, the likeliest first; of equal ones the first."""
        order, value, reached = list(roots), 0, 0
        deepest = min(self._budget.depth, _NO_CHOICE) if len(order) == 1 else self._budget.depth
        for depth in range(1, deepest + 1):
            found: list[tuple[int, M]] = []
            try:
                self._iterate(order, depth, found)
            except _Spent:
                if found:  # the first of them was the best before, so a later one is better
                    value, best = found[-1]
                    order.remove(best)
                    order.insert(0, best)
                break
            value, best = found[-1]
            order.remove(best)
            order.insert(0, best)
            reached = depth
            if abs(value) >= WON:
                break
        return Choice(order[0], value, reached, self._nodes)

    def _iterate(self, order: Sequence[M], depth: int, found: list[tuple[int, M]]) -> None:
        """Look at every root; each that is better than all before it goes to ``found``."""
        board, alpha = self._board, -WIN - 1
        for move in order:
            board.make(move)
            value = -self._beyond(depth - 1, -alpha - 1, -alpha, 1) if found else alpha + 1
            if value > alpha:
                value = -self._beyond(depth - 1, -WIN - 1, -alpha, 1)
            board.unmake()
            if value > alpha:
                alpha = value
                found.append((value, move))

    def _beyond(self, depth: int, alpha: int, beta: int, ply: int) -> int:
        """The worth of the position for the side to move, exact between ``alpha`` and ``beta``."""
        self._count()
        board = self._board
        over = board.ended()
        if over is not None:
            return _later(over, ply)
        if depth <= 0:
            return self._loud(alpha, beta, ply, 0)
        key = board.key()
        known = self._table.get(key)
        first: M | None = None
        if known is not None:
            at_depth, bound, value, first = known
            value = _from_table(value, ply)
            if at_depth >= depth and (
                bound == _EXACT
                or (bound == _AT_LEAST and value >= beta)
                or (bound == _AT_MOST and value <= alpha)
            ):
                return value
        moves = board.moves()
        if not moves:
            return _later(board.stuck(), ply)
        best, best_move = self._best(self._ordered(moves, first, ply), depth, alpha, beta, ply)
        bound = _AT_LEAST if best >= beta else _EXACT if best > alpha else _AT_MOST
        self._table[key] = depth, bound, _to_table(best, ply), best_move
        return best

    def _best(self, moves: Sequence[M], depth: int, alpha: int, beta: int, ply: int) -> tuple[int, M]:
        """The best of ``moves`` and its value, or the first that reaches ``beta``."""
        board = self._board
        best, best_move = -WIN - 1, moves[0]
        for number, move in enumerate(moves):
            board.make(move)
            if number:
                value = -self._beyond(depth - 1, -alpha - 1, -alpha, ply + 1)
                if alpha < value < beta:
                    value = -self._beyond(depth - 1, -beta, -alpha, ply + 1)
            else:
                value = -self._beyond(depth - 1, -beta, -alpha, ply + 1)
            board.unmake()
            if value > best:
                best, best_move = value, move
                alpha = max(alpha, value)
                if alpha >= beta:
                    self._refutes(move, ply)
                    break
        return best, best_move

    def _loud(self, alpha: int, beta: int, ply: int, deep: int) -> int:
        """Follow captures and forced replies until the position can be judged as it stands."""
        board = self._board
        moves, forced = board.loud()
        best = -WIN - 1
        if not forced or deep >= _DEEPEST_LOUD:
            best = board.judge()
            if best >= beta or deep >= _DEEPEST_LOUD:
                return best
            alpha = max(alpha, best)
        elif not moves:
            return _later(board.stuck(), ply)
        for move in moves:
            board.make(move)
            self._count()
            over = board.ended()
            value = -(self._loud(-beta, -alpha, ply + 1, deep + 1) if over is None else _later(over, ply + 1))
            board.unmake()
            if value > best:
                best = value
                alpha = max(alpha, value)
                if alpha >= beta:
                    break
        return best

    def _ordered(self, moves: Sequence[M], first: M | None, ply: int) -> Sequence[M]:
        """``moves`` with what was best here before, and what refuted its brothers, in front."""
        ahead = [killer for killer in self._killers[ply] if killer != first and killer in moves]
        if first is not None and first in moves:
            ahead.insert(0, first)
        return [*ahead, *(move for move in moves if move not in ahead)] if ahead else moves

    def _refutes(self, move: M, ply: int) -> None:
        killers = self._killers[ply]
        if move not in killers:
            killers.insert(0, move)
            del killers[2:]

    def _count(self) -> None:
        self._nodes += 1
        if self._nodes > self._budget.nodes:
            raise _Spent
        if not self._nodes % _LOOKS_AT_THE_CLOCK and perf_counter() > self._until:
            raise _Spent


def _later(over: int, ply: int) -> int:
    """A win so many plies away is a little less, a loss a little less bad."""
    return over - ply if over > 0 else over + ply if over < 0 else 0


def _to_table(value: int, ply: int) -> int:
    """Wins in the table are counted from the position, not from the root."""
    return value + ply if value >= WON else value - ply if value <= -WON else value


def _from_table(value: int, ply: int) -> int:
    return value - ply if value >= WON else value + ply if value <= -WON else value
