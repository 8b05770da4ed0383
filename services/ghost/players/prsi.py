"""A plain player of prší, by rules of thumb; it sees its own hand and what lies open (boardgames §8).

It plays a card whenever it can. Sevens and aces are kept for defence until somebody is about to win, and a
svršek until nothing else fits. Of equal cards it plays one of the suit that it has most of, and that is the
suit it names.
"""

from collections import Counter
from typing import Final

from services.ghost.players.protocol import Seen
from shared.rules.prsi.reading import DRAW, STAND

_NEARLY_OUT: Final = 2
"""With so few cards the seat that comes next is to be stopped."""

_PATIENCE: Final = 2
"""With fewer cards of its own nothing is kept any more."""


class PrsiPlayer:
    """``Player`` by these rules of thumb."""

    def move(self, seen: Seen) -> str:
        """The card that they like best; else it draws, or stands."""
        board = seen.view.board or {}
        hand: list[str] = board.get("hand") or []
        suits = Counter(card[-1] for card in hand)
        cards = [move for move in seen.legal if move.partition("=")[0] in hand]
        if not cards:
            return STAND if STAND in seen.legal else DRAW
        danger = self._danger(seen, board.get("cards") or [])
        keeps = len(hand) > _PATIENCE
        return max(cards, key=lambda move: _liking(move, suits, danger=danger, keeps=keeps))

    def _danger(self, seen: Seen, cards: list[int]) -> bool:
        """Whether the seat that comes next, still in the game, is nearly out of cards."""
        seats = len(cards)
        later = (cards[(seen.seat + step) % seats] for step in range(1, seats))
        return next((held for held in later if held), _NEARLY_OUT + 1) <= _NEARLY_OUT


def _liking(move: str, suits: Counter[str], *, danger: bool, keeps: bool) -> tuple[int, int]:
    """How much a card is liked: first what it is, then how many of its (or the named) suit are left."""
    card, _, named = move.partition("=")
    suit = named or card[-1]
    left = suits[suit] - (card[-1] == suit)
    if named:
        return (-1 if keeps else 0, left)
    if card[0] in "7A":
        return (2 if danger else 0 if keeps else 1, left)
    return (1, left)
