"""Sealed bids: a tiny game of two to four who all choose at once, and of which one may go alone.

Each seat names a number from 0 to 9 in secret. The highest wins, equal ones share their place; who gives up
is last, the first to go last of all. It may be played to points. It is registered only where a test asks for
it.
"""

from collections.abc import Mapping
from typing import Any, Final

import msgspec
import pytest

from shared.problems import Refused
from shared.rules import registry
from shared.rules.protocol import Over, Players, Result, Traits, Waiting

BIDS: Final = tuple("0123456789")


class State(msgspec.Struct, frozen=True):
    """``bids`` are secret by seat until the end; ``gone`` gave up, in that order."""

    bids: tuple[str | None, ...]
    gone: tuple[int, ...] = ()

    @property
    def playing(self) -> tuple[int, ...]:
        """Who has not given up."""
        return tuple(seat for seat in range(len(self.bids)) if seat not in self.gone)


class SealedBids:
    """Rules (see ``shared.rules.protocol``)."""

    name: str = "sealed_bids"
    title: str = "Sealed bids"
    version: int = 1
    seats: tuple[int, int] = (2, 4)
    traits: Traits = Traits(matches=True)

    def options(self) -> dict[str, Any]:
        """None."""
        return {"type": "object", "properties": {}, "additionalProperties": False}

    def offers(self, options: Mapping[str, Any]) -> Traits:
        """Always the same."""
        del options
        return self.traits

    def setup(self, seats: int, options: Mapping[str, Any], first: int | None) -> State:
        """Nobody has named anything."""
        del options, first
        return State((None,) * seats)

    def waiting(self, state: State) -> Waiting:
        """All who have not named a number; the end, when all have or one alone is left."""
        playing = state.playing
        missing = tuple(seat for seat in playing if state.bids[seat] is None)
        if missing and len(playing) > 1:
            return Players(missing)
        return Over(_result(state))

    def legal(self, state: State, seat: int) -> tuple[str, ...]:
        """All numbers."""
        waiting = self.waiting(state)
        return BIDS if isinstance(waiting, Players) and seat in waiting.seats else ()

    def read(self, state: State, seat: int, text: str) -> str:
        """A number."""
        if text not in BIDS:
            raise Refused("unreadable_move", "Write a number from 0 to 9.")
        if text not in self.legal(state, seat):
            raise Refused("illegal_move", "You have named your number.")
        return text

    def write(self, state: State, seat: int, move: str, viewer: int | None) -> str:
        """For its owner only."""
        del state
        return move if viewer == seat else "a number"

    def play(self, state: State, seat: int, move: str) -> State:
        """The number is set aside."""
        bids = (*state.bids[:seat], move, *state.bids[seat + 1 :])
        return msgspec.structs.replace(state, bids=bids)

    def half_moves(self, state: State, move: str) -> int:
        """One."""
        del state, move
        return 1

    def claim(self, state: State, seat: int, move: str) -> Result | None:
        """Nothing is claimed."""
        del state, seat, move

    def settle(self, state: State, drawn: tuple[int, ...]) -> State:
        """Nothing is drawn."""
        del drawn
        return state

    def depart(self, state: State, seat: int) -> State:
        """``Departing``."""
        return msgspec.structs.replace(state, gone=(*state.gone, seat))

    def plays(self, state: State, seat: int) -> bool:
        """``Departing``."""
        return seat not in state.gone

    def forfeit(self, state: State, seat: int, cause: str) -> Result:
        """As if it ended by this."""
        del cause
        return _result(self.depart(state, seat))

    def view(self, state: State, seat: int | None) -> dict[str, Any]:
        """The own number, and who has named one."""
        return {
            "bid": None if seat is None else state.bids[seat],
            "named": [bid is not None for bid in state.bids],
            "gone": list(state.gone),
        }

    def position(self, state: State) -> str:
        """There is no standard form."""
        del state
        return ""

    def finishing_move(self, state: State, seat: int) -> str | None:
        """Never."""
        del state, seat


def _result(state: State) -> Result:
    bids = {seat: state.bids[seat] or "" for seat in state.playing}
    higher = {seat: sum(other > bid for other in bids.values()) for seat, bid in bids.items()}
    places = [1 + higher.get(seat, 0) for seat in range(len(state.bids))]
    for number, seat in enumerate(state.gone):
        places[seat] = len(state.bids) - number
    alone = places.count(1) == 1
    return Result(tuple(places), "highest" if alone else "draw", int(alone))


RULES: Final = SealedBids()


@pytest.fixture
def sealed_bids(monkeypatch: pytest.MonkeyPatch) -> SealedBids:
    """The game, registered for this test (import this fixture where it is wanted)."""
    monkeypatch.setitem(registry.RULES, (RULES.name, RULES.version), RULES)
    monkeypatch.setitem(registry.CURRENT, RULES.name, RULES)
    return RULES
