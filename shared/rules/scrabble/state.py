"""The state of a game of scrabble: bag and racks are secret, the rest everybody sees."""

import msgspec

from shared.rules.protocol import Result


class Played(msgspec.Struct, frozen=True):
    """The turn that was finished last: whose, the words that it formed (none: no play), its points."""

    seat: int
    words: tuple[str, ...] = ()
    points: int = 0


class Open(msgspec.Struct, frozen=True):
    """A play of ``seat`` that may still be challenged: the tiles it laid, and what a withdrawn one leaves.

    ``board`` and ``empty`` are as before it. Its player draws only when it stands: else he would know what
    goes back into the bag.
    """

    seat: int
    tiles: str
    board: str
    empty: int


class State(msgspec.Struct, frozen=True, kw_only=True):
    """A game in hand.

    ``board`` is as in ``shared.rules.scrabble.board``, ``racks`` by seat and ``bag`` in the order in which it
    is drawn, from its beginning. ``lots``: who begins is to be drawn, ``mixing``: the bag is to be shuffled
    before anything else. ``empty`` counts turns in a row without a play. ``gone`` are the seats that gave up,
    the first of them first; their tiles stay with them. ``corrections`` are what the end took and gave, by
    seat. ``revealed``: the game was ended from outside, and racks are shown.
    """

    dictionary: str
    challenge: bool
    board: str
    bag: str
    racks: tuple[str, ...]
    scores: tuple[int, ...]
    turn: int
    lots: bool = False
    mixing: bool = True
    empty: int = 0
    last: Played | None = None
    open: Open | None = None
    gone: tuple[int, ...] = ()
    corrections: tuple[int, ...] = ()
    result: Result | None = None
    revealed: bool = False

    @property
    def seats(self) -> int:
        """How many play."""
        return len(self.scores)

    @property
    def playing(self) -> tuple[int, ...]:
        """The seats that still take part."""
        return tuple(seat for seat in range(self.seats) if seat not in self.gone)
