"""What open games between two who move in turn answer alike: whose turn, giving up, options (boardgames §0).

A *side* is 0 for the player who began and 1 for the other, whatever their seats; colours follow from it.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final, Generic, TypeVar

import msgspec

from shared.clocks import CHESS, MOVE
from shared.problems import Refused
from shared.rules.options import Option, check, schema
from shared.rules.protocol import TABLE, Over, Players, Pool, Result, Traits, Waiting

_TO_MOVE: Final = (Players((0,)), Players((1,)))
P = TypeVar("P")


class Turns(msgspec.Struct, frozen=True, kw_only=True):
    """The part of a state that counts turns.

    ``first`` is the seat that began, ``ply`` how many moves were made, ``result`` is set when the game has
    ended.
    """

    first: int
    ply: int = 0
    result: Result | None = None

    @property
    def side(self) -> int:
        """The side to move; after the end the one that would be."""
        return self.ply & 1

    @property
    def turn(self) -> int:
        """The seat to move; after the end the one that would be."""
        return self.first ^ (self.ply & 1)

    def by_seat(self, by_side: tuple[P, P]) -> list[P]:
        """Something told by side, told by seat."""
        return list(by_side[::-1] if self.first else by_side)


S = TypeVar("S", bound=Turns)


class Alternating(ABC, Generic[S]):
    """The shared half of such rules (see ``shared.rules.protocol``); the other half is the game's own."""

    version: int = 1
    seats: tuple[int, int] = (2, 2)

    def __init__(
        self,
        name: str,
        title: str,
        minutes: tuple[int, int, int],
        offered: tuple[Option, ...] = (),
        *,
        begins: str = "white",
        exports: Mapping[str, str] = MappingProxyType({}),
        newcomer: int = 0,
    ) -> None:
        """The game ``name``, called ``title``.

        ``minutes`` are those of its chess clock (B5), ``offered`` its options; ``begins`` and ``exports``
        are as in ``Traits``, ``newcomer`` as in ``Pool``.
        """
        self.name = name
        self.title = title
        self.traits = Traits(
            open=True,
            draws=True,
            clocks=(MOVE, CHESS),
            minutes=minutes,
            begins=begins,
            exports=dict(exports),
            pool=Pool(system=TABLE, newcomer=newcomer),
        )
        self._offered = offered

    def options(self) -> dict[str, Any]:
        """What a table may choose."""
        return schema(self._offered)

    def offers(self, options: Mapping[str, Any]) -> Traits:
        """The same under all options."""
        self._chosen(options)
        return self.traits

    def _chosen(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Every option with its value; raises ``Refused("invalid_options")``."""
        check(self.name, self._offered, given)
        return {option.name: given.get(option.name, option.values[0]) for option in self._offered}

    def _first(self, seats: int, first: int | None) -> int:
        """The seat that begins, checked; raises ``Refused("invalid_options")``."""
        if seats != 2:  # noqa: PLR2004 - two sides
            raise Refused("invalid_options", f"{self.name} is played by two, not by {seats}.")
        if first not in (0, 1):
            raise Refused("invalid_options", f"There is no seat {first} to move first.")
        return first

    def waiting(self, state: S) -> Waiting:
        """The seat to move, or the end."""
        return _TO_MOVE[state.turn] if state.result is None else Over(state.result)

    def read(self, state: S, seat: int, text: str) -> str:
        """The move that ``text`` means to the seat to move; raises ``Refused``."""
        if state.result is not None or seat != state.turn:
            raise Refused("illegal_move", "There is nothing to move for this seat now.")
        return self._meant(state, text)

    @abstractmethod
    def _meant(self, state: S, text: str) -> str:
        """The legal move that ``text`` means; the game's ``reading`` says what is understood."""

    def write(self, state: S, seat: int, move: str, viewer: int | None) -> str:  # noqa: ARG002 - nothing is hidden
        """As it is: mostly the canonical text is the field's notation."""
        return move

    def half_moves(self, state: S, move: str) -> int:  # noqa: ARG002 - every move is one
        """One (§0.6)."""
        return 1

    def claim(self, state: S, seat: int, move: str) -> Result | None:  # noqa: ARG002 - as above
        """Nothing: draws by rule come by themselves."""
        return None

    def settle(self, state: S, drawn: tuple[int, ...]) -> S:  # noqa: ARG002 - as above
        """Nothing is ever drawn."""
        return state

    def forfeit(self, state: S, seat: int, cause: str) -> Result:  # noqa: ARG002 - the price is always the same
        """A lost game, whatever the cause."""
        return Result.win(1 - seat, "forfeit")

    def finishing_move(self, state: S, seat: int) -> str | None:  # noqa: ARG002 - as above
        """None: each move is a decision to the end."""
        return None


def occurrences(earlier: tuple[P, ...], now: P) -> int:
    """How often the position ``now`` has stood with the same side to move, this time included.

    ``earlier`` are the positions before it since the last move that cannot be undone, oldest first.
    """
    return 1 + earlier[-2::-2].count(now)
