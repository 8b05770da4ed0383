"""Positions of prší written down, and states that differ in secrets only."""

from random import Random
from typing import Any

import msgspec

from shared.rules.prsi import State
from shared.rules.prsi.cards import ACE, CARDS, PACK, SEVEN, SUITS, rank_of
from shared.rules.prsi.options import House


def cards(text: str) -> tuple[int, ...]:
    """``7h Kb`` as numbers, in this order."""
    return tuple(CARDS[name] for name in text.split())


def at(
    hands: tuple[str, ...],
    pile: str,
    stock: str | None = None,
    *,
    turn: int = 0,
    named: str = "",
    pending: int | None = None,
    ace: bool | None = None,
    house: dict[str, Any] | None = None,
    quiet: int = 0,
) -> State:
    """A game in which these cards are where they are said to be; all others are in the stock, in order.

    With ``stock`` given, just those are in it, and all others at the bottom of the pile. Its top card is the
    last one named; a seven or an ace there is served, unless ``pending`` or ``ace`` say otherwise.
    """
    held = tuple(tuple(sorted(cards(hand))) for hand in hands)
    lying, said = cards(pile), cards(stock or "")
    seen = {*lying, *said, *(card for hand in held for card in hand)}
    rest = tuple(card for card in range(PACK) if card not in seen)
    return State(
        house=House(**(house or {})),
        hands=held,
        stock=rest if stock is None else said,
        pile=lying if stock is None else (*rest, *lying),
        turn=turn,
        named=SUITS.index(named) if named else None,
        pending=pending or 0,
        ace=bool(ace),
        quiet=quiet,
    )


def active(state: State) -> State:
    """``state`` with the seven or ace on top active, as if it had just been played."""
    rank = rank_of(state.pile[-1])
    return msgspec.structs.replace(state, pending=2 if rank == SEVEN else 0, ace=rank == ACE)


def rehidden(state: State, seat: int | None, random: Random) -> State:
    """A state that differs from ``state`` only in what ``seat`` (None: a spectator) may not know.

    The other hands and the stock are dealt anew: nobody sees any of them, although an attentive player may
    remember the order of a pile that was turned over. After the end nothing is hidden.
    """
    if state.shown or state.result is not None:
        return state
    others = [other for other in range(state.seats) if other != seat]
    unseen = [card for other in others for card in state.hands[other]] + list(state.stock)
    random.shuffle(unseen)
    hands = list(state.hands)
    for other in others:
        hands[other] = tuple(sorted(unseen.pop() for _ in hands[other]))
    return msgspec.structs.replace(state, hands=tuple(hands), stock=tuple(unseen))
