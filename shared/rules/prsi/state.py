"""A game of prší between two turns, and how it stands (§8)."""

import msgspec

from shared.rules.protocol import Result
from shared.rules.prsi.cards import NAMES, SUITS, SVRSEK, rank_of, suit_of
from shared.rules.prsi.options import House


class State(msgspec.Struct, frozen=True, kw_only=True):
    """All that lies on the table and in the hands; the 32 cards are always ``hands``, ``stock`` and ``pile``.

    ``hands`` are sorted, by seat. The stock's next card stands first, the pile's top card last. ``turn`` is
    the seat to move, None before that is drawn. ``named`` is the suit named with the svršek on top;
    ``pending`` cards await who faces active sevens; ``ace``: one is active. ``out`` are the seats that got
    rid of their cards, ``gone`` those that gave up, both in that order. For ``quiet`` turns in a row nobody
    has played or drawn a card. ``owed`` cards are still to be drawn after a shuffle; ``result`` is set when
    the game has ended; ``shown``: everything is open although the cards were not played out.
    """

    house: House
    hands: tuple[tuple[int, ...], ...]
    stock: tuple[int, ...] = ()
    pile: tuple[int, ...] = ()
    turn: int | None = None
    named: int | None = None
    pending: int = 0
    ace: bool = False
    out: tuple[int, ...] = ()
    gone: tuple[int, ...] = ()
    quiet: int = 0
    owed: int = 0
    result: Result | None = None
    shown: bool = False

    @property
    def seats(self) -> int:
        """How many sat down."""
        return len(self.hands)

    @property
    def dealt(self) -> bool:
        """Whether the cards were dealt."""
        return bool(self.pile)

    @property
    def playing(self) -> tuple[int, ...]:
        """The seats that still have cards to get rid of."""
        return tuple(seat for seat in range(self.seats) if seat not in self.out and seat not in self.gone)

    @property
    def due(self) -> int:
        """How many cards who draws now is to draw."""
        return self.pending or 1

    @property
    def suit(self) -> int:
        """The suit that must be matched where nothing is active: the named one, or the top card's."""
        return suit_of(self.pile[-1]) if self.named is None else self.named


def after(state: State, seat: int) -> int:
    """Who moves after ``seat``: the next one clockwise who still plays."""
    return min(state.playing, key=lambda other: (other - seat - 1) % state.seats)


def fits(state: State, card: int) -> bool:
    """Whether ``card`` may be played on what lies there."""
    top, rank = state.pile[-1], rank_of(card)
    if state.pending or state.ace:
        return rank == rank_of(top)
    return rank in (SVRSEK, rank_of(top)) or suit_of(card) == state.suit


def standing(state: State) -> tuple[int, ...]:
    """The places by seat if the game ended now.

    Who is out has the first places, who gave up the last (the first to go is last of all); who still has
    cards shares what lies between.
    """
    places = [len(state.out) + 1] * state.seats
    for place, seat in enumerate(state.out, 1):
        places[seat] = place
    for place, seat in enumerate(state.gone):
        places[seat] = state.seats - place
    return tuple(places)


def ended(state: State, kind: str) -> State:
    """``state`` as the end of the game; worth 1 if one alone is first, else nothing."""
    places = standing(state)
    return msgspec.structs.replace(
        state, result=Result(places=places, kind=kind, points=int(places.count(1) == 1))
    )


def position_text(state: State) -> str:
    """What all see, in one line: the top card, what is asked, cards by seat, the stock, who moves.

    ``=l`` leaves were named, ``+4`` four cards are pending, ``!`` an ace is active: ``7h+4 3,4,0 12 1``.
    """
    if not state.dealt:
        return ""
    asked = "" if state.named is None else f"={SUITS[state.named]}"
    asked += f"+{state.pending}" if state.pending else ""
    asked += "!" if state.ace else ""
    held = ",".join(str(len(hand)) for hand in state.hands)
    turn = "-" if state.result else state.turn
    return f"{NAMES[state.pile[-1]]}{asked} {held} {len(state.stock)} {turn}"
