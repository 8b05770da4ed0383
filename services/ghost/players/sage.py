"""The engine ``bgsage`` (optional, MPL-2.0) at one ply: about 2 ms a move, 40 ms an answer to a double.

Its boards have 26 places: 1 … 24 are the mover's own points with the opponent's checkers as negative
numbers, 25 is the mover's bar, 0 the opponent's bar as a positive number.
"""

from collections.abc import Iterable, Sequence
from typing import Final, Protocol, TypedDict, cast

from services.ghost.players.nard import mode
from services.ghost.players.protocol import Seen
from services.ghost.players.score import away
from services.ghost.players.tables import Boards, board_of, boards, dice
from shared.match import MatchView
from shared.rules.nard.board import BAR
from shared.rules.nard.game import Nard
from shared.rules.nard.hitting import HITS
from shared.rules.registry import AnyRules

_CHECKERS: Final = 15
"""With fewer the engine takes the rest for borne off and believes in no gammon: our own player is better."""

_GIVEN_UP: Final = -0.5
"""Giving up costs half of what would be played for, double or beaver: worse equity than this is given up."""


class Candidate(Protocol):
    """A move as the engine gives it."""

    board: list[int]


class Moves(Protocol):
    """The engine's moves, the best first."""

    moves: Sequence[Candidate]


class Cube(Protocol):
    """What the engine thinks of doubling; ``equity_nd`` is the player's without it, in units of the cube."""

    should_take: bool
    equity_nd: float


class Engine(Protocol):
    """What we use of ``bgsage.BgBotAnalyzer``; ``away`` 0 and 0 is a game outside a match."""

    def checker_play(
        self,
        board: list[int],
        die1: int,
        die2: int,
        cube_value: int = 1,
        cube_owner: str = "centered",
        *,
        away1: int = 0,
        away2: int = 0,
        is_crawford: bool = False,
        jacoby: bool = True,
        beaver: bool = True,
    ) -> Moves:
        """All moves, sorted."""
        ...

    def cube_action(
        self,
        board: list[int],
        cube_value: int = 1,
        cube_owner: str = "centered",
        *,
        away1: int = 0,
        away2: int = 0,
        is_crawford: bool = False,
        jacoby: bool = True,
        beaver: bool = True,
    ) -> Cube:
        """The decision of the player on roll, and of his opponent if he doubles."""
        ...


class NoAgreement(LookupError):  # noqa: N818 - the engine and our rules do not agree; nothing crashed
    """Every move that the engine found is illegal by our rules."""


def sage_answers(rules: AnyRules, seen: Seen) -> bool:
    """Whether the engine knows what is played here: a game of hits with fifteen checkers, played to win.

    It knows nothing of a last roll, which only the draw mode has.
    """
    if (
        not isinstance(rules, Nard)
        or rules.movement is not HITS
        or mode(rules, seen.view.options) == "giveaway"
    ):
        return False
    return sum(boards(seen).mine) == _CHECKERS and not board_of(seen).get("last_turn", False)


def sage_board(sides: Boards) -> list[int]:
    """Both sides as the engine reads them."""
    mine, theirs = sides
    points = [mine[p] - theirs[BAR - p] for p in range(1, BAR)]
    return [theirs[BAR], *points, mine[BAR]]


def legal_move(seen: Seen, wanted: Iterable[list[int]]) -> str:
    """The legal move that leads to the first of the ``wanted`` boards that any leads to.

    Raises ``NoAgreement``.
    """
    sides = boards(seen)
    found = {tuple(sage_board(sides.after(play))): play for play in reversed(seen.legal)}
    for board in wanted:
        play = found.get(tuple(board))
        if play is not None:
            return play
    raise NoAgreement(f"None of the engine's moves is legal in {seen.view.match} at {seen.view.n}.")


class Sage:
    """``Doubling`` by the engine; ``Sage.load()`` makes one. Several threads may ask at once."""

    def __init__(self, engine: Engine) -> None:
        """Ask ``engine``."""
        self._engine = engine

    @classmethod
    def load(cls) -> "Sage":
        """Load the engine's weights (0.2 s); raises ``ImportError`` where it is not installed."""
        from bgsage import BgBotAnalyzer  # noqa: PLC0415 - an optional group of packages

        return cls(cast("Engine", BgBotAnalyzer(eval_level="1ply", parallel_threads=1)))

    def move(self, seen: Seen) -> str:
        """The engine's best move that is legal by our rules; raises ``NoAgreement``.

        The engine may finish with one die where our list has the play of both; then its next best counts.
        """
        view = seen.view
        one, two = dice(seen)
        found = self._engine.checker_play(
            sage_board(boards(seen)),
            one,
            two,
            cube_value=view.cube.value if view.cube else 1,
            cube_owner=_owner(view, seen.seat),
            is_crawford=view.crawford,
            **_worth(seen, seen.seat),
        )
        return legal_move(seen, (move.board for move in found.moves))

    def takes(self, seen: Seen) -> bool:
        """Whether the engine takes; it looks at the position as the doubler, who is about to roll."""
        view = seen.view
        doubler = 1 - seen.seat
        found = self._engine.cube_action(
            sage_board(Boards(*reversed(boards(seen)))),
            cube_value=view.cube.value if view.cube else 1,
            cube_owner=_owner(view, doubler),
            **_worth(seen, doubler),
        )
        return bool(found.should_take if seen.view.terms.gammons else found.equity_nd <= -_GIVEN_UP)

    def accepts_beaver(self, seen: Seen) -> bool:
        """Whether the game, rolled on by us with the cube theirs at the beaver's value, is worth it."""
        view = seen.view
        offered = view.cube.offered if view.cube else None
        found = self._engine.cube_action(
            sage_board(boards(seen)),
            cube_value=offered or 1,
            cube_owner="opponent",
            **_worth(seen, seen.seat),
        )
        return bool(found.equity_nd > _GIVEN_UP)


class _Worth(TypedDict):
    away1: int
    away2: int
    jacoby: bool
    beaver: bool


def _worth(seen: Seen, seat: int) -> _Worth:
    """How the engine is told what a game counts, with ``seat`` as the player.

    It knows no game without gammons. Both one point away it thinks of winning alone: that is the same, but
    then it takes everything, for there a pass loses the match.
    """
    terms, view = seen.view.terms, seen.view
    needs = (away(view, seat), away(view, 1 - seat)) if terms.gammons else (1, 1)
    # The engine assumes both; whether it could be beavered matters only to doubling, which nobody asks of it.
    return {"away1": needs[0], "away2": needs[1], "jacoby": terms.jacoby, "beaver": False}


def _owner(view: MatchView, seat: int) -> str:
    """Whose cube it is, in the engine's words, with ``seat`` as the player."""
    if view.cube is None or view.cube.owner is None:
        return "centered"
    return "player" if view.cube.owner == seat else "opponent"
