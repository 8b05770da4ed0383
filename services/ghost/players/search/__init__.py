"""Players who look ahead, for the open games of two in turn: one search, and for each game what it knows.

A new game is judged as any other once it has its line in ``_WAYS``; until then nobody thinks there.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, Final, Generic, NamedTuple, TypeVar

from services.ghost.players.protocol import Seen
from services.ghost.players.search.abalone import AbaloneJudgement
from services.ghost.players.search.alphabeta import Budget
from services.ghost.players.search.chess import ChessBoard
from services.ghost.players.search.draughts import DraughtsJudgement
from services.ghost.players.search.gomoku import GomokuBoard
from services.ghost.players.search.gomoku3d import Gomoku3dJudgement
from services.ghost.players.search.mates import mate_in_two
from services.ghost.players.search.openings import opening_move
from services.ghost.players.search.player import Approach, Scale, Searcher
from services.ghost.players.search.reversi import ReversiJudgement
from services.ghost.players.search.states import Judgement, StateBoard
from shared.rules.abalone.game import Abalone
from shared.rules.alternating import Turns
from shared.rules.chess.game import Chess, board_of
from shared.rules.draughts.game import Draughts
from shared.rules.gomoku.game import Gomoku
from shared.rules.gomoku3d.game import Gomoku3d
from shared.rules.protocol import Rules
from shared.rules.registry import AnyRules
from shared.rules.reversi.game import Reversi

__all__ = ["Searcher", "searcher"]

S = TypeVar("S", bound=Turns)

_ONE_MOVE: Final = 1


class _OnStates(Generic[S]):
    """``Approach`` by a judgement, on the rules' own states."""

    def __init__(self, rules: Rules[S], judgement: Judgement[S]) -> None:
        self._rules = rules
        self._judgement = judgement

    def board(self, state: S) -> StateBoard[S]:
        return StateBoard(self._rules, self._judgement, state)

    def known(self, seen: Seen, state: S, budget: Budget) -> str | None:
        del seen, state, budget

    def undecided(self, state: S) -> bool:
        del state
        return False


class _OfChess:
    """``Approach``; mates in two are looked for first, by who looks so far."""

    def board(self, state: Any) -> ChessBoard:
        return ChessBoard(state)

    def known(self, seen: Seen, state: Any, budget: Budget) -> str | None:
        del seen
        mate = mate_in_two(board_of(state)) if budget.depth > _ONE_MOVE else None
        return None if mate is None else mate.uci()

    def undecided(self, state: Any) -> bool:
        del state
        return False


class _OfGomoku:
    """``Approach``; openings need no search."""

    def board(self, state: Any) -> GomokuBoard:
        return GomokuBoard(state)

    def known(self, seen: Seen, state: Any, budget: Budget) -> str | None:
        return opening_move(seen, state, budget)

    def undecided(self, state: Any) -> bool:
        return state.circles is None


class _Way(NamedTuple):
    """How a game with these rules is searched, how many positions a move may cost, what values mean."""

    approach: Callable[[Any], Approach]
    nodes: int
    scale: Scale


def _of_chess(rules: Any) -> Approach:
    del rules
    return _OfChess()


def _of_gomoku(rules: Any) -> Approach:
    del rules
    return _OfGomoku()


def _judged(judgement: Judgement[Any]) -> Callable[[Any], Approach]:
    return lambda rules: _OnStates(rules, judgement)


_WAYS: Final[dict[type, _Way]] = {
    Abalone: _Way(_judged(AbaloneJudgement()), 2_000, Scale(750, 100)),  # a marble is 500
    Chess: _Way(_of_chess, 4_000, Scale(150, 25)),  # a pawn is 100
    Draughts: _Way(_judged(DraughtsJudgement()), 4_000, Scale(150, 25)),  # a man is 100
    Gomoku: _Way(_of_gomoku, 600, Scale(1_600, 500)),  # to be on turn is 600
    Gomoku3d: _Way(_judged(Gomoku3dJudgement()), 1_200, Scale(150, 25)),  # a three is 90
    Reversi: _Way(_judged(ReversiJudgement()), 2_000, Scale(900, 80)),  # a corner is 800
}
"""By the class of their rules.

The nodes take up to 50 ms in the light games, a quarter of a second in the others. In games between two who
look one move ahead, whoever was ``clearly`` worse at a glance lost at least three games for each that he won.
"""

_SHALLOW: Final = Budget(nodes=200, depth=_ONE_MOVE)


def searcher(rules: AnyRules, *, shallow: bool) -> Searcher | None:
    """The player for this game, looking one move ahead if ``shallow``; None where there is none."""
    way = next((way for kind, way in _WAYS.items() if isinstance(rules, kind)), None)
    return None if way is None else _searcher(rules, way, _SHALLOW if shallow else Budget(way.nodes))


@cache
def _searcher(rules: AnyRules, way: _Way, budget: Budget) -> Searcher:
    return Searcher(rules, way.approach(rules), budget, way.scale)
