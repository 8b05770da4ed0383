"""Players who look ahead, for the open games of two in turn: one search, and for each game what it knows."""

from functools import cache
from typing import Any, Final, Generic, TypeVar

from services.ghost.players.protocol import Seen
from services.ghost.players.search.abalone import Abalone as AbaloneJudgement
from services.ghost.players.search.alphabeta import Budget
from services.ghost.players.search.chess import ChessBoard
from services.ghost.players.search.draughts import Draughts as DraughtsJudgement
from services.ghost.players.search.gomoku import GomokuBoard
from services.ghost.players.search.gomoku3d import Gomoku3d as Gomoku3dJudgement
from services.ghost.players.search.mates import mate_in_two
from services.ghost.players.search.openings import opening_move
from services.ghost.players.search.player import Approach, Searcher
from services.ghost.players.search.reversi import Reversi as ReversiJudgement
from services.ghost.players.search.states import Judgement, StateBoard
from shared.rules.abalone.game import Abalone
from shared.rules.chess.game import Chess, board_of
from shared.rules.draughts.game import Draughts
from shared.rules.duel import Duel, Turns
from shared.rules.gomoku.game import Gomoku
from shared.rules.gomoku3d.game import Gomoku3d
from shared.rules.protocol import Rules
from shared.rules.registry import AnyRules
from shared.rules.reversi.game import Reversi

__all__ = ["Searcher", "searcher"]

S = TypeVar("S", bound=Turns)


class _OnStates(Generic[S]):
    """``Approach`` by a judgement, on the rules' own states."""

    def __init__(self, rules: Rules[S], judgement: Judgement[S]) -> None:
        self._rules = rules
        self._judgement = judgement

    def board(self, state: S) -> StateBoard[S]:
        return StateBoard(self._rules, self._judgement, state)

    def known(self, seen: Seen) -> str | None:
        del seen


class _OfChess:
    """``Approach``; mates in two are looked for first."""

    def board(self, state: Any) -> ChessBoard:
        return ChessBoard(state)

    def known(self, seen: Seen) -> str | None:
        mate = mate_in_two(board_of(seen.state))
        return None if mate is None else mate.uci()


class _OfGomoku:
    """``Approach``; openings need no search."""

    def board(self, state: Any) -> GomokuBoard:
        return GomokuBoard(state)

    def known(self, seen: Seen) -> str | None:
        return opening_move(seen, seen.state)


_NODES: Final[tuple[tuple[type[Duel[Any]], int], ...]] = (
    (Abalone, 2_000),
    (Chess, 4_000),
    (Draughts, 4_000),
    (Gomoku, 600),
    (Gomoku3d, 1_200),
    (Reversi, 2_000),
)
"""How many positions a move may cost: up to 50 ms in the light games, a quarter of a second in the others."""

_SHALLOW: Final = Budget(nodes=200, depth=1)


def _approach(rules: AnyRules) -> Approach:
    match rules:
        case Chess():
            return _OfChess()
        case Gomoku():
            return _OfGomoku()
        case Abalone():
            return _OnStates(rules, AbaloneJudgement())
        case Draughts():
            return _OnStates(rules, DraughtsJudgement())
        case Gomoku3d():
            return _OnStates(rules, Gomoku3dJudgement())
        case Reversi():
            return _OnStates(rules, ReversiJudgement())
        case _:
            raise LookupError(f"Nobody has said how {rules.name} is judged.")


def searcher(rules: AnyRules, *, shallow: bool) -> Searcher | None:
    """The player for this game, looking one move ahead if ``shallow``; None where there is none."""
    nodes = next((nodes for kind, nodes in _NODES if isinstance(rules, kind)), None)
    if nodes is None:
        return None
    return _searcher(rules, _SHALLOW if shallow else Budget(nodes))


@cache
def _searcher(rules: AnyRules, budget: Budget) -> Searcher:
    return Searcher(rules, _approach(rules), budget)
