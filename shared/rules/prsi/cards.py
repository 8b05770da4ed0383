"""The 32 German-suited cards, and what they are called (§8).

A card is a number, ``8 · suit + rank``. Suits are hearts (*červené*), leaves (*zelené*), bells (*kule*) and
acorns (*žaludy*); ranks 7, 8, 9, 10, U (*spodek*), O (*svršek*), K (*král*) and A (*eso*). ``Oh`` is
the svršek of hearts.
"""

from collections.abc import Iterable
from typing import Final

SUITS: Final = "hlba"
RANKS: Final = ("7", "8", "9", "10", "U", "O", "K", "A")
NAMES: Final[tuple[str, ...]] = tuple(rank + suit for suit in SUITS for rank in RANKS)
CARDS: Final[dict[str, int]] = {name: card for card, name in enumerate(NAMES)}
PACK: Final = len(NAMES)

SEVEN: Final = RANKS.index("7")
SVRSEK: Final = RANKS.index("O")
ACE: Final = RANKS.index("A")

_POINTS: Final = (7, 8, 9, 10, 2, 3, 4, 11)
"""By rank, what a card left in hand counts."""


def suit_of(card: int) -> int:
    """The place of its suit in ``SUITS``."""
    return card // len(RANKS)


def rank_of(card: int) -> int:
    """The place of its rank in ``RANKS``."""
    return card % len(RANKS)


def names(cards: Iterable[int]) -> list[str]:
    """The names of cards, in their order."""
    return [NAMES[card] for card in cards]


def penalty(hand: Iterable[int]) -> int:
    """The penalty points of the cards left in a hand."""
    return sum(_POINTS[rank_of(card)] for card in hand)
