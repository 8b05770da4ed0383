"""What a seat may see: its own hand, of the others how many cards; after the end everything (§8)."""

from typing import Any

from shared.rules.prsi.cards import NAMES, SUITS, names, penalty
from shared.rules.prsi.state import State


def board(state: State, seat: int | None) -> dict[str, Any]:
    """The table as ``seat``, or a spectator (None), sees it.

    ``hand`` is its own, None for a spectator; ``cards`` how many each seat has, ``stock`` how many are there.
    ``top`` lies on ``pile``, the whole discard pile in its order. ``suit`` was named, None where the top card
    says what fits. ``pending`` cards await whoever faces active sevens, ``ace`` is whether one is active.
    ``out`` and ``gone`` are seats in the order in which they got rid of their cards and gave up. At the end
    ``hands`` by seat and ``rest``, the stock from its next card on, are open, and ``penalty`` counts what was
    left in each hand; before that they are None. ``turn`` is None from then on.
    """
    shown = state.shown or state.result is not None
    return {
        "hand": None if seat is None else names(state.hands[seat]),
        "cards": [len(hand) for hand in state.hands],
        "stock": len(state.stock),
        "top": NAMES[state.pile[-1]] if state.pile else None,
        "pile": names(state.pile),
        "suit": None if state.named is None else SUITS[state.named],
        "pending": state.pending,
        "ace": state.ace,
        "turn": None if shown else state.turn,
        "out": list(state.out),
        "gone": list(state.gone),
        "hands": [names(hand) for hand in state.hands] if shown else None,
        "rest": names(state.stock) if shown else None,
        "penalty": [penalty(hand) for hand in state.hands] if shown else None,
    }
